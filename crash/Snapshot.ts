import { attemptRow, operationRow, paymentRow } from "@sarraf/adapters/postgres/payments/PaymentRows"
import { paymentEventFromRow, type StoredEvent } from "@sarraf/adapters/postgres/payments/StoredEvent"
import type { Payment } from "@sarraf/domain/payments/Payment"
import { rebuild } from "@sarraf/domain/payments/PaymentEvent"
import type { Sql } from "postgres"
import { type BookRow, type Order, ordersOf } from "./books.ts"

/** When a payment is looked at again, in milliseconds since 1970. */
export interface Scheduled {
  readonly dueAt: number
  /** A process that was killed may hold it until then. */
  readonly leaseUntil: number
}

/** A payment as its events make it, and where the tables say something else. */
export interface Kept {
  readonly payment: Payment
  /** A sentence each; empty where the tables hold what the events make. */
  readonly differences: ReadonlyArray<string>
  readonly events: ReadonlyArray<StoredEvent>
  readonly scheduled: Scheduled | undefined
}

/** Everything that is checked, read at one moment. */
export interface Snapshot {
  readonly at: number
  readonly kept: ReadonlyMap<string, Kept>
  readonly orders: ReadonlyArray<Order>
  /** Events that make no payment, and rows of payments without events: a sentence each. */
  readonly strays: ReadonlyArray<string>
}

type Row = Readonly<Record<string, unknown>>

/** A time is a date in a row and a number in the domain, an amount text and a bigint. */
const plain = (value: unknown): string =>
  value instanceof Date ? String(value.getTime()) : value === undefined ? "null" : String(value)

const compare = (what: string, ours: Row, row: Row | undefined): ReadonlyArray<string> => {
  if (row === undefined) return [`${what} has no row`]
  return Object.entries(ours).flatMap(([column, value]) =>
    plain(value) === plain(row[column])
      ? []
      : [`${what}: ${column} is ${plain(row[column])} in the table and ${plain(value)} by the events`]
  )
}

interface Tables {
  readonly payments: ReadonlyArray<Row>
  readonly attempts: ReadonlyArray<Row>
  readonly operations: ReadonlyArray<Row>
}

/** Where the tables differ from what a payment's events make. */
export const differencesOf = (payment: Payment, { attempts, operations, payments }: Tables): ReadonlyArray<string> => {
  const own = (rows: ReadonlyArray<Row>) => rows.filter(({ payment_id }) => payment_id === payment.id)
  const [ownAttempts, ownOperations] = [own(attempts), own(operations)]
  const extra = [
    ...(ownAttempts.length > payment.attempts.length ? ["an attempt that no event tells of"] : []),
    ...(ownOperations.length > payment.operations.length ? ["an operation that no event tells of"] : [])
  ]
  return [
    ...compare(
      "payment",
      paymentRow(payment),
      payments.find(({ id }) => id === payment.id)
    ),
    ...payment.attempts.flatMap((attempt) =>
      compare(
        `attempt ${attempt.number}`,
        attemptRow(attempt),
        ownAttempts.find((row) => row.number === attempt.number)
      )
    ),
    ...payment.operations.flatMap((operation) =>
      compare(
        `operation ${operation.id}`,
        operationRow(operation),
        ownOperations.find(({ id }) => id === operation.id)
      )
    ),
    ...extra
  ]
}

const groupedById = <A>(items: ReadonlyArray<A>, idOf: (item: A) => string): ReadonlyMap<string, ReadonlyArray<A>> => {
  const groups = new Map<string, Array<A>>()
  for (const item of items) {
    const group = groups.get(idOf(item))
    if (group === undefined) groups.set(idOf(item), [item])
    else group.push(item)
  }
  return groups
}

const textOf = (row: Row, column: string): string => String(row[column])

const timeOf = (value: unknown): number => (value instanceof Date ? value.getTime() : 0)

/** One transaction, so that all of it is of the same moment. */
const readTables = (sql: Sql) =>
  sql.begin("ISOLATION LEVEL REPEATABLE READ READ ONLY", async (at) => ({
    payments: await at<Array<Row>>`SELECT * FROM payments`,
    attempts: await at<Array<Row>>`SELECT * FROM payment_attempts ORDER BY number`,
    operations: await at<Array<Row>>`SELECT * FROM payment_operations`,
    followUps: await at<Array<Row>>`SELECT * FROM payment_followups`,
    events: await at<Array<StoredEvent & { payment_id: string }>>`
      SELECT payment_id, type, at, data FROM payment_events ORDER BY payment_id, sequence`,
    book: await at<Array<BookRow & Row>>`SELECT provider, key, value FROM simulator_orders`
  }))

/** Reads the database and the book in it. */
export const take = async (sql: Sql): Promise<Snapshot> => {
  const { book, events, followUps, ...rows } = await readTables(sql)
  const [attempts, operations, payments, scheduled] = [
    groupedById(rows.attempts, (row) => textOf(row, "payment_id")),
    groupedById(rows.operations, (row) => textOf(row, "payment_id")),
    groupedById(rows.payments, (row) => textOf(row, "id")),
    groupedById(followUps, (row) => textOf(row, "payment_id"))
  ]
  const kept = new Map<string, Kept>()
  const strays: Array<string> = []
  for (const [id, own] of groupedById(events, ({ payment_id }) => payment_id)) {
    const payment = rebuild(own.map(paymentEventFromRow))
    if (payment === undefined) {
      strays.push(`${id} has events that do not begin it`)
      continue
    }
    const tables = {
      payments: payments.get(id) ?? [],
      attempts: attempts.get(id) ?? [],
      operations: operations.get(id) ?? []
    }
    const [next] = scheduled.get(id) ?? []
    kept.set(id, {
      payment,
      events: own,
      differences: differencesOf(payment, tables),
      scheduled: next && { dueAt: timeOf(next.due_at), leaseUntil: timeOf(next.lease_until) }
    })
  }
  for (const id of payments.keys()) if (!kept.has(id)) strays.push(`${id} is a payment without events`)
  return { at: Date.now(), kept, orders: ordersOf(book), strays }
}
