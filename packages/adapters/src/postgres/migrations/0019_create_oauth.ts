import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { isolate } from "../organizations/rowSecurity.ts"

/** What the authorization server keeps: clients, grants, codes and tokens, and the connections of organizations. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Found before it is known who asks, by the service itself: it is in no organization's rows.
  yield* sql`CREATE TABLE oauth_artifact (
    model TEXT NOT NULL,
    -- Of what opens something by itself, the SHA-256 of the id.
    id TEXT NOT NULL,
    grant_id TEXT,
    uid TEXT,
    payload JSONB NOT NULL,
    created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    expires_at TIMESTAMPTZ,
    consumed_at TIMESTAMPTZ,
    PRIMARY KEY (model, id)) WITH (fillfactor = 85)`
  yield* sql`CREATE INDEX oauth_artifact_grant ON oauth_artifact (grant_id) WHERE grant_id IS NOT NULL`
  yield* sql`CREATE INDEX oauth_artifact_uid ON oauth_artifact (model, uid) WHERE uid IS NOT NULL`
  yield* sql`CREATE INDEX oauth_artifact_expiry ON oauth_artifact (expires_at) WHERE expires_at IS NOT NULL`
  yield* sql`CREATE INDEX oauth_artifact_client ON oauth_artifact ((payload->>'clientId')) WHERE model = 'Grant'`
  yield* sql`CREATE INDEX oauth_artifact_age ON oauth_artifact (created_at) WHERE model = 'Client'`

  yield* sql`CREATE TABLE oauth_signing_keys (
    id TEXT PRIMARY KEY,
    sealed TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL DEFAULT now())`

  yield* sql`CREATE TABLE mcp_connection (
    organization_id TEXT NOT NULL,
    id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    grant_id TEXT NOT NULL UNIQUE,
    client_id TEXT NOT NULL,
    client_name TEXT NOT NULL,
    redirect_host TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    last_used_at TIMESTAMPTZ,
    revoked_at TIMESTAMPTZ,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id))`
  yield* sql`CREATE INDEX mcp_connection_user ON mcp_connection (organization_id, user_id, id)`
  yield* sql`CREATE INDEX mcp_connection_client ON mcp_connection (client_id)`
  yield* isolate("mcp_connection", { grants: "SELECT, INSERT, UPDATE" })
})
