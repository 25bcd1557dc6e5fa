import { Clock, DateTime, Duration, Effect } from "effect"
import type { Instant } from "../time/Instant.ts"
import type { Attempt } from "./Attempt.ts"
import type { Operation } from "./Operation.ts"
import { Accepted, NotSent, type Outcome, Refused, Unknown } from "./Outcome.ts"
import type { Payment } from "./Payment.ts"
import type { Authorization, Finding, PaymentProvider } from "./PaymentProvider.ts"

/**
 * A call under its deadline. A provider that does not answer in time, and an adapter that dies, leave an unknown
 * outcome: bytes may have gone out.
 */
export const underDeadline = (call: () => Effect.Effect<Outcome>, millis: number): Effect.Effect<Outcome> =>
  Effect.suspend(call).pipe(
    Effect.timeoutOrElse({
      duration: millis,
      orElse: () => Effect.succeed(Unknown({ reason: `no answer within ${millis} ms` }))
    }),
    Effect.catchDefect((defect) =>
      Effect.as(
        Effect.logError("A provider's adapter failed", defect),
        Unknown({ reason: "the answer could not be read" })
      )
    )
  )

/**
 * Who still waits for the buyer holds no money where it is our completion that authorizes: that is as good as no payment,
 * and as little proof while a completion may be on its way.
 */
const withoutWaiting = ({ threeDS }: PaymentProvider, finding: Finding): Finding =>
  finding._tag === "Found" && finding.stage === "ACTION_REQUIRED" && threeDS?.authorizesOnCompletion === true
    ? { _tag: "Absent", answer: finding.answer }
    : finding

/** One question under its deadline. */
export const query = (
  provider: PaymentProvider,
  authorization: Authorization,
  millis: number
): Effect.Effect<Finding> =>
  Effect.suspend(() => provider.query(authorization)).pipe(
    Effect.map((finding) => withoutWaiting(provider, finding)),
    Effect.timeoutOrElse({
      duration: millis,
      orElse: () => Effect.succeed<Finding>({ _tag: "Unanswered", reason: `no answer within ${millis} ms` })
    }),
    Effect.catchDefect((defect) =>
      Effect.as(Effect.logError("A provider's adapter failed", defect), {
        _tag: "Unanswered",
        reason: "unreadable"
      } as const)
    )
  )

/** What later calls need to know of the attempt that stands for a payment. */
export const authorizationOf = (payment: Payment, attempt: Attempt): Authorization => ({
  reference: attempt.reference,
  providerReference: attempt.providerReference,
  notes: attempt.notes,
  money: payment.money,
  authorizedAt: DateTime.makeUnsafe(attempt.completedAt ?? attempt.startedAt)
})

/** What a finding settles; undefined: nothing. */
export type Reading = (finding: Finding, now: Instant) => Outcome | undefined

/** What a finding says about an authorization whose answer was lost; undefined: nothing certain yet. */
export const readAuthorization =
  (attempt: Attempt, absenceProvenAfter: Duration.Duration | undefined): Reading =>
  (finding, now) => {
    if (finding._tag === "Unanswered") return undefined
    if (finding._tag === "Absent") {
      const proven = absenceProvenAfter !== undefined && now - attempt.sentAt >= Duration.toMillis(absenceProvenAfter)
      return proven ? NotSent({ reason: "the provider has no such payment" }) : undefined
    }
    const { answer, code, echo, notes, providerReference, stage } = finding
    if (stage === "AUTHORIZED") {
      return Accepted({ providerReference, answer, echo, ...(notes === undefined ? {} : { notes }) })
    }
    return stage === "DECLINED"
      ? Refused({
          code: code ?? "CARD_DECLINED",
          detail: "The card was declined.",
          answer,
          mayTryAnother: false,
          echo,
          providerReference
        })
      : undefined
  }

/** What a finding says about an operation whose answer was lost; undefined: nothing certain yet. */
export const readOperation =
  (payment: Payment, operation: Operation): Reading =>
  (finding) => {
    if (finding._tag !== "Found") return undefined
    const { answer, capturedMinor, providerReference, refundedMinor, stage } = finding
    // Its amount is the payment's, not this operation's.
    const { minor: _, ...echo } = finding.echo
    const { captured, refunded } = payment.sums
    const done =
      (operation.type === "CAPTURE" && capturedMinor !== null && capturedMinor >= captured + operation.minor) ||
      (operation.type === "REFUND" && refundedMinor !== null && refundedMinor >= refunded + operation.minor) ||
      // The whole of a capture was given back by its void (contract section 4, refund before settlement).
      (operation.type === "REFUND" && stage === "VOIDED" && operation.minor === captured) ||
      (operation.type === "VOID" && (stage === "VOIDED" || finding.capturableMinor === 0n))
    return done ? Accepted({ providerReference, answer, echo }) : undefined
  }

/** The contract's wait for a definite "not done", counted from when the operation was sent. */
const isProven = (
  { createdAt, sentAt }: Operation,
  absenceProvenAfter: Duration.Duration | undefined,
  now: Instant
): boolean => absenceProvenAfter !== undefined && now - (sentAt ?? createdAt) >= Duration.toMillis(absenceProvenAfter)

/**
 * Whether the provider's record shows that it never took an operation whose answer was lost. What it has taken and
 * decides later is not in its sums either, so that only an unknown outcome ends this way; and where a part was done, a
 * person has to look.
 */
export const readUndone = (
  payment: Payment,
  operation: Operation,
  finding: Finding,
  absenceProvenAfter: Duration.Duration | undefined,
  now: Instant
): boolean => {
  const isUnknown = operation.error !== null || operation.deadline !== null
  if (finding._tag !== "Found" || !isUnknown || !isProven(operation, absenceProvenAfter, now)) return false
  const { capturedMinor, refundedMinor, stage } = finding
  const { captured, refunded } = payment.sums
  if (operation.type === "CAPTURE") {
    const isUncaptured = stage === "AUTHORIZED" || stage === "VOIDED"
    return capturedMinor === null ? isUncaptured : capturedMinor <= captured
  }
  if (operation.type === "VOID") return stage === "AUTHORIZED" || (finding.capturableMinor ?? 0n) > 0n
  return stage === "CAPTURED" && refundedMinor !== null && refundedMinor <= refunded
}

/** Milliseconds between questions; the last is repeated. */
const pauses = [0, 250, 500, 1_000, 2_000, 4_000] as const

/**
 * Asks the provider until it says something certain or the time is over (contract section 4, unknown outcomes). Answers
 * `undecided` where it never did.
 */
export const ask = Effect.fnUntraced(function* (options: {
  readonly provider: PaymentProvider
  readonly authorization: Authorization
  readonly read: Reading
  readonly until: Instant
  readonly undecided: Outcome
}) {
  for (let question = 0; ; question++) {
    const pause = pauses[Math.min(question, pauses.length - 1)] ?? 0
    const left = options.until - (yield* Clock.currentTimeMillis) - pause
    if (left <= 0) return options.undecided
    yield* Effect.sleep(pause)
    const finding = yield* query(options.provider, options.authorization, left)
    const outcome = options.read(finding, yield* Clock.currentTimeMillis)
    if (outcome !== undefined) return outcome
  }
})
