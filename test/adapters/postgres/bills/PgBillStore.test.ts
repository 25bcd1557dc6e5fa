import { assert, layer } from "@effect/vitest"
import * as PgBillStore from "@sarraf/adapters/postgres/bills/PgBillStore"
import { makeDemoRandom } from "@sarraf/adapters/postgres/demo/DemoRandom"
import * as PgUnitOfWork from "@sarraf/adapters/postgres/organizations/PgUnitOfWork"
import type { Bill } from "@sarraf/domain/bills/Bill"
import { billStatuses, unpaidStatuses } from "@sarraf/domain/bills/BillStatus"
import { type BillFilter, BillStore } from "@sarraf/domain/bills/BillStore"
import { Money } from "@sarraf/domain/money/Money"
import { Effect, Layer, Schema } from "effect"
import { as, billIn, callerOf, sampleBill, sampleVendor } from "../../../domain/cards/support/SampleProcurement.ts"
import * as Database from "../../../support/Database.ts"
import { layerPostgres } from "../support/Arrangement.ts"
import { drawn, everyId, idsWhere, insertProcurement, organization } from "../support/Procurement.ts"

const stores = Layer.mergeAll(PgUnitOfWork.layer, PgBillStore.layer, layerPostgres).pipe(
  Layer.provideMerge(Database.layer)
)

const random = makeDemoRandom(72)
const vendors = [1, 2, 3].map((number) => sampleVendor({ id: `vend_000${number}`, name: `Vendor ${number}` }))
const days = ["2026-02-27", "2026-02-28", "2026-03-01", "2026-03-13", "2026-03-14", "2026-03-15"] as const

const full = sampleBill({
  ...billIn.PAID,
  id: "bill_9999",
  vendorId: "vend_0003",
  vendorName: "Vendor 3",
  total: new Money({ currency: "KWD", minor: 2n ** 62n }),
  taxMinor: 2n ** 60n + 1n,
  base: null,
  lines: [
    { description: "Big", quantity: "1", unitPriceMinor: 2n ** 61n + 1n, amountMinor: 2n ** 61n + 1n, category: null }
  ],
  duplicates: [{ billId: "bill_0001", score: 96, reasons: ["the same total"] }],
  match: {
    outcome: "DIFFERENT",
    orderedMinor: 2n ** 61n,
    receivedMinor: 0n,
    billedMinor: 2n ** 61n + 1n,
    tolerancePercent: 2.5,
    differences: ["It is above the order."]
  },
  purchaseOrder: "PO-1"
})

const bills: ReadonlyArray<Bill> = [
  ...Array.from({ length: 90 }, (_, number) => {
    const vendor = vendors[random.between(0, 2)] ?? sampleVendor()
    return sampleBill({
      ...billIn[drawn(random, billStatuses)],
      id: `bill_${String(number).padStart(4, "0")}`,
      vendorId: vendor.id,
      vendorName: vendor.name,
      dueDate: random.one(days)
    })
  }),
  full
]

const isOverdue = ({ dueDate, status }: Bill, on: string) => unpaidStatuses.includes(status) && dueDate < on

const fits = (filter: BillFilter) => (bill: Bill) =>
  (filter.statuses === undefined || filter.statuses.includes(bill.status)) &&
  (filter.vendorId === undefined || bill.vendorId === filter.vendorId) &&
  (filter.dueFrom === undefined || bill.dueDate >= filter.dueFrom) &&
  (filter.dueTo === undefined || bill.dueDate <= filter.dueTo) &&
  (filter.overdue === undefined || isOverdue(bill, filter.overdue.on) === filter.overdue.is)

const Day = Schema.Literals(days)
const Filter = Schema.Struct({
  statuses: Schema.optionalKey(Schema.Array(Schema.Literals(billStatuses))),
  vendorId: Schema.optionalKey(Schema.Literals(["vend_0001", "vend_0002", "vend_x"])),
  dueFrom: Schema.optionalKey(Day),
  dueTo: Schema.optionalKey(Day),
  overdue: Schema.optionalKey(Schema.Struct({ on: Day, is: Schema.Boolean }))
})

layer(stores)("Bills in PostgreSQL", (it) => {
  const owner = as(callerOf("org_bills", "usr_a"))

  it.effect("are read as they were written, with their vendor's name as it is now", () =>
    Effect.gen(function* () {
      yield* organization("bills")
      yield* insertProcurement("org_bills", { vendors, bills })
      const store = yield* BillStore
      for (const bill of bills) assert.deepStrictEqual(yield* owner(store.find(bill.id)), bill)
      assert.isUndefined(yield* owner(store.find("bill_x")))
    })
  )

  it.effect.prop("are listed by every filter as a reader of all of them would list them", [Filter], ([filter]) =>
    Effect.gen(function* () {
      const store = yield* BillStore
      assert.deepStrictEqual(
        yield* owner(everyId((page) => store.list(filter, page), 50)),
        idsWhere(bills, fits(filter))
      )
    })
  )

  it.effect("keep their place in a list to which rows are added meanwhile", () =>
    Effect.gen(function* () {
      const id = yield* organization("growing")
      const store = yield* BillStore
      const list = (after: string | undefined) => as(callerOf(id, "usr_a"))(store.list({}, { limit: 2, after }))
      const numbered = (number: number) => sampleBill({ id: `bill_${number}` })
      yield* insertProcurement(id, { vendors: [sampleVendor()], bills: [11, 12, 13, 14].map(numbered) })
      assert.deepStrictEqual(
        (yield* list(undefined)).items.map((bill) => bill.id),
        ["bill_14", "bill_13"]
      )
      yield* insertProcurement(id, { bills: [15, 16].map(numbered) })
      const { hasMore, items } = yield* list("bill_13")
      assert.deepStrictEqual([items.map((bill) => bill.id), hasMore], [["bill_12", "bill_11"], false])
    })
  )

  it.effect("belong to one organization: another one finds none of them", () =>
    Effect.gen(function* () {
      const id = yield* organization("stranger")
      const stranger = as(callerOf(id, "usr_a"))
      const store = yield* BillStore
      assert.deepStrictEqual(yield* stranger(everyId((page) => store.list({}, page))), [])
      assert.isUndefined(yield* stranger(store.find("bill_0001")))
    })
  )
})
