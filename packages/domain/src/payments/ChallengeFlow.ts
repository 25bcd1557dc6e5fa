import { Clock, Duration, Effect, Layer } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import { GatewayCaller } from "../organizations/GatewayCaller.ts"
import type { Attempt } from "./Attempt.ts"
import { makeKeepStep, makeTakeStep } from "./ChallengeStep.ts"
import type { ChallengeSteps } from "./ChallengeSteps.ts"
import { type BuyerReturn, type Challenge, ChallengeNotFound, Challenges } from "./Challenges.ts"
import { ChallengeTokens } from "./ChallengeTokens.ts"
import { commitEvents, notingOn } from "./EventCommit.ts"
import { GatewayLimits } from "./GatewayLimits.ts"
import { type Outcome, Unknown } from "./Outcome.ts"
import { lastAttempt, openOperation, type Payment } from "./Payment.ts"
import { apply, type PaymentEvent } from "./PaymentEvent.ts"
import { PaymentLocks } from "./PaymentLocks.ts"
import { countPayment } from "./PaymentMetrics.ts"
import { type PaymentProvider, PaymentProviders, type ThreeDS, type ThreeDSReturn } from "./PaymentProvider.ts"
import { type Actor, PaymentStore } from "./PaymentStore.ts"
import { PaymentWork } from "./PaymentWork.ts"
import { ask, authorizationOf, readAuthorization, underDeadline } from "./ProviderCalls.ts"
import { reversePartial } from "./Reversal.ts"
import { commitSettled } from "./SettledCommit.ts"
import { checked, expectedOf, isPartialApproval, settleAuthorization } from "./Settlement.ts"

/** How the challenge stands: it is open while the payment waits for it, nobody voids it, and its time runs. */
const challengeOf = (payment: Payment, now: number): Challenge | undefined => {
  const { challenge } = payment
  if (challenge === null) return undefined
  const isWaiting =
    payment.authorization === "REQUIRES_ACTION" && openOperation(payment) === undefined && now < challenge.endsAt
  const stage = isWaiting ? (challenge.begunAt === null ? "open" : "begun") : "over"
  return { payment, stage, endsAt: challenge.endsAt }
}

/**
 * Whether so much is on record that a return is no longer taken to the provider. A return without a proof of its own asks
 * what came of the challenge, and leaves it open where nothing did: whoever has the address could go on with that, and
 * every round is put on record. Some twenty rounds come before; afterwards the challenge ends by its time.
 */
const isWornOut = ({ attempts, version }: Payment): boolean => version >= 60 + 5 * attempts.length

interface Party {
  readonly provider: PaymentProvider
  readonly threeDS: ThreeDS
  readonly attempt: Attempt
}

/** Takes a payment whose buyer came back to the provider's word. */
const makeComplete = Effect.gen(function* () {
  const store = yield* PaymentStore
  const limits = yield* GatewayLimits
  const keepStep = yield* makeKeepStep

  /** Nobody was reached, or the answer was lost: the provider is asked, and what it does not say stays open. */
  const found = Effect.fnUntraced(function* (
    payment: Payment,
    { attempt, provider }: Party,
    isSent: boolean,
    until: number
  ) {
    const expected = expectedOf(attempt.reference, payment.money, payment.card.last4)
    const undecided = Unknown({ reason: "the provider has not said yet what came of the authentication" })
    if (!provider.capabilities.query.byReference) return undecided
    const authorization = authorizationOf(payment, attempt)
    // Where nothing was sent, nothing can arrive later: what is not there now never will be.
    const read = readAuthorization(attempt, isSent ? undefined : Duration.zero)
    return checked(expected, yield* ask({ provider, authorization, read, until, undecided }))
  })

  return Effect.fnUntraced(function* (payment: Payment, party: Party, call: Omit<ThreeDSReturn, "note">, actor: Actor) {
    const notes = notingOn(store, payment, party.attempt.number, actor)
    const until = (yield* Clock.currentTimeMillis) + limits.requestMillis
    const { attempt, provider, threeDS } = party
    const expected = expectedOf(attempt.reference, payment.money, payment.card.last4)
    const answered = yield* underDeadline(() => threeDS.complete({ ...call, note: notes.note }), limits.attemptMillis)
    const current = notes.current()
    const present = lastAttempt(current) ?? attempt
    let outcome: Outcome = checked(expected, answered)
    if (answered._tag === "Accepted" && isPartialApproval(expected, answered)) {
      const options = { until, millis: limits.attemptMillis, requestId: actor.requestId }
      outcome = yield* reversePartial(provider, current, attempt, answered, options)
    } else if (outcome._tag === "Unknown" || outcome._tag === "NotSent") {
      outcome = yield* found(current, { ...party, attempt: present }, outcome._tag !== "NotSent", until)
    }
    // The issuer may want to see the buyer once more.
    const kept = yield* keepStep(current, outcome)
    const at = yield* Clock.currentTimeMillis
    const event = settleAuthorization(present, kept, provider.capabilities, at, "request", true)
    return yield* commitSettled(store, current, [event], actor)
  })
})

