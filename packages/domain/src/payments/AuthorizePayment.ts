import { Clock, Effect } from "effect"
import type { RequestAlreadyBegun } from "../admission/RequestLedger.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import { Identifiers } from "../identifiers/TypeId.ts"
import type { GatewayCaller } from "../organizations/GatewayCaller.ts"
import type { Attempt } from "./Attempt.ts"
import { makeKeepStep, ownerOf } from "./ChallengeStep.ts"
import { ChallengeTokens } from "./ChallengeTokens.ts"
import { notingOn } from "./EventCommit.ts"
import { GatewayLimits } from "./GatewayLimits.ts"
import { NotSent, type Outcome } from "./Outcome.ts"
import { lastAttempt, type Payment } from "./Payment.ts"
import { OperationRunning, ReferenceTaken } from "./PaymentErrors.ts"
import { begin, type PaymentEvent } from "./PaymentEvent.ts"
import { countPayment } from "./PaymentMetrics.ts"
import { type AuthorizeCall, type PaymentProvider, PaymentProviders } from "./PaymentProvider.ts"
import { statusOf } from "./PaymentStatus.ts"
import { type Actor, PaymentStore } from "./PaymentStore.ts"
import { PaymentWork } from "./PaymentWork.ts"
import {
  type AuthorizationRequest,
  type PreparedAuthorization,
  prepareAuthorization,
  type RequestKey,
  recordUnder,
  startAttempt
} from "./PrepareAuthorization.ts"
import { ask, authorizationOf, readAuthorization, underDeadline } from "./ProviderCalls.ts"
import { reversePartial } from "./Reversal.ts"
import { commitSettled } from "./SettledCommit.ts"
import {
  attemptResult,
  certainlyNotTaken,
  checked,
  expectedOf,
  isPartialApproval,
  settleAuthorization
} from "./Settlement.ts"

/** A payment, and whether it was answered from what an earlier request had begun. */
export interface AuthorizationAnswer {
  readonly payment: Payment
  readonly replayed: boolean
}

/** Takes the payment to the provider's word, and on to the next provider while it is certain that no money moved. */
const makeRun = Effect.gen(function* () {
  const store = yield* PaymentStore
  const providers = yield* PaymentProviders
  const identifiers = yield* Identifiers
  const limits = yield* GatewayLimits
  const keepStep = yield* makeKeepStep
  const tokens = yield* ChallengeTokens
  const returnUrlOf = (payment: Payment) => `${tokens.urlOf(ownerOf(payment))}/return`

  const providerOf = (id: string) => {
    const provider = providers.get(id)
    return provider === undefined
      ? Effect.die(new Error(`No provider ${id} in this installation`))
      : Effect.succeed(provider)
  }

  /** How long a call may take now: no attempt outlasts the request, for then others begin to work on the payment. */
  const patience = (until: number) =>
    Effect.map(Clock.currentTimeMillis, (now) => Math.max(Math.min(limits.attemptMillis, until - now), 0))

  /**
   * The outcome of one attempt, asked for again where the answer was lost, and whether it was. `current` is the payment
   * with what was noted on the way.
   */
  const attemptOnce = Effect.fnUntraced(function* (
    provider: PaymentProvider,
    current: () => Payment,
    started: Attempt,
    call: AuthorizeCall,
    until: number
  ) {
    const expected = expectedOf(started.reference, call.money, call.card.number.last4)
    const millis = yield* patience(until)
    // It took so long to write it down that others may be at work on it already.
    if (millis === 0) return { outcome: NotSent({ reason: "the request's time was over" }), isDoubtful: false }
    const answered = yield* underDeadline(() => provider.authorize(call), millis)
    const payment = current()
    const attempt = lastAttempt(payment) ?? started
    if (answered._tag === "Accepted" && isPartialApproval(expected, answered)) {
      const options = { until, millis: limits.attemptMillis, requestId: call.requestId }
      return { outcome: yield* reversePartial(provider, payment, attempt, answered, options), isDoubtful: false }
    }
    const outcome = checked(expected, answered)
    if (outcome._tag !== "Unknown") return { outcome, isDoubtful: false }
    const { absenceProvenAfter, byReference } = provider.capabilities.query
    if (!byReference) return { outcome, isDoubtful: true }
    const authorization = authorizationOf(payment, attempt)
    const found = yield* ask({
      provider,
      authorization,
      read: readAuthorization(attempt, absenceProvenAfter),
      until,
      undecided: outcome
    })
    return { outcome: checked(expected, found), isDoubtful: true }
  })

  const settle = Effect.fnUntraced(function* (
    payment: Payment,
    attempt: Attempt,
    { isDoubtful, outcome }: { readonly outcome: Outcome; readonly isDoubtful: boolean },
    provider: PaymentProvider,
    actor: Actor
  ) {
    const kept = yield* keepStep(payment, outcome)
    const at = yield* Clock.currentTimeMillis
    const event = settleAuthorization(attempt, kept, provider.capabilities, at, "request", isDoubtful)
    return yield* commitSettled(store, payment, [event], actor)
  })

  return Effect.fnUntraced(function* (begun: Payment, prepared: PreparedAuthorization, actor: Actor) {
    const until = begun.createdAt + limits.requestMillis
    let payment = begun
    for (const [index, id] of begun.routing.order.entries()) {
      const attempt = lastAttempt(payment)
      if (attempt === undefined) break
      const provider = yield* providerOf(id)
      const { current, note } = notingOn(store, payment, attempt.number, actor)
      const call: AuthorizeCall = {
        reference: attempt.reference,
        money: payment.money,
        card: prepared.card,
        installment: payment.installment,
        buyer: prepared.buyer,
        billingAddress: prepared.billingAddress,
        ...(payment.description === null ? {} : { description: payment.description }),
        ...(payment.is3DS ? { threeDS: { returnUrl: returnUrlOf(payment) } } : {}),
        requestId: actor.requestId,
        note
      }
      const answered = yield* attemptOnce(provider, current, attempt, call, until)
      payment = current()
      const { isDoubtful, outcome } = answered
      const next = begun.routing.order[index + 1]
      const now = yield* Clock.currentTimeMillis
      if (next === undefined || !certainlyNotTaken(outcome) || until - now < limits.failoverMillisLeft) {
        return yield* settle(payment, attempt, answered, provider, actor)
      }
      const started = yield* startAttempt(
        identifiers,
        yield* providerOf(next),
        attempt.number + 1,
        until,
        prepared.present
      )
      const event: PaymentEvent = {
        type: "payment.rerouted",
        at: now,
        result: attemptResult(attempt, outcome, now, isDoubtful),
        attempt: started
      }
      const rerouted = yield* commitSettled(store, payment, [event], actor)
      // Not written: the next provider must not be asked for an attempt that is not on record.
      if (rerouted.attempts.length === payment.attempts.length) return rerouted
      payment = rerouted
    }
    return payment
  })
})

