import { Clock, Effect, Layer, Schedule } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import { GatewayCaller } from "../organizations/GatewayCaller.ts"
import { isExhausted, pauseAfter, reviewMillis } from "./FollowUp.ts"
import { type Claimed, FollowUps } from "./FollowUps.ts"
import type { Payment } from "./Payment.ts"
import { PaymentLocks } from "./PaymentLocks.ts"
import { PaymentProviders } from "./PaymentProvider.ts"
import { type Actor, PaymentStore } from "./PaymentStore.ts"
import { PaymentWork } from "./PaymentWork.ts"
import { type Looked, makeReconcile } from "./ReconcilePayment.ts"
import { commitSettled } from "./SettledCommit.ts"

/** Payments taken up at one look, and how many of one provider are asked about at a time: that paces the providers. */
const claimsMax = 32
const questionsAtOnce = 8
/** What is left of a lease when a look begins: what it asks and sends takes less. The rest is given back. */
const lookMillis = 60_000
/** How often what expires is looked for, in milliseconds. */
const expiryLookMillis = 60_000
/** How often a provider that does not answer is tried with one question, in milliseconds. */
const probeMillis = 45_000
/** How often at most a provider's open questions are brought forward, in milliseconds. */
const wakeMillis = 30_000

const actor: Actor = { name: "reconciler", requestId: "" }

/** Looks at one claimed payment and gives the claim back with the time of the next look. */
const makeLook = Effect.gen(function* () {
  const store = yield* PaymentStore
  const followUps = yield* FollowUps
  const locks = yield* PaymentLocks
  const reconcile = yield* makeReconcile

  /** The schedule's last question settled nothing: a person has to look, and it is asked on once a day. */
  const request = (payment: Payment, claimed: Claimed, at: number) => {
    if (!isExhausted(payment, claimed, at) || payment.needsReview !== null) return Effect.succeed(payment)
    const reason = "the provider never said what came of it"
    return commitSettled(store, payment, [{ type: "review.requested", at, reason }], actor)
  }

  const nextLook = Effect.fnUntraced(function* (claimed: Claimed, before: Payment, looked: Looked) {
    const { againAt, answered, payment } = looked
    const { kind, tries } = claimed
    const now = yield* Clock.currentTimeMillis
    // What was committed has its next time with it.
    if (payment.version !== before.version) return yield* followUps.release(claimed, null, 0)
    // A review stays on the list although there is nothing to ask.
    const never = payment.needsReview === null ? null : now + reviewMillis
    if (answered === null) return yield* followUps.release(claimed, againAt ?? never, tries)
    const pause = pauseAfter(kind, tries)
    // What was not answered was not asked: the last question is put again until it is.
    if (pause === null) return yield* followUps.release(claimed, answered ? never : now + reviewMillis, tries)
    yield* request(payment, claimed, now)
    return yield* followUps.release(claimed, Math.min(now + pause, againAt ?? Number.POSITIVE_INFINITY), tries + 1)
  })

  return Effect.fnUntraced(function* (claimed: Claimed) {
    const look = Effect.gen(function* () {
      const before = yield* store.find(claimed.paymentId)
      const looked = yield* reconcile(before, actor)
      yield* nextLook(claimed, before, looked)
      return looked.answered
    })
    return yield* locks.withLock(claimed.paymentId, look).pipe(
      // Somebody else was faster, or the database is away: the lease ends, and it is looked at again.
      Effect.catch((error) => Effect.as(Effect.logInfo("A payment could not be looked at now", error), null)),
      // One that cannot be read or written must not keep the others waiting.
      Effect.catchDefect((defect) => Effect.as(Effect.logError("A payment cannot be looked at", defect), null)),
      Effect.annotateLogs({ transactionId: claimed.paymentId }),
      Effect.provideService(GatewayCaller, claimed.caller)
    )
  })
})

/** Which providers did not answer their last question, and when they were last tried. */
const makeSilence = () => {
  const silentSince = new Map<string, number>()
  const wokenAt = new Map<string, number>()
  return {
    /** True where it had been silent and answers again; seldom, since it may be silent about some payments alone. */
    heard: (provider: string, answered: boolean | null, now: number): boolean => {
      if (answered === false) silentSince.set(provider, now)
      if (answered !== true || !silentSince.has(provider)) return false
      if (now - (wokenAt.get(provider) ?? Number.NEGATIVE_INFINITY) < wakeMillis) return false
      wokenAt.set(provider, now)
      return silentSince.delete(provider)
    },
    dueForProbe: (now: number): ReadonlyArray<string> => {
      const due = [...silentSince].filter(([, at]) => now - at >= probeMillis).map(([provider]) => provider)
      for (const provider of due) silentSince.set(provider, now)
      return due
    }
  }
}

