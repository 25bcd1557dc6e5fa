import { assert, describe, it } from "@effect/vitest"
import { startOfDay } from "@sarraf/domain/time/CalendarDate"
import { Schema } from "effect"

const dayIn = (timeZone: string, at: number) => new Intl.DateTimeFormat("en-CA", { timeZone }).format(at)

const zones = ["UTC", "Europe/Istanbul", "Asia/Kathmandu", "Pacific/Kiritimati", "Africa/Cairo", "America/Havana"]

describe("startOfDay", () => {
  it("is midnight in the timezone", () => {
    assert.strictEqual(startOfDay("2026-11-22", "Europe/Istanbul"), Date.parse("2026-11-21T21:00:00Z"))
    assert.strictEqual(startOfDay("2026-12-31", "America/New_York", 1), Date.parse("2027-01-01T05:00:00Z"))
  })

  it("is the first moment there is where clocks are changed at midnight", () => {
    // Cairo goes from 23:59:59 to 01:00:00; Havana has the first hour of the day twice.
    assert.strictEqual(startOfDay("2024-04-26", "Africa/Cairo"), Date.parse("2024-04-25T22:00:00Z"))
    assert.strictEqual(startOfDay("2026-11-01", "America/Havana"), Date.parse("2026-11-01T04:00:00Z"))
  })

  it.prop(
    "begins the day, and the moment before is of the day before",
    {
      // From the year 2000 on: before, Kiritimati passed over a whole day.
      days: Schema.Int.check(Schema.isBetween({ minimum: 10_957, maximum: 30_000 })),
      zone: Schema.Literals(zones)
    },
    ({ days, zone }) => {
      const date = new Date(days * 86_400_000).toISOString().slice(0, 10)
      const start = startOfDay(date, zone)
      assert.strictEqual(dayIn(zone, start), date)
      assert.isTrue(dayIn(zone, start - 1) < date)
      assert.isAbove(startOfDay(date, zone, 1), start)
    }
  )
})
