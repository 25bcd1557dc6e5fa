import { Clock, Effect } from "effect"
import type { Attempt } from "./Attempt.ts"
import type { GatewayLimits } from "./GatewayLimits.ts"
import type { Operation } from "./Operation.ts"
import { operationCallOf } from "./OperationCallOf.ts"
import { Accepted, type Outcome, Unknown } from "./Outcome.ts"
import type { Payment } from "./Payment.ts"
import type { PaymentEvent } from "./PaymentEvent.ts"
import type { PaymentProvider } from "./PaymentProvider.ts"
import type { Actor, PaymentStore } from "./PaymentStore.ts"
import { ask, authorizationOf, readAuthorization, underDeadline } from "./ProviderCalls.ts"
import { commitSettled } from "./SettledCommit.ts"
import { attemptResult, checked, deferOperation, expectedOf, isPartialApproval, settleOperation } from "./Settlement.ts"

const undecided = Unknown({ reason: "the provider has not said yet what came of it" })

/**
 * Voids a payment whose outcome is not known: an approval that the provider knows of is taken back, a proven absence
 * ends it. It ends VOIDED or FAILED, never AUTHORIZED (contract section 4); undecided, it stays PENDING with the void.
 */
export const voidPending = Effect.fnUntraced(function* (options: {
  readonly store: PaymentStore["Service"]
  readonly provider: PaymentProvider
  readonly payment: Payment
  readonly attempt: Attempt
  readonly operation: Operation
  readonly actor: Actor
  readonly limits: GatewayLimits
}) {
  const { actor, attempt, limits, operation, payment, provider, store } = options
  const read = readAuthorization(attempt, provider.capabilities.query.absenceProvenAfter)
  const until = (yield* Clock.currentTimeMillis) + limits.finalWordMillis
  const expected = expectedOf(attempt.reference, payment.money, payment.card.last4)
  /** An approval of a part is taken back like one of the whole; what is about another payment is no answer. */
  const about = (outcome: Outcome) => (isPartialApproval(expected, outcome) ? outcome : checked(expected, outcome))
  const authorization = authorizationOf(payment, attempt)
  const found = about(yield* ask({ provider, authorization, read, until, undecided }))
  const call = operationCallOf(payment, attempt, operation, actor.requestId)
  const reversed: Outcome =
    found._tag === "Accepted"
      ? about(
          yield* underDeadline(
            () =>
              provider.cancel({
                ...call,
                authorization: {
                  ...authorization,
                  providerReference: found.providerReference,
                  notes: { ...authorization.notes, ...found.notes }
                }
              }),
            limits.attemptMillis
          )
        )
      : found
  const at = yield* Clock.currentTimeMillis
  const isVoided = found._tag === "Accepted" && reversed._tag === "Accepted"
  const isGone = found._tag === "Refused" || found._tag === "NotSent"
  if (!isVoided && !isGone) {
    // Its request ends here without a word; a repeat is told the present state, and another void asks again.
    return yield* commitSettled(store, payment, [deferOperation(operation, null, at, "request")], actor)
  }
  const ended: PaymentEvent = {
    type: "authorization.settled",
    at,
    by: "request",
    command: isVoided ? "void" : "fail",
    result: attemptResult(attempt, found, at),
    error: isVoided
      ? null
      : { code: "PROVIDER_ERROR", detail: "The provider has no approval for this payment; no money moved." },
    expiresAt: null
  }
  const done = isVoided
    ? reversed
    : Accepted({ providerReference: attempt.reference, answer: { responseCode: null, fields: {} }, echo: {} })
  return yield* commitSettled(store, payment, [ended, settleOperation(operation, done, at, "request")], actor)
})
