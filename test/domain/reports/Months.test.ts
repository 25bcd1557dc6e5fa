import { assert, describe, it } from "@effect/vitest"
import { dayIn, lastDayOf, monthAfter } from "@sarraf/domain/reports/Months"
import { Schema } from "effect"

const Count = Schema.Int.check(Schema.isBetween({ minimum: -500, maximum: 500 }))

describe("A day", () => {
  it("is that of the timezone, not that of Greenwich", () => {
    const late = Date.parse("2026-12-31T21:30:00Z")
    assert.strictEqual(dayIn(late, "Europe/Istanbul"), "2027-01-01")
    assert.strictEqual(dayIn(late, "UTC"), "2026-12-31")
    assert.strictEqual(dayIn(late, "America/New_York"), "2026-12-31")
    assert.strictEqual(dayIn(late, "Nowhere/Land"), "2026-12-31")
  })
})

describe("Months", () => {
  it("follow each other over the turn of the year", () => {
    assert.strictEqual(monthAfter("2026-12", 1), "2027-01")
    assert.strictEqual(monthAfter("2026-01", -1), "2025-12")
    assert.strictEqual(monthAfter("2026-03", -12), "2025-03")
  })
  it.prop("come back by the same number of steps, and are in order", [Count, Count], ([one, other]) => {
    const month = monthAfter("2026-05", one)
    assert.strictEqual(monthAfter(monthAfter(month, other), -other), month)
    assert.strictEqual(monthAfter(month, other) > month, other > 0)
  })
  it("end with their last day", () => {
    assert.deepStrictEqual(["2026-02", "2028-02", "2026-04", "2026-12"].map(lastDayOf), [
      "2026-02-28",
      "2028-02-29",
      "2026-04-30",
      "2026-12-31"
    ])
  })
})
