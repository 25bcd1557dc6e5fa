import { lastDayOf, monthAfter } from "@sarraf/domain/reports/Months"
import type { CalendarDate } from "@sarraf/domain/time/CalendarDate"

/** Days, both included. */
interface Days {
  readonly from: CalendarDate
  readonly to: CalendarDate
}

/** A period as the months that lie in it as a whole, which are summed, and the days before and after them. */
export interface SpendPeriod {
  /** First days of the first and last whole month; undefined where the period has no such end, null where it holds no month. */
  readonly months: { readonly first: CalendarDate | undefined; readonly last: CalendarDate | undefined } | null
  readonly days: ReadonlyArray<Days>
}

const monthOf = (date: CalendarDate) => date.slice(0, 7)

/** `2026-01-15` to `2026-03-31` are the days to the end of January, and February and March. */
export const periodOf = (from: CalendarDate | undefined, to: CalendarDate | undefined): SpendPeriod => {
  const first = from === undefined || from.endsWith("-01") ? from?.slice(0, 7) : monthAfter(monthOf(from), 1)
  const last = to === undefined || to === lastDayOf(monthOf(to)) ? to?.slice(0, 7) : monthAfter(monthOf(to), -1)
  if (from !== undefined && to !== undefined && first !== undefined && last !== undefined && first > last) {
    // Less than a month, or the end of one and the beginning of the next.
    return { months: null, days: [{ from, to }] }
  }
  return {
    months: {
      first: first === undefined ? undefined : `${first}-01`,
      last: last === undefined ? undefined : `${last}-01`
    },
    days: [
      ...(from === undefined || from.slice(0, 7) === first ? [] : [{ from, to: lastDayOf(monthOf(from)) }]),
      ...(to === undefined || to.slice(0, 7) === last ? [] : [{ from: `${monthOf(to)}-01`, to }])
    ]
  }
}
