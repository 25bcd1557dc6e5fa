import { Effect, Layer, Schedule } from "effect"
import { PersistedQueue } from "effect/persistence"
import { SqlClient } from "effect/sql"
import * as PgAuditTrail from "../audit/PgAuditTrail.ts"
import * as PgUnitOfWork from "../organizations/PgUnitOfWork.ts"
import { makeAttemptDelivery } from "./AttemptDelivery.ts"
import { deliveryClient } from "./DeliveryConnections.ts"
import { makeLanes, type TakeOne } from "./DeliveryLanes.ts"
import { AttemptElement, DeliveryQueue, fromStore, isReplayQueue, ReplayElement } from "./DeliveryQueue.ts"
import * as DeliveryWakes from "./DeliveryWakes.ts"
import * as DueQueues from "./DueQueues.ts"
import * as PgWebhookEndpointStore from "./PgWebhookEndpointStore.ts"
import { makeQueueStore, takesMax } from "./QueueTable.ts"
import { makeReplayPart } from "./Replays.ts"

/** What is done is known to the library for so long, so that nothing of it is offered twice. */
const doneKept = "10 minutes"
const cleanupPause = "1 minute"

/** An element over which a process broke down is tried again. */
const afterBreakdown = Schedule.spaced("1 second")

/** Takes from the queues of a store: attempts are made, ranges are set going. */
const makeTakeOne = Effect.gen(function* () {
  const factory = yield* PersistedQueue.PersistedQueueFactory
  const attempt = yield* makeAttemptDelivery
  const replay = yield* makeReplayPart
  const takes = { maxAttempts: takesMax, retrySchedule: afterBreakdown }
  const takeOne: TakeOne = Effect.fnUntraced(function* (name, began, learn) {
    if (isReplayQueue(name)) {
      const queue = yield* factory.make({ ...takes, name, schema: ReplayElement })
      return yield* queue.take((range) => {
        began()
        return Effect.as(Effect.uninterruptible(replay(range)), { concurrency: 1, succeeded: true })
      })
    }
    const queue = yield* factory.make({ ...takes, name, schema: AttemptElement })
    let isWaiting = false
    return yield* queue
      .take((element) => {
        began()
        return Effect.flatMap(Effect.uninterruptible(attempt(element, learn)), (handled) => {
          if (handled !== "waits") return Effect.succeed(handled)
          isWaiting = true
          // The library puts back what was interrupted, as if it had not been taken.
          return Effect.interrupt
        })
      })
      .pipe(Effect.catchCause((cause) => (isWaiting ? Effect.succeed("waits" as const) : Effect.failCause(cause))))
  })
  return takeOne
})

/** The lanes of this process, the look for what is due, and the clean-up of what is done. */
const engine = Layer.effectDiscard(
  Effect.gen(function* () {
    const wakes = yield* DeliveryWakes.DeliveryWakes
    const wake = yield* makeLanes(yield* makeTakeOne)
    yield* wakes.listen(wake)
    yield* DueQueues.makeLook(wake)
  })
)

const cleanup = PersistedQueue.layerCleanup({
  interval: cleanupPause,
  timeToLive: doneKept,
  failedTimeToLive: doneKept
})

/** All of it has its own connections, so that its transactions and the library's are on the same. */
const ownConnections = Layer.effect(SqlClient.SqlClient, deliveryClient)

const ownStores = Layer.mergeAll(PgUnitOfWork.layer, PgAuditTrail.layer, PgWebhookEndpointStore.layer)

const store = Layer.effect(PersistedQueue.PersistedQueueStore, Effect.orDie(makeQueueStore))
const offering = Layer.effect(DeliveryQueue, Effect.map(PersistedQueue.PersistedQueueStore, fromStore))

/**
 * Delivers events to the endpoints that subscribe to them, in each process of the service, for as long as it runs; at its end
 * it finishes the attempts that are under way, which takes 10 s at most.
 */
export const layer = Layer.merge(engine, cleanup).pipe(
  Layer.provide([Layer.fresh(PersistedQueue.layer), offering]),
  Layer.provide([store, Layer.fresh(ownStores)]),
  Layer.provide(ownConnections),
  Layer.provide(DeliveryWakes.layer)
)
