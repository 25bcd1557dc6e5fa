import { Schema } from "effect"
import type { TestCardBehaviour } from "../TestCards.ts"
import { type Fault, invalid } from "./SimulatedRequest.ts"

const StoredFault = Schema.Struct({
  status: Schema.Number,
  type: Schema.Literals(["card_error", "invalid_request_error", "idempotency_error"]),
  message: Schema.String,
  code: Schema.optionalKey(Schema.String),
  decline_code: Schema.optionalKey(Schema.String),
  param: Schema.optionalKey(Schema.String)
})

/** Amounts are minor units, times are seconds since 1970 unless they say otherwise. */
const State = Schema.Struct({
  status: Schema.Literals([
    "requires_payment_method",
    "requires_confirmation",
    "requires_action",
    "requires_capture",
    "succeeded",
    "canceled"
  ]),
  capturable: Schema.Number,
  received: Schema.Number,
  canceledAt: Schema.NullOr(Schema.Number),
  cancellationReason: Schema.NullOr(Schema.String),
  /** Why the last try came to nothing. */
  lastError: Schema.NullOr(StoredFault),
  /** Whether the card's issuer was asked for the money. */
  isCharged: Schema.Boolean,
  /** How the buyer was authenticated. */
  authentication: Schema.NullOr(Schema.Literals(["challenge", "frictionless"]))
})
export type State = typeof State.Type

const RefundStatus = Schema.Literals(["pending", "succeeded", "failed"])

const StoredRefund = Schema.Struct({
  amount: Schema.Number,
  created: Schema.Number,
  reason: Schema.NullOr(Schema.String),
  metadata: Schema.Record(Schema.String, Schema.String),
  /** As it was answered. */
  first: RefundStatus,
  status: RefundStatus,
  /** What it turns into, and when, in milliseconds since 1970. */
  becomes: Schema.NullOr(Schema.Struct({ status: RefundStatus, at: Schema.Number }))
})
export type StoredRefund = typeof StoredRefund.Type

/** What a request came to: enough to give the same answer again. */
const Call = Schema.Struct({
  digest: Schema.String,
  requestId: Schema.String,
  state: State,
  refundCount: Schema.Number,
  fault: Schema.NullOr(StoredFault)
})
export type Call = typeof Call.Type

const Intent = Schema.Struct({
  id: Schema.String,
  created: Schema.Number,
  amount: Schema.Number,
  currency: Schema.String,
  captureMethod: Schema.Literals(["manual", "automatic"]),
  description: Schema.NullOr(Schema.String),
  metadata: Schema.Record(Schema.String, Schema.String),
  returnUrl: Schema.NullOr(Schema.String),
  requestThreeDSecure: Schema.String,
  card: Schema.Struct({
    brand: Schema.String,
    last4: Schema.String,
    exp_month: Schema.Number,
    exp_year: Schema.Number
  }),
  /** What the issuer will say, or has said; null: yes. */
  decline: Schema.NullOr(StoredFault),
  /** What the issuer makes of the buyer where 3-D Secure is asked for. */
  issuer: Schema.Literals(["challenge", "frictionless", "fails"]),
  /** Wrong codes on the issuer's page. */
  tries: Schema.Number,
  /** What a refund to this card turns into later; null: it is done at once. */
  refundBecomes: Schema.NullOr(RefundStatus),
  state: State,
  refunds: Schema.Array(StoredRefund),
  /** By idempotency key. */
  calls: Schema.Record(Schema.String, Call)
})
/** A simulated PaymentIntent. It holds no card number. */
export type Intent = typeof Intent.Type
export const intentOf = Schema.decodeUnknownSync(Intent)

/** What a step makes of a payment. A refusal may change it too: a decline leaves it without a payment method. */
export interface Change {
  readonly intent: Intent
  readonly fault: Fault | null
}

const cardError = (code: string, message: string, decline_code?: string): Fault => ({
  status: 402,
  type: "card_error",
  code,
  message,
  ...(decline_code === undefined ? {} : { decline_code })
})

const declines: Readonly<Partial<Record<TestCardBehaviour, Fault>>> = {
  insufficientFunds: cardError("card_declined", "Your card has insufficient funds.", "insufficient_funds"),
  decline: cardError("card_declined", "Your card was declined.", "generic_decline"),
  expired: cardError("expired_card", "Your card has expired.", "expired_card"),
  providerFails: cardError(
    "processing_error",
    "An error occurred while processing your card. Try again in a little bit.",
    "processing_error"
  )
}
export const declineOf = (behaviour: TestCardBehaviour, brand: string, number: string): Fault | null =>
  brand === "unknown" && number.startsWith("9792")
    ? cardError("card_declined", "Your card is not supported.", "card_not_supported")
    : (declines[behaviour] ?? null)

/** Stripe's own test cards for refunds: one to which they stay pending at first, one from which they come back. */
const refundCards: Readonly<Record<string, "succeeded" | "failed">> = {
  "4000000000007726": "succeeded",
  "4000000000005126": "failed"
}
export const refundBecomesOf = (number: string): "succeeded" | "failed" | null => refundCards[number] ?? null

const windowSeconds = 7 * 86_400
export const captureBefore = ({ created }: Intent): number => created + windowSeconds

export const fresh: State = {
  status: "requires_confirmation",
  capturable: 0,
  received: 0,
  canceledAt: null,
  cancellationReason: null,
  lastError: null,
  isCharged: false,
  authentication: null
}

const unexpectedState = (intent: Intent, step: string): Change => ({
  intent,
  fault: invalid(
    `This PaymentIntent could not be ${step} because it has a status of ${intent.state.status}.`,
    "payment_intent_unexpected_state"
  )
})

