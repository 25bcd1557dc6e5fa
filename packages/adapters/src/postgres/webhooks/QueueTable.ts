import { Effect } from "effect"
import { PersistedQueue } from "effect/persistence"
import { SqlClient } from "effect/sql"
import { organizationSetting, tenantRole } from "../organizations/rowSecurity.ts"

/** The table of the queues of deliveries. Its columns are the library's. */
export const queueTable = "webhook_queue"

/**
 * How long another process waits for one that took an element and says nothing: an attempt takes 10 s at most, and who is
 * alive says so four times as often.
 */
const lockExpiration = "30 seconds"
const lockRefreshInterval = "7 seconds"

/** Between two looks at a queue that somebody waits at. Nobody waits at one that has stayed empty: see `DeliveryLanes`. */
export const pollMillis = 25

/**
 * Taken more often than this an element counts as failed for the library. It never is: the library's attempts are the times
 * that a process broke down over it, ours are elements of their own.
 */
export const takesMax = 2_000_000_000

/** Takes from the queues and offers to them. */
export const makeQueueStore = PersistedQueue.makeStoreSql({
  tableName: queueTable,
  pollInterval: pollMillis,
  lockRefreshInterval,
  lockExpiration
})

/** Offers alone: it has nothing to renew. */
export const makeOfferingStore = PersistedQueue.makeStoreSql({ tableName: queueTable, lockRefreshInterval: "20 days" })

/**
 * Makes the table, as the library makes it, and what the service adds: units of work may offer elements of their own
 * organization, clean-up and the look for worn-out elements find theirs by index, and dead entries at the head of a queue go
 * soon, since every look would pass over them.
 */
export const createQueue = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.scoped(makeOfferingStore)
  const table = sql(queueTable)
  const own = sql`(element::jsonb ->> 'organizationId' = current_setting(${sql.literal(`'${organizationSetting}'`)}))`
  yield* sql`ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`
  yield* sql`CREATE POLICY own_organization ON ${table} TO ${sql(tenantRole)} USING ${own} WITH CHECK ${own}`
  yield* sql`GRANT INSERT, SELECT (id, queue_name) ON ${table} TO ${sql(tenantRole)}`
  yield* sql`GRANT USAGE ON SEQUENCE ${sql(`${queueTable}_sequence_seq`)} TO ${sql(tenantRole)}`
  yield* sql`CREATE INDEX webhook_queue_done ON ${table} (state, updated_at) WHERE state <> 'pending'`
  yield* sql`CREATE INDEX webhook_queue_worn ON ${table} (queue_name) WHERE state = 'pending' AND attempts >= 1000000`
  yield* sql`ALTER TABLE ${table} SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
    autovacuum_vacuum_cost_delay = 0)`
})
