import type {
  InboundMessage,
  NotificationReading,
  NotifiedItem,
  NotifiedWord
} from "@sarraf/domain/payments/Notification"
import type { ProviderAnswer } from "@sarraf/domain/payments/Outcome"
import { Option, Redacted } from "effect"
import { readJson } from "../AnswerDocument.ts"
import { capabilities } from "./Capabilities.ts"
import {
  type ChargeEvent,
  type Dispute,
  decodeChargeEvent,
  decodeDispute,
  decodeEvent,
  decodePaymentIntent,
  decodeRefund,
  type PaymentIntent,
  type Refund
} from "./Messages.ts"
import {
  abandoned,
  answerOf,
  authorizedOutcome,
  chargedOutcome,
  endedOutcome,
  intentAnswer,
  refundAnswer
} from "./Outcomes.ts"
import { isSigned } from "./Signature.ts"

/** About which payment, and what. */
type Told = Omit<NotifiedItem, "id">

/** What others of the same account put into an object's metadata is none of ours. */
const isOurs = new RegExp(`^[0-9a-z]{${capabilities.reference.length}}$`, "u")

const told = (metadata: PaymentIntent["metadata"], word: NotifiedWord | undefined): Told | undefined => {
  const reference = metadata?.order_id
  return word !== undefined && reference && isOurs.test(reference) ? { reference, word } : undefined
}

const operation = (
  type: "CAPTURE" | "REFUND" | "VOID",
  providerReference: string,
  minor: number,
  currency: string | null | undefined,
  answer: ProviderAnswer,
  status: "SUCCEEDED" | "FAILED" = "SUCCEEDED"
): NotifiedWord => ({
  _tag: "Operation",
  type,
  status,
  providerReference,
  minor: BigInt(minor),
  currency: currency?.toUpperCase() ?? null,
  answer
})

/** Captures and cancellations go by the payment's own identifier: it has one of each at most. */
const wordOfIntent = (type: string, intent: PaymentIntent, answer: ProviderAnswer): NotifiedWord | undefined => {
  const { amount, amount_received, cancellation_reason, currency, id, last_payment_error, status } = intent
  switch (type) {
    case "payment_intent.amount_capturable_updated":
      return status === "requires_capture"
        ? { _tag: "Authorization", outcome: authorizedOutcome(intent, answer) }
        : undefined
    case "payment_intent.payment_failed":
      return status === "requires_payment_method" && last_payment_error
        ? { _tag: "Authorization", outcome: endedOutcome(intent, answer) }
        : undefined
    case "payment_intent.canceled":
      return cancellation_reason === abandoned
        ? { _tag: "Authorization", outcome: endedOutcome(intent, answer) }
        : operation("VOID", id, amount, currency, answer)
    case "payment_intent.succeeded":
      return operation("CAPTURE", id, amount_received ?? amount, currency, answer)
    default:
      return undefined
  }
}

const wordOfCharge = (type: string, charge: ChargeEvent, json: unknown): NotifiedWord | undefined => {
  const { amount, amount_captured, captured, currency, payment_intent, status } = charge
  if (!payment_intent) return undefined
  const answer = answerOf(status ?? null, json, undefined)
  switch (type) {
    case "charge.succeeded":
      return captured ? undefined : { _tag: "Authorization", outcome: chargedOutcome(charge, payment_intent, answer) }
    case "charge.captured":
      return operation("CAPTURE", payment_intent, amount_captured ?? amount, currency, answer)
    // Neither says which refund, or what has become of the payment.
    case "charge.refunded":
    case "charge.expired":
      return { _tag: "Ask" }
    default:
      return undefined
  }
}

const wordOfRefund = (refund: Refund, json: unknown): NotifiedWord | undefined => {
  const { amount, currency, id, status } = refund
  const answer = refundAnswer(refund, json, undefined)
  if (!status || status === "succeeded") return operation("REFUND", id, amount, currency, answer)
  return status === "failed" || status === "canceled"
    ? operation("REFUND", id, amount, currency, answer, "FAILED")
    : undefined
}

/** Whether the money is disputed at present. An inquiry (`warning_…`) takes none, and ends as a dispute or as nothing. */
const isDisputed: Readonly<Record<string, boolean>> = {
  needs_response: true,
  under_review: true,
  lost: true,
  won: false
}

const wordOfDispute = ({ amount, currency, status }: Dispute, json: unknown): NotifiedWord | undefined => {
  if (!Object.hasOwn(isDisputed, status)) return undefined
  const minor = isDisputed[status] ? BigInt(amount) : 0n
  return { _tag: "Dispute", minor, currency: currency.toUpperCase(), answer: answerOf(status, json, undefined) }
}

const refundEvents: ReadonlySet<string> = new Set([
  "charge.refund.updated",
  "refund.created",
  "refund.updated",
  "refund.failed"
])

const read = (type: string, json: unknown): Told | undefined => {
  if (type.startsWith("payment_intent.")) {
    const intent = Option.getOrUndefined(decodePaymentIntent(json))
    return intent && told(intent.metadata, wordOfIntent(type, intent, intentAnswer(intent, json, undefined)))
  }
  if (refundEvents.has(type)) {
    const refund = Option.getOrUndefined(decodeRefund(json))
    return refund && told(refund.metadata, wordOfRefund(refund, json))
  }
  if (type.startsWith("charge.dispute.")) {
    const dispute = Option.getOrUndefined(decodeDispute(json))
    const word = dispute && wordOfDispute(dispute, json)
    return word && dispute.payment_intent
      ? { reference: null, providerReference: dispute.payment_intent, word }
      : undefined
  }
  const charge = type.startsWith("charge.") ? Option.getOrUndefined(decodeChargeEvent(json)) : undefined
  return charge && told(charge.metadata, wordOfCharge(type, charge, json))
}

const itemsOf = (body: Uint8Array): ReadonlyArray<NotifiedItem> => {
  const event = Option.flatMap(readJson(body), decodeEvent)
  if (Option.isNone(event)) return []
  const { data, id, type } = event.value
  const said = read(type, data.object)
  return said === undefined ? [] : [{ id, ...said }]
}

/**
 * What an event of Stripe's says (Stripe API reference, "Types of events"). An object carries our reference in its
 * metadata, but a dispute has no more than the payment's identifier, by which Stripe is asked for it. Events that settle nothing (`created`, `processing`, `requires_action`) and objects
 * of others in the same account have no items.
 */
export const readNotification = (
  secret: Redacted.Redacted | undefined,
  { body, headers }: InboundMessage
): NotificationReading => {
  if (secret === undefined) return { _tag: "Forged", reason: "the account has no webhook secret" }
  const header = headers["stripe-signature"]
  if (header === undefined) return { _tag: "Forged", reason: "the message is not signed" }
  return isSigned(header, body, Redacted.value(secret))
    ? { _tag: "Verified", items: itemsOf(body) }
    : { _tag: "Forged", reason: "the message's signature is not the endpoint's" }
}
