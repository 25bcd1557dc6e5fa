import type { Quotation } from "@sarraf/domain/money/Quotation"
import type { Instant } from "@sarraf/domain/time/Instant"
import type { DemoCalendar } from "./DemoCalendar.ts"
import { makeDemoRandom } from "./DemoRandom.ts"

/**
 * What a euro costs at the beginning, by how much it rises or falls over the year and how far a day may move it, in
 * hundred-thousandths of what it was. Of a size that rates of 2026 have; not anybody's quotations.
 */
const courses = [
  { quote: "TRY", start: 46.2, trendYear: 19_000, step: 220 },
  { quote: "USD", start: 1.162, trendYear: 1_400, step: 260 },
  { quote: "GBP", start: 0.868, trendYear: -700, step: 160 },
  { quote: "AED", start: 4.267, trendYear: 1_400, step: 260 },
  { quote: "JPY", start: 171.4, trendYear: 2_300, step: 300 },
  { quote: "KWD", start: 0.3562, trendYear: 1_300, step: 240 }
] as const

const dayMillis = 86_400_000
/** Before the first of the year, since a quotation holds over days without one. */
const daysBefore = 10

/** The operator's quotations against the euro, one for each working day until today. */
export const demoRates = (calendar: DemoCalendar, now: Instant): ReadonlyArray<Quotation> => {
  const first = calendar.startOf({ month: 0, day: 1 }) - daysBefore * dayMillis
  const days = Math.floor((now - first) / dayMillis)
  return courses.flatMap(({ quote, start, step, trendYear }, index) => {
    const random = makeDemoRandom(7_000 + index)
    let drift = 0
    const quotations: Array<Quotation> = []
    for (let day = 0; day <= days; day++) {
      // Back towards the trend, so that no currency runs away.
      drift = Math.round(drift * 0.97) + random.between(-step, step)
      const at = first + day * dayMillis
      const date = calendar.dateOf(at)
      const weekday = new Date(date).getUTCDay()
      if (weekday === 0 || weekday === 6) continue
      const rate = start * (1 + (Math.round((trendYear * day) / 365) + drift) / 100_000)
      quotations.push({ date, base: "EUR", quote, rate: rate.toFixed(4), source: "operator", origin: "csv" })
    }
    return quotations
  })
}
