import { Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { deleteRows } from "./deleteRows.ts"
import { EventRetentionDays, forgetEvents } from "./events/EventRetention.ts"
import * as PgChallengeSteps from "./payments/PgChallengeSteps.ts"
import { clearRemovedEndpoints } from "./webhooks/RemovedEndpoints.ts"

/**
 * Forgets spent signatures after five minutes, Idempotency-Keys and the answers kept under them after a day, what 3D Secure
 * needed of card data when its time is over, sessions and one-time links that are over, assistant tokens and providers'
 * notifications 90 days after they ended, and events with their deliveries after `EventRetentionDays`, and what removed
 * webhook endpoints left; looks every half minute.
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
      deleteRows(sql, "oauth_artifact", sql`expires_at < now()`),
      // Assistants may register at each connection, and whoever sees them gone registers again.
      deleteRows(
        sql,
        "oauth_artifact",
        sql`model = 'Client' AND created_at < now() - interval '7 days' AND NOT EXISTS (
          SELECT FROM oauth_artifact g WHERE g.model = 'Grant' AND g.payload->>'clientId' = oauth_artifact.id)`
      ),
      deleteRows(sql, "mcp_connection", sql`least(expires_at, revoked_at) < now() - interval '90 days'`),
      // Those that are done are kept to know them again; no provider repeats one for longer.
      deleteRows(sql, "inbound_notifications", sql`due_at IS NULL AND received_at < now() - interval '90 days'`),
      forgetEvents(sql, yield* EventRetentionDays),
      clearRemovedEndpoints(sql)
    ]
    yield* Effect.forEach(
      sweeps,
      // The next look does what this one could not.
      Effect.catchCause((cause) => Effect.logWarning("Expired rows could not be deleted", cause)),
      { discard: true }
    ).pipe(Effect.repeat(Schedule.spaced("30 seconds")), Effect.forkScoped)
  })
)
