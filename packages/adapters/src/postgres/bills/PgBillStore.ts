import { unpaidStatuses } from "@sarraf/domain/bills/BillStatus"
import { type BillFilter, BillStore } from "@sarraf/domain/bills/BillStore"
import { pageOf } from "@sarraf/domain/lists/Page"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { when } from "../filterConditions.ts"
import { makeWithin } from "../organizations/PgUnitOfWork.ts"
import { type BillRow, billColumns, billOf } from "./BillRow.ts"

/** Bills in PostgreSQL. */
export const layer = Layer.effect(
  BillStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const within = yield* makeWithin

    const bills = Effect.fnUntraced(function* (conditions: ReadonlyArray<Statement.Fragment>, limit: number) {
      const { organizationId } = yield* Caller
      const all = [sql`organization_id = ${organizationId}`, ...conditions]
      const rows = yield* sql<BillRow>`SELECT bill.*, vendors.name AS vendor_name
        FROM (SELECT ${sql.literal(billColumns)} FROM bills WHERE ${sql.and(all)} ORDER BY id DESC LIMIT ${limit}) AS bill
        JOIN vendors ON vendors.organization_id = ${organizationId} AND vendors.id = bill.vendor_id
        ORDER BY bill.id DESC`
      return rows.map(billOf)
    })

    const overdueOn = (day: string) => sql`(status = ANY (${[...unpaidStatuses]}::text[]) AND due_date < ${day}::date)`

    const filtered = ({ dueFrom, dueTo, overdue, statuses, vendorId }: BillFilter) => [
      ...when(statuses, (some) => sql`status = ANY (${[...some]}::text[])`),
      ...when(vendorId, (id) => sql`vendor_id = ${id}`),
      ...when(dueFrom, (from) => sql`due_date >= ${from}::date`),
      ...when(dueTo, (to) => sql`due_date <= ${to}::date`),
      ...when(overdue, ({ is, on }) => (is ? overdueOn(on) : sql`NOT ${overdueOn(on)}`))
    ]

    return BillStore.of({
      find: Effect.fn("PgBillStore.find")(function* (id) {
        const [bill] = yield* bills([sql`id = ${id}`], 1)
        return bill
      }, within),
      list: Effect.fn("PgBillStore.list")(function* (filter, page) {
        const conditions = [...filtered(filter), ...when(page.after, (id) => sql`id < ${id}`)]
        return pageOf(yield* bills(conditions, page.limit + 1), page)
      }, within)
    })
  })
)
