import type { EventType } from "@sarraf/domain/events/EventLog"
import { Identifiers } from "@sarraf/domain/identifiers/TypeId"
import type { Instant } from "@sarraf/domain/time/Instant"
import type { WebhookDelivery } from "@sarraf/domain/webhooks/WebhookDelivery"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { afterCommit } from "../organizations/PgUnitOfWork.ts"
import * as DeliveryQueue from "./DeliveryQueue.ts"
import * as DeliveryWakes from "./DeliveryWakes.ts"

/** An event that is being committed. */
export interface CommittedEvent {
  readonly organizationId: string
  readonly id: string
  readonly type: EventType
  readonly at: Instant
}

/** Puts an event on its way to endpoints, in the unit of work that is open: with the change or not at all. */
export const makeFanOut = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const identifiers = yield* Identifiers
  const queue = yield* DeliveryQueue.DeliveryQueue
  const wakes = yield* DeliveryWakes.DeliveryWakes
  return Effect.fn("FanOut")(function* (event: CommittedEvent, endpointIds: ReadonlyArray<string>) {
    const { at, organizationId } = event
    const ids = yield* Effect.forEach(endpointIds, () => identifiers.next("whd"))
    yield* sql`INSERT INTO webhook_deliveries
        (organization_id, id, endpoint_id, event_id, event_type, status, next_attempt_at, created_at)
      SELECT ${organizationId}, id, endpoint_id, ${event.id}, ${event.type}, 'PENDING', ${new Date(at)}, ${new Date(at)}
      FROM unnest(${ids}::text[], ${[...endpointIds]}::text[]) AS made (id, endpoint_id)`
    const deliveries = endpointIds.map(
      (endpointId, index): WebhookDelivery => ({
        id: ids[index] ?? "",
        endpointId,
        eventId: event.id,
        eventType: event.type,
        status: "PENDING",
        attempts: 0,
        nextAttemptAt: at,
        createdAt: at,
        completedAt: null
      })
    )
    for (const { endpointId, id } of deliveries) {
      yield* queue.offerAttempt(endpointId, { organizationId, deliveryId: id, attempt: 1 })
    }
    yield* afterCommit(wakes.wake(endpointIds.map(DeliveryQueue.queueOf)))
    return deliveries
  })
})

/** What units of work need to put something into the queues. */
export const layerOffering = Layer.merge(DeliveryQueue.layer, DeliveryWakes.layer)
