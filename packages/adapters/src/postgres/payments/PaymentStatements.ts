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

/** Which row of `payments` a row of another table belongs to: their places in their own parameters. */
const owner = { ord: "integer" } as const

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

/** Rows as one JSON parameter: a statement has few parameters however many rows it writes. */
const rowsOf = (parameter: number, columns: Columns, alias: string): string =>
  `jsonb_to_recordset($${parameter}::jsonb) AS ${alias} (${definition(columns)})`

/** Writes the rows that belong to the payments which the statement has written before. */
const insertParts = (table: string, columns: Columns, parameter: number): string =>
  `INSERT INTO ${table} (organization_id, payment_id, ${names(columns)})
    SELECT p.organization_id, p.id, ${names(columns, "r.")}
    FROM ${rowsOf(parameter, { ...owner, ...columns }, "r")} JOIN written p USING (ord)`

/**
 * Begins payments: all that is committed before a byte goes out. A merchantReference that is taken leaves its row out,
 * and all that belongs to it; a key that is taken refuses the statement, so that the group repeats it row by row.
 */
const beginSql = `WITH input AS MATERIALIZED (SELECT * FROM ${rowsOf(1, { ...owner, ...paymentColumns }, "t")}),
  payment AS (
    INSERT INTO payments (${names(paymentColumns)}) SELECT ${names(paymentColumns)} FROM input
      ORDER BY organization_id, client_id, merchant_reference
    ON CONFLICT DO NOTHING RETURNING organization_id, id),
  written AS (SELECT input.ord, payment.* FROM payment JOIN input USING (organization_id, id)),
  attempt AS (${insertParts("payment_attempts", attemptColumns, 2)}),
  event AS (${insertParts("payment_events", eventColumns, 3)}),
  record AS (${insertParts("request_records", recordColumns, 4)} ORDER BY p.organization_id, r.caller, r.key)
  SELECT written.ord IS NOT NULL AS applied FROM input LEFT JOIN written USING (ord) ORDER BY input.ord`

/** Commits what happened to payments: compare-and-set on the version, and what belongs to it only where that held. */
const commitSql = `WITH input AS MATERIALIZED (
    SELECT * FROM ${rowsOf(1, { ...owner, expected: "integer", ...paymentColumns }, "t")}),
  written AS (
    UPDATE payments p SET ${replaceBy(paymentColumns, "i", unchanging)} FROM input i
    WHERE p.organization_id = i.organization_id AND p.id = i.id AND p.version = i.expected
    RETURNING i.ord, p.organization_id, p.id),
  attempt AS (${insertParts("payment_attempts", attemptColumns, 2)}
    ON CONFLICT (organization_id, payment_id, number) DO UPDATE
      SET ${replaceBy(attemptColumns, "excluded", ["number", "provider", "reference", "started_at", "deadline"])}),
  event AS (${insertParts("payment_events", eventColumns, 3)}),
  record AS (${insertParts("request_records", recordColumns, 4)} ORDER BY p.organization_id, r.caller, r.key),
  operation AS (${insertParts("payment_operations", operationColumns, 5)}
    ON CONFLICT (organization_id, payment_id, id) DO UPDATE
      SET ${replaceBy(operationColumns, "excluded", ["id", "type", "amount", "final", "reference", "provider_request", "created_at"])}),
  audit AS (
    INSERT INTO audit_log (organization_id, subject, ${names(auditColumns)})
    SELECT p.organization_id, p.id, ${names(auditColumns, "r.")}
    FROM ${rowsOf(6, { ...owner, ...auditColumns }, "r")} JOIN written p USING (ord))
  SELECT written.ord IS NOT NULL AS applied FROM input LEFT JOIN written USING (ord) ORDER BY input.ord`

/** What is written of one payment, a list for each table. */
export interface Written {
  readonly payment: object
  readonly attempts: ReadonlyArray<object>
  readonly events: ReadonlyArray<object>
  readonly records: ReadonlyArray<object>
  readonly operations: ReadonlyArray<object>
  readonly audit: ReadonlyArray<object>
}

type Statement = (
  items: Array.NonEmptyReadonlyArray<Written>
) => Effect.Effect<ReadonlyArray<boolean>, SqlError.SqlError>

/** The rows of one table, each with the place of its payment; a bigint is text in them. */
const parameter = (items: ReadonlyArray<Written>, rowsFor: (item: Written) => ReadonlyArray<object>): string =>
  JSON.stringify(items.flatMap((item, ord) => rowsFor(item).map((row) => ({ ord, ...row }))))

const commonParameters = (items: ReadonlyArray<Written>): ReadonlyArray<string> => [
  parameter(items, ({ payment }) => [payment]),
  parameter(items, ({ attempts }) => attempts),
  parameter(items, ({ events }) => events),
  parameter(items, ({ records }) => records)
]

const run = (sql: SqlClient.SqlClient, text: string, parameters: ReadonlyArray<string>) =>
  Effect.map(sql.unsafe<{ applied: boolean }>(text, parameters), (rows) => rows.map(({ applied }) => applied))

export const makeBegin =
  (sql: SqlClient.SqlClient): Statement =>
  (items) =>
    run(sql, beginSql, commonParameters(items))

export const makeCommit =
  (sql: SqlClient.SqlClient): Statement =>
  (items) =>
    run(sql, commitSql, [
      ...commonParameters(items),
      parameter(items, ({ operations }) => operations),
      parameter(items, ({ audit }) => audit)
    ])
