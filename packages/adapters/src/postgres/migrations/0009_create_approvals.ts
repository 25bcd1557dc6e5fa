import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { isolate } from "../organizations/rowSecurity.ts"

/** Approvals with what was decided in their steps, and who decides for whom. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE approvals (
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    id TEXT NOT NULL,
    version INTEGER NOT NULL CHECK (version > 0),
    subject_type TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    subject_version INTEGER NOT NULL,
    concerned TEXT[] NOT NULL,
    submitter_id TEXT,
    opened_by TEXT NOT NULL,
    summary TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('OPEN', 'APPROVED', 'REJECTED', 'CANCELLED')),
    steps JSONB NOT NULL CHECK (jsonb_array_length(steps) > 0),
    step INTEGER NOT NULL CHECK (step >= 0 AND step < jsonb_array_length(steps)),
    due_at TIMESTAMPTZ NOT NULL,
    escalated_at TIMESTAMPTZ,
    opened_at TIMESTAMPTZ NOT NULL,
    ended_at TIMESTAMPTZ,
    updated_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (organization_id, id),
    CHECK ((status = 'OPEN') = (ended_at IS NULL)))`
  yield* sql`CREATE UNIQUE INDEX approvals_open ON approvals (organization_id, subject_type, subject_id)
    WHERE status = 'OPEN'`
  yield* sql`CREATE INDEX approvals_subject ON approvals (organization_id, subject_id, id)`
  yield* sql`CREATE INDEX approvals_due ON approvals (due_at) WHERE status = 'OPEN' AND escalated_at IS NULL`
  yield* isolate("approvals", { grants: "SELECT, INSERT, UPDATE" })

  yield* sql`CREATE TABLE approval_decisions (
    organization_id TEXT NOT NULL,
    approval_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    step INTEGER NOT NULL,
    decided_by TEXT NOT NULL,
    persons TEXT[] NOT NULL,
    on_behalf_of TEXT,
    places INTEGER[] NOT NULL,
    is_sole_owner BOOLEAN NOT NULL,
    decision TEXT NOT NULL CHECK (decision IN ('approve', 'reject')),
    reason TEXT,
    decided_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (organization_id, approval_id, number),
    UNIQUE (organization_id, approval_id, step, decided_by),
    FOREIGN KEY (organization_id, approval_id) REFERENCES approvals (organization_id, id))`
  yield* sql`CREATE INDEX approval_decisions_by ON approval_decisions (organization_id, decided_by)`
  yield* isolate("approval_decisions", { grants: "SELECT, INSERT" })

  yield* sql`CREATE TABLE approval_delegations (
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    id TEXT NOT NULL,
    from_user_id TEXT NOT NULL,
    to_user_id TEXT NOT NULL,
    starts_at TIMESTAMPTZ NOT NULL,
    ends_at TIMESTAMPTZ NOT NULL,
    ended_at TIMESTAMPTZ,
    reason TEXT,
    created_by TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (organization_id, id),
    CHECK (from_user_id <> to_user_id),
    CHECK (starts_at < ends_at AND ends_at <= starts_at + interval '90 days'),
    FOREIGN KEY (organization_id, from_user_id) REFERENCES members (organization_id, user_id),
    FOREIGN KEY (organization_id, to_user_id) REFERENCES members (organization_id, user_id))`
  yield* sql`CREATE INDEX approval_delegations_from ON approval_delegations (organization_id, from_user_id, ends_at)`
  yield* sql`CREATE INDEX approval_delegations_to ON approval_delegations (organization_id, to_user_id, ends_at)`
  yield* isolate("approval_delegations", { grants: "SELECT, INSERT, UPDATE" })
})
