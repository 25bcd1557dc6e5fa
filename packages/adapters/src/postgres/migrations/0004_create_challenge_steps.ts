import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * What a 3D Secure step needs of card data, sealed: UNLOGGED, so that neither the log nor a replica nor a base backup
 * ever holds it (contract section 4, card data at rest). Cleared of dead rows after a few, since a deleted one stays on
 * its page until then. And the sandbox's notifications that the gateway has not acknowledged yet.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE UNLOGGED TABLE challenge_steps (
    organization_id TEXT NOT NULL,
    payment_id TEXT NOT NULL,
    sealed TEXT NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (organization_id, payment_id))
    WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50)`
  yield* sql`CREATE INDEX challenge_steps_expires_at ON challenge_steps (expires_at)`

  yield* sql`CREATE TABLE simulator_notifications (
    id TEXT PRIMARY KEY,
    provider TEXT NOT NULL,
    headers JSONB NOT NULL,
    body BYTEA NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0,
    due_at TIMESTAMPTZ NOT NULL)`
  yield* sql`CREATE INDEX simulator_notifications_due_at ON simulator_notifications (due_at)`
})
