import { EventLog } from "@sarraf/domain/events/EventLog"
import { Identifiers } from "@sarraf/domain/identifiers/TypeId"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { makeWithin } from "../organizations/PgUnitOfWork.ts"
import * as FanOut from "../webhooks/FanOut.ts"

/** Events in PostgreSQL, numbered for each object, each on its way to the endpoints that subscribe to its type. */
export const layer = Layer.effect(
  EventLog,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const within = yield* makeWithin
    const identifiers = yield* Identifiers
    const fanOut = yield* FanOut.makeFanOut
    return EventLog.of({
      append: Effect.fn("PgEventLog.append")(function* ({ object, objectId, previous, type }) {
        const { organizationId } = yield* Caller
        const at = yield* Clock.currentTimeMillis
        const id = yield* identifiers.next("evt")
        const data = JSON.stringify({ object, ...(previous === undefined ? {} : { previous }) })
        // Counted apart, since old events are removed; the row stays locked, so that no number is given twice or left out.
        // The endpoints stay as they are until the commit, so that none is removed under its delivery.
        const endpoints = yield* sql<{ readonly id: string }>`WITH counted AS (
            INSERT INTO event_sequences AS present (organization_id, object_id, last) VALUES (${organizationId}, ${objectId}, 1)
            ON CONFLICT (organization_id, object_id) DO UPDATE SET last = present.last + 1 RETURNING last),
          event AS (
            INSERT INTO events (organization_id, id, type, object_id, sequence, data, created_at)
            SELECT ${organizationId}, ${id}, ${type}, ${objectId}, last, ${data}::jsonb, ${new Date(at)} FROM counted)
          SELECT id FROM webhook_endpoints
          WHERE organization_id = ${organizationId} AND events && ${["*", type]}::text[] FOR KEY SHARE`
        if (endpoints.length === 0) return
        yield* fanOut(
          { organizationId, id, type, at },
          endpoints.map((endpoint) => endpoint.id)
        )
      }, within)
    })
  })
).pipe(Layer.provide(FanOut.layerOffering))
