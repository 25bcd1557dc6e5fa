import { PgClient } from "@effect/sql-pg"
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Connections of their own for the statements that write groups of rows. Their plans are made once, since planning one
 * takes longer than running it (0.7 ms against 0.3 ms for a few rows), and may only use indexes, since a plan that was
 * made while a table was empty would otherwise scan it whole for ever.
 */
export const GroupWriter = Context.Reference<SqlClient.SqlClient | undefined>("@sarraf/adapters/postgres/GroupWriter", {
  defaultValue: () => undefined
})

const plansOnce = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  jit: "off"
} as const

/** Opens them to the same database as the other connections. */
export const make = (options: PgClient.PgPoolConfig) => PgClient.make({ ...options, startupParameters: plansOnce })

/** The client for group statements: the connections of their own, or where there are none the usual ones. */
export const groupClient = Effect.gen(function* () {
  const usual = yield* SqlClient.SqlClient
  return (yield* GroupWriter) ?? usual
})