/**
 * Takes up what is due, and answers how many payments that were and the looks at them. A provider is left out while looks
 * at its payments are under way: one that is slow keeps no other waiting.
 */
export const makeReconciler = Effect.gen(function* () {
  const followUps = yield* FollowUps
  const work = yield* PaymentWork
  const look = yield* makeLook
  const providers = yield* PaymentProviders
  const silence = makeSilence()
  let expiryLookedAt: number | null = null

  const enlist = Effect.fnUntraced(function* (now: number) {
    const isExpiryDue = expiryLookedAt === null || now - expiryLookedAt >= expiryLookMillis
    // Overlaps with the look before, which another process may have cut short.
    const since = isExpiryDue ? (expiryLookedAt === null ? null : expiryLookedAt - expiryLookMillis) : now
    yield* followUps.enlist(now, since)
    if (isExpiryDue) expiryLookedAt = now
  })

  const lookAt = Effect.fnUntraced(function* (claimed: Claimed) {
    const begunAt = yield* Clock.currentTimeMillis
    // Behind slow answers a lease may end before its turn, and another process would ask at the same time.
    if (claimed.leaseUntil - begunAt < lookMillis) return yield* followUps.release(claimed, begunAt, claimed.tries)
    const answered = yield* work.run(look(claimed))
    // One that cannot be asked is never heard of, so that nothing is brought forward for it.
    if (providers.get(claimed.provider)?.capabilities.query.byReference === false) return
    const now = yield* Clock.currentTimeMillis
    if (silence.heard(claimed.provider, answered, now)) yield* followUps.wake(claimed.provider, now)
  })

  const busy = new Set<string>()
  const lookAtEach = (provider: string, claimed: ReadonlyArray<Claimed>) =>
    Effect.forEach(claimed, lookAt, { concurrency: questionsAtOnce, discard: true }).pipe(
      Effect.ensuring(Effect.sync(() => busy.delete(provider)))
    )

  return Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    yield* enlist(now)
    for (const provider of silence.dueForProbe(now)) yield* followUps.wake(provider, now, 1)
    const claimed = yield* followUps.claim(now, claimsMax, [...busy])
    const byProvider = Map.groupBy(claimed, ({ provider }) => provider)
    for (const provider of byProvider.keys()) busy.add(provider)
    const looks = [...byProvider].map(([provider, own]) => lookAtEach(provider, own))
    return { count: claimed.length, looked: Effect.all(looks, { concurrency: "unbounded", discard: true }) }
  })
})

/**
 * Settles what requests have left open, in any number of processes (contract section 4, unknown outcomes and expiry):
 * looks every second, again at once while there is more, and at everything that is open when a process starts.
 */
export const layer: Layer.Layer<
  never,
  never,
  FollowUps | PaymentLocks | PaymentProviders | PaymentStore | PaymentWork
> = Layer.effectDiscard(
  Effect.gen(function* () {
    const followUps = yield* FollowUps
    const orLater = Effect.catch((error: Unavailable) =>
      Effect.logWarning("Open payments could not be looked up", error)
    )
    const orNext = Effect.catchDefect((defect) => Effect.logError("The reconciler's look failed", defect))
    const takeUp = yield* makeReconciler
    const scope = yield* Effect.scope
    const lookAtDue = Effect.flatMap(takeUp, ({ count, looked }) =>
      Effect.as(Effect.forkIn(looked.pipe(orLater, orNext), scope), count)
    )
    const untilDone = lookAtDue.pipe(Effect.repeat({ while: (count: number) => count >= claimsMax }))
    yield* Effect.flatMap(Clock.currentTimeMillis, followUps.wakeAll).pipe(
      orLater,
      orNext,
      Effect.andThen(untilDone.pipe(orLater, orNext, Effect.repeat(Schedule.spaced("1 second")))),
      Effect.forkScoped
    )
  })
)
