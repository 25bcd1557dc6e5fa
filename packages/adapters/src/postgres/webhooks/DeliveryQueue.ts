import { Cause, Context, Duration, Effect, Layer, Schema } from "effect"
import type { PersistedQueue } from "effect/persistence"
import { SqlError } from "effect/sql"
import { makeOfferingStore } from "./QueueTable.ts"

/** One attempt that is to be made. A delivery that fails gets another element, so that its pauses are the endpoint's. */
export const AttemptElement = Schema.Struct({
  organizationId: Schema.String,
  deliveryId: Schema.String,
  /** From 1, of all that were ever made. */
  attempt: Schema.Int
})
export type AttemptElement = typeof AttemptElement.Type

/** A part of a range that is still to be sent again: what comes after the delivery `after`. */
export const ReplayElement = Schema.Struct({
  /** Of the request to send them again. */
  id: Schema.String,
  organizationId: Schema.String,
  endpointId: Schema.String,
  /** Epoch milliseconds: `from` belongs to the range, `to` does not. */
  from: Schema.Int,
  to: Schema.Int,
  failedAlone: Schema.Boolean,
  after: Schema.String
})
export type ReplayElement = typeof ReplayElement.Type

const attempts = "webhook/"
const replays = "replay/"

/** What a queue holds, by its name: attempts at an endpoint, or ranges of its deliveries that are sent again. */
export const queueOf = (endpointId: string): string => `${attempts}${endpointId}`
export const replayQueueOf = (endpointId: string): string => `${replays}${endpointId}`
export const isReplayQueue = (name: string): boolean => name.startsWith(replays)

/** Puts elements into queues, in the transaction that is open. */
export class DeliveryQueue extends Context.Service<
  DeliveryQueue,
  {
    /**
     * The first offer of an attempt counts, so that an attempt recorded twice is not continued twice. With `again` it is one
     * more element whatever was offered before: somebody asked for it, and the one that waits finds it done.
     */
    offerAttempt(
      endpointId: string,
      element: AttemptElement,
      options?: { readonly delayMillis?: number; readonly again?: string }
    ): Effect.Effect<void, SqlError.SqlError>
    offerReplay(element: ReplayElement): Effect.Effect<void, SqlError.SqlError>
  }
>()("@sarraf/adapters/postgres/webhooks/DeliveryQueue") {}

/** What the library wraps is what the unit of work knows how to answer. */
const unwrapped = <A>(
  self: Effect.Effect<A, PersistedQueue.PersistedQueueError>
): Effect.Effect<A, SqlError.SqlError> =>
  Effect.catch(self, (error) => {
    const reasons = Cause.isCause(error.cause) ? error.cause.reasons : []
    const failure = reasons.find(Cause.isFailReason)?.error
    return SqlError.isSqlError(failure) ? Effect.fail(failure) : Effect.die(error)
  })

/** On a store of the library. */
export const fromStore = (store: PersistedQueue.PersistedQueueStore["Service"]) =>
  DeliveryQueue.of({
    offerAttempt: (endpointId, element, { again, delayMillis } = {}) =>
      unwrapped(
        store.offer({
          name: queueOf(endpointId),
          id: [element.deliveryId, element.attempt, ...(again === undefined ? [] : [again])].join("/"),
          element,
          isCustomId: true,
          ...(delayMillis === undefined || delayMillis <= 0 ? {} : { delay: Duration.millis(delayMillis) })
        })
      ),
    offerReplay: (element) =>
      unwrapped(
        store.offer({
          name: replayQueueOf(element.endpointId),
          id: [element.id, element.after].join("/"),
          element,
          isCustomId: true
        })
      )
  })

/** For units of work, on their connections. */
export const layer = Layer.effect(DeliveryQueue, Effect.map(Effect.orDie(makeOfferingStore), fromStore))
