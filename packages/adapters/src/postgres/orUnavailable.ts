import { Unavailable } from "@sarraf/domain/errors/Unavailable"
import { Cause, Effect } from "effect"
import { SqlError } from "effect/sql"
import { isLostDatabase } from "./lostDatabase.ts"

/** The database undid the transaction for the sake of another one: nothing of it took effect, and it may be repeated. */
const isUndone = (error: unknown): boolean =>
  SqlError.isSqlError(error) && ["DeadlockError", "SerializationError", "LockTimeoutError"].includes(error.reason._tag)

type WithoutSqlError<E> = Exclude<E, SqlError.SqlError>

/**
 * What a store's method may answer: `Unavailable` for a lost database and for a transaction that gave way to another, also where the loss surfaces as a defect (the
 * ROLLBACK of a broken transaction); every other `SqlError` is a mistake of ours and becomes a defect. The rest passes.
 */
export const orUnavailable = <A, E, R>(
  self: Effect.Effect<A, E, R>
): Effect.Effect<A, WithoutSqlError<E> | Unavailable, R> =>
  Effect.catchCause(self, (cause): Effect.Effect<never, WithoutSqlError<E> | Unavailable> => {
    const errors = cause.reasons.flatMap((reason): ReadonlyArray<unknown> => {
      if (Cause.isFailReason(reason)) return [reason.error]
      return Cause.isDieReason(reason) ? [reason.defect] : []
    })
    if (errors.some((error) => isLostDatabase(error) || isUndone(error))) return Effect.fail(new Unavailable())
    const mistake = errors.find(SqlError.isSqlError)
    if (mistake !== undefined) return Effect.die(mistake)
    // No reason holds a SqlError any more.
    return Effect.failCause(cause as Cause.Cause<WithoutSqlError<E>>)
  })
