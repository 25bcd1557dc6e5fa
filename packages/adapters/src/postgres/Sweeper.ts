import { Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { deleteRows } from "./deleteRows.ts"
import * as PgChallengeSteps from "./payments/PgChallengeSteps.ts"

/**
 * Forgets spent signatures after five minutes, Idempotency-Keys and the answers kept under them after a day, what 3D Secure
 * needed of card data when its time is over, sessions and one-time links that are over, and assistant tokens and providers'
 * notifications 90 days after they ended; looks every half minute.
 */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const challengeSteps = yield* PgChallengeSteps.make
    const sweeps: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
      challengeSteps.sweep,
      deleteRows(sql, "signature_uses", sql`expires_at < now()`),
      deleteRows(sql, "request_records", sql`expires_at < now()`),
      deleteRows(sql, "sessions", sql`expires_at < now() OR last_used_at < now() - interval '12 hours'`),
      deleteRows(sql, "account_links", sql`expires_at < now()`),
      deleteRows(sql, "kept_answers", sql`expires_at < now()`),
      deleteRows(sql, "assistant_tokens", sql`least(expires_at, revoked_at) < now() - interval '90 days'`),
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
