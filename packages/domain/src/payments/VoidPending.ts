import { Clock, Effect } from "effect"
import type { GatewayCaller } from "../organizations/GatewayCaller.ts"
import type { Attempt } from "./Attempt.ts"
import type { GatewayLimits } from "./GatewayLimits.ts"
import type { Operation } from "./Operation.ts"
import { operationCallOf } from "./OperationCallOf.ts"
import { Accepted, noAnswer, type Outcome, Unknown } from "./Outcome.ts"
import type { Payment } from "./Payment.ts"
import type { PaymentEvent, SettledBy } from "./PaymentEvent.ts"
import type { PaymentProvider } from "./PaymentProvider.ts"
import type { Actor, PaymentStore } from "./PaymentStore.ts"
import { ask, authorizationOf, query, type Reading, readAuthorization, underDeadline } from "./ProviderCalls.ts"
import { isTakenBack } from "./Reversal.ts"
import { commitSettled } from "./SettledCommit.ts"
import { attemptResult, checked, deferOperation, expectedOf, isPartialApproval, settleOperation } from "./Settlement.ts"

const undecided = Unknown({ reason: "the provider has not said yet what came of it" })

/**
 * A buyer who is still with the issuer could finish later: what waits there is taken back like an approval. What has been
 * taken back before, by a void whose process ended, is found so.
 */
const takenBackOr =
  (read: Reading): Reading =>
  (finding, now) => {
    const isOurs = finding._tag === "Found" && (finding.stage === "ACTION_REQUIRED" || finding.stage === "VOIDED")
    if (!isOurs) return read(finding, now)
    const { answer, echo, providerReference } = finding
    return Accepted({ providerReference, answer, echo })
  }

/** The attempt's detail where nobody knows whether there was something to release. */
export const releasedUnseen = "released without asking what the provider had"

/** A provider that cannot be asked is told to release whatever it may have; an approval that comes later is taken back. */
const toBeReleased = ({ providerReference, reference }: Attempt): Outcome =>
  Accepted({ providerReference: providerReference ?? reference, answer: noAnswer, echo: {} })

/** How the void went, and whether the provider answered the question before it. */
export interface VoidedPending {
  readonly payment: Payment
  readonly answered: boolean
}

/**
 * Voids a payment whose outcome is not known: an approval that the provider knows of is taken back, a proven absence
 * ends it. It ends VOIDED or FAILED, never AUTHORIZED (contract section 4); undecided, it stays PENDING with the void.
 * The request asks for as long as it may wait; the reconciler asks once, and writes nothing where that settles nothing.
 */
export const voidPending = Effect.fnUntraced(function* (options: {
  readonly store: PaymentStore["Service"]
  readonly provider: PaymentProvider
  readonly payment: Payment
  readonly attempt: Attempt
  readonly operation: Operation
  readonly actor: Actor
  readonly by: SettledBy
  readonly limits: GatewayLimits
}): Effect.fn.Return<VoidedPending, never, GatewayCaller> {
  const { actor, attempt, by, limits, operation, payment, provider, store } = options
  const readOther = takenBackOr(readAuthorization(attempt, provider.capabilities.query.absenceProvenAfter))
  let isBack = false
  let answered = false
  const read: Reading = (finding, now) => {
    answered ||= finding._tag !== "Unanswered"
    isBack = finding._tag === "Found" && finding.stage === "VOIDED"
    return readOther(finding, now)
  }
  const expected = expectedOf(attempt.reference, payment.money, payment.card.last4)
  /** An approval of a part is taken back like one of the whole; what is about another payment is no answer. */
  const about = (outcome: Outcome) => (isPartialApproval(expected, outcome) ? outcome : checked(expected, outcome))
  const authorization = authorizationOf(payment, attempt)
  const until = (yield* Clock.currentTimeMillis) + limits.finalWordMillis
  const once = Effect.gen(function* () {
    const finding = yield* query(provider, authorization, limits.attemptMillis)
    return read(finding, yield* Clock.currentTimeMillis) ?? undecided
  })
  const asked = by === "request" ? ask({ provider, authorization, read, until, undecided }) : once
  const found = provider.capabilities.query.byReference ? about(yield* asked) : toBeReleased(attempt)
  const call = operationCallOf(payment, attempt, operation, actor.requestId)
  const reversed: Outcome =
    found._tag === "Accepted" && !isBack
      ? about(
          yield* underDeadline(
            () =>
              provider.cancel({
                ...call,
                authorization: {
                  ...authorization,
                  providerReference: answered ? found.providerReference : attempt.providerReference,
                  notes: { ...authorization.notes, ...found.notes }
                }
              }),
            limits.attemptMillis
          )
        )
      : found
  const at = yield* Clock.currentTimeMillis
  const isVoided = found._tag === "Accepted" && isTakenBack(reversed)
  const isGone = found._tag === "Refused" || found._tag === "NotSent"
  if (!isVoided && !isGone) {
    if (by !== "request") return { payment, answered }
    // Its request ends here without a word; a repeat is told the present state, and another void asks again.
    const deferred = yield* commitSettled(store, payment, [deferOperation(operation, null, at, by)], actor)
    return { payment: deferred, answered }
  }
  const ended: PaymentEvent = {
    type: "authorization.settled",
    at,
    by,
    command: isVoided ? "void" : "fail",
    result: provider.capabilities.query.byReference
      ? attemptResult(attempt, found, at)
      : {
          ...attemptResult(attempt, found, at),
          // Ours is no identifier of theirs: what is sent after it would be about nothing.
          providerReference: attempt.providerReference,
          detail: releasedUnseen
        },
    error: isVoided
      ? null
      : { code: "PROVIDER_ERROR", detail: "The provider has no approval for this payment; no money moved." },
    expiresAt: null
  }
  const done =
    reversed._tag === "Accepted"
      ? reversed
      : Accepted({ providerReference: attempt.reference, answer: noAnswer, echo: {} })
  const events = [ended, settleOperation(operation, done, at, by)]
  return { payment: yield* commitSettled(store, payment, events, actor), answered }
})
