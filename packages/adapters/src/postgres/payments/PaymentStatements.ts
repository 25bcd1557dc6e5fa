import type { PgTypes } from "@effect/sql-pg"
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

/** Beside the event that an entry of the audit trail tells of. */
const auditColumns = { actor: "text", request_id: "text", detail: "jsonb" } as const

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

/** What is written when a payment begins: a row of each table. */
export interface BegunRows {
  readonly payment: Row
  readonly attempt: Row
  readonly event: Row
  readonly record: Row
}

/** What is written of a payment that something happened to, a list for each table. */
export interface ChangedRows {
  readonly payment: Row
  readonly attempts: ReadonlyArray<Row>
  /** Each with its entry of the audit trail. */
  readonly events: ReadonlyArray<Row>
  readonly records: ReadonlyArray<Row>
  readonly operations: ReadonlyArray<Row>
  readonly followUps: ReadonlyArray<Row>
}

/** Columns of tables that share a row of parameters, told apart by the table's name: `event_at`. */
const prefixed = (columns: Columns, prefix: string): Columns =>
  Object.fromEntries(Object.entries(columns).map(([name, type]) => [`${prefix}_${name}`, type]))

const paymentColumns = { ...fixedColumns, ...changingColumns } as const

/** In the order of `begunColumns`. */
const begunTables: ReadonlyArray<readonly [Columns, keyof BegunRows]> = [
  [paymentColumns, "payment"],
  [attemptColumns, "attempt"],
  [eventColumns, "event"],
  [recordColumns, "record"]
]

const begunColumns: Columns = {
  ...owner,
  ...paymentColumns,
  ...prefixed(attemptColumns, "attempt"),
  ...prefixed(eventColumns, "event"),
  ...prefixed(recordColumns, "record")
}

/** Writes a table's part of the payments that were begun. */
const insertBegun = (table: string, columns: Columns, prefix: string) =>
  `INSERT INTO ${table} (organization_id, payment_id, ${names(columns)})
    SELECT organization_id, id, ${names(prefixed(columns, prefix))} FROM written`

/**
 * Begins payments: all that is committed before a byte goes out. A merchantReference that is taken leaves its row out,
 * and all that belongs to it; a key that is taken refuses the statement, so that the group repeats it row by row.
 */
const beginSql = `WITH input AS MATERIALIZED (SELECT * FROM ${rowsFrom(begunColumns, 1, "t")}),
  payment AS (
    INSERT INTO payments (${names(paymentColumns)})
    SELECT ${names(paymentColumns)} FROM input
      ORDER BY organization_id, client_id, merchant_reference
    ON CONFLICT DO NOTHING RETURNING organization_id, id),
  written AS MATERIALIZED (SELECT input.* FROM payment JOIN input USING (organization_id, id)),
  attempt AS (${insertBegun("payment_attempts", attemptColumns, "attempt")}),
  event AS (${insertBegun("payment_events", eventColumns, "event")}),
  record AS (${insertBegun("request_records", recordColumns, "record")} ORDER BY organization_id, record_caller, record_key)
  SELECT written.ord IS NOT NULL AS applied FROM input LEFT JOIN written USING (ord) ORDER BY input.ord`

/** A table that a statement writes: its columns, and which rows of an item go there. */
interface Part {
  readonly columns: Columns
  readonly rows: (item: ChangedRows) => ReadonlyArray<Row>
}

const changedPayment: Part = {
  columns: { organization_id: "text", id: "text", expected: "integer", ...changingColumns },
  rows: ({ payment }) => [payment]
}
const attempts: Part = { columns: attemptColumns, rows: (item) => item.attempts }
const events: Part = { columns: { ...eventColumns, ...auditColumns }, rows: (item) => item.events }
const records: Part = { columns: recordColumns, rows: (item) => item.records }
const operations: Part = { columns: operationColumns, rows: (item) => item.operations }

