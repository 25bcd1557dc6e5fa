import { Schema } from "effect"
import type { TestCardBehaviour } from "../TestCards.ts"

/** Amounts are minor units, times milliseconds since 1970. */
const GivenBack = Schema.Struct({ id: Schema.String, minor: Schema.Number, at: Schema.Number })

const Payment = Schema.Struct({
  paymentId: Schema.String,
  conversationId: Schema.String,
  basketId: Schema.String,
  price: Schema.Number,
  paidPrice: Schema.Number,
  currency: Schema.String,
  installment: Schema.Number,
  /** The first six and the last four of the card's number. */
  bin: Schema.String,
  last4: Schema.String,
  phase: Schema.Literals(["AUTH", "PRE_AUTH", "POST_AUTH"]),
  status: Schema.Literals(["SUCCESS", "FAILURE", "INIT_THREEDS", "CALLBACK_THREEDS"]),
  /** What the issuer will say, or has said; null: yes. */
  errorCode: Schema.NullOr(Schema.String),
  threeDS: Schema.NullOr(
    Schema.Struct({
      callbackUrl: Schema.String,
      challengeId: Schema.String,
      authentication: Schema.Literals(["challenge", "frictionless", "fails"]),
      mdStatus: Schema.NullOr(Schema.Number),
      tries: Schema.Number
    })
  ),
  authCode: Schema.String,
  hostReference: Schema.String,
  capturedAt: Schema.NullOr(Schema.Number),
  refunds: Schema.Array(GivenBack),
  cancels: Schema.Array(GivenBack)
})
/** A simulated payment. It holds no card number. */
export type Payment = typeof Payment.Type
export const paymentOf = Schema.decodeUnknownSync(Payment)

/** The name of the payment's only item. */
export const transactionIdOf = ({ paymentId }: Pick<Payment, "paymentId">): string => `1${paymentId}`

/** What a step makes of a payment: its new state, or the code of a refusal that leaves it as it is. */
export type Change = { readonly payment: Payment } | { readonly code: string }

/** The issuer's codes. Cards for 3-D Secure are plain ones where no authentication is asked for. */
const issuerCodes: Readonly<Partial<Record<TestCardBehaviour, string>>> = {
  insufficientFunds: "10051",
  decline: "10005",
  expired: "10054",
  providerFails: "10214"
}
export const errorCodeOf = (behaviour: TestCardBehaviour): string | null => issuerCodes[behaviour] ?? null

export const authorized = (payment: Payment, now: number): Change =>
  payment.errorCode === null
    ? { payment: { ...payment, status: "SUCCESS", capturedAt: payment.phase === "AUTH" ? now : null } }
    : { payment: { ...payment, status: "FAILURE" } }

/** The issuer's answer to the buyer's authentication. */
export const authenticated = (payment: Payment, hasPassed: boolean): Payment => ({
  ...payment,
  status: hasPassed ? "CALLBACK_THREEDS" : "FAILURE",
  threeDS: payment.threeDS === null ? null : { ...payment.threeDS, mdStatus: hasPassed ? 1 : 0 }
})

/** Code 1, a system error, stands for what the sheet does not tell: a completion that was done before. */
export const completed = (payment: Payment, now: number): Change => {
  if (payment.status === "SUCCESS") return { code: "1" }
  return payment.status === "CALLBACK_THREEDS" ? authorized(payment, now) : { code: "10211" }
}

const isHeld = ({ cancels, phase, status }: Payment): boolean =>
  status === "SUCCESS" && phase === "PRE_AUTH" && cancels.length === 0

export const captured = (payment: Payment, minor: number, now: number): Change => {
  if (!isHeld(payment)) return { code: "10012" }
  if (minor > payment.paidPrice) return { code: "10232" }
  return { payment: { ...payment, phase: "POST_AUTH", paidPrice: minor, capturedAt: now } }
}

const day = (time: number): number => Math.floor(time / 86_400_000)

/** Before the end of the capture's day, where settlement is daily. */
const isUnsettled = ({ capturedAt }: Payment, now: number, settlement: "instant" | "daily"): boolean =>
  settlement === "daily" && capturedAt !== null && day(capturedAt) === day(now)

export const givenBackOf = ({ cancels, refunds }: Payment): number =>
  [...cancels, ...refunds].reduce((sum, { minor }) => sum + minor, 0)

export const refunded = (payment: Payment, minor: number, now: number, settlement: "instant" | "daily"): Change => {
  const isCaptured = payment.status === "SUCCESS" && payment.phase !== "PRE_AUTH"
  const left = isCaptured ? payment.paidPrice - givenBackOf(payment) : 0
  if (minor > left) return { code: "5093" }
  const isWhole = minor === payment.paidPrice
  const one = { id: `${now % 1_000_000_000}${payment.refunds.length}`, minor, at: now }
  // A whole refund on the day of the capture is recorded as a cancellation (provider sheet, section 1).
  return isWhole && isUnsettled(payment, now, settlement)
    ? { payment: { ...payment, cancels: [...payment.cancels, one] } }
    : { payment: { ...payment, refunds: [...payment.refunds, one] } }
}

/** The whole of a hold, or of a payment that has not settled. */
export const canceled = (payment: Payment, now: number, settlement: "instant" | "daily"): Change => {
  const isOpen = payment.status === "SUCCESS" && isUnsettled(payment, now, settlement) && givenBackOf(payment) === 0
  if (!isHeld(payment) && !isOpen) return { code: "10012" }
  const one = { id: `${now % 1_000_000_000}`, minor: payment.paidPrice, at: now }
  return { payment: { ...payment, cancels: [...payment.cancels, one] } }
}
