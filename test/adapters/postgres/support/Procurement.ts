import { ExpenseSideMemory } from "@sarraf/adapters/memory/ExpenseSideMemory"
import type { DemoRandom } from "@sarraf/adapters/postgres/demo/DemoRandom"
import { procurementRows } from "@sarraf/adapters/postgres/demo/ProcurementRows"
import type { Bill } from "@sarraf/domain/bills/Bill"
import type { Card } from "@sarraf/domain/cards/Card"
import type { CardTransaction } from "@sarraf/domain/cards/CardTransaction"
import type { Page, PageRequest } from "@sarraf/domain/lists/Page"
import type { Vendor } from "@sarraf/domain/vendors/Vendor"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Arrangement } from "./Arrangement.ts"

export interface Procurement {
  readonly cards?: ReadonlyArray<Card>
  readonly transactions?: ReadonlyArray<CardTransaction>
  readonly vendors?: ReadonlyArray<Vendor>
  readonly bills?: ReadonlyArray<Bill>
}

/** Writes the rows as they are: there is no port that does. */
export const insertProcurement = Effect.fnUntraced(function* (organizationId: string, rows: Procurement) {
  const sql = yield* SqlClient.SqlClient
  const memory = yield* Effect.provide(ExpenseSideMemory, ExpenseSideMemory.layer)
  for (const card of rows.cards ?? []) memory.cards.put(organizationId, card.id, card)
  for (const one of rows.transactions ?? []) memory.cardTransactions.put(organizationId, one.id, one)
  for (const vendor of rows.vendors ?? []) memory.vendors.put(organizationId, vendor.id, vendor)
  for (const bill of rows.bills ?? []) memory.bills.put(organizationId, bill.id, bill)
  for (const [table, some] of procurementRows(memory, organizationId, () => "v1.sealed")) {
    const [first] = some
    if (first === undefined) continue
    const columns = sql.literal(Object.keys(first).join(", "))
    yield* sql`INSERT INTO ${sql(table)} (${columns})
      SELECT ${columns} FROM json_populate_recordset(null::${sql(table)}, ${JSON.stringify(some)}::json)`
  }
})

/** An organization with the persons a, b and c. */
export const organization = Effect.fnUntraced(function* (name: string) {
  const arrangement = yield* Arrangement
  const id = `org_${name}`
  yield* arrangement.organization(id)
  for (const userId of ["usr_a", "usr_b", "usr_c"]) yield* arrangement.member(id, userId)
  return id
})

/** The ids of every row, by pages of three, or so many. */
export const everyId = Effect.fnUntraced(function* <E, R>(
  list: (page: PageRequest) => Effect.Effect<Page<{ readonly id: string }>, E, R>,
  limit = 3
) {
  const ids: Array<string> = []
  for (;;) {
    const { hasMore, items } = yield* list({ limit, after: ids.at(-1) })
    ids.push(...items.map(({ id }) => id))
    if (!hasMore) return ids
  }
})

/** One of them, of which there is at least one. */
export const drawn = <A>(random: DemoRandom, choices: ReadonlyArray<A>): A => {
  const one = choices[random.between(0, choices.length - 1)]
  if (one === undefined) throw new Error("There is nothing to draw from")
  return one
}

/** The ids of those that fit, newest first. */
export const idsWhere = <A extends { readonly id: string }>(rows: ReadonlyArray<A>, fits: (row: A) => boolean) =>
  rows
    .filter(fits)
    .map(({ id }) => id)
    .sort()
    .reverse()
