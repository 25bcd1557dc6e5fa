import { Clock, Effect, Layer, Option, Schedule } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import { GatewayCaller } from "../organizations/GatewayCaller.ts"
import { type Applied, makeApplyNotification } from "./ApplyNotification.ts"
import type { NotifiedItem } from "./Notification.ts"
import { type KeptNotification, NotificationInbox } from "./NotificationInbox.ts"
import { NotificationForged, Notifications, NotificationsUnknown } from "./Notifications.ts"
import { PaymentLocks } from "./PaymentLocks.ts"
import { type PaymentProvider, PaymentProviders } from "./PaymentProvider.ts"
import { PaymentStore } from "./PaymentStore.ts"
import { PaymentWork } from "./PaymentWork.ts"

/** Items taken up at one look, and how many of them at a time: a hint lets its provider be asked. */
const claimsMax = 32
const itemsAtOnce = 8

/** Milliseconds after a look that came to nothing; what then is still about nobody of ours is let go. */
const pauses = [1_000, 2_000, 5_000, 15_000, 60_000, 300_000, 3_600_000, 21_600_000, 86_400_000] as const

/** How long a provider may take to say which of our references a payment of its own is, in milliseconds. */
const referenceMillis = 10_000

const askForReference = ({ referenceOf }: PaymentProvider, { providerReference }: NotifiedItem) =>
  referenceOf === undefined || providerReference === undefined
    ? Effect.succeed(undefined)
    : Effect.map(Effect.timeoutOption(referenceOf(providerReference), referenceMillis), Option.getOrUndefined)

/** Does what one stored item says, and gives it back. */
const makeDo = Effect.gen(function* () {
  const store = yield* PaymentStore
  const inbox = yield* NotificationInbox
  const locks = yield* PaymentLocks
  const providers = yield* PaymentProviders
  const applyTo = yield* makeApplyNotification

  const applyItem = Effect.fnUntraced(function* (provider: PaymentProvider, item: NotifiedItem) {
    const reference = item.reference ?? (yield* askForReference(provider, item))
    const found = reference === undefined ? undefined : yield* store.findAttempt(provider.id, reference)
    if (reference === undefined || found === undefined) return "later" satisfies Applied
    const step = Effect.flatMap(store.find(found.paymentId), (payment) =>
      applyTo(provider, payment, reference, item.word)
    )
    return yield* Effect.provideService(locks.withLock(found.paymentId, step), GatewayCaller, found.caller)
  })

  const itemOf = (kept: KeptNotification) => {
    const provider = providers.get(kept.provider)
    const reading = provider?.readNotification?.(kept.message)
    const items = reading === undefined || reading._tag === "Forged" ? [] : reading.items
    const item = items.find(({ id }) => id === kept.id)
    return provider === undefined || item === undefined ? undefined : { provider, item }
  }

  return Effect.fnUntraced(function* (kept: KeptNotification) {
    const read = itemOf(kept)
    // Its provider is not configured now, or no longer takes its signature: a person may still set that right.
    const applied =
      read === undefined
        ? "later"
        : yield* applyItem(read.provider, read.item).pipe(
            // Somebody else changed the payment, or is at work on it.
            Effect.catchTag(["OperationRunning", "PaymentChanged", "PaymentNotFound"], () =>
              Effect.succeed<Applied>("later")
            )
          )
    if (applied === "done") return yield* inbox.release(kept, null)
    const pause = pauses[kept.tries]
    if (pause === undefined) {
      yield* Effect.annotateLogs(Effect.logWarning("A notification that nothing could be done with was let go"), {
        provider: kept.provider,
        notification: kept.id
      })
      return yield* inbox.release(kept, null)
    }
    return yield* inbox.release(kept, (yield* Clock.currentTimeMillis) + pause)
  })
})

/**
 * `Notifications` on the gateway's own ports. A message is done as soon as it is stored, and again by whichever process
 * looks next, every second, where that came to nothing.
 */
export const layer: Layer.Layer<
  Notifications,
  never,
  NotificationInbox | PaymentLocks | PaymentProviders | PaymentStore | PaymentWork
> = Layer.effect(
  Notifications,
  Effect.gen(function* () {
    const providers = yield* PaymentProviders
    const inbox = yield* NotificationInbox
    const store = yield* PaymentStore
    const work = yield* PaymentWork
    const doOne = yield* makeDo
    const scope = yield* Effect.scope

    /**
     * Anybody may send an unsigned hint, so that one about nobody of ours is not kept: our reference is on record before
     * anything goes out under it, and no hint can come before that.
     */
    const ofOurs = Effect.fnUntraced(function* (provider: string, items: ReadonlyArray<NotifiedItem>) {
      const known = yield* Effect.forEach(items, ({ reference }) =>
        reference === null ? Effect.succeed(undefined) : store.findAttempt(provider, reference)
      )
      return items.filter((_, index) => known[index] !== undefined)
    })

    /** One that cannot be read, done or given back must not keep the others waiting. */
    const orItsLeaseEnds = (kept: KeptNotification) =>
      work.run(doOne(kept)).pipe(
        Effect.catch((error) => Effect.logWarning("A notification could not be done now", error)),
        Effect.catchDefect((defect) => Effect.logError("A notification cannot be done", defect)),
        Effect.annotateLogs({ provider: kept.provider, notification: kept.id })
      )

    const look = Effect.gen(function* () {
      const due = yield* inbox.claim(yield* Clock.currentTimeMillis, claimsMax)
      yield* Effect.forEach(due, orItsLeaseEnds, { concurrency: itemsAtOnce, discard: true })
      return due.length
    })
    const orLater = Effect.catch((error: Unavailable) =>
      Effect.logWarning("Notifications could not be looked up", error)
    )
    const orNext = Effect.catchDefect((defect) => Effect.logError("The look for notifications failed", defect))
    const lookNow = look.pipe(Effect.repeat({ while: (count: number) => count >= claimsMax }), orLater, orNext)
    yield* lookNow.pipe(Effect.repeat(Schedule.spaced("1 second")), Effect.forkScoped)

    return Notifications.of({
      receive: Effect.fn("Notifications.receive")(function* (id, message) {
        const provider = providers.get(id)
        const acknowledgement = provider?.capabilities.notifications?.acknowledgement
        if (provider?.readNotification === undefined || acknowledgement === undefined) {
          return yield* new NotificationsUnknown({ provider: id })
        }
        const reading = provider.readNotification(message)
        if (reading._tag === "Forged") {
          yield* Effect.annotateLogs(Effect.logWarning(`A forged notification was refused: ${reading.reason}`), {
            provider: id
          })
          return yield* new NotificationForged({ reason: reading.reason })
        }
        const items = reading._tag === "Verified" ? reading.items : yield* ofOurs(id, reading.items)
        const ids = [...new Set(items.map((item) => item.id))]
        if (ids.length > 0) {
          yield* inbox.keep(id, ids, message, yield* Clock.currentTimeMillis)
          yield* Effect.forkIn(lookNow, scope)
        }
        return acknowledgement
      })
    })
  })
)
