import { DateTime } from "effect"
import type { CalendarDate } from "../time/CalendarDate.ts"
import type { Instant } from "../time/Instant.ts"

/** The day that it is in the timezone, an IANA name; in UTC where nobody knows that name. */
export const dayIn = (instant: Instant, timezone: string): CalendarDate => {
  const zone = DateTime.zoneMakeNamed(timezone)
  const utc = DateTime.makeUnsafe(instant)
  return zone._tag === "None"
    ? DateTime.formatIsoDateUtc(utc)
    : DateTime.formatIsoDate(DateTime.setZone(utc, zone.value))
}

/** The month that is `count` months after this one, before it where negative: `monthAfter("2026-12", 1)` is "2027-01". */
export const monthAfter = (month: string, count: number): string => {
  const index = Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1 + count
  return `${String(Math.floor(index / 12)).padStart(4, "0")}-${String((index % 12) + 1).padStart(2, "0")}`
}

/** The last day of a month: `2028-02-29` of `2028-02`. */
export const lastDayOf = (month: string): CalendarDate =>
  DateTime.formatIsoDateUtc(DateTime.endOf(DateTime.makeUnsafe(`${month}-01T00:00:00Z`), "month"))
