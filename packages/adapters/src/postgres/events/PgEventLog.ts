import { EventLog } from "@sarraf/domain/events/EventLog"
import { Identifiers } from "@sarraf/domain/identifiers/TypeId"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { makeWithin } from "../organizations/PgUnitOfWork.ts"

/** Events in PostgreSQL, numbered for each object. */
export const layer = Layer.effect(
  EventLog,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const within = yield* makeWithin
    const identifiers = yield* Identifiers
    return EventLog.of({
      append: Effect.fn("PgEventLog.append")(function* ({ object, objectId, previous, type }) {
        const { organizationId } = yield* Caller
        const at = new Date(yield* Clock.currentTimeMillis)
        const data = JSON.stringify({ object, ...(previous === undefined ? {} : { previous }) })
        // The object is locked by whoever changes it, so that no number is given twice; the key would refuse it.
        yield* sql`INSERT INTO events (organization_id, id, type, object_id, sequence, data, created_at)
          SELECT ${organizationId}, ${yield* identifiers.next("evt")}, ${type}, ${objectId}, coalesce(max(sequence), 0) + 1,
            ${data}::jsonb, ${at}
          FROM events WHERE organization_id = ${organizationId} AND object_id = ${objectId}`
      }, within)
    })
  })
)
