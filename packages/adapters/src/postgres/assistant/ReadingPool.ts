import { PgClient } from "@effect/sql-pg"
import { AssistantReads, TooSlow } from "@sarraf/domain/assistants/AssistantReads"
import type { Unavailable } from "@sarraf/domain/errors/Unavailable"
import { Cause, Data, Effect, Layer, Option, Predicate } from "effect"
import { SqlError } from "effect/sql"
import { makeWithin, UnitSettings } from "../organizations/PgUnitOfWork.ts"
import { assistantRole } from "../organizations/rowSecurity.ts"

/** Longer than any answer of a tool takes at a million expenses, and short enough that nobody notices one that hangs. */
const statementMillisMax = 5_000
/** A call that stopped in the middle gives its connection back. */
const idleMillisMax = 10_000

/**
 * Beside those of the other pool: the embedded server takes 60, and a call needs one for some milliseconds. As many as calls
 * run at once (`places.ts` of the assistant server), so that none waits for a connection behind others.
 */
const connectionsMax = 5

/** What every unit of work begins with too, so that it holds whatever a pooler between did with the start of a connection. */
const unitSettings = {
  role: assistantRole,
  transaction_read_only: "on",
  statement_timeout: String(statementMillisMax)
}

/**
 * A pool of its own on the database of the other one, whose connections can only read: as the role that may only SELECT, and
 * each transaction sees the data as it was when it began. Connections are opened when they are needed.
 */
const pool = Layer.unwrap(
  Effect.map(PgClient.PgClient, ({ config }) =>
    PgClient.layer({
      ...config,
      maxConnections: connectionsMax,
      applicationName: "sarraf-assistant",
      startupParameters: {
        ...config.startupParameters,
        role: assistantRole,
        default_transaction_read_only: "on",
        default_transaction_isolation: "repeatable read",
        statement_timeout: String(statementMillisMax),
        idle_in_transaction_session_timeout: String(idleMillisMax)
      }
    })
  )
)

/** How a transaction that has read ends: PostgreSQL undoes it, so that nothing is ever kept of it. */
class Undone extends Data.TaggedError("Undone") {}

/** `query_canceled` (PostgreSQL documentation, appendix A): nobody else ends statements of this pool than its time limit. */
const isTooSlow = (reason: Cause.Reason<unknown>): boolean => {
  const error = Cause.isDieReason(reason) ? reason.defect : Cause.isFailReason(reason) ? reason.error : undefined
  if (!SqlError.isSqlError(error)) return false
  const { cause } = error.reason
  return Predicate.hasProperty(cause, "code") && cause.code === "57014"
}

const isUndone = (reason: Cause.Reason<unknown>): boolean =>
  Cause.isFailReason(reason) && reason.error instanceof Undone

/** What reads in one transaction, on the connections of `layer`. */
export const unitsLayer = Layer.effect(
  AssistantReads,
  Effect.map(makeWithin, (within) =>
    AssistantReads.of({
      run: <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        Effect.suspend(() => {
          let answer = Option.none<A>()
          const readAndUndo = Effect.flatMap(effect, (found) => {
            answer = Option.some(found)
            return Effect.fail(new Undone())
          })
          return Effect.catchCause(within(readAndUndo), (cause): Effect.Effect<A, E | TooSlow | Unavailable> => {
            if (Option.isSome(answer) && cause.reasons.every(isUndone)) return Effect.succeed(answer.value)
            if (cause.reasons.some(isTooSlow)) return Effect.fail(new TooSlow())
            // No reason is an `Undone` any more.
            return Effect.failCause(cause as Cause.Cause<E | Unavailable>)
          })
        })
    })
  )
)

/** The reading side's connections, and the settings that stores made on them begin their units of work with. */
export const layer = Layer.merge(pool, Layer.succeed(UnitSettings, unitSettings))
