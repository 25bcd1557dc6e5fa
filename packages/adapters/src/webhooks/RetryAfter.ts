import type { Instant } from "@sarraf/domain/time/Instant"

/** Nobody is taken at their word for longer: 30 days. */
const patienceMillisMax = 30 * 86_400_000

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

/** The three forms of HTTP-date (RFC 9110, 5.6.7): the present one, that of RFC 850, and that of C's asctime. */
const forms = [
  /^[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/u,
  /^[A-Z][a-z]{5,8}, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/u,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/u
]

/** A year of two digits that would lie more than 50 years ahead is one of the century before (RFC 9110, 5.6.7). */
const fullYear = (digits: string, now: Instant): number => {
  const year = Number(digits)
  if (digits.length === 4) return year
  const present = new Date(now).getUTCFullYear()
  const inThisCentury = present - (present % 100) + year
  return inThisCentury > present + 50 ? inThisCentury - 100 : inThisCentury
}

const dateOf = (text: string, now: Instant): Instant | undefined => {
  const { day, month = "", time, year } = forms.map((form) => form.exec(text)?.groups).find((groups) => groups) ?? {}
  const monthNumber = months.indexOf(month) + 1
  if (day === undefined || year === undefined || monthNumber === 0) return undefined
  const date = `${fullYear(year, now)}-${String(monthNumber).padStart(2, "0")}-${day.replace(" ", "0")}`
  const instant = Date.parse(`${date}T${time}Z`)
  return Number.isNaN(instant) ? undefined : instant
}

/**
 * Until when a receiver asks for patience: `Retry-After` in seconds or as a date (RFC 9110, 10.2.3), counted from the
 * moment of its answer, 30 days at most. Null where it asks for none, or for nothing that can be understood.
 */
export const retryAfter = (header: string | undefined, now: Instant): Instant | null => {
  const text = (header ?? "").trim()
  const until = /^\d+$/u.test(text) ? now + Number(text) * 1_000 : dateOf(text, now)
  return until === undefined || until <= now ? null : Math.min(until, now + patienceMillisMax)
}
