import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Organizations, gateway clients, payments and what belongs to them. Every key begins with the organization. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE organizations (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    base_currency CHAR(3) NOT NULL,
    timezone TEXT NOT NULL,
    verification TEXT NOT NULL CHECK (verification IN ('UNVERIFIED', 'PENDING', 'VERIFIED', 'REJECTED')),
    strict_signatures BOOLEAN NOT NULL DEFAULT false,
    is_sandbox BOOLEAN NOT NULL,
    created_at TIMESTAMPTZ NOT NULL DEFAULT now())`

  yield* sql`CREATE TABLE payment_clients (
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    id TEXT NOT NULL UNIQUE,
    created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id))`

  yield* sql`CREATE TABLE payment_client_secrets (
    organization_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    sealed TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    expires_at TIMESTAMPTZ,
    PRIMARY KEY (organization_id, client_id, number),
    FOREIGN KEY (organization_id, client_id) REFERENCES payment_clients (organization_id, id))`

  yield* sql`CREATE TABLE signature_uses (
    organization_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    digest TEXT NOT NULL,
    target TEXT NOT NULL,
    operation TEXT NOT NULL,
    idempotency_key TEXT,
    used_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (organization_id, client_id, digest))`
  yield* sql`CREATE INDEX signature_uses_expiry ON signature_uses USING brin (expires_at)`

  yield* sql`CREATE TABLE request_records (
    organization_id TEXT NOT NULL,
    caller TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    payment_id TEXT NOT NULL,
    operation_id TEXT,
    expires_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (organization_id, caller, key))`
  yield* sql`CREATE INDEX request_records_expiry ON request_records USING brin (expires_at)`

  yield* sql`CREATE TABLE payment_events (
    organization_id TEXT NOT NULL,
    payment_id TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    type TEXT NOT NULL,
    at TIMESTAMPTZ NOT NULL,
    data JSONB NOT NULL,
    PRIMARY KEY (organization_id, payment_id, sequence))`

  // The tables below hold of a payment what is searched, counted or kept unique; all else is in its events.
  yield* sql`CREATE TABLE payments (
    organization_id TEXT NOT NULL,
    id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    merchant_reference TEXT NOT NULL,
    holds_reference BOOLEAN NOT NULL,
    currency TEXT NOT NULL CHECK (currency IN ('USD', 'EUR', 'TRY', 'AED', 'GBP')),
    amount BIGINT NOT NULL CHECK (amount BETWEEN 1 AND 9999999999),
    status TEXT NOT NULL,
    authorization_state TEXT NOT NULL
      CHECK (authorization_state IN ('PENDING', 'REQUIRES_ACTION', 'AUTHORIZED', 'DECLINED', 'FAILED', 'VOIDED')),
    provider TEXT NOT NULL,
    authorized BIGINT NOT NULL,
    captured BIGINT NOT NULL,
    capture_pending BIGINT NOT NULL,
    released BIGINT NOT NULL,
    refunded BIGINT NOT NULL,
    refund_pending BIGINT NOT NULL,
    disputed BIGINT NOT NULL,
    expires_at TIMESTAMPTZ,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (organization_id, id),
    CHECK (authorized IN (0, amount)),
    CHECK (captured >= 0 AND capture_pending >= 0 AND released >= 0 AND refunded >= 0 AND refund_pending >= 0 AND disputed >= 0),
    CHECK (captured + capture_pending + released <= authorized),
    CHECK (refunded + refund_pending <= captured)) WITH (fillfactor = 80)`
  yield* sql`CREATE UNIQUE INDEX payments_merchant_reference ON payments (organization_id, client_id, merchant_reference)
    WHERE holds_reference`

  yield* sql`CREATE TABLE payment_attempts (
    organization_id TEXT NOT NULL,
    payment_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    provider TEXT NOT NULL,
    reference TEXT NOT NULL,
    outcome TEXT NOT NULL
      CHECK (outcome IN ('RUNNING', 'NotSent', 'Refused', 'Accepted', 'ActionRequired', 'Pending', 'Unknown')),
    deadline TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (organization_id, payment_id, number),
    UNIQUE (provider, reference)) WITH (fillfactor = 80)`

  yield* sql`CREATE TABLE payment_operations (
    organization_id TEXT NOT NULL,
    payment_id TEXT NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL CHECK (type IN ('CAPTURE', 'REFUND', 'VOID')),
    amount BIGINT NOT NULL CHECK (amount > 0),
    status TEXT NOT NULL CHECK (status IN ('PENDING', 'SUCCEEDED', 'FAILED')),
    reference TEXT,
    available_from TIMESTAMPTZ,
    deadline TIMESTAMPTZ,
    PRIMARY KEY (organization_id, payment_id, id))`
  yield* sql`CREATE UNIQUE INDEX payment_operations_reference ON payment_operations (organization_id, payment_id, reference)
    WHERE reference IS NOT NULL`
  yield* sql`CREATE UNIQUE INDEX payment_operations_one_at_a_time ON payment_operations (organization_id, payment_id)
    WHERE status = 'PENDING' AND available_from IS NULL`
  yield* sql`CREATE INDEX payment_operations_deferred ON payment_operations (available_from)
    WHERE status = 'PENDING' AND available_from IS NOT NULL`

  yield* sql`CREATE TABLE audit_log (
    organization_id TEXT NOT NULL,
    id BIGINT GENERATED ALWAYS AS IDENTITY,
    at TIMESTAMPTZ NOT NULL,
    actor TEXT NOT NULL,
    request_id TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    detail JSONB NOT NULL,
    PRIMARY KEY (organization_id, id))`

  yield* sql`CREATE TABLE simulator_orders (
    provider TEXT NOT NULL,
    key TEXT NOT NULL,
    value JSONB NOT NULL,
    PRIMARY KEY (provider, key))`
})
