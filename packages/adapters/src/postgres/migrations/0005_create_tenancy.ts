import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { createTenantRole, isolate } from "../organizations/rowSecurity.ts"

/** People and departments of organizations, what happened in them, and the answers kept under Idempotency-Keys. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* createTenantRole

  yield* sql`ALTER TABLE organizations
    ADD COLUMN api_keys_may_approve BOOLEAN NOT NULL DEFAULT true,
    ADD COLUMN sole_owner_may_approve BOOLEAN NOT NULL DEFAULT false,
    ADD COLUMN requires_second_factor BOOLEAN NOT NULL DEFAULT false,
    ADD COLUMN allowed_origins TEXT[] NOT NULL DEFAULT '{}',
    ADD COLUMN version INTEGER NOT NULL DEFAULT 1,
    ADD COLUMN updated_at TIMESTAMPTZ NOT NULL DEFAULT now()`
  // Whether it is a sandbox is not among its settings.
  yield* isolate("organizations", {
    key: "id",
    grants: `SELECT, UPDATE (name, base_currency, timezone, verification, strict_signatures, api_keys_may_approve,
      sole_owner_may_approve, requires_second_factor, allowed_origins, version, updated_at)`
  })

  // A person, who may be in several organizations; only the service itself reads this table.
  yield* sql`CREATE TABLE users (
    id TEXT PRIMARY KEY,
    email TEXT NOT NULL UNIQUE CHECK (email = lower(email)),
    name TEXT NOT NULL,
    password_hash TEXT,
    second_factor_sealed TEXT,
    second_factor_last_step BIGINT,
    created_at TIMESTAMPTZ NOT NULL DEFAULT now())`

  yield* sql`CREATE TABLE departments (
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (organization_id, id))`
  yield* sql`CREATE UNIQUE INDEX departments_name ON departments (organization_id, lower(name))`
  yield* isolate("departments")

  yield* sql`CREATE TABLE members (
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    user_id TEXT NOT NULL REFERENCES users (id),
    email TEXT NOT NULL,
    name TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('MEMBER', 'APPROVER', 'ADMIN', 'OWNER', 'AUDITOR')),
    status TEXT NOT NULL CHECK (status IN ('INVITED', 'ACTIVE', 'INACTIVE')),
    department_id TEXT,
    manager_id TEXT,
    version INTEGER NOT NULL DEFAULT 1,
    created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    updated_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, user_id),
    FOREIGN KEY (organization_id, department_id) REFERENCES departments (organization_id, id),
    FOREIGN KEY (organization_id, manager_id) REFERENCES members (organization_id, user_id))`
  yield* sql`CREATE INDEX members_user ON members (user_id)`
  yield* isolate("members", { grants: "SELECT, INSERT, UPDATE" })

  yield* sql`CREATE TABLE events (
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    object_id TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    data JSONB NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, object_id, sequence))`
  yield* isolate("events", { grants: "SELECT, INSERT" })

  yield* sql`CREATE TABLE kept_answers (
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    caller TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    status INTEGER NOT NULL,
    headers JSONB NOT NULL,
    body TEXT,
    expires_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (organization_id, caller, key))`
  yield* sql`CREATE INDEX kept_answers_expiry ON kept_answers USING brin (expires_at)`
  yield* isolate("kept_answers")

  yield* sql`ALTER TABLE audit_log
    ADD COLUMN subject_id TEXT,
    ADD COLUMN before JSONB,
    ADD COLUMN after JSONB,
    ADD COLUMN address TEXT`
  yield* sql`CREATE INDEX audit_log_subject ON audit_log (organization_id, subject, subject_id, id)`
  yield* isolate("audit_log", { grants: "SELECT, INSERT" })

  yield* sql`ALTER TABLE api_keys ADD COLUMN last_used_at TIMESTAMPTZ`
  yield* isolate("api_keys", { grants: "SELECT, INSERT, UPDATE" })
  yield* isolate("payment_clients", { grants: "SELECT, INSERT, UPDATE" })
  yield* isolate("payment_client_secrets", { grants: "SELECT, INSERT, UPDATE" })
})
