import { assert, describe, it } from "@effect/vitest"
import { periodOf } from "@sarraf/adapters/postgres/reports/SpendPeriod"
import { lastDayOf } from "@sarraf/domain/reports/Months"
import { Schema } from "effect"

const Day = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 900 }))

/** Days are counted from 2027-01-01, so that a 29 February is among them. */
const dateOf = (day: number) => new Date(Date.UTC(2027, 0, 1 + day)).toISOString().slice(0, 10)

const covers = (period: ReturnType<typeof periodOf>, date: string) => {
  const month = `${date.slice(0, 7)}-01`
  const { days, months } = period
  const isWhole = months !== null && (months.first ?? month) <= month && month <= (months.last ?? month)
  return (isWhole ? 1 : 0) + days.filter(({ from, to }) => from <= date && date <= to).length
}

describe("A period", () => {
  it.prop("covers each of its days once, by a whole month or as a day, and no other", [Day, Day, Day], (drawn) => {
    const [first = 0, last = 0] = [drawn[0], drawn[1]].sort((one, other) => one - other)
    for (const [from, to] of [
      [dateOf(first), dateOf(last)],
      [dateOf(first), undefined],
      [undefined, dateOf(last)],
      [undefined, undefined]
    ] as const) {
      const period = periodOf(from, to)
      for (const date of [dateOf(drawn[2]), from, to].filter((each) => each !== undefined)) {
        const isWithin = (from ?? date) <= date && date <= (to ?? date)
        assert.strictEqual(covers(period, date), isWithin ? 1 : 0, `${date} in ${from}…${to}`)
      }
    }
  })

  it("of whole months reads no single day", () => {
    assert.deepStrictEqual(periodOf("2026-02-01", "2028-02-29"), {
      months: { first: "2026-02-01", last: "2028-02-01" },
      days: []
    })
    assert.deepStrictEqual(periodOf("2026-01-15", "2026-02-28"), {
      months: { first: "2026-02-01", last: "2026-02-01" },
      days: [{ from: "2026-01-15", to: lastDayOf("2026-01") }]
    })
  })
})
