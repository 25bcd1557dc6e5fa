import { type CalendarDate, startOfDay } from "./CalendarDate.ts"
import type { Instant } from "./Instant.ts"

/** An end of a range as people name it: a time, or a day, which is the organization's. */
export type Moment = CalendarDate | Instant

/** When a range begins. */
export const beginOf = (moment: Moment, timezone: string): Instant =>
  typeof moment === "number" ? moment : startOfDay(moment, timezone)

/** Before when a range ends: a day is in it as a whole. */
export const endOf = (moment: Moment, timezone: string): Instant =>
  typeof moment === "number" ? moment : startOfDay(moment, timezone, 1)
