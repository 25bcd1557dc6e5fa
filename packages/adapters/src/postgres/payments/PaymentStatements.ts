import { type Array, Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

/** The columns of `payments` with their types, in the order in which both statements name them. */
const paymentColumns = {
  organization_id: "text",
  id: "text",
  client_id: "text",
  merchant_reference: "text",
  holds_reference: "boolean",
  content_fingerprint: "text",
  livemode: "boolean",
  currency: "text",
  amount: "bigint",
  status: "text",
  authorization_state: "text",
  provider: "text",
  authorized: "bigint",
  captured: "bigint",
  capture_pending: "bigint",
  released: "bigint",
  refunded: "bigint",
  refund_pending: "bigint",
  disputed: "bigint",
  lapsed: "boolean",
  details: "jsonb",
  error: "jsonb",
  expires_at: "timestamptz",
  created_at: "timestamptz",
  updated_at: "timestamptz",
  version: "integer"
} as const

const attemptColumns = {
  number: "integer",
  provider: "text",
  reference: "text",
  outcome: "text",
  provider_reference: "text",
  response_code: "text",
  fields: "jsonb",
  notes: "jsonb",
  detail: "text",
  started_at: "timestamptz",
  deadline: "timestamptz",
  completed_at: "timestamptz"
} as const

const operationColumns = {
  id: "text",
  type: "text",
  amount: "bigint",
  final: "boolean",
  status: "text",
  reference: "text",
  provider_request: "text",
  provider_reference: "text",
  response_code: "text",
  fields: "jsonb",
  available_from: "timestamptz",
  error: "jsonb",
  created_at: "timestamptz",
  deadline: "timestamptz",
  completed_at: "timestamptz"
} as const

const eventColumns = { sequence: "integer", type: "text", at: "timestamptz", data: "jsonb" } as const
const auditColumns = { at: "timestamptz", actor: "text", request_id: "text", action: "text", detail: "jsonb" } as const
const recordColumns = {
  caller: "text",
  key: "text",
  fingerprint: "text",
  operation_id: "text",
  expires_at: "timestamptz"
} as const

type Columns = Readonly<Record<string, string>>

const names = (columns: Columns, table = ""): string =>
  Object.keys(columns)
    .map((column) => `${table}${column}`)
    .join(", ")
const definition = (columns: Columns): string =>
  Object.entries(columns)
    .map(([column, type]) => `${column} ${type}`)
    .join(", ")
const replaceBy = (columns: Columns, source: string, except: ReadonlyArray<string>): string =>
  Object.keys(columns)
    .filter((column) => !except.includes(column))
    .map((column) => `${column} = ${source}.${column}`)
    .join(", ")

/** Never changed once written, so that an update stays within its page (a "HOT" update). */
const unchanging = [
  "organization_id",
  "id",
  "client_id",
  "merchant_reference",
  "content_fingerprint",
  "livemode",
  "currency",
  "amount",
  "details",
  "created_at"
]

/**
 * Begins payments: all that is committed before a byte goes out. A merchantReference that is taken leaves its row out,
 * and all that belongs to it; a key that is taken refuses the statement, so that the group repeats it row by row.
 */
const beginSql = `WITH input AS (
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS t (ord integer, ${definition(paymentColumns)},
      attempt jsonb, event jsonb, audit jsonb, record jsonb)),
  payment AS (
    INSERT INTO payments (${names(paymentColumns)}) SELECT ${names(paymentColumns)} FROM input
      ORDER BY organization_id, client_id, merchant_reference
    ON CONFLICT DO NOTHING RETURNING organization_id, id),
  begun AS (SELECT input.* FROM input JOIN payment USING (organization_id, id)),
  record AS (
    INSERT INTO request_records (organization_id, payment_id, ${names(recordColumns)})
    SELECT b.organization_id, b.id, ${names(recordColumns, "r.")}
    FROM begun b, jsonb_to_record(b.record) AS r (${definition(recordColumns)}) ORDER BY b.organization_id, r.caller, r.key),
  attempt AS (
    INSERT INTO payment_attempts (organization_id, payment_id, ${names(attemptColumns)})
    SELECT b.organization_id, b.id, ${names(attemptColumns, "a.")}
    FROM begun b, jsonb_to_recordset(b.attempt) AS a (${definition(attemptColumns)})),
  event AS (
    INSERT INTO payment_events (organization_id, payment_id, ${names(eventColumns)})
    SELECT b.organization_id, b.id, ${names(eventColumns, "e.")}
    FROM begun b, jsonb_to_record(b.event) AS e (${definition(eventColumns)})),
  audit AS (
    INSERT INTO audit_log (organization_id, subject, ${names(auditColumns)})
    SELECT b.organization_id, b.id, ${names(auditColumns, "a.")}
    FROM begun b, jsonb_to_record(b.audit) AS a (${definition(auditColumns)}))
  SELECT payment.id IS NOT NULL AS applied FROM input LEFT JOIN payment USING (organization_id, id) ORDER BY input.ord`

/** Commits what happened to payments: compare-and-set on the version, and what belongs to it only where that held. */
const commitSql = `WITH input AS (
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS t (ord integer, expected integer, ${definition(paymentColumns)},
      attempts jsonb, operations jsonb, events jsonb, audit jsonb, record jsonb)),
  payment AS (
    UPDATE payments p SET ${replaceBy(paymentColumns, "i", unchanging)} FROM input i
    WHERE p.organization_id = i.organization_id AND p.id = i.id AND p.version = i.expected RETURNING i.ord),
  changed AS (SELECT input.* FROM input JOIN payment USING (ord)),
  attempt AS (
    INSERT INTO payment_attempts (organization_id, payment_id, ${names(attemptColumns)})
    SELECT c.organization_id, c.id, ${names(attemptColumns, "a.")}
    FROM changed c, jsonb_to_recordset(c.attempts) AS a (${definition(attemptColumns)})
    ON CONFLICT (organization_id, payment_id, number) DO UPDATE
      SET ${replaceBy(attemptColumns, "excluded", ["number", "provider", "reference", "started_at", "deadline"])}),
  operation AS (
    INSERT INTO payment_operations (organization_id, payment_id, ${names(operationColumns)})
    SELECT c.organization_id, c.id, ${names(operationColumns, "o.")}
    FROM changed c, jsonb_to_recordset(c.operations) AS o (${definition(operationColumns)})
    ON CONFLICT (organization_id, payment_id, id) DO UPDATE
      SET ${replaceBy(operationColumns, "excluded", ["id", "type", "amount", "final", "reference", "provider_request", "created_at"])}),
  event AS (
    INSERT INTO payment_events (organization_id, payment_id, ${names(eventColumns)})
    SELECT c.organization_id, c.id, ${names(eventColumns, "e.")}
    FROM changed c, jsonb_to_recordset(c.events) AS e (${definition(eventColumns)})),
  audit AS (
    INSERT INTO audit_log (organization_id, subject, ${names(auditColumns)})
    SELECT c.organization_id, c.id, ${names(auditColumns, "a.")}
    FROM changed c, jsonb_to_recordset(c.audit) AS a (${definition(auditColumns)})),
  record AS (
    INSERT INTO request_records (organization_id, payment_id, ${names(recordColumns)})
    SELECT c.organization_id, c.id, ${names(recordColumns, "r.")}
    FROM changed c, jsonb_to_record(c.record) AS r (${definition(recordColumns)}) WHERE c.record IS NOT NULL AND c.record <> 'null')
  SELECT payment.ord IS NOT NULL AS applied FROM input LEFT JOIN payment USING (ord) ORDER BY input.ord`

type Statement = (
  items: Array.NonEmptyReadonlyArray<object>
) => Effect.Effect<ReadonlyArray<boolean>, SqlError.SqlError>

/** One statement for all items: they go as one JSON parameter, in which a bigint is text. */
const run =
  (sql: SqlClient.SqlClient, text: string): Statement =>
  (items) => {
    const rows = JSON.stringify(items.map((item, ord) => ({ ord, ...item })))
    return Effect.map(sql.unsafe<{ applied: boolean }>(text, [rows]), (results) =>
      results.map(({ applied }) => applied)
    )
  }

export const makeBegin = (sql: SqlClient.SqlClient): Statement => run(sql, beginSql)
export const makeCommit = (sql: SqlClient.SqlClient): Statement => run(sql, commitSql)
