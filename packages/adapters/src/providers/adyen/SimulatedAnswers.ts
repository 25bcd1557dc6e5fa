import { createHmac } from "node:crypto"
import type { Json } from "../PostedBody.ts"
import type { PostedNotification } from "../Simulator.ts"
import type { Payment } from "./SimulatedPayment.ts"
import type { Amount, Fault } from "./SimulatedRequest.ts"

/** Six digits, the same for the same payment. */
const authCodeOf = ({ pspReference }: Payment): string =>
  Array.from(pspReference.slice(0, 6), (letter) => letter.charCodeAt(0) % 10).join("")

const additionalDataOf = (payment: Payment): Json => ({
  acquirerCode: "TestPmmAcquirer",
  avsResult: "4 AVS not supported for this card type",
  cardBin: payment.card.first6,
  cardSummary: payment.card.last4,
  cvcResult: "1 Matches",
  paymentMethod: payment.card.brand,
  ...(payment.state === "authorised" ? { authCode: authCodeOf(payment) } : {}),
  ...(payment.decline !== null && payment.decline.raw !== null ? { refusalReasonRaw: payment.decline.raw } : {}),
  ...(payment.challenge === null ? {} : { liabilityShift: payment.state === "authorised" ? "true" : "false" })
})

const amountOf = ({ currency, value }: Payment): Amount => ({ currency, value })

/** The answer to `/payments` and `/payments/details`. `redirectUrl` is where a challenged shopper goes. */
export const payment = (made: Payment, redirectUrl: string): Json => {
  const { decline, pspReference, reference, state } = made
  const common = { pspReference, amount: amountOf(made), merchantReference: reference }
  if (state === "challenged") {
    const action = { paymentMethodType: "scheme", url: redirectUrl, method: "GET", type: "redirect" }
    return { ...common, resultCode: "RedirectShopper", action }
  }
  const additionalData = additionalDataOf(made)
  if (decline === null) return { additionalData, ...common, resultCode: "Authorised" }
  const { refusalReason, refusalReasonCode, resultCode } = decline
  return { additionalData, ...common, refusalReason, resultCode, refusalReasonCode }
}

export const failure = ({ errorCode, errorType, message, status }: Fault): Json => ({
  status,
  errorCode,
  message,
  errorType
})

/** An event of a payment, before it is signed. */
export interface Event {
  readonly eventCode: string
  readonly pspReference: string
  readonly originalReference?: string
  readonly merchantReference: string
  readonly amount: Amount
  readonly reason: string
  readonly success: boolean
  readonly additionalData?: Json
}

export const authorisation = (made: Payment): Event => {
  const { card, decline, pspReference, reference } = made
  return {
    eventCode: "AUTHORISATION",
    pspReference,
    merchantReference: reference,
    amount: amountOf(made),
    reason: decline === null ? `${authCodeOf(made)}:${card.last4}:${card.expiry}` : decline.refusalReason,
    success: decline === null,
    additionalData: additionalDataOf(made)
  }
}

/** The account's own side of the signature (provider sheet, section 3). */
const signatureOf = (event: Event, merchantAccount: string, hmacKey: string): string => {
  const { amount, eventCode, merchantReference, originalReference = "", pspReference, success } = event
  const text = `${pspReference}:${originalReference}:${merchantAccount}:${merchantReference}:${amount.value}:${amount.currency}:${eventCode}:${success}`
  return createHmac("sha256", Buffer.from(hmacKey, "hex")).update(text).digest("base64")
}

export interface Signer {
  readonly merchantAccount: string
  /** Hexadecimal. */
  readonly hmacKey: string
}

/** The webhook with one event, as it is posted `delayMillis` later; `now` in milliseconds since 1970. */
export const notification = (
  event: Event,
  { hmacKey, merchantAccount }: Signer,
  now: number,
  delayMillis: number
): PostedNotification => {
  const { additionalData, success, ...rest } = event
  const item = {
    additionalData: { ...additionalData, hmacSignature: signatureOf(event, merchantAccount, hmacKey) },
    ...rest,
    eventDate: new Date(now + delayMillis).toISOString().replace(/\.\d+Z$/u, "+00:00"),
    merchantAccountCode: merchantAccount,
    success: `${success}`
  }
  const body = { live: "false", notificationItems: [{ NotificationRequestItem: item }] }
  return {
    headers: { "content-type": "application/json; charset=utf-8" },
    body: new TextEncoder().encode(JSON.stringify(body)),
    delayMillis
  }
}
