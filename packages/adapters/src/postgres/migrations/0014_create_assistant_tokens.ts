import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { isolate } from "../organizations/rowSecurity.ts"

/** Credentials that organizations manage themselves, what they submit of their business, and who may call from browsers. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE assistant_tokens (
    organization_id TEXT NOT NULL,
    id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    name TEXT NOT NULL,
    digest TEXT NOT NULL UNIQUE CHECK (digest ~ '^[0-9a-f]{64}$'),
    last4 TEXT NOT NULL CHECK (length(last4) = 4),
    created_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    last_used_at TIMESTAMPTZ,
    revoked_at TIMESTAMPTZ,
    version INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id))`
  yield* sql`CREATE INDEX assistant_tokens_user ON assistant_tokens (organization_id, user_id, id)`
  yield* isolate("assistant_tokens", { grants: "SELECT, INSERT, UPDATE" })

  yield* sql`ALTER TABLE api_keys
    ADD COLUMN name TEXT,
    ADD COLUMN last4 TEXT CHECK (length(last4) = 4),
    ADD COLUMN version INTEGER NOT NULL DEFAULT 1`
  yield* sql`UPDATE api_keys SET name = id`
  yield* sql`ALTER TABLE api_keys ALTER COLUMN name SET DEFAULT '', ALTER COLUMN name SET NOT NULL`

  yield* sql`ALTER TABLE payment_clients
    ADD COLUMN name TEXT,
    ADD COLUMN created_by TEXT,
    ADD COLUMN version INTEGER NOT NULL DEFAULT 1,
    ADD COLUMN updated_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    ADD COLUMN retired_at TIMESTAMPTZ`

  // What was submitted stays, whatever is submitted after it.
  yield* sql`CREATE TABLE verification_submissions (
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    number INTEGER NOT NULL,
    legal_name TEXT NOT NULL,
    registration_number TEXT NOT NULL,
    country CHAR(2) NOT NULL,
    website TEXT,
    submitted_by TEXT NOT NULL,
    submitted_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (organization_id, number))`
  yield* isolate("verification_submissions", { grants: "SELECT, INSERT" })
})
