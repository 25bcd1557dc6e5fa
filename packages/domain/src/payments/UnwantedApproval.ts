import { Clock, Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { GatewayCaller } from "../organizations/GatewayCaller.ts"
import type { Attempt } from "./Attempt.ts"
import { commitEvents } from "./EventCommit.ts"
import { GatewayLimits } from "./GatewayLimits.ts"
import { compare } from "./Integrity.ts"
import type { Payment } from "./Payment.ts"
import type { PaymentEvent, SettledBy } from "./PaymentEvent.ts"
import { countLateApproval } from "./PaymentMetrics.ts"
import { type Finding, type PaymentProvider, PaymentProviders } from "./PaymentProvider.ts"
import { type Actor, type PaymentChanged, PaymentStore } from "./PaymentStore.ts"
import { authorizationOf, query, readAuthorization } from "./ProviderCalls.ts"
import type { Looked } from "./ReconcilePayment.ts"
import { reverseAttempt } from "./Reversal.ts"
import { commitSettled } from "./SettledCommit.ts"
import { expectedOf } from "./Settlement.ts"

const reversed = (attempt: Attempt, status: "BEGUN" | "DONE", at: number, by: SettledBy): PaymentEvent => ({
  type: "attempt.reversed",
  at,
  by,
  attempt: attempt.number,
  status,
  reason: "approved after the payment had ended, or another attempt stands for it"
})

/** Takes an approval back that must not stand: first that it is to be taken back is on record, then the provider is told. */
export const makeTakeBack = Effect.gen(function* () {
  const store = yield* PaymentStore
  const limits = yield* GatewayLimits
  return Effect.fnUntraced(function* (
    provider: PaymentProvider,
    before: Payment,
    attempt: Attempt,
    known: { readonly providerReference?: string | null; readonly notes?: Readonly<Record<string, string>> },
    actor: Actor,
    by: SettledBy
  ): Effect.fn.Return<Payment, PaymentChanged | Unavailable, GatewayCaller> {
    let payment = before
    if (attempt.reversal === null) {
      const event = reversed(attempt, "BEGUN", yield* Clock.currentTimeMillis, by)
      payment = yield* commitEvents(store, before, [event], actor)
      yield* countLateApproval(provider.id)
    }
    const options = { millis: limits.attemptMillis, requestId: actor.requestId }
    const outcome = yield* reverseAttempt(provider, payment, attempt, known, options)
    yield* Effect.annotateLogs(Effect.logWarning(`A late approval is being taken back: ${outcome._tag}`), {
      transactionId: payment.id,
      provider: provider.id,
      attempt: attempt.number
    })
    if (outcome._tag !== "Accepted") return payment
    return yield* commitSettled(store, payment, [reversed(attempt, "DONE", yield* Clock.currentTimeMillis, by)], actor)
  })
})

/** What a question about an attempt that must not stand has found. */
type Found = "there" | "gone" | "another" | "unsaid"

/** `gone` for good; what is absent may only be late. */
const read = (payment: Payment, attempt: Attempt, provider: PaymentProvider, finding: Finding, now: number): Found => {
  if (finding._tag === "Unanswered") return "unsaid"
  if (finding._tag === "Absent") {
    const { absenceProvenAfter } = provider.capabilities.query
    return readAuthorization(attempt, absenceProvenAfter)(finding, now) === undefined ? "unsaid" : "gone"
  }
  if (finding.stage === "PENDING") return "unsaid"
  if (finding.stage === "VOIDED" || finding.stage === "DECLINED") return "gone"
  const expected = expectedOf(attempt.reference, payment.money, payment.card.last4)
  return compare(expected, finding.echo)._tag === "differs" ? "another" : "there"
}

const another = "what was found of an attempt that must not stand is about another payment"

/** Asks again about attempts that ended in doubt; an approval found now is taken back (contract section 4). */
export const makeReverseUnwanted = Effect.gen(function* () {
  const store = yield* PaymentStore
  const providers = yield* PaymentProviders
  const limits = yield* GatewayLimits
  const takeBack = yield* makeTakeBack

  return Effect.fnUntraced(function* (
    before: Payment,
    attempts: ReadonlyArray<Attempt>,
    actor: Actor
  ): Effect.fn.Return<Looked, PaymentChanged | Unavailable, GatewayCaller> {
    let payment = before
    let answered = true
    for (const attempt of attempts) {
      const provider = providers.get(attempt.provider)
      if (provider === undefined) {
        yield* Effect.logError("An attempt cannot be asked about: its provider is not configured", attempt.provider)
        answered = false
        continue
      }
      const finding = yield* query(provider, authorizationOf(payment, attempt), limits.attemptMillis)
      const at = yield* Clock.currentTimeMillis
      const found = read(payment, attempt, provider, finding, at)
      const { byReference } = provider.capabilities.query
      if (finding._tag === "Unanswered" && byReference) answered = false
      // A provider that cannot be asked is told again, until it confirms it by a notification.
      const isRepeated = finding._tag === "Unanswered" && !byReference && attempt.reversal === "BEGUN"
      if (found === "there" || isRepeated) {
        const known = finding._tag === "Found" ? finding : {}
        payment = yield* takeBack(provider, payment, attempt, known, actor, "reconciler")
      } else if (found === "gone" && attempt.reversal === "BEGUN") {
        payment = yield* commitSettled(store, payment, [reversed(attempt, "DONE", at, "reconciler")], actor)
      } else if (found === "another" && payment.needsReview !== another) {
        payment = yield* commitSettled(store, payment, [{ type: "review.requested", at, reason: another }], actor)
      }
    }
    return { payment, answered }
  })
})
