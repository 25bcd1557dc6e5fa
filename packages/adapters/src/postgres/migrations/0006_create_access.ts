import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { isolate } from "../organizations/rowSecurity.ts"

/** Sign-in: sessions, one-time links, second factors that wait for their first code. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`ALTER TABLE users
    ADD COLUMN second_factor_pending_sealed TEXT,
    ADD COLUMN last_organization_id TEXT REFERENCES organizations (id)`
  // Null while an invitation was never accepted.
  yield* sql`ALTER TABLE members ADD COLUMN joined_at TIMESTAMPTZ DEFAULT now()`
  yield* sql`ALTER TABLE departments
    ADD COLUMN version INTEGER NOT NULL DEFAULT 1,
    ADD COLUMN created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    ADD COLUMN updated_at TIMESTAMPTZ NOT NULL DEFAULT now()`

  // Found by digest before the organization is known, by the service itself; everything else is the organization's.
  yield* sql`CREATE TABLE sessions (
    organization_id TEXT NOT NULL,
    id TEXT NOT NULL,
    digest TEXT NOT NULL UNIQUE CHECK (digest ~ '^[0-9a-f]{64}$'),
    user_id TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    last_used_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    address TEXT,
    user_agent TEXT,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id)) WITH (fillfactor = 85)`
  yield* sql`CREATE INDEX sessions_user ON sessions (user_id)`
  yield* isolate("sessions")

  yield* sql`CREATE TABLE account_links (
    organization_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('invitation', 'password_reset')),
    digest TEXT NOT NULL UNIQUE CHECK (digest ~ '^[0-9a-f]{64}$'),
    expires_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (organization_id, user_id, kind),
    FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id))`
  yield* isolate("account_links")
})
