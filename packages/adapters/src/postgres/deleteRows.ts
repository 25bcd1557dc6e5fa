import { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"

/** Rows deleted in one statement: short enough that nobody waits behind it. */
const rowsMax = 5_000

/** Deletes rows that meet a condition, a bounded number at a time; rows that another process is at are passed over. */
export const deleteRows = (
  sql: SqlClient.SqlClient,
  table: string,
  condition: Statement.Fragment
): Effect.Effect<void, SqlError.SqlError> =>
  sql`DELETE FROM ${sql(table)} WHERE ctid = ANY (ARRAY (
    SELECT ctid FROM ${sql(table)} WHERE ${condition} LIMIT ${rowsMax} FOR UPDATE SKIP LOCKED)) RETURNING 1`.pipe(
    Effect.repeat({ while: (rows) => rows.length === rowsMax }),
    Effect.asVoid
  )
