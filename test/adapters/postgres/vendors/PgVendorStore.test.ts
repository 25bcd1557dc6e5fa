import { assert, layer } from "@effect/vitest"
import { makeDemoRandom } from "@sarraf/adapters/postgres/demo/DemoRandom"
import * as PgUnitOfWork from "@sarraf/adapters/postgres/organizations/PgUnitOfWork"
import * as PgVendorStore from "@sarraf/adapters/postgres/vendors/PgVendorStore"
import { committedStatuses } from "@sarraf/domain/bills/BillStatus"
import { Money } from "@sarraf/domain/money/Money"
import { type Vendor, type VendorContract, vendorStatuses } from "@sarraf/domain/vendors/Vendor"
import { type VendorFilter, VendorStore } from "@sarraf/domain/vendors/VendorStore"
import { Effect, Layer, Schema } from "effect"
import { as, billIn, callerOf, sampleBill, sampleVendor } from "../../../domain/cards/support/SampleProcurement.ts"
import * as Database from "../../../support/Database.ts"
import { layerPostgres } from "../support/Arrangement.ts"
import { everyId, idsWhere, insertProcurement, organization } from "../support/Procurement.ts"

const stores = Layer.mergeAll(PgUnitOfWork.layer, PgVendorStore.layer, layerPostgres).pipe(
  Layer.provideMerge(Database.layer)
)

const asOf = { date: "2026-03-14", baseCurrency: "TRY" }
const random = makeDemoRandom(73)
const names = ["Ege Lojistik", "EGE Tekstil", "100% Pamuk", "100 Pamuk"] as const
const categories = ["Logistics", "Software", "Rent"] as const
const renewals = ["2026-03-13", "2026-03-14", "2026-03-20", "2026-06-01", null] as const

const contractOf = (renewsOn: string | null): VendorContract => ({
  title: "Framework",
  startsOn: "2024-01-01",
  endsOn: null,
  renewsOn,
  noticeDays: 30,
  annualMinor: 2n ** 60n,
  currency: "KWD"
})

const vendors: ReadonlyArray<Vendor> = Array.from({ length: 40 }, (_, number) =>
  sampleVendor({
    id: `vend_${String(number).padStart(4, "0")}`,
    status: random.one(vendorStatuses),
    name: random.one(names),
    legalName: random.one(["Bir A.Ş.", "Lojistik Ltd."]),
    category: random.one(categories),
    riskScore: random.between(0, 100),
    contracts: Array.from({ length: random.between(0, 2) }, () => contractOf(random.one(renewals))).sort(
      (one, other) => ((one.renewsOn ?? "9") < (other.renewsOn ?? "9") ? -1 : 1)
    )
  })
)

const contains = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase())

const fits = (filter: VendorFilter) => (vendor: Vendor) =>
  (filter.name === undefined || contains(vendor.name, filter.name) || contains(vendor.legalName, filter.name)) &&
  (filter.categories === undefined || filter.categories.includes(vendor.category)) &&
  (filter.statuses === undefined || filter.statuses.includes(vendor.status)) &&
  (filter.minRisk === undefined || vendor.riskScore >= filter.minRisk) &&
  (filter.renewingBefore === undefined ||
    vendor.contracts.some(
      ({ renewsOn }) => renewsOn !== null && renewsOn >= asOf.date && renewsOn < (filter.renewingBefore ?? "")
    ))

const Filter = Schema.Struct({
  name: Schema.optionalKey(Schema.Literals(["ege", "0%", "lojistik", "x"])),
  categories: Schema.optionalKey(Schema.Array(Schema.Literals(categories))),
  statuses: Schema.optionalKey(Schema.Array(Schema.Literals(vendorStatuses))),
  minRisk: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 }))),
  renewingBefore: Schema.optionalKey(
    Schema.Literals(["2026-03-14", "2026-03-15", "2026-03-20", "2026-03-21", "2026-12-31"])
  )
})

