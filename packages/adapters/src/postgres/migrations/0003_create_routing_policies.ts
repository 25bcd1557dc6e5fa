import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Every version of each organization's routing policy, and the keys to the expense side. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE routing_policies (
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    version INTEGER NOT NULL CHECK (version > 0),
    rules JSONB NOT NULL,
    changed_by TEXT NOT NULL,
    changed_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (organization_id, version))`

  // A key is 256 random bits, so its plain digest cannot be turned back; nothing else of it is kept.
  yield* sql`CREATE TABLE api_keys (
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    id TEXT NOT NULL,
    digest TEXT NOT NULL UNIQUE CHECK (digest ~ '^[0-9a-f]{64}$'),
    role TEXT NOT NULL CHECK (role IN ('MEMBER', 'APPROVER', 'ADMIN', 'OWNER', 'AUDITOR')),
    livemode BOOLEAN NOT NULL,
    created_by TEXT,
    created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    expires_at TIMESTAMPTZ,
    revoked_at TIMESTAMPTZ,
    PRIMARY KEY (organization_id, id))`
})