const commitParts = [changedPayment, attempts, events, records, operations]
const followUps: Part = { columns: followUpColumns, rows: (item) => item.followUps }
const followedParts = [...commitParts, followUps]

/** With the place of the item that a row belongs to. */
const ownedColumns = ({ columns }: Part): Columns => ({ ...owner, ...columns })

/** Where the parameters of a part begin. */
const firstOf = (parts: ReadonlyArray<Part>, part: Part): number =>
  parts.slice(0, parts.indexOf(part)).reduce((sum, one) => sum + Object.keys(ownedColumns(one)).length, 1)

const source = (parts: ReadonlyArray<Part>, part: Part, alias: string) =>
  rowsFrom(ownedColumns(part), firstOf(parts, part), alias)

/** Writes the rows that belong to the payments which the statement has written before. */
const insert = (parts: ReadonlyArray<Part>, part: Part, table: string, columns: Columns): string =>
  `INSERT INTO ${table} (organization_id, payment_id, ${names(columns)})
    SELECT p.organization_id, p.id, ${names(columns, "r.")} FROM ${source(parts, part, "r")} JOIN written p USING (ord)`

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
  happened AS MATERIALIZED (
    SELECT p.organization_id, p.id AS payment_id, r.* FROM ${source(commitParts, events, "r")} JOIN written p USING (ord)),
  event AS (
    INSERT INTO payment_events (organization_id, payment_id, ${names(eventColumns)})
    SELECT organization_id, payment_id, ${names(eventColumns)} FROM happened),
  audit AS (
    INSERT INTO audit_log (organization_id, subject, at, action, ${names(auditColumns)})
    SELECT organization_id, payment_id, at, type, ${names(auditColumns)} FROM happened),
  record AS (${insert(commitParts, records, "request_records", recordColumns)} ORDER BY p.organization_id, r.caller, r.key),
  operation AS (${insert(commitParts, operations, "payment_operations", operationColumns)}
    ON CONFLICT (organization_id, payment_id, id) DO UPDATE
      SET status = excluded.status, available_from = excluded.available_from, deadline = excluded.deadline)${followUp}
  SELECT written.ord IS NOT NULL AS applied FROM input LEFT JOIN written USING (ord) ORDER BY input.ord`

type Statement<Item> = (
  items: Array.NonEmptyReadonlyArray<Item>
) => Effect.Effect<ReadonlyArray<boolean>, SqlError.SqlError>

const apply = (sql: SqlClient.SqlClient, text: string, parameters: ReadonlyArray<PgTypes.Parameter>) =>
  Effect.map(sql.unsafe<{ applied: boolean }>(text, parameters), (results) => results.map(({ applied }) => applied))

export const makeBegin =
  (sql: SqlClient.SqlClient): Statement<BegunRows> =>
  (items) =>
    apply(sql, beginSql, [
      ...rowParameters(
        owner,
        items.map((_, ord) => ({ ord }))
      ),
      ...begunTables.flatMap(([columns, table]) =>
        rowParameters(
          columns,
          items.map((item) => item[table])
        )
      )
    ])

const partParameters = ({ columns, rows }: Part, items: ReadonlyArray<ChangedRows>) => {
  const lists = items.map(rows)
  const places = lists.flatMap((list, ord) => list.map(() => ({ ord })))
  return [...rowParameters(owner, places), ...rowParameters(columns, lists.flat())]
}

const run =
  (sql: SqlClient.SqlClient, text: string, parts: ReadonlyArray<Part>): Statement<ChangedRows> =>
  (items) =>
    apply(
      sql,
      text,
      parts.flatMap((part) => partParameters(part, items))
    )

export const makeCommit = (sql: SqlClient.SqlClient): Statement<ChangedRows> => run(sql, commitSqlWith(""), commitParts)
/** The same for payments that are to be looked at again. */
export const makeCommitWithFollowUp = (sql: SqlClient.SqlClient): Statement<ChangedRows> =>
  run(sql, commitSqlWith(followUpStep), followedParts)
