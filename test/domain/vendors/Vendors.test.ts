import { assert, describe, it } from "@effect/vitest"
import { Organizations } from "@sarraf/domain/organizations/Organizations"
import { vendorDocument } from "@sarraf/domain/vendors/VendorDocument"
import { VendorStore, type VendorsAsOf } from "@sarraf/domain/vendors/VendorStore"
import { Vendors } from "@sarraf/domain/vendors/Vendors"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { as, callerOf, sampleVendor } from "../cards/support/SampleProcurement.ts"
import { sampleOrganization } from "../organizations/support/SampleOrganization.ts"

const page = { limit: 25, after: undefined }

const makeDesk = () => {
  const seen: Array<VendorsAsOf> = []
  const store = Layer.mock(VendorStore, {
    find: (id, asOf) =>
      Effect.sync(() => {
        seen.push(asOf)
        return id === "vend_0001" ? sampleVendor() : undefined
      }),
    list: (_, asOf) =>
      Effect.sync(() => {
        seen.push(asOf)
        return { items: [], hasMore: false }
      })
  })
  const organizations = Layer.mock(Organizations, { current: Effect.succeed(sampleOrganization()) })
  return { seen, layer: Layer.provide(Vendors.layer, [store, organizations]) }
}

describe("Reading vendors", () => {
  it.effect("is for everybody but a MEMBER", () =>
    Effect.gen(function* () {
      const vendors = yield* Vendors
      for (const role of ["APPROVER", "ADMIN", "OWNER", "AUDITOR"] as const) {
        assert.strictEqual((yield* as(callerOf("org_1", "usr_a", role))(vendors.get("vend_0001"))).id, "vend_0001")
        yield* as(callerOf("org_1", "usr_a", role))(vendors.list({}, page))
      }
      const member = as(callerOf("org_1", "usr_a", "MEMBER"))
      assert.strictEqual((yield* Effect.flip(member(vendors.get("vend_0001"))))._tag, "RoleMissing")
      assert.strictEqual((yield* Effect.flip(member(vendors.list({}, page))))._tag, "RoleMissing")
    }).pipe(Effect.provide(makeDesk().layer))
  )

  it.effect("is as of the day that it is where the organization is, in its currency", () =>
    Effect.suspend(() => {
      const { layer, seen } = makeDesk()
      return Effect.gen(function* () {
        yield* TestClock.setTime(Date.parse("2026-03-14T21:30:00Z"))
        const vendors = yield* Vendors
        yield* vendors.list({ minRisk: 50 }, page)
        const missing = yield* Effect.flip(vendors.get("vend_x"))
        assert.deepInclude({ ...missing }, { _tag: "NotFound", resource: "vendor", id: "vend_x" })
        const asOf = { date: "2026-03-15", baseCurrency: "TRY" }
        assert.deepStrictEqual(seen, [asOf, asOf])
      }).pipe(as(callerOf("org_1", "usr_a")), Effect.provide(layer))
    })
  )
})

describe("The document of a vendor", () => {
  it("shows of a bank account its last four characters, its country and its currency, and nothing more", () => {
    const account = { last4: "1326", country: "TR", currency: "TRY", iban: "TR330006100519786457841326" }
    const shown = vendorDocument(
      sampleVendor({
        bankAccount: account,
        spend: { minor: 7_500_000n, currency: "TRY", bills: 3, sharePercent: 33.4 },
        contracts: [
          {
            title: "Lease",
            startsOn: "2026-01-01",
            endsOn: null,
            renewsOn: "2027-01-01",
            noticeDays: 30,
            annualMinor: 12_500n,
            currency: "KWD"
          }
        ]
      })
    )
    assert.deepStrictEqual(shown.bank_account, { last4: "1326", country: "TR", currency: "TRY" })
    assert.notInclude(JSON.stringify(shown), account.iban)
    assert.deepStrictEqual(shown.spend_12_months, { amount: 75_000, currency: "TRY", bills: 3, share_percent: 33.4 })
    assert.deepInclude(shown.contracts[0] ?? {}, { renews_on: "2027-01-01", annual_value: 12.5, notice_days: 30 })
    assert.isNull(vendorDocument(sampleVendor()).bank_account)
  })
})
