import { assert, describe, it } from "@effect/vitest"
import { billDocument } from "@sarraf/domain/bills/BillDocument"
import { type BillFilter, BillStore } from "@sarraf/domain/bills/BillStore"
import { Bills } from "@sarraf/domain/bills/Bills"
import { Organizations } from "@sarraf/domain/organizations/Organizations"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { as, callerOf, sampleBill } from "../cards/support/SampleProcurement.ts"
import { sampleOrganization } from "../organizations/support/SampleOrganization.ts"

const page = { limit: 25, after: undefined }

const makeDesk = () => {
  const filters: Array<BillFilter> = []
  const store = Layer.mock(BillStore, {
    find: (id) => Effect.succeed(id === "bill_0001" ? sampleBill() : undefined),
    list: (filter) =>
      Effect.sync(() => {
        filters.push(filter)
        return { items: [], hasMore: false }
      })
  })
  const organizations = Layer.mock(Organizations, { current: Effect.succeed(sampleOrganization()) })
  return { filters, layer: Layer.provide(Bills.layer, [store, organizations]) }
}

describe("Reading bills", () => {
  it.effect("is for everybody but a MEMBER", () =>
    Effect.gen(function* () {
      const bills = yield* Bills
      for (const role of ["APPROVER", "ADMIN", "OWNER", "AUDITOR"] as const) {
        assert.strictEqual((yield* as(callerOf("org_1", "usr_a", role))(bills.get("bill_0001"))).id, "bill_0001")
        yield* as(callerOf("org_1", "usr_a", role))(bills.list({}, page))
      }
      const member = as(callerOf("org_1", "usr_a", "MEMBER"))
      assert.strictEqual((yield* Effect.flip(member(bills.get("bill_0001"))))._tag, "RoleMissing")
      assert.strictEqual((yield* Effect.flip(member(bills.list({}, page))))._tag, "RoleMissing")
    }).pipe(Effect.provide(makeDesk().layer))
  )

  it.effect("asks for what is overdue on the day that it is where the organization is", () =>
    Effect.suspend(() => {
      const { filters, layer } = makeDesk()
      return Effect.gen(function* () {
        yield* TestClock.setTime(Date.parse("2026-03-14T21:30:00Z"))
        const bills = yield* Bills
        yield* bills.list({ overdue: true, vendorId: "vend_1" }, page)
        yield* bills.list({ overdue: false }, page)
        yield* bills.list({ dueTo: "2026-03-31" }, page)
        assert.deepStrictEqual(filters, [
          { vendorId: "vend_1", overdue: { on: "2026-03-15", is: true } },
          { overdue: { on: "2026-03-15", is: false } },
          { dueTo: "2026-03-31" }
        ])
        const missing = yield* Effect.flip(bills.get("bill_x"))
        assert.deepInclude({ ...missing }, { _tag: "NotFound", resource: "bill", id: "bill_x" })
      }).pipe(as(callerOf("org_1", "usr_a")), Effect.provide(layer))
    })
  )
})

describe("The document of a bill", () => {
  it("is in major units of the bill's currency", () => {
    const shown = billDocument(
      sampleBill({
        duplicates: [{ billId: "bill_2", score: 90, reasons: ["the same total"] }],
        match: {
          outcome: "DIFFERENT",
          orderedMinor: 90_000n,
          receivedMinor: 100_000n,
          billedMinor: 100_000n,
          tolerancePercent: 2,
          differences: ["Above the order."]
        }
      })
    )
    assert.deepInclude(shown, { total: 1_200, tax: 200, base_total: 1_200, due_date: "2026-03-31", paid_at: null })
    assert.deepStrictEqual(shown.lines, [
      { description: "Freight", quantity: 2.5, unit_price: 400, amount: 1_000, category: "Logistics" }
    ])
    assert.deepStrictEqual(shown.possible_duplicates, [{ bill_id: "bill_2", score: 90, reasons: ["the same total"] }])
    assert.deepInclude(shown.match ?? {}, { outcome: "DIFFERENT", ordered: 900, received: 1_000, tolerance_percent: 2 })
  })
})
