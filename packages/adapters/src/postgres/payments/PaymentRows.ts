import type { RequestRecord } from "@sarraf/domain/admission/RequestLedger"
import type { Attempt } from "@sarraf/domain/payments/Attempt"
import type { FollowUp } from "@sarraf/domain/payments/FollowUp"
import type { Operation } from "@sarraf/domain/payments/Operation"
import { lastAttempt, type Payment } from "@sarraf/domain/payments/Payment"
import type { PaymentEvent } from "@sarraf/domain/payments/PaymentEvent"
import { releasesReference, statusOf } from "@sarraf/domain/payments/PaymentStatus"
import type { Actor } from "@sarraf/domain/payments/PaymentStore"
import { groupReasons } from "./StoredRouting.ts"

/** How long an Idempotency-Key is remembered (contract section 1). */
const recordMillis = 24 * 3_600_000

/** A payment as a row of `payments`. */
export const paymentRow = (payment: Payment) => {
  const { sums } = payment
  const status = statusOf(payment)
  return {
    organization_id: payment.organizationId,
    id: payment.id,
    client_id: payment.clientId,
    merchant_reference: payment.merchantReference,
    holds_reference: !releasesReference(status),
    currency: payment.money.currency,
    amount: payment.money.minor,
    status,
    authorization_state: payment.authorization,
    provider: lastAttempt(payment)?.provider ?? "",
    authorized: sums.authorized,
    captured: sums.captured,
    capture_pending: sums.capturePending,
    released: sums.released,
    refunded: sums.refunded,
    refund_pending: sums.refundPending,
    disputed: sums.disputed,
    expires_at: payment.expiresAt,
    created_at: payment.createdAt,
    updated_at: payment.updatedAt,
    version: payment.version
  }
}

/** An attempt as a row of `payment_attempts`. */
export const attemptRow = ({ deadline, number, outcome, provider, reference }: Attempt) => ({
  number,
  provider,
  reference,
  outcome,
  deadline
})

/** An operation as a row of `payment_operations`. */
export const operationRow = ({ availableFrom, deadline, id, minor, reference, status, type }: Operation) => ({
  id,
  type,
  amount: minor,
  status,
  reference,
  available_from: availableFrom,
  deadline
})

/** An event as `paymentEventFromRow` reads it: JSON has no bigint, so that amounts become text. */
const storedData = (event: PaymentEvent): object => {
  const { at: _, type: __, ...data } = event
  if ("request" in data) {
    const { money, routing, ...request } = data.request
    const amount = { currency: money.currency, minor: money.minor.toString() }
    return { ...data, request: { ...request, money: amount, routing: groupReasons(routing) } }
  }
  if ("minor" in data) return { minor: data.minor.toString() }
  return "operation" in data ? { operation: { ...data.operation, minor: data.operation.minor.toString() } } : data
}

/** An event as a row of `payment_events`; `sequence` is the payment's version after it. */
export const eventRow = (event: PaymentEvent, sequence: number) => ({
  sequence,
  type: event.type,
  at: event.at,
  data: storedData(event)
})

/** When to look at a payment again, as a row of `payment_followups`. */
export const followUpRow = (payment: Payment, { at, kind, tries }: FollowUp) => ({
  provider: lastAttempt(payment)?.provider ?? "",
  kind,
  due_at: at,
  tries,
  needs_review: payment.needsReview !== null
})

/** What a request began as a row of `request_records`. */
export const recordRow = ({ caller, fingerprint, key, operationId }: RequestRecord, at: number) => ({
  caller,
  key,
  fingerprint,
  operation_id: operationId,
  expires_at: at + recordMillis
})

const auditDetail = (event: PaymentEvent): object => {
  switch (event.type) {
    case "operation.begun":
      return { operationId: event.operation.id, type: event.operation.type, amount: event.operation.minor.toString() }
    case "operation.settled":
      return { operationId: event.result.id, status: event.result.status, by: event.by }
    case "authorization.settled":
      return { outcome: event.result.outcome, responseCode: event.result.responseCode, by: event.by }
    case "attempt.reversed":
      return { attempt: event.attempt, status: event.status, reason: event.reason, by: event.by }
    case "challenge.ended":
      return { by: event.by }
    case "payment.disputed":
      return { disputed: event.minor.toString() }
    case "review.requested":
      return { reason: event.reason }
    case "review.closed":
      return { evidence: event.evidence }
    default:
      return {}
  }
}

/** Who made an event happen, for its entry in `audit_log`. */
export const auditRow = (event: PaymentEvent, { name, requestId }: Actor) => ({
  actor: name,
  request_id: requestId,
  detail: auditDetail(event)
})
