import { Schema } from "effect"
import type { TestCardBehaviour } from "../TestCards.ts"
import { type Fault, invalid } from "./SimulatedRequest.ts"

/** Amounts are minor units, times are seconds since 1970. */
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
  cancellationReason: Schema.NullOr(Schema.String)
})
export type State = typeof State.Type

const StoredRefund = Schema.Struct({
  amount: Schema.Number,
  created: Schema.Number,
  reason: Schema.NullOr(Schema.String),
  metadata: Schema.Record(Schema.String, Schema.String)
})
export type StoredRefund = typeof StoredRefund.Type

const StoredFault = Schema.Struct({
  status: Schema.Number,
  type: Schema.Literals(["card_error", "invalid_request_error", "idempotency_error"]),
  message: Schema.String,
  code: Schema.optionalKey(Schema.String),
  decline_code: Schema.optionalKey(Schema.String),
  param: Schema.optionalKey(Schema.String)
})

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

const declines: Readonly<Record<TestCardBehaviour, Fault | null>> = {
  approve: null,
  // Without `request_three_d_secure` nobody has asked for a challenge (contract section 5).
  challenge: null,
  frictionless: null,
  authenticationFails: null,
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
    : declines[behaviour]

const windowSeconds = 7 * 86_400
export const captureBefore = ({ created }: Intent): number => created + windowSeconds

export const fresh: State = {
  status: "requires_confirmation",
  capturable: 0,
  received: 0,
  canceledAt: null,
  cancellationReason: null
}

const unexpectedState = (intent: Intent, step: string): Change => ({
  intent,
  fault: invalid(
    `This PaymentIntent could not be ${step} because it has a status of ${intent.state.status}.`,
    "payment_intent_unexpected_state"
  )
})

/** Stripe shows what it releases as a refund that nobody asked for. */
const release = (amount: number, created: number): StoredRefund => ({ amount, created, reason: null, metadata: {} })

export const refundedOf = ({ refunds }: Pick<Intent, "refunds">): number =>
  refunds.reduce((sum, { amount }) => sum + amount, 0)

export const confirmed = (intent: Intent): Change => {
  if (intent.state.status !== "requires_confirmation") return unexpectedState(intent, "confirmed")
  const become = (state: Partial<State>) => ({ ...intent, state: { ...intent.state, ...state } })
  if (intent.requestThreeDSecure === "any" || intent.requestThreeDSecure === "challenge") {
    return { intent: become({ status: "requires_action" }), fault: null }
  }
  if (intent.decline !== null) return { intent: become({ status: "requires_payment_method" }), fault: intent.decline }
  return intent.captureMethod === "manual"
    ? { intent: become({ status: "requires_capture", capturable: intent.amount }), fault: null }
    : { intent: become({ status: "succeeded", received: intent.amount }), fault: null }
}

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

export const refunded = (
  intent: Intent,
  asked: number | null,
  details: Pick<StoredRefund, "created" | "metadata" | "reason">
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
  return { intent: { ...intent, refunds: [...intent.refunds, { ...details, amount }] }, fault: null }
}

/** An authorization that nobody captured for seven days is cancelled by Stripe itself. */
export const atPresent = (intent: Intent, now: number): Intent =>
  intent.state.status === "requires_capture" && now >= captureBefore(intent)
    ? canceled(intent, "automatic", captureBefore(intent)).intent
    : intent
