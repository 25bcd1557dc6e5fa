import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { isolate } from "../organizations/rowSecurity.ts"

/** Policies as they are now, and every version that they ever had, which nothing changes or deletes. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE policies (
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    id TEXT NOT NULL,
    version INTEGER NOT NULL CHECK (version > 0),
    name TEXT NOT NULL,
    scope TEXT NOT NULL CHECK (scope IN ('expense', 'card', 'bill', 'purchase_request')),
    enforcement TEXT NOT NULL CHECK (enforcement IN ('BLOCK', 'REQUIRE_APPROVAL', 'WARN')),
    message TEXT,
    conditions JSONB NOT NULL,
    approval_steps JSONB NOT NULL,
    active BOOLEAN NOT NULL,
    deleted BOOLEAN NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (organization_id, id),
    CHECK (NOT (deleted AND active)),
    CHECK (enforcement = 'REQUIRE_APPROVAL' OR approval_steps = '[]'))`
  yield* sql`CREATE INDEX policies_applied ON policies (organization_id, scope) WHERE active`
  yield* isolate("policies", { grants: "SELECT, INSERT, UPDATE" })

  yield* sql`CREATE TABLE policy_versions (
    LIKE policies INCLUDING CONSTRAINTS,
    changed_by TEXT NOT NULL,
    PRIMARY KEY (organization_id, id, version),
    FOREIGN KEY (organization_id, id) REFERENCES policies (organization_id, id))`
  yield* isolate("policy_versions", { grants: "SELECT, INSERT" })
})
