import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Whose payments a process works on beside its requests: those of sandboxes, or of the others. A process of one mode on a
 * database that has payments of the other must not ask about them, for it would ask the wrong side. Undefined: all.
 */
export const ServedMode = Context.Reference<"test" | "live" | undefined>("@sarraf/adapters/postgres/ServedMode", {
  defaultValue: () => undefined
})

/** The condition on `organizations`, by the name that the statement has for it. */
export const servedOrganizations = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const mode = yield* ServedMode
  return (alias: string) => (mode === undefined ? sql`true` : sql`${sql(alias)}.is_sandbox = ${mode === "test"}`)
})
