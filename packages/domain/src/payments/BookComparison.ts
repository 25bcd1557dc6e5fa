import type { Attempt } from "./Attempt.ts"
import { compare } from "./Integrity.ts"
import { lastAttempt, openOperation, type Payment } from "./Payment.ts"
import type { Finding, Stage } from "./PaymentProvider.ts"
import { expectedOf } from "./Settlement.ts"
import { capturable } from "./Sums.ts"

/** The stages that fit our books; empty: nothing may be there. */
const stagesOf = (payment: Payment, attempt: Attempt): ReadonlyArray<Stage> => {
  const { authorization, sums } = payment
  if (attempt.number !== lastAttempt(payment)?.number) return ["DECLINED", "VOIDED"]
  if (authorization !== "AUTHORIZED") return ["DECLINED", "VOIDED"]
  // A capture that was taken back whole before it settled is a void at the provider.
  if (sums.captured > 0n) return sums.refunded === sums.captured ? ["CAPTURED", "VOIDED"] : ["CAPTURED"]
  return capturable(sums) > 0n ? ["AUTHORIZED"] : ["VOIDED"]
}

/** What is not settled yet differs by its nature and is no difference of the books. */
export const isSettled = (payment: Payment): boolean =>
  payment.authorization !== "PENDING" &&
  payment.authorization !== "REQUIRES_ACTION" &&
  openOperation(payment) === undefined

/**
 * Where the provider's word on an attempt differs from our books, in a sentence each: stage, sums, reference, amount and
 * currency. An authorization that lapsed or was released may be called expired or declined by its provider.
 */
export const differences = (payment: Payment, attempt: Attempt, finding: Finding): ReadonlyArray<string> => {
  const { captured, refunded } = payment.sums
  const stages = stagesOf(payment, attempt)
  const holdsMoney = stages.includes("AUTHORIZED") || stages.includes("CAPTURED")
  if (finding._tag === "Unanswered") return [`cannot be compared: ${finding.reason}`]
  if (finding._tag === "Absent") return holdsMoney ? ["the provider knows no such payment"] : []
  const found: Array<string> = []
  const isOver = !holdsMoney && (finding.stage === "PENDING" || finding.stage === "ACTION_REQUIRED")
  const isReleased = stages.includes("VOIDED") && finding.stage === "DECLINED"
  if (!stages.includes(finding.stage) && !isOver && !isReleased) {
    found.push(`the provider says ${finding.stage}, ours is ${stages.join(" or ")}`)
  }
  if (holdsMoney && finding.stage !== "VOIDED") {
    if (finding.capturedMinor !== null && finding.capturedMinor !== captured) {
      found.push(`captured ${finding.capturedMinor} there, ${captured} here, in minor units`)
    }
    if (finding.refundedMinor !== null && finding.refundedMinor !== refunded) {
      found.push(`refunded ${finding.refundedMinor} there, ${refunded} here, in minor units`)
    }
    const { minor: _, ...echo } = finding.echo
    const integrity = compare(expectedOf(attempt.reference, payment.money, payment.card.last4), echo)
    if (integrity._tag === "differs") found.push(`another ${integrity.fields.join(" and ")}`)
  }
  return found
}
