import { Context, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { deleteRows } from "../deleteRows.ts"
import { queueTable } from "../webhooks/QueueTable.ts"

/** For so many days events are kept, and what was delivered of them (contract section 7). */
export const EventRetentionDays = Context.Reference<number>("@sarraf/adapters/postgres/events/EventRetentionDays", {
  defaultValue: () => 90
})

/**
 * Removes the deliveries that are older, with their attempts and in whatever state, what waits in queues for them, and then
 * the events. An event goes a minute after its deliveries, so that none of them is left without it.
 */
export const forgetEvents = (sql: SqlClient.SqlClient, days: number) => {
  const end = sql`now() - ${days}::int * interval '1 day'`
  return Effect.andThen(
    deleteRows(sql, "webhook_deliveries", sql`created_at < ${end}`),
    Effect.andThen(
      deleteRows(sql, queueTable, sql`created_at < ${end} AND visible_at < now()`),
      deleteRows(sql, "events", sql`created_at < ${end} - interval '1 minute'`)
    )
  )
}
