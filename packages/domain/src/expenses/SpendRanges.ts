import { DateTime } from "effect"
import type { SpendPeriod } from "../policies/PolicyFacts.ts"
import type { CalendarDate } from "../time/CalendarDate.ts"

/** Days from the first on, until before the last. */
export interface DayRange {
  readonly from: CalendarDate
  readonly before: CalendarDate
}

/** The periods in which a date lies: its day, week (from Monday, ISO 8601), month, quarter and year. */
export const spendRanges = (date: CalendarDate): Readonly<Record<SpendPeriod, DayRange>> => {
  const day = DateTime.makeUnsafe(date)
  const week = DateTime.startOf(day, "week", { weekStartsOn: 1 })
  const month = DateTime.startOf(day, "month")
  const year = DateTime.startOf(day, "year")
  const quarter = DateTime.add(year, { months: 3 * Math.floor((DateTime.getPartUtc(day, "month") - 1) / 3) })
  const range = (start: DateTime.DateTime, length: { days?: number; months?: number }): DayRange => ({
    from: DateTime.formatIsoDateUtc(start),
    before: DateTime.formatIsoDateUtc(DateTime.add(start, length))
  })
  return {
    day: range(day, { days: 1 }),
    week: range(week, { days: 7 }),
    month: range(month, { months: 1 }),
    quarter: range(quarter, { months: 3 }),
    year: range(year, { months: 12 })
  }
}

/** The years in which the periods of a date lie: two where its week begins in one and ends in the other. */
export const spendYears = (date: CalendarDate): ReadonlyArray<string> => {
  const { week } = spendRanges(date)
  const lastDay = DateTime.formatIsoDateUtc(DateTime.subtract(DateTime.makeUnsafe(week.before), { days: 1 }))
  return [...new Set([date, week.from, lastDay].map((one) => one.slice(0, 4)))].sort()
}