layer(stores)("Vendors in PostgreSQL", (it) => {
  const owner = as(callerOf("org_vendors", "usr_a"))

  it.effect("are read as they were written, with their contracts by the day of renewal", () =>
    Effect.gen(function* () {
      yield* organization("vendors")
      yield* insertProcurement("org_vendors", { vendors })
      const store = yield* VendorStore
      for (const vendor of vendors) assert.deepStrictEqual(yield* owner(store.find(vendor.id, asOf)), vendor)
      assert.isUndefined(yield* owner(store.find("vend_x", asOf)))
    })
  )

  it.effect.prop("are listed by every filter as a reader of all of them would list them", [Filter], ([filter]) =>
    Effect.gen(function* () {
      const store = yield* VendorStore
      assert.deepStrictEqual(
        yield* owner(everyId((page) => store.list(filter, asOf, page), 50)),
        idsWhere(vendors, fits(filter))
      )
    })
  )

  it.effect("have what their bills of the last twelve months add up to, and their share of all of it", () =>
    Effect.gen(function* () {
      const id = yield* organization("spend")
      const money = (minor: bigint, currency = "TRY") => new Money({ currency, minor })
      const counted = committedStatuses.map((status) => billIn[status])
      const bills = [
        ...counted.map((changes) => ({ ...changes, base: money(100_000n), issueDate: "2025-03-15" })),
        { ...billIn.PAID, base: money(5_000n), issueDate: asOf.date, vendorId: "vend_0002" },
        // Not yet approved, refused, a year old, of tomorrow, without a rate, in a currency of before.
        { ...billIn.RECEIVED, base: money(7n) },
        { ...billIn.REJECTED, base: money(7n) },
        { ...billIn.CANCELLED, base: money(7n) },
        { ...billIn.PAID, base: money(7n), issueDate: "2025-03-14" },
        { ...billIn.PAID, base: money(7n), issueDate: "2026-03-15" },
        { ...billIn.PAID, base: null },
        { ...billIn.PAID, base: money(7n, "EUR") }
      ].map((changes, number) => sampleBill({ ...changes, id: `bill_${number}` }))
      const three = ["vend_0001", "vend_0002", "vend_0003"].map((vendorId) => sampleVendor({ id: vendorId }))
      yield* insertProcurement(id, { vendors: three, bills })
      const store = yield* VendorStore
      const { items } = yield* as(callerOf(id, "usr_a"))(store.list({}, asOf, { limit: 10, after: undefined }))
      assert.deepStrictEqual(
        items.map(({ spend }) => spend),
        [
          { minor: 0n, currency: "TRY", bills: 0, sharePercent: 0 },
          { minor: 5_000n, currency: "TRY", bills: 1, sharePercent: 1.6 },
          { minor: 300_000n, currency: "TRY", bills: 3, sharePercent: 98.4 }
        ]
      )
    })
  )

  it.effect("keep their place in a list to which rows are added meanwhile", () =>
    Effect.gen(function* () {
      const id = yield* organization("growing")
      const store = yield* VendorStore
      const list = (after: string | undefined) => as(callerOf(id, "usr_a"))(store.list({}, asOf, { limit: 2, after }))
      const numbered = (number: number) => sampleVendor({ id: `vend_${number}` })
      yield* insertProcurement(id, { vendors: [11, 12, 13, 14].map(numbered) })
      assert.deepStrictEqual(
        (yield* list(undefined)).items.map((vendor) => vendor.id),
        ["vend_14", "vend_13"]
      )
      yield* insertProcurement(id, { vendors: [15, 16].map(numbered) })
      const { hasMore, items } = yield* list("vend_13")
      assert.deepStrictEqual([items.map((vendor) => vendor.id), hasMore], [["vend_12", "vend_11"], false])
    })
  )

  it.effect("belong to one organization: another one finds none of them", () =>
    Effect.gen(function* () {
      const id = yield* organization("stranger")
      const stranger = as(callerOf(id, "usr_a"))
      const store = yield* VendorStore
      assert.deepStrictEqual(yield* stranger(everyId((page) => store.list({}, asOf, page))), [])
      assert.isUndefined(yield* stranger(store.find("vend_0001", asOf)))
    })
  )
})
