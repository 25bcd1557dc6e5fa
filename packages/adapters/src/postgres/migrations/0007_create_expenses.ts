import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { isolate } from "../organizations/rowSecurity.ts"

/** Expenses: one row each, as it is now. What was before is in the audit trail. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE expenses (
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    id TEXT NOT NULL,
    version INTEGER NOT NULL CHECK (version > 0),
    status TEXT NOT NULL CHECK (status IN ('DRAFT', 'PENDING', 'APPROVED', 'REJECTED', 'REIMBURSED')),
    currency TEXT NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    amount BIGINT NOT NULL CHECK (amount > 0),
    merchant TEXT NOT NULL,
    category TEXT,
    description TEXT,
    date DATE NOT NULL,
    receipt_url TEXT,
    department_id TEXT,
    card_transaction_id TEXT,
    user_id TEXT,
    created_by TEXT NOT NULL,
    creators TEXT[] NOT NULL,
    submitters TEXT[] NOT NULL,
    submitted_by TEXT,
    base_minor BIGINT CHECK (base_minor >= 0),
    base_currency TEXT,
    base_rate TEXT,
    base_rate_date DATE,
    frozen_rates JSONB,
    violations JSONB NOT NULL,
    duplicates JSONB NOT NULL,
    approval_id TEXT,
    deciders TEXT[],
    submitted_at TIMESTAMPTZ,
    decided_at TIMESTAMPTZ,
    decided_by TEXT,
    rejection_reason TEXT,
    reimbursed_at TIMESTAMPTZ,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (organization_id, id),
    CHECK ((base_minor IS NULL) = (base_currency IS NULL)),
    CHECK ((status IN ('APPROVED', 'REJECTED', 'REIMBURSED')) = (decided_at IS NOT NULL)),
    CHECK (status = 'DRAFT' OR submitted_at IS NOT NULL),
    FOREIGN KEY (organization_id, department_id) REFERENCES departments (organization_id, id),
    FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id)) WITH (fillfactor = 85)`
  // Each filter that leaves few rows has an index in the order of the list.
  yield* sql`CREATE INDEX expenses_status ON expenses (organization_id, status, id)`
  yield* sql`CREATE INDEX expenses_category ON expenses (organization_id, category, id)`
  yield* sql`CREATE INDEX expenses_owner ON expenses (organization_id, user_id, id)`
  yield* sql`CREATE INDEX expenses_creator ON expenses (organization_id, created_by, id)`
  yield* sql`CREATE INDEX expenses_date ON expenses (organization_id, date)`
  // What a person has spent in a period is read from the index alone.
  yield* sql`CREATE INDEX expenses_person ON expenses (organization_id, user_id, date) INCLUDE (id, base_minor)
    WHERE status IN ('PENDING', 'APPROVED', 'REIMBURSED')`
  yield* sql`CREATE INDEX expenses_similar ON expenses (organization_id, user_id, date, currency, amount)`
  yield* isolate("expenses")
})
