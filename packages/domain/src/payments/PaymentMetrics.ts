import { type Effect, Metric } from "effect"
import type { Operation } from "./Operation.ts"
import { lastAttempt, type Payment } from "./Payment.ts"
import { statusOf } from "./PaymentStatus.ts"

/** Exported with the prefix `sarraf_`. */
const payments = Metric.counter("payments_total", {
  description: "Payments by provider and the status that their authorization ended in.",
  incremental: true
})

const operations = Metric.counter("payment_operations_total", {
  description: "Captures, refunds and voids by provider and status.",
  incremental: true
})

/** Labels name providers and outcomes, never an organization (contract section 1): a few dozen series at most. */
const labelled = <Labels extends Readonly<Record<string, string>>>(metric: typeof payments, labels: Labels) =>
  Metric.update(Metric.withAttributes(metric, labels), 1)

/** Counts an authorization that its request is done with. */
export const countPayment = (payment: Payment): Effect.Effect<void> =>
  labelled(payments, { provider: lastAttempt(payment)?.provider ?? "none", status: statusOf(payment) })

/** Counts an operation that its request is done with. */
export const countOperation = (payment: Payment, { status, type }: Operation): Effect.Effect<void> =>
  labelled(operations, { provider: lastAttempt(payment)?.provider ?? "none", type, status })
