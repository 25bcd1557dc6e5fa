import { Effect, Metric } from "effect"
import type { Operation } from "./Operation.ts"
import { lastAttempt, openOperation, type Payment } from "./Payment.ts"
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

/**
 * Counts one more under these labels. They name providers and outcomes, never an organization (contract section 1): a
 * few dozen series at most, and each is kept, since making one costs several times what its count does.
 */
const labelled = (metric: typeof payments) => {
  const series = new Map<string, typeof payments>()
  return (labels: Readonly<Record<string, string>>): Effect.Effect<void> => {
    const name = Object.values(labels).join(" ")
    const known = series.get(name) ?? Metric.withAttributes(metric, labels)
    series.set(name, known)
    return Metric.update(known, 1)
  }
}

const addPayment = labelled(payments)
const addOperation = labelled(operations)

/** Counts an authorization that its request is done with. */
export const countPayment = (payment: Payment): Effect.Effect<void> =>
  addPayment({ provider: lastAttempt(payment)?.provider ?? "none", status: statusOf(payment) })

/** Counts an operation that its request is done with. */
export const countOperation = (payment: Payment, { status, type }: Operation): Effect.Effect<void> =>
  addOperation({ provider: lastAttempt(payment)?.provider ?? "none", type, status })

const reconciled = Metric.counter("payment_reconciliations_total", {
  description: "Payments that were settled after their request had ended, by provider and what they became.",
  incremental: true
})

const lateApprovals = Metric.counter("payment_late_approvals_total", {
  description: "Approvals found after a payment had ended; each is taken back.",
  incremental: true
})

const addReconciled = labelled(reconciled)
const addLateApproval = labelled(lateApprovals)

/** What a payment is in a few words: its status, and whether a person has to look at it. */
const inShort = (payment: Payment): string => {
  const open = openOperation(payment)
  const operation = open === undefined ? "" : ` ${open.type} ${open.status}`
  return `${statusOf(payment)}${operation}${payment.needsReview === null ? "" : " needsReview"}`
}

/** Counts and logs what the reconciler, or a notification, has made of a payment; nothing where nothing changed. */
export const countReconciled = (provider: string, before: Payment, after: Payment): Effect.Effect<void> =>
  before.version === after.version
    ? Effect.void
    : Effect.andThen(
        addReconciled({ provider, status: statusOf(after) }),
        Effect.annotateLogs(Effect.logInfo(`A payment was settled: ${inShort(before)} → ${inShort(after)}`), {
          transactionId: after.id,
          provider
        })
      )

/** Counts an approval that came after its payment had ended. */
export const countLateApproval = (provider: string): Effect.Effect<void> => addLateApproval({ provider })