/** `Challenges` on the gateway's own ports. */
export const layer: Layer.Layer<
  Challenges,
  never,
  ChallengeSteps | ChallengeTokens | PaymentLocks | PaymentProviders | PaymentStore | PaymentWork
> = Layer.effect(
  Challenges,
  Effect.gen(function* () {
    const store = yield* PaymentStore
    const providers = yield* PaymentProviders
    const limits = yield* GatewayLimits
    const locks = yield* PaymentLocks
    const work = yield* PaymentWork
    const tokens = yield* ChallengeTokens
    const takeStep = yield* makeTakeStep
    const complete = yield* makeComplete

    const partyOf = (payment: Payment): Party | undefined => {
      const attempt = lastAttempt(payment)
      const provider = providers.get(attempt?.provider ?? "")
      const threeDS = provider?.threeDS
      return attempt === undefined || provider === undefined || threeDS === undefined
        ? undefined
        : { attempt, provider, threeDS }
    }

    const find = Effect.fnUntraced(function* (id: string) {
      const payment = yield* Effect.catchTag(store.find(id), "PaymentNotFound", () => new ChallengeNotFound())
      const challenge = challengeOf(payment, yield* Clock.currentTimeMillis)
      return challenge ?? (yield* new ChallengeNotFound())
    })

    /** Commits the event; false where somebody else changed the payment first. */
    const commit = (before: Payment, event: PaymentEvent, actor: Actor) =>
      commitEvents(store, before, [event], actor).pipe(
        Effect.as(true),
        Effect.catchTag("PaymentChanged", () => Effect.succeed(false))
      )

    const proceed = Effect.fnUntraced(function* (id: string, requestId: string) {
      const { payment, stage } = yield* find(id)
      if (stage === "begun") return yield* takeStep(payment, true)
      if (stage === "over") return undefined
      const event: PaymentEvent = { type: "challenge.begun", at: yield* Clock.currentTimeMillis }
      // Of two posts of the page one commits this and gets the step.
      const isFirst = yield* commit(payment, event, { name: "buyer", requestId })
      return isFirst ? yield* takeStep(payment, false) : undefined
    })

    const comeBack = Effect.fnUntraced(function* (id: string, { buyerIp, requestId, returned }: BuyerReturn) {
      const { payment, stage } = yield* find(id)
      const party = partyOf(payment)
      if (stage === "over" || party === undefined || isWornOut(payment)) return payment
      const { installment } = payment
      const authorization = authorizationOf(payment, party.attempt)
      const ip = buyerIp === undefined ? {} : { buyerIp }
      const call = { authorization, installment, returned, requestId, ...ip }
      const isGenuine = party.threeDS.isGenuine({ ...call, note: () => Effect.void })
      const annotations = { transactionId: id, provider: party.provider.id }
      if (!isGenuine) {
        yield* Effect.annotateLogs(Effect.logWarning("A forged return from 3D Secure was left aside"), annotations)
        return payment
      }
      const actor = { name: "buyer", requestId }
      const at = yield* Clock.currentTimeMillis
      const event: PaymentEvent = { type: "challenge.ended", at, by: "buyer", deadline: at + limits.requestMillis }
      // Of two returns one commits this; the other tells how the payment then stands.
      if (!(yield* commit(payment, event, actor))) return (yield* find(id)).payment
      const settled = yield* complete(apply(payment, event), party, call, actor)
      yield* countPayment(settled)
      return settled
    })

    /** A challenge is its payment's own work: one step at a time, and a browser that hangs up changes nothing. */
    const inTurn =
      <A, E, B>(
        step: (id: string) => Effect.Effect<A, E, GatewayCaller>,
        otherwise: (id: string) => Effect.Effect<B, ChallengeNotFound | Unavailable, GatewayCaller>
      ) =>
      (token: string) => {
        const owner = tokens.read(token)
        return owner === undefined
          ? Effect.fail(new ChallengeNotFound())
          : work.run(locks.withLock(owner.paymentId, step(owner.paymentId))).pipe(
              Effect.catchTag("OperationRunning", () => otherwise(owner.paymentId)),
              Effect.provideService(GatewayCaller, owner.caller)
            )
      }
    const nobody = () => Effect.succeed(undefined)
    const asItIs = (id: string) => Effect.map(find(id), ({ payment }) => payment)

    return Challenges.of({
      find: (token) => {
        const owner = tokens.read(token)
        return owner === undefined
          ? Effect.fail(new ChallengeNotFound())
          : Effect.provideService(find(owner.paymentId), GatewayCaller, owner.caller)
      },
      proceed: (token, requestId) => inTurn((id) => proceed(id, requestId), nobody)(token),
      comeBack: (token, back) => inTurn((id) => comeBack(id, back), asItIs)(token)
    })
  })
)
