import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { isolate } from "../organizations/rowSecurity.ts"

/** Cards: one row each, and one for each payment with it. Of a card's number no more than the last four digits. */
const createCards = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE cards (
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    id TEXT NOT NULL,
    version INTEGER NOT NULL CHECK (version > 0),
    status TEXT NOT NULL CHECK (status IN ('ACTIVE', 'FROZEN', 'CLOSED')),
    user_id TEXT NOT NULL,
    name TEXT NOT NULL,
    brand TEXT NOT NULL CHECK (brand IN ('VISA', 'MASTERCARD')),
    last4 TEXT NOT NULL CHECK (last4 ~ '^[0-9]{4}$'),
    currency CHAR(3) NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    limit_per_transaction BIGINT CHECK (limit_per_transaction > 0),
    limit_per_day BIGINT CHECK (limit_per_day > 0),
    limit_per_month BIGINT CHECK (limit_per_month > 0),
    limit_total BIGINT CHECK (limit_total > 0),
    allowed_merchants TEXT[] NOT NULL,
    blocked_mccs TEXT[] NOT NULL,
    blocked_categories TEXT[] NOT NULL,
    valid_from DATE NOT NULL,
    valid_until DATE CHECK (valid_until >= valid_from),
    auto_lock_days INTEGER CHECK (auto_lock_days > 0),
    frozen_reason TEXT,
    frozen_at TIMESTAMPTZ,
    closed_at TIMESTAMPTZ,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (organization_id, id),
    CHECK ((status = 'FROZEN') = (frozen_at IS NOT NULL)),
    CHECK ((status = 'FROZEN') = (frozen_reason IS NOT NULL)),
    CHECK ((status = 'CLOSED') = (closed_at IS NOT NULL)),
    FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id))`
  yield* sql`CREATE INDEX cards_holder ON cards (organization_id, user_id, id)`
  yield* sql`CREATE INDEX cards_status ON cards (organization_id, status, id)`
  yield* isolate("cards")

  yield* sql`CREATE TABLE card_transactions (
    organization_id TEXT NOT NULL,
    id TEXT NOT NULL,
    version INTEGER NOT NULL CHECK (version > 0),
    card_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('PENDING', 'CLEARED', 'DECLINED', 'REVERSED')),
    -- The processor's: asked for once more, it gets the first decision.
    authorization_id TEXT NOT NULL,
    currency CHAR(3) NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    amount BIGINT NOT NULL CHECK (amount > 0),
    billed_currency CHAR(3) NOT NULL CHECK (billed_currency ~ '^[A-Z]{3}$'),
    billed_minor BIGINT NOT NULL CHECK (billed_minor >= 0),
    base_currency CHAR(3),
    base_minor BIGINT CHECK (base_minor >= 0),
    merchant TEXT NOT NULL,
    mcc TEXT NOT NULL CHECK (mcc ~ '^[0-9]{4}$'),
    category TEXT,
    decline_reason TEXT CHECK (decline_reason IN ('CARD_FROZEN', 'CARD_CLOSED', 'CARD_NOT_VALID',
      'LIMIT_PER_TRANSACTION', 'LIMIT_PER_DAY', 'LIMIT_PER_MONTH', 'LIMIT_TOTAL', 'MERCHANT_NOT_ALLOWED',
      'CATEGORY_BLOCKED')),
    at TIMESTAMPTZ NOT NULL,
    cleared_at TIMESTAMPTZ,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, card_id, authorization_id),
    CHECK ((base_minor IS NULL) = (base_currency IS NULL)),
    CHECK ((status = 'DECLINED') = (decline_reason IS NOT NULL)),
    CHECK (status <> 'CLEARED' OR cleared_at IS NOT NULL),
    FOREIGN KEY (organization_id, card_id) REFERENCES cards (organization_id, id))`
  // Each filter that leaves few rows has an index in the order of the list.
  yield* sql`CREATE INDEX card_transactions_card ON card_transactions (organization_id, card_id, id)`
  yield* sql`CREATE INDEX card_transactions_holder ON card_transactions (organization_id, user_id, id)`
  yield* sql`CREATE INDEX card_transactions_status ON card_transactions (organization_id, status, id)`
  yield* sql`CREATE INDEX card_transactions_category ON card_transactions (organization_id, category, id)`
  yield* sql`CREATE INDEX card_transactions_at ON card_transactions (organization_id, at)`
  // What a card has spent is read from the index alone.
  yield* sql`CREATE INDEX card_transactions_spend ON card_transactions (organization_id, card_id, at)
    INCLUDE (billed_minor) WHERE status IN ('PENDING', 'CLEARED')`
  yield* isolate("card_transactions")

  yield* sql`CREATE INDEX expenses_card_transaction ON expenses (organization_id, card_transaction_id, id)
    WHERE card_transaction_id IS NOT NULL`
})

const createVendors = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE vendors (
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    id TEXT NOT NULL,
    version INTEGER NOT NULL CHECK (version > 0),
    status TEXT NOT NULL CHECK (status IN ('ACTIVE', 'ON_HOLD', 'INACTIVE')),
    name TEXT NOT NULL,
    legal_name TEXT NOT NULL,
    country CHAR(2) NOT NULL CHECK (country ~ '^[A-Z]{2}$'),
    category TEXT NOT NULL,
    contacts JSONB NOT NULL,
    -- Sealed: the account as a JSON object. What people are shown of it stands beside it.
    bank_account TEXT CHECK (bank_account LIKE 'v1.%'),
    bank_last4 TEXT CHECK (length(bank_last4) = 4),
    bank_country CHAR(2),
    bank_currency CHAR(3),
    risk_score INTEGER NOT NULL CHECK (risk_score BETWEEN 0 AND 100),
    risk_factors JSONB NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (organization_id, id),
    CHECK (num_nulls(bank_account, bank_last4, bank_country, bank_currency) IN (0, 4)))`
  yield* sql`CREATE INDEX vendors_status ON vendors (organization_id, status, id)`
  yield* sql`CREATE INDEX vendors_category ON vendors (organization_id, category, id)`
  yield* sql`CREATE INDEX vendors_risk ON vendors (organization_id, risk_score)`
  yield* isolate("vendors")

  yield* sql`CREATE TABLE vendor_contracts (
    organization_id TEXT NOT NULL,
    vendor_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    title TEXT NOT NULL,
    starts_on DATE NOT NULL,
    ends_on DATE CHECK (ends_on >= starts_on),
    renews_on DATE CHECK (renews_on >= starts_on),
    notice_days INTEGER CHECK (notice_days >= 0),
    currency CHAR(3) NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    annual_minor BIGINT CHECK (annual_minor >= 0),
    PRIMARY KEY (organization_id, vendor_id, number),
    FOREIGN KEY (organization_id, vendor_id) REFERENCES vendors (organization_id, id))`
  yield* sql`CREATE INDEX vendor_contracts_renewal ON vendor_contracts (organization_id, renews_on, vendor_id)
    WHERE renews_on IS NOT NULL`
  yield* isolate("vendor_contracts")
})

