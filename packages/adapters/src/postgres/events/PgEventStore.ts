import type { EventType } from "@sarraf/domain/events/EventLog"
import type { EventRecord } from "@sarraf/domain/events/EventPayload"
import { type EventFilter, EventStore } from "@sarraf/domain/events/EventStore"
import { pageOf } from "@sarraf/domain/lists/Page"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { makeWithin } from "../organizations/PgUnitOfWork.ts"

interface EventRow {
  readonly organization_id: string
  readonly id: string
  readonly type: EventType
  readonly object_id: string
  readonly sequence: number
  readonly data: EventRecord["data"]
  readonly created_at: Date
}

const recordOf = (row: EventRow): EventRecord => ({
  id: row.id,
  type: row.type,
  organizationId: row.organization_id,
  objectId: row.object_id,
  sequence: row.sequence,
  data: row.data,
  createdAt: row.created_at.getTime()
})

const conditionsOf = (sql: SqlClient.SqlClient, { from, objectId, to, types }: EventFilter) => [
  ...(types === undefined ? [] : [sql`type = ANY (${[...types]}::text[])`]),
  ...(objectId === undefined ? [] : [sql`object_id = ${objectId}`]),
  ...(from === undefined ? [] : [sql`created_at >= ${new Date(from)}`]),
  ...(to === undefined ? [] : [sql`created_at < ${new Date(to)}`])
]

/** Events of an organization in PostgreSQL. */
export const layer = Layer.effect(
  EventStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const within = yield* makeWithin
    return EventStore.of({
      list: Effect.fn("PgEventStore.list")(function* (filter, page) {
        const { organizationId } = yield* Caller
        const conditions = [
          sql`organization_id = ${organizationId}`,
          sql`NOT is_example`,
          ...conditionsOf(sql, filter),
          ...(page.after === undefined ? [] : [sql`id < ${page.after}`])
        ]
        const rows = yield* sql<EventRow>`SELECT * FROM events WHERE ${sql.and(conditions)}
          ORDER BY id DESC LIMIT ${page.limit + 1}`
        return pageOf(rows.map(recordOf), page)
      }, within),
      find: Effect.fn("PgEventStore.find")(function* (id) {
        const { organizationId } = yield* Caller
        const [row] =
          yield* sql<EventRow>`SELECT * FROM events WHERE organization_id = ${organizationId} AND id = ${id}`
        return row === undefined ? undefined : recordOf(row)
      }, within)
    })
  })
)
