import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { orUnavailable } from "../orUnavailable.ts"

/**
 * Runs statements on what belongs to persons, who are in no organization's rows: outside of a unit of work as they are, and
 * inside as a part of it, without the tenant's role for as long. For stores whose every statement names the person.
 */
export const makeBeyond = Effect.map(SqlClient.SqlClient, (sql) => {
  const lay = sql<{ readonly role: string }>`SELECT current_setting('role') AS role, set_config('role', 'none', true)`
  return <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    orUnavailable(
      Effect.gen(function* () {
        const open = yield* Effect.serviceOption(sql.transactionService)
        if (Option.isNone(open)) return yield* effect
        const [former] = yield* lay
        // Where it fails the transaction ends, and the role with it.
        const result = yield* effect
        yield* sql`SELECT set_config('role', ${former?.role ?? "none"}, true)`
        return result
      })
    )
})
