import { assert, describe, it } from "@effect/vitest"
import { spendRanges, spendYears } from "@sarraf/domain/expenses/SpendRanges"
import { spendPeriods } from "@sarraf/domain/policies/PolicyFacts"
import { DateTime, Schema } from "effect"

const Days = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60_000 }))
const dateOf = (days: number) => DateTime.formatIsoDateUtc(DateTime.makeUnsafe(days * 86_400_000))

describe("The periods of a date", () => {
  it("are its day, ISO week, month, quarter and year", () => {
    assert.deepStrictEqual(spendRanges("2026-01-01"), {
      day: { from: "2026-01-01", before: "2026-01-02" },
      week: { from: "2025-12-29", before: "2026-01-05" },
      month: { from: "2026-01-01", before: "2026-02-01" },
      quarter: { from: "2026-01-01", before: "2026-04-01" },
      year: { from: "2026-01-01", before: "2027-01-01" }
    })
    assert.deepStrictEqual(spendRanges("2024-02-29").quarter, { from: "2024-01-01", before: "2024-04-01" })
    assert.deepStrictEqual(spendRanges("2026-12-31").quarter, { from: "2026-10-01", before: "2027-01-01" })
    assert.deepStrictEqual(spendRanges("2026-12-31").month, { from: "2026-12-01", before: "2027-01-01" })
  })

  it.prop("hold the date, and are the same for the first and the last of their days", [Days], ([days]) => {
    const date = dateOf(days)
    for (const period of spendPeriods) {
      const range = spendRanges(date)[period]
      assert.isTrue(range.from <= date && date < range.before, period)
      const last = DateTime.formatIsoDateUtc(DateTime.subtract(DateTime.makeUnsafe(range.before), { days: 1 }))
      assert.deepStrictEqual(spendRanges(range.from)[period], range)
      assert.deepStrictEqual(spendRanges(last)[period], range)
    }
  })

  it.prop(
    "of two dates in one week have a year in common, under whose lock both are added up",
    [Days, Days],
    ([one, other]) => {
      const [first, second] = [dateOf(one), dateOf(one + (other % 7))]
      if (spendRanges(first).week.from !== spendRanges(second).week.from) return
      assert.isTrue(spendYears(first).some((year) => spendYears(second).includes(year)))
    }
  )

  it("lie in two years where the week does", () => {
    assert.deepStrictEqual(spendYears("2025-12-31"), ["2025", "2026"])
    assert.deepStrictEqual(spendYears("2026-01-01"), ["2025", "2026"])
    assert.deepStrictEqual(spendYears("2026-06-01"), ["2026"])
  })
})
