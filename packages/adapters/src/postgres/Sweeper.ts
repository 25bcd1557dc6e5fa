import { Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import * as PgChallengeSteps from "./payments/PgChallengeSteps.ts"

/** Rows deleted in one statement: short enough that nobody waits behind it. */
const rowsMax = 5_000

/** Deletes what has expired in a table, a bounded number of rows at a time; rows that another process is at are passed over. */
const sweep = (sql: SqlClient.SqlClient, table: "signature_uses" | "request_records") =>
  Effect.repeat(
    Effect.map(
      sql`DELETE FROM ${sql(table)} WHERE ctid = ANY (ARRAY (
        SELECT ctid FROM ${sql(table)} WHERE expires_at < now() LIMIT ${rowsMax} FOR UPDATE SKIP LOCKED)) RETURNING 1`,
      (rows) => rows.length
    ),
    { while: (deleted) => deleted === rowsMax }
  )

/** Notifications that are done are kept this long, to know them again; no provider repeats one for longer. */
const sweepNotifications = (sql: SqlClient.SqlClient) =>
  Effect.repeat(
    Effect.map(
      sql`DELETE FROM inbound_notifications WHERE ctid = ANY (ARRAY (
        SELECT ctid FROM inbound_notifications WHERE due_at IS NULL AND received_at < now() - interval '90 days'
        LIMIT ${rowsMax} FOR UPDATE SKIP LOCKED)) RETURNING 1`,
      (rows) => rows.length
    ),
    { while: (deleted) => deleted === rowsMax }
  )

/**
 * Forgets spent signatures after five minutes, Idempotency-Keys after a day, what 3D Secure needed of card data when its
 * time is over, and providers' notifications after 90 days; looks every half minute.
 */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const challengeSteps = yield* PgChallengeSteps.make
    const sweeps: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
      challengeSteps.sweep,
      sweep(sql, "signature_uses"),
      sweep(sql, "request_records"),
      sweepNotifications(sql)
    ]
    yield* Effect.forEach(
      sweeps,
      // The next look does what this one could not.
      Effect.catchCause((cause) => Effect.logWarning("Expired rows could not be deleted", cause)),
      { discard: true }
    ).pipe(Effect.repeat(Schedule.spaced("30 seconds")), Effect.forkScoped)
  })
)
