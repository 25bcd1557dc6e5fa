import { randomUUID } from "node:crypto"
import { Context, Effect, Latch, Layer, Queue, Schedule, type Scope } from "effect"
import { deliveryClient } from "./DeliveryConnections.ts"

/** PostgreSQL's channel between processes. Messages: `<process> <queue>`. */
const channel = "sarraf_webhooks"

/** Queues named in one statement. */
const namesMax = 500

/** A statement that takes longer is on a connection that is lost. */
const statementMax = "5 seconds"

/** After so long without a word a process listens anew: the connection may be lost without anybody noticing. */
const silenceMax = "1 minute"

type Listener = (queue: string) => void

/** Tells that queues have something in them: lanes of this process at once, those of the others soon. */
export class DeliveryWakes extends Context.Service<
  DeliveryWakes,
  {
    /** For what is committed. Never waits; a wake that is lost is made good by the look that every process takes. */
    wake(queues: ReadonlyArray<string>): Effect.Effect<void>
    /** Calls `listener` for each wake, also of other processes, until the scope closes. */
    listen(listener: Listener): Effect.Effect<void, never, Scope.Scope>
  }
>()("@sarraf/adapters/postgres/webhooks/DeliveryWakes") {}

/**
 * By LISTEN and NOTIFY. What is to be told is told after the commit in a statement of its own, with all that came meanwhile:
 * in the change's transaction PostgreSQL would let transactions that notify commit only one after another.
 */
export const layer = Layer.effect(
  DeliveryWakes,
  Effect.gen(function* () {
    const sql = yield* deliveryClient
    const self = randomUUID()
    const listeners = new Set<Listener>()
    const untold = new Set<string>()
    const someUntold = yield* Latch.make(false)
    const hear = (queue: string) => {
      for (const listener of listeners) listener(queue)
    }

    const tell = Effect.gen(function* () {
      yield* someUntold.await
      const queues = [...untold].slice(0, namesMax)
      for (const queue of queues) untold.delete(queue)
      if (untold.size === 0) someUntold.closeUnsafe()
      yield* sql`SELECT pg_notify(${channel}, ${self} || ' ' || queue) FROM unnest(${queues}::text[]) AS told (queue)`.pipe(
        Effect.timeout(statementMax)
      )
    })
    yield* tell.pipe(
      // The others find it at their next look.
      Effect.catchCause((cause) => Effect.logDebug("Other processes could not be told of deliveries", cause)),
      Effect.forever,
      Effect.forkScoped
    )

    const hearOthers = Effect.gen(function* () {
      const told = yield* Effect.timeout(sql.listen(channel), statementMax)
      yield* Effect.forever(
        Effect.map(Effect.timeout(Queue.take(told), silenceMax), ({ payload }) => {
          const [sender, queue = ""] = payload.split(" ")
          if (sender !== self) hear(queue)
        })
      )
    }).pipe(
      Effect.scoped,
      Effect.catchCause((cause) => Effect.logDebug("The wakes of other processes cannot be heard", cause)),
      Effect.repeat(Schedule.spaced("1 second"))
    )

    return DeliveryWakes.of({
      wake: (queues) =>
        Effect.sync(() => {
          for (const queue of queues) {
            hear(queue)
            untold.add(queue)
          }
          if (untold.size > 0) someUntold.openUnsafe()
        }),
      listen: (listener) =>
        Effect.gen(function* () {
          yield* Effect.acquireRelease(
            Effect.sync(() => listeners.add(listener)),
            () => Effect.sync(() => listeners.delete(listener))
          )
          yield* Effect.forkScoped(hearOthers)
        })
    })
  })
)