const createBills = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE bills (
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    id TEXT NOT NULL,
    version INTEGER NOT NULL CHECK (version > 0),
    status TEXT NOT NULL CHECK (status IN ('RECEIVED', 'APPROVED', 'SCHEDULED', 'PAID', 'REJECTED', 'CANCELLED')),
    vendor_id TEXT NOT NULL,
    number TEXT NOT NULL,
    issue_date DATE NOT NULL,
    due_date DATE NOT NULL,
    currency CHAR(3) NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    total BIGINT NOT NULL CHECK (total > 0),
    tax BIGINT NOT NULL CHECK (tax BETWEEN 0 AND total),
    base_currency CHAR(3),
    base_minor BIGINT CHECK (base_minor >= 0),
    lines JSONB NOT NULL,
    category TEXT,
    department_id TEXT,
    purchase_order TEXT,
    entered_by TEXT NOT NULL,
    approved_by TEXT,
    approved_at TIMESTAMPTZ,
    rejection_reason TEXT,
    scheduled_for DATE,
    paid_at TIMESTAMPTZ,
    digest TEXT CHECK (digest ~ '^[0-9a-f]{64}$'),
    duplicates JSONB NOT NULL,
    match JSONB,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (organization_id, id),
    CHECK ((base_minor IS NULL) = (base_currency IS NULL)),
    CHECK (status NOT IN ('APPROVED', 'SCHEDULED', 'PAID') OR num_nulls(approved_by, approved_at, digest) = 0),
    CHECK (status <> 'SCHEDULED' OR scheduled_for IS NOT NULL),
    CHECK ((status = 'PAID') = (paid_at IS NOT NULL)),
    CHECK ((status = 'REJECTED') = (rejection_reason IS NOT NULL)),
    FOREIGN KEY (organization_id, vendor_id) REFERENCES vendors (organization_id, id),
    FOREIGN KEY (organization_id, department_id) REFERENCES departments (organization_id, id))`
  yield* sql`CREATE INDEX bills_status ON bills (organization_id, status, id)`
  yield* sql`CREATE INDEX bills_vendor ON bills (organization_id, vendor_id, id)`
  yield* sql`CREATE INDEX bills_due ON bills (organization_id, due_date)`
  // What vendors were given in a year is read from the index alone.
  yield* sql`CREATE INDEX bills_spend ON bills (organization_id, issue_date) INCLUDE (vendor_id, base_minor, base_currency)
    WHERE status IN ('APPROVED', 'SCHEDULED', 'PAID')`
  yield* isolate("bills")
})

/** Cards, their transactions, vendors with their contracts, and bills: one row each, as it is now. */
export default Effect.all([createCards, createVendors, createBills], { discard: true })
