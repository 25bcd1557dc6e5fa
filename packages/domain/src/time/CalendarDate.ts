import { DateTime, Schema } from "effect"
import type { Instant } from "./Instant.ts"

const isRealDate = (text: string): boolean => {
  const [, year = "", month = "", day = ""] = /^(\d{4})-(\d{2})-(\d{2})$/u.exec(text) ?? []
  const days = daysInMonth(Number(year), Number(month))
  return Number(year) >= 1900 && Number(day) >= 1 && Number(day) <= days
}

const daysInMonth = (year: number, month: number): number => {
  if (month < 1 || month > 12) return 0
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

/** A day of the calendar without a time, `2026-02-28` (ISO 8601), in the organization's timezone. Sorts as text. */
export const CalendarDate = Schema.String.check(
  Schema.makeFilter((text: string) => isRealDate(text) || "must be a date such as 2026-01-31")
)
export type CalendarDate = typeof CalendarDate.Type

/** When a day begins in a timezone of the IANA database; so many days later, for the day after it. */
export const startOfDay = (date: CalendarDate, timezone: string, daysLater = 0): Instant => {
  const [year = 1970, month = 1, day = 1] = date.split("-").map(Number)
  const local = DateTime.makeZonedUnsafe(
    { year, month, day: day + daysLater },
    { timeZone: timezone, adjustForTimeZone: true }
  )
  return DateTime.toEpochMillis(local)
}