/** Stripe shows what it releases as a refund that nobody asked for. */
const release = (amount: number, created: number): StoredRefund => ({
  amount,
  created,
  reason: null,
  metadata: {},
  first: "succeeded",
  status: "succeeded",
  becomes: null
})

/** What has gone back, or is on its way. */
export const refundedOf = ({ refunds }: Pick<Intent, "refunds">): number =>
  refunds.reduce((sum, { amount, status }) => (status === "failed" ? sum : sum + amount), 0)

const become = (intent: Intent, state: Partial<State>): Intent => ({ ...intent, state: { ...intent.state, ...state } })

/** The issuer is asked for the money. */
const charged = (intent: Intent, authentication: State["authentication"]): Change => {
  const { amount, captureMethod, decline } = intent
  const common = { authentication, isCharged: true }
  if (decline !== null) {
    const declined = become(intent, { ...common, status: "requires_payment_method", lastError: decline })
    return { intent: declined, fault: decline }
  }
  return captureMethod === "manual"
    ? { intent: become(intent, { ...common, status: "requires_capture", capturable: amount }), fault: null }
    : { intent: become(intent, { ...common, status: "succeeded", received: amount }), fault: null }
}

const authenticationFailure = invalid(
  "The provided payment method has failed authentication.",
  "payment_intent_authentication_failure",
  undefined,
  402
)

/** The buyer has failed, or has given up. */
const notAuthenticated = (intent: Intent): Change => ({
  intent: become(intent, { status: "requires_payment_method", lastError: authenticationFailure }),
  fault: authenticationFailure
})

export const confirmed = (intent: Intent): Change => {
  const { issuer, requestThreeDSecure, state } = intent
  if (state.status !== "requires_confirmation") return unexpectedState(intent, "confirmed")
  // Without `request_three_d_secure` nobody has asked for a challenge (contract section 5).
  if (requestThreeDSecure !== "any" && requestThreeDSecure !== "challenge") return charged(intent, null)
  if (issuer === "fails") return notAuthenticated(intent)
  return issuer === "frictionless"
    ? charged(intent, "frictionless")
    : { intent: become(intent, { status: "requires_action" }), fault: null }
}

/** The buyer's answer on the issuer's page; it is taken once. */
export const answered = (intent: Intent, isAuthenticated: boolean): Intent =>
  (isAuthenticated ? charged(intent, "challenge") : notAuthenticated(intent)).intent

export const captured = (intent: Intent, amount: number | null, now: number): Change => {
  const { capturable, status } = intent.state
  if (status !== "requires_capture") return unexpectedState(intent, "captured")
  const received = amount ?? capturable
  if (received > capturable) {
    const message = `The amount_to_capture (${received}) is greater than the amount capturable (${capturable}).`
    return { intent, fault: invalid(message, undefined, "amount_to_capture") }
  }
  const rest = capturable - received
  const refunds = rest === 0 ? intent.refunds : [...intent.refunds, release(rest, now)]
  return {
    intent: { ...intent, refunds, state: { ...intent.state, status: "succeeded", capturable: 0, received } },
    fault: null
  }
}

export const canceled = (intent: Intent, cancellationReason: string | null, now: number): Change => {
  const { capturable, status } = intent.state
  if (status === "succeeded" || status === "canceled") return unexpectedState(intent, "canceled")
  const refunds = capturable === 0 ? intent.refunds : [...intent.refunds, release(capturable, now)]
  const state = { ...intent.state, status: "canceled", capturable: 0, canceledAt: now, cancellationReason } as const
  return { intent: { ...intent, refunds, state }, fault: null }
}

/** Milliseconds after which a refund turns into what it comes to. */
export const refundMillis = 2_000

/** A refund of an amount that ends in 77 comes back later, whatever the card. */
const laterStatusOf = ({ refundBecomes }: Intent, amount: number) => (amount % 100 === 77 ? "failed" : refundBecomes)

export const refunded = (
  intent: Intent,
  asked: number | null,
  details: Pick<StoredRefund, "created" | "metadata" | "reason">,
  nowMillis: number
): Change => {
  if (intent.state.status !== "succeeded") {
    const message = `This PaymentIntent (${intent.id}) does not have a successful charge to refund.`
    return { intent, fault: invalid(message, "payment_intent_unexpected_state") }
  }
  const left = intent.amount - refundedOf(intent)
  if (left === 0) return { intent, fault: invalid("Charge has already been refunded.", "charge_already_refunded") }
  const amount = asked ?? left
  if (amount > left) {
    const message = `Refund amount (${amount}) is greater than unrefunded amount on charge (${left})`
    return { intent, fault: invalid(message, undefined, "amount") }
  }
  const later = laterStatusOf(intent, amount)
  const first = later === "succeeded" ? "pending" : "succeeded"
  const becomes = later === null ? null : { status: later, at: nowMillis + refundMillis }
  const refund: StoredRefund = { ...details, amount, first, status: first, becomes }
  return { intent: { ...intent, refunds: [...intent.refunds, refund] }, fault: null }
}

/** A refund after it has turned into what it comes to. */
export const refundLater = (refund: StoredRefund): StoredRefund =>
  refund.becomes === null ? refund : { ...refund, status: refund.becomes.status, becomes: null }

/** What time alone has made of a payment: Stripe itself cancels what nobody captured for seven days. */
export const atPresent = (intent: Intent, nowMillis: number): Intent => {
  const isDue = ({ becomes }: StoredRefund) => becomes !== null && nowMillis >= becomes.at
  const present = intent.refunds.some(isDue)
    ? { ...intent, refunds: intent.refunds.map((refund) => (isDue(refund) ? refundLater(refund) : refund)) }
    : intent
  return present.state.status === "requires_capture" && nowMillis >= captureBefore(present) * 1000
    ? canceled(present, "automatic", captureBefore(present)).intent
    : present
}
