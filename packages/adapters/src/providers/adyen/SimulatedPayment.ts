import { hash, randomBytes } from "node:crypto"
import { Schema } from "effect"
import type { Json } from "../PostedBody.ts"
import { behaviourOf, type TestCardBehaviour } from "../TestCards.ts"
import { type Amount, amountAt, brandOf, textAt } from "./SimulatedRequest.ts"

const Decline = Schema.Struct({
  resultCode: Schema.String,
  refusalReason: Schema.String,
  refusalReasonCode: Schema.String,
  /** The issuer's word: `05 : Do not honor`. */
  raw: Schema.NullOr(Schema.String)
})
export type Decline = typeof Decline.Type

const Challenge = Schema.Struct({
  /** Part of the page's address, and not to be guessed. */
  token: Schema.String,
  returnUrl: Schema.String,
  tries: Schema.Number,
  verdict: Schema.NullOr(Schema.Literals(["authenticated", "cancelled", "failed"])),
  /** What the browser brings back, once there is a verdict. */
  redirectResult: Schema.NullOr(Schema.String)
})

/** What a request came to: enough to give the same answer again. */
const Call = Schema.Struct({ digest: Schema.String, status: Schema.Number, json: Schema.Unknown })
export type Call = typeof Call.Type

const Payment = Schema.Struct({
  pspReference: Schema.String,
  reference: Schema.String,
  /** Minor units. */
  value: Schema.Number,
  currency: Schema.String,
  isManual: Schema.Boolean,
  card: Schema.Struct({
    first6: Schema.String,
    last4: Schema.String,
    brand: Schema.String,
    /** `3/2030` */
    expiry: Schema.String
  }),
  /** What the issuer will say, or has said; null: yes. */
  decline: Schema.NullOr(Decline),
  state: Schema.Literals(["challenged", "authorised", "refused", "cancelled"]),
  challenge: Schema.NullOr(Challenge),
  captured: Schema.Number,
  /** `failsAt`: when the refund turns out not to have reached the card, in milliseconds since 1970. */
  refunds: Schema.Array(Schema.Struct({ value: Schema.Number, failsAt: Schema.NullOr(Schema.Number) })),
  /** By idempotency key. */
  calls: Schema.Record(Schema.String, Call)
})
/** A simulated payment. It holds no card number. */
export type Payment = typeof Payment.Type
export const paymentOf = Schema.decodeUnknownSync(Payment)

const letters = "BCDFGHJKLMNPQRSTVWXZ23456789"
/** 16 letters and digits, the same for the same seed. */
export const pspReferenceOf = (seed: string): string =>
  Array.from(hash("sha256", seed, "buffer").subarray(0, 16), (byte) => letters[byte % letters.length]).join("")

const decline = (refusalReasonCode: string, refusalReason: string, raw: string | null): Decline => ({
  resultCode: "Refused",
  refusalReason,
  refusalReasonCode,
  raw
})

const declines: Readonly<Partial<Record<TestCardBehaviour, Decline>>> = {
  insufficientFunds: decline("12", "Not enough balance", "51 : Insufficient funds"),
  decline: decline("2", "Refused", "05 : Do not honor"),
  expired: decline("6", "Expired Card", "54 : Expired card"),
  providerFails: { ...decline("4", "Acquirer Error", null), resultCode: "Error" }
}
export const unauthenticated = decline("11", "3D Not Authenticated", null)
export const cancelledByShopper: Decline = { ...decline("16", "Shopper Cancelled", null), resultCode: "Cancelled" }
const unsupported = decline("10", "Not supported", null)

/** A payment as it is asked for, before anybody has said anything. `number` is looked at and not kept. */
export const newPayment = (body: Json, seed: string, number: string): Payment => {
  const { currency, value } = amountAt(body) ?? { value: 0, currency: "" }
  const brand = brandOf(number)
  return {
    pspReference: pspReferenceOf(seed),
    reference: textAt(body, "reference") ?? "",
    value,
    currency,
    isManual: textAt(body, "additionalData", "manualCapture") === "true",
    card: {
      first6: number.slice(0, 6),
      last4: number.slice(-4),
      brand: brand ?? "unknown",
      expiry: `${Number(textAt(body, "paymentMethod", "expiryMonth"))}/${textAt(body, "paymentMethod", "expiryYear")}`
    },
    decline: brand === undefined ? unsupported : (declines[behaviourOf(number)] ?? null),
    state: "refused",
    challenge: null,
    captured: 0,
    refunds: [],
    calls: {}
  }
}

/** Sends the shopper to the issuer's page. */
export const challenged = (payment: Payment, returnUrl: string): Payment => ({
  ...payment,
  state: "challenged",
  challenge: { token: randomBytes(24).toString("base64url"), returnUrl, tries: 0, verdict: null, redirectResult: null }
})

/** The issuer's word; `refusedBy` comes before it. An automatic capture takes everything at once. */
export const decided = (payment: Payment, refusedBy: Decline | null = null): Payment => {
  const said = refusedBy ?? payment.decline
  if (said !== null) return { ...payment, decline: said, state: "refused" }
  return { ...payment, state: "authorised", captured: payment.isManual ? 0 : payment.value }
}

/** The network's test cards have zeros between their first six and last four; of another card nothing more is known. */
export const testNumberOf = ({ card }: Payment): string => `${card.first6}000000${card.last4}`

/** What a modification comes to. It is acknowledged either way, and `reason` is told by notification. */
export interface Change {
  readonly payment: Payment
  readonly reason: string | null
}

const refusedChange = (payment: Payment, reason: string): Change => ({ payment, reason })

export const captured = (payment: Payment, { currency, value }: Amount): Change => {
  if (payment.state !== "authorised") return refusedChange(payment, "Transaction is not authorised")
  // One capture; what it leaves is cancelled.
  return payment.captured > 0 || value > payment.value || currency !== payment.currency
    ? refusedChange(payment, "Insufficient balance on payment")
    : { payment: { ...payment, captured: value }, reason: null }
}

/** A refund of an amount that ends in 77 is taken, and fails this long after, in milliseconds. */
export const refundFailsAfterMillis = 2_000
export const failsLater = ({ value }: Pick<Amount, "value">): boolean => value % 100 === 77

export const refunded = (payment: Payment, { currency, value }: Amount, now: number): Change => {
  if (payment.captured === 0) return refusedChange(payment, "Transaction hasn't been captured, refund not possible")
  const standing = payment.refunds.filter(({ failsAt }) => failsAt === null || failsAt > now)
  const left = payment.captured - standing.reduce((sum, refund) => sum + refund.value, 0)
  if (value > left || currency !== payment.currency) return refusedChange(payment, "Insufficient balance on payment")
  const failsAt = failsLater({ value }) ? now + refundFailsAfterMillis : null
  return { payment: { ...payment, refunds: [...payment.refunds, { value, failsAt }] }, reason: null }
}

export const cancelled = (payment: Payment): Change => {
  if (payment.captured > 0) return refusedChange(payment, "Transaction has been captured, cancel not possible")
  return payment.state === "authorised" || payment.state === "challenged"
    ? { payment: { ...payment, state: "cancelled" }, reason: null }
    : refusedChange(payment, "Transaction is not authorised")
}
