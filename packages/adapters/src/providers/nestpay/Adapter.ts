import { toDecimal } from "@sarraf/domain/money/Money"
import { NotSent, noAnswer, type Outcome, Refused } from "@sarraf/domain/payments/Outcome"
import type {
  Authorization,
  AuthorizeCall,
  CaptureCall,
  Finding,
  OperationCall,
  PaymentProvider
} from "@sarraf/domain/payments/PaymentProvider"
import { DateTime, Effect, Redacted, Result } from "effect"
import type { ProviderTransport } from "../ProviderTransport.ts"
import { capabilities } from "./Capabilities.ts"
import type { NestPayCredentials } from "./Credentials.ts"
import {
  type CC5Request,
  type CC5Response,
  decodeResponse,
  encodeRequest,
  extraOf,
  requestHeaders
} from "./Messages.ts"
import { historyOf, latestOf, type OrderState, stateOf, type Transaction } from "./OrderRecord.ts"
import { answerOf, echoOf, followUp, isApproved, outcomeOf, type Reply, type Step } from "./Outcomes.ts"
import type { NestPayProfile } from "./profiles.ts"

/** ISO 4217's numbers (provider sheet, section 1). AED is in no source's list and is not sent. */
const currencyNumbers: Readonly<Record<string, string>> = { TRY: "949", USD: "840", EUR: "978", GBP: "826" }

type Question = Omit<CC5Request, "Name" | "Password" | "ClientId">

const unanswered = (reason: string): Finding => ({ _tag: "Unanswered", reason })

/** `Declined`, no order, and `No record found for` our reference: code 99 for a status, 05 for a history. */
const saysNoSuchOrder = (message: CC5Response, reference: string): boolean =>
  message.Response === "Declined" &&
  (message.ProcReturnCode === "99" || message.ProcReturnCode === "05") &&
  (message.OrderId === undefined || message.OrderId === "" || message.OrderId === reference) &&
  !extraOf(message).TRANS_STAT &&
  message.ErrMsg?.trim() === `No record found for ${reference}`

/** `4546 71** **** 7894`. */
const last4Of = (message: CC5Response): string | undefined => /(\d{4})$/u.exec(extraOf(message).PAN?.trim() ?? "")?.[1]

/**
 * The amount is told of an authorization alone: after a capture in part the sheet does not say whether ORIG_TRANS_AMT is
 * the authorization's or the capture's, and a refund's is its own.
 */
const foundOf = (message: CC5Response, state: OrderState, reference: string): Finding => {
  const { transId, authorizedMinor, ...known } = state
  const last4 = last4Of(message)
  return {
    _tag: "Found",
    ...known,
    providerReference: transId ?? reference,
    answer: answerOf(message),
    echo: {
      ...echoOf(message),
      ...(authorizedMinor === undefined ? {} : { minor: authorizedMinor }),
      ...(last4 === undefined ? {} : { last4 })
    }
  }
}

const isEnough = ({ side, condition }: Transaction): boolean =>
  side === "S" && (condition === "authorized" || condition === "captured" || condition === "pending")

const ipv4 = /^\d{1,3}(?:\.\d{1,3}){3}$/u

/** Texts for people only: cut where the sheet is silent about a length, well below the manual's 255. */
const line = (text: string): string => text.slice(0, 100)

const preAuth = (call: AuthorizeCall, currency: string): Question => {
  const { card, buyer, billingAddress } = call
  return {
    Type: "PreAuth",
    ...(buyer.ip !== undefined && ipv4.test(buyer.ip) ? { IPAddress: buyer.ip } : {}),
    Email: line(buyer.email),
    OrderId: call.reference,
    Total: toDecimal(call.money.currency, call.money.minor),
    Currency: currency,
    Taksit: call.installment > 1 ? `${call.installment}` : "",
    Number: card.number.reveal(),
    Expires: `${`${card.expMonth}`.padStart(2, "0")}/${`${card.expYear}`.slice(-2)}`,
    Cvv2Val: Redacted.value(card.cvc),
    Mode: "P",
    BillTo: {
      Name: line(card.holderName),
      Street1: line(billingAddress.address),
      City: line(billingAddress.city),
      ...(billingAddress.postalCode === undefined ? {} : { PostalCode: line(billingAddress.postalCode) })
    }
  }
}

interface Shop {
  readonly profile: NestPayProfile
  readonly credentials: NestPayCredentials
  readonly transport: ProviderTransport["Service"]
}

const ask = ({ profile, credentials, transport }: Shop, question: Question): Effect.Effect<Reply> => {
  const { name: Name, password, clientId: ClientId } = credentials
  const body = encodeRequest({ Name, Password: Redacted.value(password), ClientId, ...question })
  const request = { provider: profile.id, method: "POST", url: profile.apiUrl, headers: requestHeaders, body } as const
  return transport.send(request).pipe(
    Effect.map((response): Reply => {
      const decoded = decodeResponse(response)
      return Result.isSuccess(decoded)
        ? { _tag: "Answered", message: decoded.success }
        : { _tag: "Unanswered", reason: decoded.failure }
    }),
    Effect.catchTags({
      ConnectFailed: ({ reason }) => Effect.succeed<Reply>({ _tag: "NotSent", reason }),
      NoAnswer: ({ reason }) => Effect.succeed<Reply>({ _tag: "Unanswered", reason })
    })
  )
}

