import { randomBytes } from "node:crypto"
import { fromDecimal, toDecimal } from "@sarraf/domain/money/Money"
import {
  ActionRequired,
  type Echo,
  noAnswer,
  type Outcome,
  type ProviderAnswer,
  Refused,
  Unknown
} from "@sarraf/domain/payments/Outcome"
import type { AuthorizeCall, ThreeDSReturn } from "@sarraf/domain/payments/PaymentProvider"
import { DateTime, Effect, Redacted, Result } from "effect"
import { perform, type Question, type Shop } from "./Connection.ts"
import { addressOf, currencyNumbers, taksitOf, twoDigits } from "./Messages.ts"
import { followUp, outcomeOf } from "./Outcomes.ts"
import { hashVersion3, isSigned } from "./Signature.ts"

/** Store type `3d`: the bank authenticates and charges nothing; `hashAlgorithm` is the only one that is accepted. */
const fixed = { storetype: "3d", hashAlgorithm: "ver3" } as const

/** The fields that the browser posts to `est3Dgate`, closed by their hash (provider sheet, sections 3 and 4). */
const formOf = (
  { credentials }: Shop,
  { card, installment, money, reference }: AuthorizeCall,
  returnUrl: string,
  facts: { readonly rnd: string; readonly lang: string; readonly currency: string }
): Readonly<Record<string, string>> => {
  const fields = {
    clientid: credentials.clientId,
    ...fixed,
    amount: toDecimal(money.currency, money.minor),
    oid: reference,
    okUrl: returnUrl,
    failUrl: returnUrl,
    ...facts,
    taksit: taksitOf(installment),
    TranType: "PreAuth",
    pan: card.number.reveal(),
    Ecom_Payment_Card_ExpDate_Month: twoDigits(card.expMonth),
    Ecom_Payment_Card_ExpDate_Year: twoDigits(card.expYear),
    cv2: Redacted.value(card.cvc)
  }
  return { ...fields, hash: hashVersion3(fields, credentials.storeKey) }
}

/** Sends the buyer to the bank's gate; nothing has gone to the bank by then. `currency` is ISO 4217's number. */
export const start = (shop: Shop, call: AuthorizeCall, returnUrl: string, currency: string): Effect.Effect<Outcome> =>
  Effect.sync(() => {
    const rnd = randomBytes(12).toString("hex")
    const lang = call.billingAddress.country === "TR" ? "tr" : "en"
    const action = shop.credentials.threeDGateUrl ?? shop.profile.threeDGateUrl
    const fields = Redacted.make(formOf(shop, call, returnUrl, { rnd, lang, currency }))
    return ActionRequired({ step: { type: "form", action, fields }, answer: noAnswer, echo: {}, notes: { rnd, lang } })
  })

/** What came back, by its names in lower case: the banks spell them in different ways (provider sheet, section 7). */
type Returned = ReadonlyMap<string, string>

const returnedOf = ({ returned }: ThreeDSReturn): Returned =>
  new Map(Object.entries(returned).map(([name, value]) => [name.toLowerCase(), value]))

const minorOf = (currency: string, amount: string | undefined): bigint | undefined => {
  const money = fromDecimal(currency, amount ?? "")
  return Result.isSuccess(money) ? money.success.minor : undefined
}

/**
 * The hash is over values in the order of their names and not over the names, so that a genuine return could be renamed
 * into another. Every field of the form that comes back therefore has to be as it was sent: no value can then pass from
 * one side of them to the other, and a foreign one cannot become `mdStatus`, which stands between `lang` and `oid`.
 */
const isOurs = ({ credentials }: Shop, { authorization, installment }: ThreeDSReturn, fields: Returned): boolean => {
  const { money, notes, reference } = authorization
  const sent = {
    clientid: credentials.clientId,
    storetype: fixed.storetype,
    hashalgorithm: fixed.hashAlgorithm,
    oid: reference,
    currency: currencyNumbers[money.currency],
    taksit: taksitOf(installment),
    rnd: notes.rnd,
    lang: notes.lang
  }
  const asSent = Object.entries(sent).every(([name, value]) => (fields.get(name) ?? "") === value)
  return asSent && minorOf(money.currency, fields.get("amount")) === money.minor
}

/** The bank's word on this payment: its hash of version 3, and our own fields as they were sent. */
export const isGenuine = (shop: Shop, call: ThreeDSReturn): boolean =>
  isSigned(call.returned, shop.credentials.storeKey) && isOurs(shop, call, returnedOf(call))

/** What may be shown of a return: no `md`, `xid` or `cavv`, which are the proof itself, and nothing of the card. */
const shown = ["Response", "ErrorCode", "mdStatus", "txstatus", "eci", "oid"] as const
const shownLengthMax = 64