/** The `authorize` of `Payments`. */
export const makeAuthorize = Effect.gen(function* () {
  const store = yield* PaymentStore
  const work = yield* PaymentWork
  const identifiers = yield* Identifiers
  const providers = yield* PaymentProviders
  const limits = yield* GatewayLimits
  const prepare = yield* prepareAuthorization
  const run = yield* makeRun

  /** The merchantReference is taken: the same content is the same payment again (contract section 4). */
  const answerTaken = Effect.fnUntraced(function* (merchantReference: string, fingerprint: string) {
    const holder = yield* store.findByReference(merchantReference)
    if (holder === undefined) return undefined
    if (holder.contentFingerprint !== fingerprint) {
      return yield* new ReferenceTaken({ transactionId: holder.id, reference: merchantReference })
    }
    if (isRunning(holder, yield* Clock.currentTimeMillis))
      return yield* new OperationRunning({ transactionId: holder.id })
    return { payment: holder, replayed: true } satisfies AuthorizationAnswer
  })

  const beginAndRun: (
    prepared: PreparedAuthorization,
    key: RequestKey,
    actor: Actor
  ) => Effect.Effect<
    AuthorizationAnswer,
    ReferenceTaken | OperationRunning | RequestAlreadyBegun | Unavailable,
    GatewayCaller
  > = Effect.fnUntraced(function* (prepared, key, actor) {
    const { request } = prepared
    const first = providers.get(request.routing.order[0] ?? "")
    if (first === undefined) return yield* Effect.die(new Error("A route without a provider"))
    const attempt = yield* startAttempt(
      identifiers,
      first,
      1,
      request.createdAt + limits.requestMillis,
      prepared.present
    )
    const payment = begin(request, attempt)
    const event: PaymentEvent = { type: "payment.begun", at: request.createdAt, request, attempt }
    const record = recordUnder(key, request, null)
    // A holder that ended between the two statements gives the reference free: then the second try takes it.
    for (let tries = 0; tries < 3; tries++) {
      if (yield* store.begin(payment, event, record)) {
        const settled = yield* run(payment, prepared, actor)
        yield* countPayment(settled)
        return { payment: settled, replayed: false }
      }
      const taken = yield* answerTaken(request.merchantReference, key.fingerprint)
      if (taken !== undefined) return taken
    }
    return yield* new OperationRunning({ transactionId: request.id })
  })

  return Effect.fnUntraced(function* (asked: AuthorizationRequest, key: RequestKey, actor: Actor) {
    const prepared = yield* prepare(asked, key)
    return yield* work.run(beginAndRun(prepared, key, actor))
  })
})

/** Whether the request that began this payment is still at work on it. */
export const isRunning = (payment: Payment, now: number): boolean => {
  const attempt = lastAttempt(payment)
  return statusOf(payment) === "PENDING" && attempt?.outcome === "RUNNING" && attempt.deadline > now
}
