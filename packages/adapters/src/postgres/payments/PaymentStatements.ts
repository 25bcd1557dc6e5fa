import { type Array, Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { type Columns, names, owner, replaceBy, rowParameters, rowsFrom } from "../RowParameters.ts"

/** Never changed once written, so that an update stays within its page (a "HOT" update). */
const fixedColumns = {
  organization_id: "text",
  id: "text",
  client_id: "text",
  merchant_reference: "text",
  currency: "text",
  amount: "bigint",
  created_at: "timestamptz"
} as const

const changingColumns = {
  holds_reference: "boolean",
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
  expires_at: "timestamptz",
  updated_at: "timestamptz",
  version: "integer"
} as const

const attemptColumns = {
  number: "integer",
  provider: "text",
  reference: "text",
  outcome: "text",
  deadline: "timestamptz"
} as const

const operationColumns = {
  id: "text",
  type: "text",
  amount: "bigint",
  status: "text",
  reference: "text",
  available_from: "timestamptz",
  deadline: "timestamptz"
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

const followUpColumns = {
  provider: "text",
  kind: "text",
  due_at: "timestamptz",
  tries: "integer",
  needs_review: "boolean"
} as const

type Row = Readonly<Record<string, unknown>>

/** What is written of one payment, a list for each table. */
export interface Written {
  readonly payment: Row
  readonly attempts: ReadonlyArray<Row>
  readonly events: ReadonlyArray<Row>
  readonly records: ReadonlyArray<Row>
  readonly operations: ReadonlyArray<Row>
  readonly audit: ReadonlyArray<Row>
  readonly followUps: ReadonlyArray<Row>
}

/** A table that a statement writes: its columns, and which rows of an item go there. */
interface Part {
  readonly columns: Columns
  readonly rows: (item: Written) => ReadonlyArray<Row>
}

const begunPayment: Part = {
  columns: { ...owner, ...fixedColumns, ...changingColumns },
  rows: ({ payment }) => [payment]
}
const changedPayment: Part = {
  columns: { ...owner, organization_id: "text", id: "text", expected: "integer", ...changingColumns },
  rows: ({ payment }) => [payment]
}
const attempts: Part = { columns: { ...owner, ...attemptColumns }, rows: (item) => item.attempts }
const events: Part = { columns: { ...owner, ...eventColumns }, rows: (item) => item.events }
const records: Part = { columns: { ...owner, ...recordColumns }, rows: (item) => item.records }
const operations: Part = { columns: { ...owner, ...operationColumns }, rows: (item) => item.operations }
const audit: Part = { columns: { ...owner, ...auditColumns }, rows: (item) => item.audit }

const beginParts = [begunPayment, attempts, events, records]
const commitParts = [changedPayment, attempts, events, records, operations, audit]
const followUps: Part = { columns: { ...owner, ...followUpColumns }, rows: (item) => item.followUps }
const followedParts = [...commitParts, followUps]

/** Where the parameters of a part begin. */
const firstOf = (parts: ReadonlyArray<Part>, part: Part): number =>
  parts.slice(0, parts.indexOf(part)).reduce((sum, { columns }) => sum + Object.keys(columns).length, 1)

const source = (parts: ReadonlyArray<Part>, part: Part, alias: string) =>
  rowsFrom(part.columns, firstOf(parts, part), alias)

/** Writes the rows that belong to the payments which the statement has written before. */
const insert = (
  parts: ReadonlyArray<Part>,
  part: Part,
  table: string,
  columns: Columns,
  payment = "payment_id"
): string =>
  `INSERT INTO ${table} (organization_id, ${payment}, ${names(columns)})
    SELECT p.organization_id, p.id, ${names(columns, "r.")} FROM ${source(parts, part, "r")} JOIN written p USING (ord)`

/**
 * Begins payments: all that is committed before a byte goes out. A merchantReference that is taken leaves its row out,
 * and all that belongs to it; a key that is taken refuses the statement, so that the group repeats it row by row.
 */
const beginSql = `WITH input AS MATERIALIZED (SELECT * FROM ${source(beginParts, begunPayment, "t")}),
  payment AS (
    INSERT INTO payments (${names({ ...fixedColumns, ...changingColumns })})
    SELECT ${names({ ...fixedColumns, ...changingColumns })} FROM input
      ORDER BY organization_id, client_id, merchant_reference
    ON CONFLICT DO NOTHING RETURNING organization_id, id),
  written AS (SELECT input.ord, payment.* FROM payment JOIN input USING (organization_id, id)),
  attempt AS (${insert(beginParts, attempts, "payment_attempts", attemptColumns)}),
  event AS (${insert(beginParts, events, "payment_events", eventColumns)}),
  record AS (${insert(beginParts, records, "request_records", recordColumns)} ORDER BY p.organization_id, r.caller, r.key)
  SELECT written.ord IS NOT NULL AS applied FROM input LEFT JOIN written USING (ord) ORDER BY input.ord`

/** When to look at the payment again; who holds it now no longer does, for it has changed. */
const followUpStep = `,
  follow_up AS (${insert(followedParts, followUps, "payment_followups", followUpColumns)}
    ON CONFLICT (organization_id, payment_id) DO UPDATE SET ${replaceBy(followUpColumns, "excluded")}, lease_until = NULL)`

/** Commits what happened to payments: compare-and-set on the version, and what belongs to it only where that held. */
const commitSqlWith = (
  followUp: string
) => `WITH input AS MATERIALIZED (SELECT * FROM ${source(commitParts, changedPayment, "t")}),
  written AS (
    UPDATE payments p SET ${replaceBy(changingColumns, "i")} FROM input i
    WHERE p.organization_id = i.organization_id AND p.id = i.id AND p.version = i.expected
    RETURNING i.ord, p.organization_id, p.id),
  attempt AS (${insert(commitParts, attempts, "payment_attempts", attemptColumns)}
    ON CONFLICT (organization_id, payment_id, number) DO UPDATE SET outcome = excluded.outcome, deadline = excluded.deadline),
  event AS (${insert(commitParts, events, "payment_events", eventColumns)}),
  record AS (${insert(commitParts, records, "request_records", recordColumns)} ORDER BY p.organization_id, r.caller, r.key),
  operation AS (${insert(commitParts, operations, "payment_operations", operationColumns)}
    ON CONFLICT (organization_id, payment_id, id) DO UPDATE
      SET status = excluded.status, available_from = excluded.available_from, deadline = excluded.deadline),
  audit AS (${insert(commitParts, audit, "audit_log", auditColumns, "subject")})${followUp}
  SELECT written.ord IS NOT NULL AS applied FROM input LEFT JOIN written USING (ord) ORDER BY input.ord`

type Statement = (
  items: Array.NonEmptyReadonlyArray<Written>
) => Effect.Effect<ReadonlyArray<boolean>, SqlError.SqlError>

const run =
  (sql: SqlClient.SqlClient, text: string, parts: ReadonlyArray<Part>): Statement =>
  (items) => {
    const parameters = parts.flatMap(({ columns, rows }) =>
      rowParameters(
        columns,
        items.flatMap((item, ord) => rows(item).map((row) => ({ ...row, ord })))
      )
    )
    return Effect.map(sql.unsafe<{ applied: boolean }>(text, parameters), (results) =>
      results.map(({ applied }) => applied)
    )
  }

export const makeBegin = (sql: SqlClient.SqlClient): Statement => run(sql, beginSql, beginParts)
export const makeCommit = (sql: SqlClient.SqlClient): Statement => run(sql, commitSqlWith(""), commitParts)
/** The same for payments that are to be looked at again. */
export const makeCommitWithFollowUp = (sql: SqlClient.SqlClient): Statement =>
  run(sql, commitSqlWith(followUpStep), followedParts)
