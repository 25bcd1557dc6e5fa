import type { Attempt } from "@sarraf/domain/payments/Attempt"
import type { Operation } from "@sarraf/domain/payments/Operation"
import { lastAttempt, type Payment } from "@sarraf/domain/payments/Payment"
import type { PaymentEvent } from "@sarraf/domain/payments/PaymentEvent"
import { releasesReference, statusOf } from "@sarraf/domain/payments/PaymentStatus"

/** Epoch milliseconds as PostgreSQL reads them in JSON. */
const timestamp = (millis: number | null): string | null => (millis === null ? null : new Date(millis).toISOString())

/** A payment as the columns of `payments`: what is searched and summed has its own, the rest is `details`. */
export const paymentDocument = (payment: Payment) => {
  const { card, description, installment, is3DS, metadata, routing, sums } = payment
  const status = statusOf(payment)
  return {
    organization_id: payment.organizationId,
    id: payment.id,
    client_id: payment.clientId,
    merchant_reference: payment.merchantReference,
    holds_reference: !releasesReference(status),
    content_fingerprint: payment.contentFingerprint,
    livemode: payment.livemode,
    currency: payment.money.currency,
    amount: payment.money.minor.toString(),
    status,
    authorization_state: payment.authorization,
    provider: lastAttempt(payment)?.provider ?? null,
    authorized: sums.authorized.toString(),
    captured: sums.captured.toString(),
    capture_pending: sums.capturePending.toString(),
    released: sums.released.toString(),
    refunded: sums.refunded.toString(),
    refund_pending: sums.refundPending.toString(),
    disputed: sums.disputed.toString(),
    lapsed: payment.lapsed,
    details: { card, description, installment, is3DS, metadata, routing },
    error: payment.error,
    expires_at: timestamp(payment.expiresAt),
    created_at: timestamp(payment.createdAt),
    updated_at: timestamp(payment.updatedAt),
    version: payment.version
  }
}

/** An attempt as the columns of `payment_attempts`. */
export const attemptDocument = (attempt: Attempt) => ({
  number: attempt.number,
  provider: attempt.provider,
  reference: attempt.reference,
  outcome: attempt.outcome,
  provider_reference: attempt.providerReference,
  response_code: attempt.responseCode,
  fields: attempt.fields,
  notes: attempt.notes,
  detail: attempt.detail,
  started_at: timestamp(attempt.startedAt),
  deadline: timestamp(attempt.deadline),
  completed_at: timestamp(attempt.completedAt)
})

/** An operation as the columns of `payment_operations`. */
export const operationDocument = (operation: Operation) => ({
  id: operation.id,
  type: operation.type,
  amount: operation.minor.toString(),
  final: operation.final,
  status: operation.status,
  reference: operation.reference,
  provider_request: operation.providerRequest,
  provider_reference: operation.providerReference,
  response_code: operation.responseCode,
  fields: operation.fields,
  available_from: timestamp(operation.availableFrom),
  error: operation.error,
  created_at: timestamp(operation.createdAt),
  deadline: timestamp(operation.deadline),
  completed_at: timestamp(operation.completedAt)
})

/** JSON has no bigint: amounts become text, as `paymentEventFromJson` reads them. */
const withoutBigints = (event: PaymentEvent): object => {
  if (event.type === "payment.begun") {
    const { money } = event.request
    return {
      ...event,
      request: { ...event.request, money: { currency: money.currency, minor: money.minor.toString() } }
    }
  }
  return event.type === "operation.begun"
    ? { ...event, operation: { ...event.operation, minor: event.operation.minor.toString() } }
    : event
}

/** An event as the columns of `payment_events`; `sequence` is the payment's version after it. */
export const eventDocument = (event: PaymentEvent, sequence: number) => ({
  sequence,
  type: event.type,
  at: timestamp(event.at),
  data: withoutBigints(event)
})