const perform = (shop: Shop, question: Question, step: Step): Effect.Effect<Outcome> =>
  Effect.flatMap(ask(shop, question), (reply) => Effect.map(DateTime.now, (now) => outcomeOf(reply, step, now)))

const notSent = (reason: string): Effect.Effect<Outcome> => Effect.succeed(NotSent({ reason }))

const authorize = (shop: Shop, call: AuthorizeCall): Effect.Effect<Outcome> => {
  const currency = currencyNumbers[call.money.currency]
  if (currency === undefined) return notSent("The bank does not take this currency.")
  if (call.threeDS !== undefined) return notSent("3-D Secure is not set up with this bank.")
  return perform(shop, preAuth(call, currency), { type: "authorization", installment: call.installment })
}

const capture = (shop: Shop, { authorization, money }: CaptureCall): Effect.Effect<Outcome> => {
  const Total = toDecimal(money.currency, money.minor)
  return perform(shop, { Type: "PostAuth", OrderId: authorization.reference, Total }, followUp)
}

const refund = (shop: Shop, { authorization, money }: OperationCall): Effect.Effect<Outcome> => {
  const Currency = currencyNumbers[money.currency]
  if (Currency === undefined) return notSent("The bank does not take this currency.")
  const Total = toDecimal(money.currency, money.minor)
  return perform(shop, { Type: "Credit", OrderId: authorization.reference, Total, Currency }, followUp)
}

const nothingToRelease = Refused({
  code: "PROVIDER_ERROR",
  detail: "The authorization is captured: nothing of it is left to release.",
  answer: noAnswer,
  mayTryAnother: false,
  echo: {}
})

/** A void by order takes back whatever it finds, a capture too: so it is not sent once there is one. */
const cancel = (shop: Shop, { authorization, captures }: OperationCall): Effect.Effect<Outcome> =>
  captures.length > 0
    ? Effect.succeed(nothingToRelease)
    : perform(shop, { Type: "Void", OrderId: authorization.reference }, followUp)

/** By its own transaction where that is known, so that a refund of the same order is never what is taken back. */
const voidCapture = (shop: Shop, { authorization, captures }: OperationCall): Effect.Effect<Outcome> => {
  const TransId = captures[0]?.providerReference
  const target = TransId ? { TransId } : { OrderId: authorization.reference }
  return perform(shop, { Type: "Void", ...target }, followUp)
}

/** The order's state by its history, for which the same order has to be found as for its status. */
const stateByHistory = (shop: Shop, reference: string, orderId: string): Effect.Effect<OrderState | undefined> =>
  Effect.map(ask(shop, { OrderId: reference, Extra: { ORDERHISTORY: "QUERY" } }), (reply) => {
    if (reply._tag !== "Answered" || !isApproved(reply.message) || reply.message.OrderId !== orderId) return undefined
    return stateOf(historyOf(reply.message) ?? [])
  })

/**
 * The latest transaction alone says how an order stands that is authorized, under way, or captured and not settled.
 * Otherwise it may be a refund or a step that failed, and the history is asked for beside it.
 */
const query = Effect.fnUntraced(function* (shop: Shop, { reference }: Authorization) {
  const status = yield* ask(shop, { OrderId: reference, Extra: { ORDERSTATUS: "QUERY" } })
  if (status._tag !== "Answered") return unanswered(status.reason)
  const { message } = status
  if (saysNoSuchOrder(message, reference)) return { _tag: "Absent", answer: answerOf(message) } as const
  const latest = latestOf(message)
  if (!isApproved(message) || !message.OrderId || latest === undefined) {
    return unanswered("The bank's answer does not say how the order stands.")
  }
  const state = isEnough(latest) ? stateOf([latest]) : yield* stateByHistory(shop, reference, message.OrderId)
  return state === undefined
    ? unanswered("The bank's record of the order could not be read.")
    : foundOf(message, state, reference)
})

/**
 * One shop at a NestPay bank, without 3-D Secure. Source: provider sheet, sections 2 to 6. The order id is the key to all
 * that follows; what the sheet leaves open is read so that nothing counts as approved or refused that may be otherwise.
 */
export const make = (options: Shop): PaymentProvider => ({
  id: options.profile.id,
  capabilities,
  authorize: (call) => authorize(options, call),
  capture: (call) => capture(options, call),
  refund: (call) => refund(options, call),
  cancel: (call) => cancel(options, call),
  voidCapture: (call) => voidCapture(options, call),
  query: (authorization) => query(options, authorization)
})
