import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Who made a one-time link: it is dead once that person may not make it any more. Null where no person did. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE account_links ADD COLUMN made_by TEXT`
})
