import { Clock, Duration, Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { GatewayCaller } from "../organizations/GatewayCaller.ts"
import type { Instant } from "../time/Instant.ts"
import type { Attempt } from "./Attempt.ts"
import { commitEvents } from "./EventCommit.ts"
import { type Question, questionOf } from "./FollowUp.ts"
import { GatewayLimits } from "./GatewayLimits.ts"
import { compare, type Expected } from "./Integrity.ts"
import type { Operation } from "./Operation.ts"
import { noAnswer, type Outcome, Refused } from "./Outcome.ts"
import { lastAttempt, openOperation, type Payment } from "./Payment.ts"
import type { PaymentEvent } from "./PaymentEvent.ts"
import { countReconciled } from "./PaymentMetrics.ts"
import { type Finding, type PaymentProvider, PaymentProviders } from "./PaymentProvider.ts"
import { type Actor, type PaymentChanged, PaymentStore } from "./PaymentStore.ts"
import { authorizationOf, query, readAuthorization, readOperation, readUndone } from "./ProviderCalls.ts"
import { isTakenBack, reverseAttempt, reversePartial } from "./Reversal.ts"
import { commitSettled } from "./SettledCommit.ts"
import { answerOf, checked, expectedOf, isPartialApproval, settleAuthorization, settleOperation } from "./Settlement.ts"
import { makeReverseUnwanted } from "./UnwantedApproval.ts"
import { voidPending } from "./VoidPending.ts"

/** How a look at a payment ended. */
export interface Looked {
  readonly payment: Payment
  /** Whether the provider answered; null where it was not asked. */
  readonly answered: boolean | null
  /** Where it is known when another look will decide. */
  readonly againAt?: Instant
}

type Found = Extract<Finding, { readonly _tag: "Found" }>

const notAsked = (payment: Payment): Looked => ({ payment, answered: null })

const challengeFailed = (outcome: Outcome): Outcome =>
  Refused({
    code: "3DS_FAILED",
    detail: "The buyer did not complete 3D Secure in time; no money moved.",
    answer: answerOf(outcome),
    mayTryAnother: false,
    echo: {}
  })

/** What waits for its buyer, or was approved once, is no payment when it has been given back. */
const givenBack = ({ answer, echo, providerReference }: Found, expected: Expected): Outcome => {
  const known = { answer, mayTryAnother: false, echo, providerReference }
  return compare(expected, echo)._tag === "less"
    ? Refused({ code: "INSUFFICIENT_FUNDS", detail: "A part only was approved, and was given back.", ...known })
    : Refused({ code: "PROVIDER_ERROR", detail: "The provider has released it again.", ...known })
}

/** What the provider has released itself ends VOIDED: it was there, so that FAILED would say too much. */
const asVoided = (event: PaymentEvent): PaymentEvent =>
  event.type === "authorization.settled" && event.command === "fail"
    ? { ...event, command: "void", error: null }
    : event

const notDone: Outcome = Refused({
  code: "PROVIDER_ERROR",
  detail: "The provider did not take it; no money moved. It may be tried again.",
  answer: noAnswer,
  mayTryAnother: false,
  echo: {}
})

/** When an absence that has been found now will be proof. */
const provenAt = (provider: PaymentProvider, sentAt: Instant): Instant | undefined => {
  const { absenceProvenAfter } = provider.capabilities.query
  return absenceProvenAfter === undefined ? undefined : sentAt + Duration.toMillis(absenceProvenAfter) + 1_000
}

/** What is asked about an attempt that is not settled, and what its answer makes of the payment. */
export const makeReconcile = Effect.gen(function* () {
  const store = yield* PaymentStore
  const providers = yield* PaymentProviders
  const limits = yield* GatewayLimits
  const reverseUnwanted = yield* makeReverseUnwanted

  const settle = Effect.fnUntraced(function* (
    payment: Payment,
    events: ReadonlyArray<PaymentEvent>,
    provider: PaymentProvider,
    actor: Actor
  ) {
    const settled = yield* commitSettled(store, payment, events, actor)
    yield* countReconciled(provider.id, payment, settled)
    return settled
  })

  /** A difference in reference, amount or currency is for a person; said once. */
  const review = (payment: Payment, reason: string, provider: PaymentProvider, actor: Actor) =>
    payment.needsReview === reason
      ? Effect.succeed(payment)
      : Effect.flatMap(Clock.currentTimeMillis, (at) =>
          settle(payment, [{ type: "review.requested", at, reason }], provider, actor)
        )

  const ask = (provider: PaymentProvider, payment: Payment, attempt: Attempt) =>
    query(provider, authorizationOf(payment, attempt), limits.attemptMillis)

  /** What the finding makes of an authorization; undefined: nothing yet. */
  const decide = Effect.fnUntraced(function* (
    provider: PaymentProvider,
    payment: Payment,
    attempt: Attempt,
    finding: Finding,
    actor: Actor
  ) {
    const now = yield* Clock.currentTimeMillis
    const expected = expectedOf(attempt.reference, payment.money, payment.card.last4)
    const options = { millis: limits.attemptMillis, requestId: actor.requestId }
    const isWaiting = finding._tag === "Found" && finding.stage === "ACTION_REQUIRED"
    const isVoided = finding._tag === "Found" && finding.stage === "VOIDED"
    const read = readAuthorization(attempt, provider.capabilities.query.absenceProvenAfter)(finding, now)
    const found = isWaiting || isVoided ? givenBack(finding, expected) : read
    const outcome = found === undefined ? undefined : checked(expected, found)
    if (found?._tag === "Accepted" && isPartialApproval(expected, found)) {
      const until = now + limits.requestMillis
      const reversed = yield* reversePartial(provider, payment, attempt, found, { ...options, until })
      // Not given back yet: it is found again.
      return reversed._tag === "Unknown" ? undefined : reversed
    }
    if (outcome === undefined || outcome._tag === "Unknown") return outcome
    if (isWaiting) {
      const ended = yield* reverseAttempt(provider, payment, attempt, finding, options)
      return isTakenBack(ended) ? challengeFailed(ended) : undefined
    }
    // A buyer who came back did complete it: what never arrived then was our own word to the provider.
    const isAbandoned = payment.challenge !== null && payment.challenge.endedBy !== "buyer"
    if (finding._tag !== "Found") return isAbandoned ? challengeFailed(outcome) : outcome
    const isUnexplained =
      outcome._tag === "Refused" && finding.code === undefined && outcome.code !== "INSUFFICIENT_FUNDS"
    return payment.challenge !== null && isUnexplained ? challengeFailed(outcome) : outcome
  })

  /** Commits what the finding makes of the authorization. */
  const settleFound = Effect.fnUntraced(function* (
    provider: PaymentProvider,
    payment: Payment,
    attempt: Attempt,
    finding: Finding,
    outcome: Outcome,
    actor: Actor
  ): Effect.fn.Return<Looked, never, GatewayCaller> {
    if (outcome._tag === "Unknown") {
      return { payment: yield* review(payment, outcome.reason, provider, actor), answered: true }
    }
    const at = yield* Clock.currentTimeMillis
    const event = settleAuthorization(attempt, outcome, provider.capabilities, at, "reconciler", true)
    const settled = finding._tag === "Found" && finding.stage === "VOIDED" ? asVoided(event) : event
    return { payment: yield* settle(payment, [settled], provider, actor), answered: true }
  })

  /** Where the present absence will be proof before the schedule's next question, that is asked then. */
  const untilProven = Effect.fnUntraced(function* (provider: PaymentProvider, looked: Looked, sentAt: Instant) {
    const now = yield* Clock.currentTimeMillis
    const againAt = provenAt(provider, sentAt)
    return againAt === undefined || againAt <= now ? looked : ({ ...looked, againAt } satisfies Looked)
  })

  const lookAtAuthorization = Effect.fnUntraced(function* (
    provider: PaymentProvider,
    payment: Payment,
    attempt: Attempt,
    actor: Actor
  ): Effect.fn.Return<Looked, never, GatewayCaller> {
    const voiding = openOperation(payment)
    if (voiding !== undefined) {
      const options = { store, provider, payment, attempt, operation: voiding, actor, limits }
      const looked = yield* voidPending({ ...options, by: "reconciler" })
      yield* countReconciled(provider.id, payment, looked.payment)
      return looked.answered ? yield* untilProven(provider, looked, attempt.sentAt) : looked
    }
    const finding = yield* ask(provider, payment, attempt)
    if (finding._tag === "Unanswered") return { payment, answered: false }
    const outcome = yield* decide(provider, payment, attempt, finding, actor)
    if (outcome !== undefined) return yield* settleFound(provider, payment, attempt, finding, outcome, actor)
    const looked: Looked = { payment, answered: true }
    return finding._tag === "Absent" ? yield* untilProven(provider, looked, attempt.sentAt) : looked
  })

  /** The buyer is still waited for; that the provider has decided already, a hint of its own may let us find out. */
  const lookAtChallenge = Effect.fnUntraced(function* (
    provider: PaymentProvider,
    payment: Payment,
    attempt: Attempt,
    actor: Actor
  ): Effect.fn.Return<Looked, never, GatewayCaller> {
    const finding = yield* ask(provider, payment, attempt)
    const isDecided = finding._tag === "Found" && (finding.stage === "AUTHORIZED" || finding.stage === "DECLINED")
    const outcome = isDecided ? yield* decide(provider, payment, attempt, finding, actor) : undefined
    return outcome === undefined
      ? { payment, answered: finding._tag !== "Unanswered" }
      : yield* settleFound(provider, payment, attempt, finding, outcome, actor)
  })

  const lookAtOperation = Effect.fnUntraced(function* (
    provider: PaymentProvider,
    payment: Payment,
    attempt: Attempt,
    operation: Operation,
    actor: Actor
  ): Effect.fn.Return<Looked, never, GatewayCaller> {
    const finding = yield* ask(provider, payment, attempt)
    if (finding._tag === "Unanswered") return { payment, answered: false }
    const now = yield* Clock.currentTimeMillis
    const { absenceProvenAfter } = provider.capabilities.query
    const undone = readUndone(payment, operation, finding, absenceProvenAfter, now) ? notDone : undefined
    const found = readOperation(payment, operation)(finding, now) ?? undone
    if (found === undefined) {
      return yield* untilProven(provider, { payment, answered: true }, operation.sentAt ?? operation.createdAt)
    }
    const expected = expectedOf(attempt.reference, payment.money, payment.card.last4)
    const outcome = checked(expected, found)
    if (outcome._tag === "Unknown") {
      return { payment: yield* review(payment, outcome.reason, provider, actor), answered: true }
    }
    const event = settleOperation(operation, outcome, now, "reconciler")
    return { payment: yield* settle(payment, [event], provider, actor), answered: true }
  })

  /**
   * What is left of an authorization is given back at the provider, where it can be, and only then it counts as expired.
   * That it is being given back is on record before: a capture that began first is waited for, and none begins after.
   */
  const expire = Effect.fnUntraced(function* (
    provider: PaymentProvider,
    before: Payment,
    attempt: Attempt,
    actor: Actor
  ): Effect.fn.Return<Looked, PaymentChanged | Unavailable, GatewayCaller> {
    const reversed = (status: "BEGUN" | "DONE", at: Instant): PaymentEvent => {
      const reason = "the authorization has expired"
      return { type: "attempt.reversed", at, by: "reconciler", attempt: attempt.number, status, reason }
    }
    const payment =
      attempt.reversal === null
        ? yield* commitEvents(store, before, [reversed("BEGUN", yield* Clock.currentTimeMillis)], actor)
        : before
    const options = { millis: limits.attemptMillis, requestId: actor.requestId }
    const outcome = yield* reverseAttempt(provider, payment, attempt, {}, options)
    if (outcome._tag === "NotSent" || outcome._tag === "Unknown") return { payment, answered: false }
    const at = yield* Clock.currentTimeMillis
    const done = outcome._tag === "Accepted" ? [reversed("DONE", at)] : []
    const events: ReadonlyArray<PaymentEvent> = [{ type: "authorization.lapsed", at }, ...done]
    return { payment: yield* settle(payment, events, provider, actor), answered: true }
  })

  /** The buyer is no longer waited for: from here on the provider is asked. */
  const endChallenge = Effect.fnUntraced(function* (
    provider: PaymentProvider,
    payment: Payment,
    actor: Actor
  ): Effect.fn.Return<Looked, PaymentChanged | Unavailable, GatewayCaller> {
    const at = yield* Clock.currentTimeMillis
    const deadline = at + limits.requestMillis
    const event: PaymentEvent = { type: "challenge.ended", at, by: "timeout", deadline }
    const after = yield* commitEvents(store, payment, [event], actor)
    const attempt = after.attempts.at(-1)
    return attempt === undefined ? notAsked(after) : yield* lookAtAuthorization(provider, after, attempt, actor)
  })

  const answer = (
    question: Exclude<Question, { readonly _tag: "Nothing" | "Wait" | "Unwanted" }>,
    provider: PaymentProvider,
    payment: Payment,
    actor: Actor
  ): Effect.Effect<Looked, PaymentChanged | Unavailable, GatewayCaller> => {
    switch (question._tag) {
      case "EndChallenge":
        return endChallenge(provider, payment, actor)
      case "Authorization":
        return lookAtAuthorization(provider, payment, question.attempt, actor)
      case "Operation":
        return lookAtOperation(provider, payment, question.attempt, question.operation, actor)
      case "Expiry":
        return expire(provider, payment, question.attempt, actor)
    }
  }

  /**
   * Looks at one payment: asks what there is to ask, and commits what the answer settles. `hinted`: the provider has
   * said that there is something to ask about, so that it is asked while the buyer is waited for, too.
   */
  return Effect.fn("reconcile")(function* (payment: Payment, actor: Actor, { hinted = false } = {}) {
    const question = questionOf(payment, yield* Clock.currentTimeMillis)
    if (question._tag === "Nothing") return notAsked(payment)
    if (question._tag === "Unwanted") return yield* reverseUnwanted(payment, question.attempts, actor)
    const isWaiting = question._tag === "Wait"
    const isHinted = hinted && payment.authorization === "REQUIRES_ACTION" && openOperation(payment) === undefined
    if (isWaiting && !isHinted) return { ...notAsked(payment), againAt: question.until } satisfies Looked
    const attempt = isWaiting ? lastAttempt(payment) : question.attempt
    const provider = providers.get(attempt?.provider ?? "")
    if (attempt === undefined || provider === undefined) {
      yield* Effect.logError("A payment cannot be looked at: its provider is not configured", attempt?.provider)
      return { payment, answered: false } satisfies Looked
    }
    return isWaiting
      ? yield* lookAtChallenge(provider, payment, attempt, actor)
      : yield* answer(question, provider, payment, actor)
  })
})
