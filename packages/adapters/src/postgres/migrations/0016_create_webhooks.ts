import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { isolate } from "../organizations/rowSecurity.ts"
import { createQueue } from "../webhooks/QueueTable.ts"

/** Where organizations want their events, what is on its way there, and what was tried. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // An example is made for one endpoint and is in no list of events.
  yield* sql`ALTER TABLE events ADD COLUMN is_example BOOLEAN NOT NULL DEFAULT false`
  yield* sql`CREATE INDEX events_type ON events (organization_id, type, id)`
  yield* sql`CREATE INDEX events_age ON events (created_at)`

  // How many events an object had: it is still known when the first of them are no longer kept.
  yield* sql`CREATE TABLE event_sequences (
    organization_id TEXT NOT NULL,
    object_id TEXT NOT NULL,
    last INTEGER NOT NULL CHECK (last > 0),
    PRIMARY KEY (organization_id, object_id))`
  yield* isolate("event_sequences", { grants: "SELECT, INSERT, UPDATE" })
  yield* sql`INSERT INTO event_sequences (organization_id, object_id, last)
    SELECT organization_id, object_id, max(sequence) FROM events GROUP BY organization_id, object_id`

  yield* sql`CREATE TABLE webhook_endpoints (
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    id TEXT NOT NULL UNIQUE,
    url TEXT NOT NULL,
    events TEXT[] NOT NULL,
    description TEXT,
    metadata JSONB NOT NULL,
    -- Sealed, since their values may be credentials: a JSON object.
    headers TEXT NOT NULL,
    secret TEXT NOT NULL,
    former_secret TEXT,
    former_secret_until TIMESTAMPTZ,
    retry JSONB NOT NULL,
    concurrency INTEGER NOT NULL CHECK (concurrency BETWEEN 1 AND 50),
    status TEXT NOT NULL CHECK (status IN ('ENABLED', 'PAUSED', 'DISABLED')),
    disabled_reason TEXT,
    failing_since TIMESTAMPTZ,
    version INTEGER NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (organization_id, id))`
  yield* isolate("webhook_endpoints")

  // What is left of a removed endpoint is deleted beside requests: its log may have a million rows.
  yield* sql`CREATE TABLE removed_webhook_endpoints (
    organization_id TEXT NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (organization_id, id))`
  yield* isolate("removed_webhook_endpoints", { grants: "INSERT" })

  yield* sql`CREATE TABLE webhook_deliveries (
    organization_id TEXT NOT NULL,
    id TEXT NOT NULL,
    endpoint_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    event_type TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('PENDING', 'SUCCEEDED', 'FAILED')),
    -- All that were made, and those that were made before it was sent again.
    attempts INTEGER NOT NULL DEFAULT 0,
    attempts_before INTEGER NOT NULL DEFAULT 0,
    next_attempt_at TIMESTAMPTZ,
    created_at TIMESTAMPTZ NOT NULL,
    completed_at TIMESTAMPTZ,
    PRIMARY KEY (organization_id, id))`
  yield* sql`CREATE INDEX webhook_deliveries_endpoint ON webhook_deliveries (organization_id, endpoint_id, id)`
  yield* sql`CREATE INDEX webhook_deliveries_age ON webhook_deliveries (created_at)`
  yield* isolate("webhook_deliveries")

  yield* sql`CREATE TABLE webhook_attempts (
    organization_id TEXT NOT NULL,
    delivery_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    at TIMESTAMPTZ NOT NULL,
    duration_millis INTEGER NOT NULL,
    status INTEGER,
    error TEXT,
    answer TEXT,
    PRIMARY KEY (organization_id, delivery_id, number),
    FOREIGN KEY (organization_id, delivery_id) REFERENCES webhook_deliveries (organization_id, id) ON DELETE CASCADE)`
  yield* isolate("webhook_attempts")

  yield* createQueue
})
