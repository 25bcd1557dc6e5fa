import { Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { deleteRows } from "./deleteRows.ts"
import * as PgChallengeSteps from "./payments/PgChallengeSteps.ts"

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
      deleteRows(sql, "signature_uses", sql`expires_at < now()`),
      deleteRows(sql, "request_records", sql`expires_at < now()`),
      // Those that are done are kept to know them again; no provider repeats one for longer.
      deleteRows(sql, "inbound_notifications", sql`due_at IS NULL AND received_at < now() - interval '90 days'`)
    ]
    yield* Effect.forEach(
      sweeps,
      // The next look does what this one could not.
      Effect.catchCause((cause) => Effect.logWarning("Expired rows could not be deleted", cause)),
      { discard: true }
    ).pipe(Effect.repeat(Schedule.spaced("30 seconds")), Effect.forkScoped)
  })
)
