import type { Attempt } from "@sarraf/domain/payments/Attempt"
import { Accepted, noAnswer, Refused } from "@sarraf/domain/payments/Outcome"
import { lastAttempt, openOperation, type Payment } from "@sarraf/domain/payments/Payment"
import { apply } from "@sarraf/domain/payments/PaymentEvent"
import type { Finding, PaymentProvider } from "@sarraf/domain/payments/PaymentProvider"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import { authorizationOf } from "@sarraf/domain/payments/ProviderCalls"
import { settleOperation } from "@sarraf/domain/payments/Settlement"
import { capturable, isSound } from "@sarraf/domain/payments/Sums"
import { Effect } from "effect"
import { wouldRelease, wouldTake } from "./Probe.ts"
import type { Counterparties } from "./Providers.ts"

/** Nothing of it is open: neither its own outcome, nor an operation's, nor a reversal. */
export const isSettled = (payment: Payment): boolean =>
  payment.authorization !== "PENDING" &&
  payment.authorization !== "REQUIRES_ACTION" &&
  payment.operations.every(({ status }) => status !== "PENDING") &&
  payment.attempts.every(({ reversal }) => reversal !== "BEGUN")

/** Whether the provider can be asked and proves absence, so that everything there has to be settled. */
export const settlesAll = ({ capabilities: { query } }: PaymentProvider): boolean =>
  query.byReference && query.absenceProvenAfter !== undefined

const text = ({ sums }: Payment) =>
  Object.entries(sums)
    .map(([name, sum]) => `${name} ${sum}`)
    .join(", ")

const told = (finding: Finding) =>
  finding._tag === "Found"
    ? `${finding.stage}, captured ${finding.capturedMinor}, refunded ${finding.refundedMinor}`
    : finding._tag

/** What the finding says against our sums; undefined: nothing. */
const contradiction = (payment: Payment, finding: Finding, provider: PaymentProvider): string | undefined => {
  const { sums } = payment
  const against = `we have ${statusOf(payment)} with ${text(payment)}, the provider ${told(finding)}`
  if (finding._tag !== "Found") return against
  const { capturedMinor, refundedMinor, stage } = finding
  const isVoidedCapture =
    provider.capabilities.refundBeforeSettlement === "wholeByVoid" &&
    stage === "VOIDED" &&
    sums.captured > 0n &&
    sums.refunded === sums.captured
  if (isVoidedCapture) return undefined
  const expected = sums.captured > 0n ? "CAPTURED" : capturable(sums) > 0n ? "AUTHORIZED" : "VOIDED"
  const agrees =
    stage === expected &&
    (capturedMinor === null || capturedMinor === sums.captured) &&
    (refundedMinor === null || refundedMinor === sums.refunded)
  return agrees ? undefined : against
}

/** Simulators take refunds whose amount ends so, and let them fail later (`docs/providers.md`): they say nothing here. */
const failingRefund = 77n

/**
 * Whether the provider would move exactly what our sums leave to be moved, and not a minor unit more. Some capture
 * nothing more once something has been given back, and some cannot release a rest: what is left only lapses then.
 */
const probe = Effect.fnUntraced(function* (others: Counterparties, payment: Payment, attempt: Attempt) {
  const { authorized, captured, refunded, released } = payment.sums
  const left = { CAPTURE: authorized - captured - released, REFUND: captured - refunded } as const
  const problems: Array<string> = []
  const lapses = others.providers.get(attempt.provider)?.capabilities.releasesRest === false && released > 0n
  for (const type of lapses ? (["REFUND"] as const) : (["CAPTURE", "REFUND"] as const)) {
    const most = left[type]
    const isTaken = most > 0n && !(type === "CAPTURE" && refunded > 0n)
    const tried = [...(isTaken ? [{ minor: most, isExpected: true }] : []), { minor: most + 1n, isExpected: false }]
    for (const { isExpected, minor } of tried) {
      if (type === "REFUND" && minor % 100n === failingRefund) continue
      const does = yield* wouldTake(others, payment, attempt, type, minor)
      if (does !== isExpected) {
        problems.push(`the provider ${does ? "would" : "would not"} ${type} ${minor}, with our ${text(payment)}`)
      }
    }
  }
  return problems
})

/** What an attempt that does not stand for its payment still holds at its provider. */
const heldBy = Effect.fnUntraced(function* (others: Counterparties, payment: Payment, attempt: Attempt) {
  const provider = others.providers.get(attempt.provider)
  if (provider === undefined) return []
  const nothing = {
    ...payment,
    operations: [],
    sums: { ...payment.sums, authorized: 0n, captured: 0n, refunded: 0n, released: 0n }
  }
  const problems = yield* probe(others, nothing, attempt)
  if (provider.capabilities.query.byReference) {
    const finding = yield* provider.query(authorizationOf(payment, attempt))
    const stage = finding._tag === "Found" ? finding.stage : finding._tag
    // A buyer who never came back is no money, where the provider has nothing that it could release.
    const isEmpty =
      ["Absent", "DECLINED", "VOIDED"].includes(stage) ||
      (stage === "ACTION_REQUIRED" && !(yield* wouldRelease(others, payment, attempt)))
    if (!isEmpty) problems.push(`the provider has ${told(finding)}`)
  }
  return problems.map((problem) => `${statusOf(payment)} at ${attempt.provider}: ${problem}`)
})

const isStanding = (payment: Payment, { number }: Attempt): boolean =>
  payment.sums.authorized > 0n && lastAttempt(payment)?.number === number

const standing = Effect.fnUntraced(function* (others: Counterparties, payment: Payment, attempt: Attempt) {
  const provider = others.providers.get(attempt.provider)
  if (provider === undefined) return [`no provider ${attempt.provider}`]
  const problems = [...(yield* probe(others, payment, attempt))]
  if (provider.capabilities.query.byReference) {
    const finding = yield* provider.query(authorizationOf(payment, attempt))
    const against = contradiction(payment, finding, provider)
    if (against !== undefined) problems.push(against)
  }
  return problems
})

/** The payment as it would be if its open operation had been done, and if it had not. */
const eitherWay = (payment: Payment): ReadonlyArray<Payment> => {
  const open = openOperation(payment)
  if (open === undefined) return [payment]
  const done = Accepted({ providerReference: open.providerReference ?? "", answer: noAnswer, echo: {} })
  const not = Refused({ code: "PROVIDER_ERROR", detail: "", answer: noAnswer, mayTryAnother: false, echo: {} })
  return [done, not].map((outcome) => apply(payment, settleOperation(open, outcome, payment.updatedAt, "reconciler")))
}

/**
 * What our books say otherwise than the providers'. Of a payment that is settled there is nothing; of one that is open
 * our books may leave open what the provider has done, and contradict it in nothing.
 */
export const differences = Effect.fnUntraced(function* (others: Counterparties, payment: Payment) {
  const problems: Array<string> = isSound(payment.sums) ? [] : [`these sums cannot be: ${text(payment)}`]
  const isOpen = payment.authorization === "PENDING" || payment.authorization === "REQUIRES_ACTION"
  for (const attempt of payment.attempts) {
    const isLast = lastAttempt(payment)?.number === attempt.number
    if (isLast && isOpen) continue
    if (!isStanding(payment, attempt)) {
      problems.push(...(yield* heldBy(others, payment, attempt)))
      continue
    }
    const ways = yield* Effect.forEach(eitherWay(payment), (one) => standing(others, one, attempt))
    if (ways.every((found) => found.length > 0)) problems.push(...(ways[0] ?? []))
  }
  return problems
})
