import { eventCatalogue, exampleEvent } from "@sarraf/domain/events/EventCatalogue"
import type { EventType } from "@sarraf/domain/events/EventLog"
import { Identifiers } from "@sarraf/domain/identifiers/TypeId"
import { pageOf } from "@sarraf/domain/lists/Page"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { type DeliveryFilter, type ReplayRange, WebhookDeliveries } from "@sarraf/domain/webhooks/WebhookDeliveries"
import type { DeliveryAttempt } from "@sarraf/domain/webhooks/WebhookDelivery"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { afterCommit, makeWithin } from "../organizations/PgUnitOfWork.ts"
import { DeliveryQueue, queueOf, replayQueueOf } from "./DeliveryQueue.ts"
import { type AttemptRow, attemptOf, type DeliveryRow, deliveryOf } from "./DeliveryRows.ts"
import { DeliveryWakes } from "./DeliveryWakes.ts"
import * as FanOut from "./FanOut.ts"
import { inRange } from "./Replays.ts"

const conditionsOf = (sql: SqlClient.SqlClient, { endpointId, eventType, from, status, to }: DeliveryFilter) => [
  ...(endpointId === undefined ? [] : [sql`endpoint_id = ${endpointId}`]),
  ...(status === undefined ? [] : [sql`status = ${status}`]),
  ...(eventType === undefined ? [] : [sql`event_type = ${eventType}`]),
  ...(from === undefined ? [] : [sql`created_at >= ${new Date(from)}`]),
  ...(to === undefined ? [] : [sql`created_at < ${new Date(to)}`])
]

const makeReading = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const within = yield* makeWithin
  return {
    list: Effect.fn("PgWebhookDeliveries.list")(function* (filter: DeliveryFilter, page) {
      const { organizationId } = yield* Caller
      const conditions = [
        sql`organization_id = ${organizationId}`,
        ...conditionsOf(sql, filter),
        ...(page.after === undefined ? [] : [sql`id < ${page.after}`])
      ]
      const rows = yield* sql<DeliveryRow>`SELECT * FROM webhook_deliveries WHERE ${sql.and(conditions)}
        ORDER BY id DESC LIMIT ${page.limit + 1}`
      return pageOf(rows.map(deliveryOf), page)
    }, within),
    find: Effect.fn("PgWebhookDeliveries.find")(function* (id: string) {
      const { organizationId } = yield* Caller
      const [row] = yield* sql<DeliveryRow>`SELECT * FROM webhook_deliveries
        WHERE organization_id = ${organizationId} AND id = ${id}`
      return row === undefined ? undefined : deliveryOf(row)
    }, within),
    attemptsOf: Effect.fn("PgWebhookDeliveries.attemptsOf")(function* (ids: ReadonlyArray<string>) {
      const { organizationId } = yield* Caller
      const rows = yield* sql<AttemptRow>`SELECT * FROM webhook_attempts
        WHERE organization_id = ${organizationId} AND delivery_id = ANY (${[...ids]}::text[]) ORDER BY delivery_id, number`
      const attempts = new Map<string, Array<DeliveryAttempt>>()
      for (const row of rows) {
        const known = attempts.get(row.delivery_id)
        if (known === undefined) attempts.set(row.delivery_id, [attemptOf(row)])
        else known.push(attemptOf(row))
      }
      return attempts
    }, within)
  } satisfies Partial<WebhookDeliveries["Service"]>
})

const makeSending = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const within = yield* makeWithin
  const identifiers = yield* Identifiers
  const queue = yield* DeliveryQueue
  const wakes = yield* DeliveryWakes
  const fanOut = yield* FanOut.makeFanOut
  return {
    repeat: Effect.fn("PgWebhookDeliveries.repeat")(function* (id: string) {
      const { organizationId } = yield* Caller
      const at = new Date(yield* Clock.currentTimeMillis)
      const [row] = yield* sql<DeliveryRow>`UPDATE webhook_deliveries
        SET status = 'PENDING', attempts_before = attempts, next_attempt_at = ${at}, completed_at = NULL
        WHERE organization_id = ${organizationId} AND id = ${id} AND EXISTS (SELECT FROM webhook_endpoints AS endpoint
          WHERE endpoint.organization_id = ${organizationId} AND endpoint.id = webhook_deliveries.endpoint_id)
        RETURNING *`
      if (row === undefined) return undefined
      const element = { organizationId, deliveryId: id, attempt: row.attempts + 1 }
      yield* queue.offerAttempt(row.endpoint_id, element, { again: yield* identifiers.next("again") })
      yield* afterCommit(wakes.wake([queueOf(row.endpoint_id)]))
      return deliveryOf(row)
    }, within),
    replay: Effect.fn("PgWebhookDeliveries.replay")(function* ({ endpointId, from, status, to }: ReplayRange) {
      const { organizationId } = yield* Caller
      const id = yield* identifiers.next("replay")
      const range = { id, organizationId, endpointId, from, to, failedAlone: status === "FAILED", after: "" }
      const [row] = yield* sql<{ readonly count: number }>`SELECT count(*)::int AS count FROM webhook_deliveries
        WHERE ${inRange(sql, range)}`
      if (row === undefined || row.count === 0) return 0
      yield* queue.offerReplay(range)
      yield* afterCommit(wakes.wake([replayQueueOf(endpointId)]))
      return row.count
    }, within),
    sendExample: Effect.fn("PgWebhookDeliveries.sendExample")(function* (endpointId: string, type: EventType) {
      const { organizationId } = yield* Caller
      const at = yield* Clock.currentTimeMillis
      const id = yield* identifiers.next("evt")
      const objectId = yield* identifiers.next(eventCatalogue[type].prefix)
      const { object, previous } = exampleEvent(type, objectId)
      const data = JSON.stringify({ object, ...(previous === undefined ? {} : { previous }) })
      yield* sql`INSERT INTO events (organization_id, id, type, object_id, sequence, data, created_at, is_example)
        VALUES (${organizationId}, ${id}, ${type}, ${objectId}, 1, ${data}::jsonb, ${new Date(at)}, true)`
      const [delivery] = yield* fanOut({ organizationId, id, type, at }, [endpointId])
      return delivery ?? (yield* Effect.die(new Error("An example goes to one endpoint")))
    }, within),
    wake: (endpointId: string) => afterCommit(wakes.wake([queueOf(endpointId)]))
  } satisfies Partial<WebhookDeliveries["Service"]>
})

/** Deliveries of an organization in PostgreSQL, and the queues that set them going. */
export const layer = Layer.effect(
  WebhookDeliveries,
  Effect.gen(function* () {
    return WebhookDeliveries.of({ ...(yield* makeReading), ...(yield* makeSending) })
  })
).pipe(Layer.provide(FanOut.layerOffering))
