import { type ProviderAnswer, Refused } from "@sarraf/domain/payments/Outcome"
import type { AuthorizeCall, ThreeDSReturn } from "@sarraf/domain/payments/PaymentProvider"
import { Redacted } from "effect"
import { shownElements } from "../ShownFields.ts"
import { secData } from "./Connection.ts"
import { type GarantiCredentials, modeOf } from "./Credentials.ts"
import { currencyNumberOf, type Transaction } from "./Messages.ts"
import { last4Of } from "./Outcomes.ts"
import { formHash, isSameHash, returnHash } from "./Signature.ts"

/** `3` → `03`, `2030` → `30`. */
export const twoDigits = (number: number): string => `${number}`.padStart(2, "0").slice(-2)

/**
 * The form that the buyer's browser posts to the bank, card and security code among its fields (provider sheet, section 4).
 * Level `3D`: the bank authenticates the buyer and charges nothing before the completion is sent.
 */
export const formFields = (
  credentials: GarantiCredentials,
  call: AuthorizeCall,
  parts: { readonly currency: string; readonly ip: string; readonly returnUrl: string }
): Readonly<Record<string, string>> => {
  const { card, installment, money, reference } = call
  const { merchantId, provUserId, storeKey, terminalId } = credentials
  const form = {
    secure3dsecuritylevel: "3D",
    mode: modeOf(credentials),
    apiversion: "512",
    terminalprovuserid: provUserId,
    terminaluserid: provUserId,
    terminalmerchantid: merchantId,
    terminalid: terminalId,
    txntype: "preauth",
    txnamount: `${money.minor}`,
    txncurrencycode: parts.currency,
    txninstallmentcount: installment > 1 ? `${installment}` : "",
    orderid: reference,
    successurl: parts.returnUrl,
    errorurl: parts.returnUrl,
    customeripaddress: parts.ip,
    customeremailaddress: call.buyer.email,
    cardnumber: card.number.reveal(),
    cardexpiredatemonth: twoDigits(card.expMonth),
    cardexpiredateyear: twoDigits(card.expYear),
    cardcvv2: Redacted.value(card.cvc)
  }
  return { ...form, secure3dhash: formHash(form, storeKey, secData(credentials)) }
}

/** What a return says. `NotStarted`: the bank's gate could not begin, and says so without a hash. */
type ReturnReading = "Authenticated" | "Failed" | "SystemError" | "NotStarted" | "Forged"

/**
 * The names that the hash covers, in their order. The hash runs over values without anything between them, so that a list
 * of another order would let one value be read as another.
 */
const signedNames = "clientid:oid:authcode:procreturncode:response:mdstatus:cavv:eci:md:rnd".split(":")

const namesOf = (hashparams: string): ReadonlyArray<string> => hashparams.split(":").filter((name) => name !== "")

const isSigned = (returned: Readonly<Record<string, string>>, { storeKey }: GarantiCredentials): boolean => {
  const names = namesOf(returned.hashparams ?? "")
  return (
    signedNames.every((name, index) => names[index] === name) &&
    isSameHash(returned.hash ?? "", returnHash(returned, names, storeKey))
  )
}

/** Sections 3 and 4: terminal, order, amount and currency are this payment's. */
const isAbout = ({ authorization: { money, reference }, returned }: ThreeDSReturn, terminalId: string): boolean =>
  returned.clientid === terminalId &&
  returned.oid === reference &&
  returned.txnamount === `${money.minor}` &&
  returned.txncurrencycode === currencyNumberOf(money.currency)

/**
 * Reads what the browser brought. At level `3D` there is no payment yet, so that an authenticated return whose payment
 * fields are filled is none of the bank's. Half a proof (mdstatus 2, 3, 4) counts as none (section 5).
 */
export const readReturn = (credentials: GarantiCredentials, call: ThreeDSReturn): ReturnReading => {
  const { returned } = call
  if (!isAbout(call, credentials.terminalId)) return "Forged"
  const { authcode, hash, hashparams, mdstatus, procreturncode, response } = returned
  if (mdstatus === "7" && !hash && !hashparams) return "NotStarted"
  if (!isSigned(returned, credentials)) return "Forged"
  if (mdstatus === "7") return "SystemError"
  if (mdstatus !== "1") return "Failed"
  return authcode || procreturncode || response ? "Forged" : "Authenticated"
}

/** The proof of the authentication, unchanged (section 4). */
export const proofOf = (returned: Readonly<Record<string, string>>): NonNullable<Transaction["Secure3D"]> => ({
  AuthenticationCode: returned.cavv ?? "",
  SecurityLevel: returned.eci ?? "",
  TxnID: returned.xid ?? "",
  Md: returned.md ?? ""
})

const answerOf = (returned: Readonly<Record<string, string>>): ProviderAnswer => ({
  responseCode: returned.procreturncode || returned.mdstatus || null,
  fields: shownElements(["mdstatus", "procreturncode", "response", "txnstatus", "eci", "oid"], returned)
})

/** The refusal that a return amounts to. Nothing was charged, and the buyer has been away: no other provider is tried. */
export const refusalOf = ({ authorization, returned }: ThreeDSReturn, reading: "Failed" | "SystemError") => {
  const last4 = last4Of(returned.MaskedPan)
  const echo = { reference: authorization.reference, ...(last4 === undefined ? {} : { last4 }) }
  const common = { answer: answerOf(returned), mayTryAnother: false, echo }
  return reading === "Failed"
    ? Refused({ ...common, code: "3DS_FAILED", detail: "The buyer was not authenticated by the card's issuer." })
    : Refused({ ...common, code: "PROVIDER_ERROR", detail: "The bank's 3-D Secure system could not begin or failed." })
}
