import { Predicate } from "effect"
import { SqlError } from "effect/sql"

/**
 * The server is stopping, has crashed, is starting, dropped the database or ended an idle session; or it has no
 * connection, disk or memory left. `@effect/sql-pg` reports these as `UnknownError`. Source: PostgreSQL documentation,
 * appendix A, classes 57P and 53.
 */
const isLostState = (code: string) => /^(57P0[1-5]|53...)$/.test(code)

/** Whether the database is away, or was lost during the statement; whether that took effect is then not known. */
export const isLostDatabase = (error: unknown): error is SqlError.SqlError => {
  if (!SqlError.isSqlError(error)) return false
  const { reason } = error
  if (reason._tag === "ConnectionError") return true
  return Predicate.hasProperty(reason.cause, "code") && isLostState(String(reason.cause.code))
}
