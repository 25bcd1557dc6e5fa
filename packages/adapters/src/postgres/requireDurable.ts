import { Data, Effect } from "effect"
import { SqlClient } from "effect/sql"

/** `message` names the setting and what to do. */
export class DatabaseNotDurable extends Data.TaggedError("DatabaseNotDurable")<{ readonly message: string }> {}

/** Live mode takes no payment on a database that may forget what it has committed (contract section 4). */
export const requireDurable = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ name: string }>`SELECT name FROM pg_settings
    WHERE name IN ('fsync', 'synchronous_commit') AND setting = 'off' ORDER BY name`
  if (rows.length === 0) return
  const names = rows.map(({ name }) => name).join(" and ")
  return yield* new DatabaseNotDurable({
    message: `The database has ${names} off, so it may forget committed payments: switch it on; live mode (SARRAF_MODE=live) refuses to start like this.`
  })
})
