import { Clock, Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import { Money } from "../money/Money.ts"
import type { GatewayCaller } from "../organizations/GatewayCaller.ts"
import type { Attempt } from "./Attempt.ts"
import { commitEvents } from "./EventCommit.ts"
import { GatewayLimits } from "./GatewayLimits.ts"
import type { NotifiedWord } from "./Notification.ts"
import { isUnderWay, type Operation } from "./Operation.ts"
import { type Accepted, Accepted as accept, noAnswer, type Outcome, type ProviderAnswer, Refused } from "./Outcome.ts"
import { lastAttempt, openOperation, type Payment } from "./Payment.ts"
import { apply, type PaymentEvent } from "./PaymentEvent.ts"
import { countReconciled } from "./PaymentMetrics.ts"
import type { PaymentProvider } from "./PaymentProvider.ts"
import { type Actor, type PaymentChanged, PaymentStore } from "./PaymentStore.ts"
import { makeReconcile } from "./ReconcilePayment.ts"
import { isTakenBack, reverseAttempt, reversePartial } from "./Reversal.ts"
import {
  attemptResult,
  checked,
  expectedOf,
  isPartialApproval,
  settleAuthorization,
  settleOperation
} from "./Settlement.ts"
import { isSound } from "./Sums.ts"
import { makeTakeBack } from "./UnwantedApproval.ts"
import { releasedUnseen } from "./VoidPending.ts"

/** `later`: it came before what it is about; it is tried again. */
export type Applied = "done" | "later"

type OperationWord = Extract<NotifiedWord, { readonly _tag: "Operation" }>

type Result = Effect.Effect<Applied, PaymentChanged | Unavailable, GatewayCaller>

const actor: Actor = { name: "notification", requestId: "" }

const outcomeOf = ({ answer, providerReference, status, type }: OperationWord): Outcome =>
  status === "SUCCEEDED"
    ? accept({ providerReference: providerReference ?? "", answer, echo: {} })
    : Refused({
        code: "PROVIDER_ERROR",
        detail: `The provider said later that it did not do the ${type.toLowerCase()}.`,
        answer,
        mayTryAnother: false,
        echo: {}
      })

/**
 * The operation that a word is about: by the provider's own identifier, else the only one of type and amount that is
 * open; else the only capture or refund that was done whose identifier we never learned, since its answer was lost. What
 * was not sent yet is never meant.
 */
const operationOf = (payment: Payment, attempt: Attempt, word: OperationWord): Operation | undefined => {
  const sent = payment.operations.filter(({ availableFrom, type }) => type === word.type && availableFrom === null)
  const named = sent.find(
    ({ providerReference }) => providerReference !== null && providerReference === word.providerReference
  )
  if (named !== undefined) return named
  const unnamed = sent.filter(
    ({ minor, providerReference }) =>
      (providerReference === null ||
        providerReference === attempt.providerReference ||
        word.providerReference === null) &&
      minor === (word.minor ?? minor)
  )
  const open = unnamed.filter(({ status }) => status === "PENDING")
  const done = unnamed.filter(({ status, type }) => status === "SUCCEEDED" && type !== "VOID")
  const [only, ...others] = open.length > 0 ? open : done
  return others.length === 0 ? only : undefined
}

/** A payment whose outcome was not known ends with its void: VOIDED, or FAILED where there was nothing to give back. */
const ended = (attempt: Attempt, voiding: Operation, told: Outcome, at: number): ReadonlyArray<PaymentEvent> => [
  {
    type: "authorization.settled",
    at,
    by: "notification",
    command: told._tag === "Accepted" ? "void" : "fail",
    result: attemptResult(attempt, told, at, true),
    error:
      told._tag === "Accepted"
        ? null
        : { code: "PROVIDER_ERROR", detail: "The provider has no approval for this payment; no money moved." },
    expiresAt: null
  },
  settleOperation(
    voiding,
    accept({ providerReference: attempt.reference, answer: noAnswer, echo: {} }),
    at,
    "notification"
  )
]

const notReleased = "the provider did not release the authorization"
const lateAndOther = "the provider tells of an approval of another amount or currency after the payment had ended"

/** The attempt's detail once the provider has said, after the release, that it had refused the payment. */
const refusedUnseen = "released without asking what the provider had: it had refused"

/** Nobody knows of an approval, and the provider was told to release whatever it may have. */
const isUnseen = ({ detail, reversal }: Attempt): boolean => reversal === null && detail === releasedUnseen

/** By the provider's own word there is nothing to release. An approval that it tells of later is taken back. */
const hasNothing = ({ detail, reversal }: Attempt): boolean => reversal === null && detail === refusedUnseen

/** The payment stays VOIDED; what was asked of a person is answered. */
const refusedAfterRelease = (payment: Payment, attempt: Attempt, told: Outcome, at: number) => {
  const result = { ...attemptResult(attempt, told, at, true), detail: refusedUnseen }
  const { error } = payment
  const settled = { type: "authorization.settled", at, by: "notification", command: null, result } as const
  const closed = { type: "review.closed", at, evidence: "the provider had refused the authorization" } as const
  const events: ReadonlyArray<PaymentEvent> = [{ ...settled, error, expiresAt: null }]
  return payment.needsReview === notReleased ? [...events, closed] : events
}

/** Whether an approval of the attempt is what the payment stands on, or has been taken back before. */
const isKnown = (payment: Payment, attempt: Attempt): boolean => {
  const isLast = lastAttempt(payment)?.number === attempt.number
  const isSeen = attempt.outcome === "Accepted" && attempt.detail !== releasedUnseen
  const isVoided = payment.authorization === "VOIDED" && isSeen
  return attempt.reversal !== null || (isLast && (payment.authorization === "AUTHORIZED" || isVoided))
}

/** Does what one item of a provider's verified message says (contract section 4, inbound notifications). */
export const makeApplyNotification = Effect.gen(function* () {
  const store = yield* PaymentStore
  const limits = yield* GatewayLimits
  const reconcile = yield* makeReconcile
  const takeBack = yield* makeTakeBack

  const commit = Effect.fnUntraced(function* (
    before: Payment,
    events: ReadonlyArray<PaymentEvent>,
    provider: PaymentProvider
  ) {
    const after = events.reduce(apply, before)
    if (!isSound(after.sums)) return yield* review(before, "the provider took back what has been refunded", provider)
    yield* commitEvents(store, before, events, actor)
    yield* countReconciled(provider.id, before, after)
    return "done" as const
  })

  const review = (payment: Payment, reason: string, provider: PaymentProvider): Result =>
    payment.needsReview === reason
      ? Effect.succeed("done")
      : Effect.flatMap(Clock.currentTimeMillis, (at) =>
          commit(payment, [{ type: "review.requested", at, reason }], provider)
        )

  /** The payment is being voided: an approval that comes now is taken back, and the payment ends with its void. */
  const endVoided = Effect.fnUntraced(function* (
    provider: PaymentProvider,
    payment: Payment,
    attempt: Attempt,
    voiding: Operation,
    outcome: Accepted
  ) {
    const options = { millis: limits.attemptMillis, requestId: actor.requestId }
    const reversal = yield* reverseAttempt(provider, payment, attempt, outcome, options)
    if (!isTakenBack(reversal)) return "later" as const
    return yield* commit(payment, ended(attempt, voiding, outcome, yield* Clock.currentTimeMillis), provider)
  })

  const authorization = Effect.fnUntraced(function* (
    provider: PaymentProvider,
    payment: Payment,
    attempt: Attempt,
    told: Outcome
  ): Effect.fn.Return<Applied, PaymentChanged | Unavailable, GatewayCaller> {
    const now = yield* Clock.currentTimeMillis
    const isOpen = payment.authorization === "PENDING" || payment.authorization === "REQUIRES_ACTION"
    const isLast = lastAttempt(payment)?.number === attempt.number
    const expected = expectedOf(attempt.reference, payment.money, payment.card.last4)
    if (isOpen && isLast && attempt.outcome === "RUNNING" && attempt.deadline > now) return "later"
    const isPartial = told._tag === "Accepted" && isPartialApproval(expected, told)
    const outcome = isPartial ? told : checked(expected, told)
    if (!isOpen || !isLast) {
      if (isUnseen(attempt) && outcome._tag === "Refused") {
        return yield* commit(payment, refusedAfterRelease(payment, attempt, outcome, now), provider)
      }
      if (told._tag !== "Accepted" || isKnown(payment, attempt)) return "done"
      if (outcome._tag !== "Accepted") return yield* review(payment, lateAndOther, provider)
      // While another provider decides, nothing is taken back.
      if (isOpen) return "later"
      yield* takeBack(provider, payment, attempt, outcome, actor, "notification")
      return "done"
    }
    if (outcome._tag === "Unknown") return yield* review(payment, outcome.reason, provider)
    // Neither a yes nor a no: what is known already says as much.
    if (outcome._tag !== "Accepted" && outcome._tag !== "Refused") return "done"
    const voiding = openOperation(payment)
    if (voiding !== undefined && isUnderWay(voiding, now)) return "later"
    if (voiding !== undefined) {
      return outcome._tag === "Accepted"
        ? yield* endVoided(provider, payment, attempt, voiding, outcome)
        : yield* commit(payment, ended(attempt, voiding, outcome, now), provider)
    }
    const until = now + limits.requestMillis
    const options = { until, millis: limits.attemptMillis, requestId: actor.requestId }
    const settled =
      isPartial && outcome._tag === "Accepted"
        ? yield* reversePartial(provider, payment, attempt, outcome, options)
        : outcome
    if (settled._tag === "Unknown") return "later"
    const event = settleAuthorization(attempt, settled, provider.capabilities, now, "notification", true)
    return yield* commit(payment, [event], provider)
  })

  const withoutOperation = Effect.fnUntraced(function* (
    provider: PaymentProvider,
    payment: Payment,
    attempt: Attempt,
    word: OperationWord
  ): Effect.fn.Return<Applied, PaymentChanged | Unavailable, GatewayCaller> {
    if (word.type !== "VOID") return "later"
    if (attempt.reversal === "DONE") return "done"
    if (word.status === "FAILED") {
      return hasNothing(attempt) ? "done" : yield* review(payment, notReleased, provider)
    }
    // What was released unseen is known to be back now: a second release of it would fail.
    if (attempt.reversal !== "BEGUN" && !isUnseen(attempt)) return "done"
    const at = yield* Clock.currentTimeMillis
    const reason = "the provider has confirmed that it took the approval back"
    const event: PaymentEvent = {
      type: "attempt.reversed",
      at,
      by: "notification",
      attempt: attempt.number,
      status: "DONE",
      reason
    }
    return yield* commit(payment, [event], provider)
  })

  /** A word on the void of a payment whose outcome was not known: done, the payment ends with it. */
  const released = (
    provider: PaymentProvider,
    payment: Payment,
    attempt: Attempt,
    voiding: Operation,
    word: OperationWord
  ): Result => {
    const isOpen = payment.authorization === "PENDING" || payment.authorization === "REQUIRES_ACTION"
    if (!isOpen) return word.status === "FAILED" ? review(payment, notReleased, provider) : Effect.succeed("done")
    if (word.status === "FAILED") return Effect.succeed("done")
    const { providerReference, reference } = attempt
    const told = accept({ providerReference: providerReference ?? reference, answer: word.answer, echo: {} })
    return Effect.flatMap(Clock.currentTimeMillis, (at) => commit(payment, ended(attempt, voiding, told, at), provider))
  }

  const operation = Effect.fnUntraced(function* (
    provider: PaymentProvider,
    payment: Payment,
    attempt: Attempt,
    word: OperationWord
  ): Effect.fn.Return<Applied, PaymentChanged | Unavailable, GatewayCaller> {
    // The payment's operations are its last attempt's.
    const isLast = lastAttempt(payment)?.number === attempt.number
    const found = isLast ? operationOf(payment, attempt, word) : undefined
    if (found === undefined) return yield* withoutOperation(provider, payment, attempt, word)
    if (found.status === word.status) return "done"
    const now = yield* Clock.currentTimeMillis
    if (isUnderWay(found, now)) return "later"
    if (payment.authorization !== "AUTHORIZED") return yield* released(provider, payment, attempt, found, word)
    const differs =
      (word.minor !== null && word.type !== "VOID" && word.minor !== found.minor) ||
      (word.currency !== null && word.currency.toUpperCase() !== payment.money.currency)
    if (differs)
      return yield* review(payment, `the provider tells another amount of the ${word.type.toLowerCase()}`, provider)
    if (found.status === "FAILED") {
      return yield* review(payment, `the provider did a ${word.type.toLowerCase()} that had failed`, provider)
    }
    return yield* commit(payment, [settleOperation(found, outcomeOf(word), now, "notification")], provider)
  })

  const dispute = (
    provider: PaymentProvider,
    payment: Payment,
    word: { readonly minor: bigint; readonly currency: string; readonly answer: ProviderAnswer }
  ): Result => {
    const { currency } = payment.money
    if (word.currency.toUpperCase() !== currency || word.minor > payment.sums.captured) {
      return review(payment, "the provider tells of a dispute about another amount or currency", provider)
    }
    if (word.minor === payment.sums.disputed) return Effect.succeed("done")
    const disputed = new Money({ currency, minor: word.minor })
    return Effect.flatMap(Clock.currentTimeMillis, (at) =>
      commit(payment, [{ type: "payment.disputed", at, minor: disputed.minor }], provider)
    )
  }

  return (provider: PaymentProvider, payment: Payment, reference: string, word: NotifiedWord): Result => {
    const attempt = payment.attempts.find((one) => one.provider === provider.id && one.reference === reference)
    if (attempt === undefined) return Effect.succeed("later")
    switch (word._tag) {
      case "Authorization":
        return authorization(provider, payment, attempt, word.outcome)
      case "Operation":
        return operation(provider, payment, attempt, word)
      case "Dispute":
        return dispute(provider, payment, word)
      case "Ask":
        return Effect.as(reconcile(payment, actor, { hinted: true }), "done")
    }
  }
})
