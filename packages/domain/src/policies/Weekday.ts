import type { CalendarDate } from "../time/CalendarDate.ts"

/** From Monday, as weeks are counted in ISO 8601. */
export const weekdays = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"] as const
export type Weekday = (typeof weekdays)[number]

/** Days that lie before a month of a common year that begins in March. */
const daysBeforeMonth = (month: number): number => Math.floor((153 * ((month + 9) % 12) + 2) / 5)

/** `weekdayOf("2026-03-01")` is SUNDAY. Gregorian calendar, by the number of days since 0000-03-01, a Wednesday. */
export const weekdayOf = (date: CalendarDate): Weekday => {
  const [year = 0, month = 1, day = 1] = date.split("-").map(Number)
  const years = month > 2 ? year : year - 1
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400)
  const days = 365 * years + leapDays + daysBeforeMonth(month) + day - 1
  return weekdays[(days + 2) % 7] ?? "MONDAY"
}
