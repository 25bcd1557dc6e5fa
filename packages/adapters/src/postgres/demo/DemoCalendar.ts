import type { CalendarDate } from "@sarraf/domain/time/CalendarDate"
import type { Instant } from "@sarraf/domain/time/Instant"

const dayMillis = 86_400_000
/** Türkiye's clocks have stood at UTC+3 since 2016. */
const zoneMillis = 3 * 3_600_000

/** A day of the demo year: the month from 0 to 11, of which the last is the month of the start, and the day from 1. */
export interface DemoDay {
  readonly month: number
  readonly day: number
}

/** The twelve months that end with the month of an instant, where the sandbox is. */
export interface DemoCalendar {
  /** Midnight of the day; the last one of its month where the month is shorter. */
  readonly startOf: (day: DemoDay) => Instant
  /** The same, and the Monday after it, or the Friday before it, where it is on a weekend. */
  readonly workdayOf: (day: DemoDay) => Instant
  readonly dateOf: (at: Instant) => CalendarDate
}

const weekdayOf = (at: Instant): number => new Date(at + zoneMillis).getUTCDay()

export const demoCalendar = (now: Instant): DemoCalendar => {
  const today = new Date(now + zoneMillis)
  const startOf = ({ day, month }: DemoDay) => {
    const first = today.getUTCMonth() - 11 + month
    const length = new Date(Date.UTC(today.getUTCFullYear(), first + 1, 0)).getUTCDate()
    return Date.UTC(today.getUTCFullYear(), first, Math.min(day, length)) - zoneMillis
  }
  return {
    startOf,
    workdayOf: (of) => {
      const at = startOf(of)
      const toMonday = ({ 0: 1, 6: 2 } as Readonly<Record<number, number>>)[weekdayOf(at)] ?? 0
      // Near the end of a month it is the Friday before, so that it stays in its month.
      return at + (toMonday > 0 && of.day > 26 ? toMonday - 3 : toMonday) * dayMillis
    },
    dateOf: (at) => new Date(at + zoneMillis).toISOString().slice(0, 10)
  }
}