const answerOf = (fields: Returned): ProviderAnswer => {
  const texts: Record<string, string> = {}
  for (const name of shown) {
    const value = fields.get(name.toLowerCase())
    if (value) texts[name] = value.slice(0, shownLengthMax)
  }
  return { responseCode: texts.ErrorCode ?? texts.mdStatus ?? null, fields: texts }
}

/** `435508***4358`, `4355 08** **** 4358`; absent where it is masked to its end. */
const last4Of = (fields: Returned): Pick<Echo, "last4"> => {
  const [, last4] = /(\d{4})$/u.exec(fields.get("maskedpan") || fields.get("maskedcreditcard") || "") ?? []
  return last4 === undefined ? {} : { last4 }
}

/** The return is compared by `isGenuine`; what is told of it here is what was compared. */
const echoOf = ({ authorization }: ThreeDSReturn, fields: Returned): Echo => ({
  reference: authorization.reference,
  minor: authorization.money.minor,
  currency: authorization.money.currency,
  ...last4Of(fields)
})

/** A refusal before any transaction: the bank charges nothing in store type `3d` until it is asked to. */
const refusedBy = (call: ThreeDSReturn, fields: Returned, code: "3DS_FAILED" | "PROVIDER_ERROR", detail: string) =>
  Refused({ code, detail, answer: answerOf(fields), mayTryAnother: false, echo: echoOf(call, fields) })

/** A gate that did not get as far as the authentication answers with a code of the payment address's table. */
const refusedByGate = (call: ThreeDSReturn, fields: Returned): Effect.Effect<Outcome> =>
  Effect.map(DateTime.now, (now) => {
    const message = {
      Response: "Error",
      OrderId: call.authorization.reference,
      ERRORCODE: fields.get("errorcode") ?? ""
    }
    const outcome = outcomeOf({ _tag: "Answered", message }, followUp, now)
    return outcome._tag === "Refused" ? { ...outcome, answer: answerOf(fields), echo: echoOf(call, fields) } : outcome
  })

/** The card is in `md` alone, and the security code is not sent again (provider sheet, section 4). */
const completionOf = (call: ThreeDSReturn, fields: Returned): Question | undefined => {
  const [md, xid, eci, cavv] = ["md", "xid", "eci", "cavv"].map((name) => fields.get(name) ?? "")
  const { money, reference } = call.authorization
  const currency = currencyNumbers[money.currency]
  if (!md || !xid || !eci || !cavv || currency === undefined) return undefined
  return {
    Type: "PreAuth",
    ...addressOf(call.buyerIp),
    OrderId: reference,
    Total: toDecimal(money.currency, money.minor),
    Currency: currency,
    Taksit: taksitOf(call.installment),
    Number: md,
    PayerTxnId: xid,
    PayerSecurityLevel: eci,
    PayerAuthenticationCode: cavv,
    Mode: "P"
  }
}

/** Asks for the authorization with the proof, and compares the card that was authenticated beside the answer's order. */
const authorizeWithProof = Effect.fnUntraced(function* (shop: Shop, call: ThreeDSReturn, fields: Returned) {
  const question = completionOf(call, fields)
  if (question === undefined) {
    return refusedBy(call, fields, "3DS_FAILED", "The bank gave no proof of the buyer's authentication.")
  }
  const outcome = yield* perform(shop, question, followUp)
  return outcome._tag === "Accepted" ? { ...outcome, echo: { ...outcome.echo, ...last4Of(fields) } } : outcome
})

/**
 * By `mdStatus` (provider sheet, section 5): 1 is authenticated; 2, 3 and 4 are half secure, where the liability may stay
 * with the merchant, and count as failed; 7 is a failure of the bank's own system.
 */
export const complete = (shop: Shop, call: ThreeDSReturn): Effect.Effect<Outcome> => {
  if (!isGenuine(shop, call)) {
    return Effect.succeed(Unknown({ reason: "The return from 3-D Secure is not the bank's word on this payment." }))
  }
  const fields = returnedOf(call)
  const mdStatus = fields.get("mdstatus") ?? ""
  if (mdStatus === "1") return authorizeWithProof(shop, call, fields)
  if (mdStatus === "" && fields.get("errorcode")) return refusedByGate(call, fields)
  return Effect.succeed(
    mdStatus === "7"
      ? refusedBy(call, fields, "PROVIDER_ERROR", "The bank's system for 3-D Secure failed; nothing was charged.")
      : refusedBy(call, fields, "3DS_FAILED", "The buyer was not authenticated by the card's issuer.")
  )
}
