import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What has to be looked at again, and the providers' messages. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE payment_followups (
    organization_id TEXT NOT NULL,
    payment_id TEXT NOT NULL,
    provider TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('open', 'late')),
    due_at TIMESTAMPTZ NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0,
    lease_until TIMESTAMPTZ,
    needs_review BOOLEAN NOT NULL DEFAULT false,
    PRIMARY KEY (organization_id, payment_id))`
  yield* sql`CREATE INDEX payment_followups_due ON payment_followups (due_at)`

  // What a crash leaves open: a settled attempt is not in it, so that it holds a handful of rows.
  yield* sql`CREATE INDEX payment_attempts_unsettled ON payment_attempts (deadline)
    WHERE outcome IN ('RUNNING', 'ActionRequired', 'Pending', 'Unknown')`
  // Payments lie in the order of their beginning, and so nearly in that of their expiry.
  yield* sql`CREATE INDEX payments_expiry ON payments USING brin (expires_at)`

  yield* sql`CREATE TABLE inbound_notifications (
    provider TEXT NOT NULL,
    id TEXT NOT NULL,
    sealed TEXT NOT NULL,
    received_at TIMESTAMPTZ NOT NULL,
    due_at TIMESTAMPTZ,
    tries INTEGER NOT NULL DEFAULT 0,
    lease_until TIMESTAMPTZ,
    PRIMARY KEY (provider, id))`
  yield* sql`CREATE INDEX inbound_notifications_received ON inbound_notifications USING brin (received_at)`
  yield* sql`CREATE INDEX inbound_notifications_due ON inbound_notifications (due_at) WHERE due_at IS NOT NULL`
})
