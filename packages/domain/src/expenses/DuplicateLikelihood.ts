import { DateTime } from "effect"
import type { CalendarDate } from "../time/CalendarDate.ts"
import type { DuplicateHint, Expense } from "./Expense.ts"
import { merchantSimilarity } from "./MerchantName.ts"

/** What is compared of an expense. */
export type ComparedExpense = Pick<Expense, "amount" | "date" | "merchant" | "userId">

/** How far two expenses may be apart and still be the same purchase. */
export const nearness = { daysMax: 3, percentMax: 2n } as const

/** Below it two names are two merchants. */
const similarityMin = 0.6
/** The three parts of the score; together 100. */
const weights = { merchant: 40, amount: 35, date: 25 } as const
/** Of the weight of the amount, what is left at the far end. */
const farAmount = 15
const byDaysApart = [weights.date, 20, 15, 10] as const

const dayMillis = 86_400_000
const dayNumber = (date: CalendarDate): number => DateTime.toEpochMillis(DateTime.makeUnsafe(date)) / dayMillis
const distance = (one: bigint, other: bigint): bigint => (one > other ? one - other : other - one)

/** By how much the smaller is below the larger, in hundredths of a percent. */
const basisPointsApart = (one: bigint, other: bigint): number => {
  const larger = one > other ? one : other
  return larger === 0n ? 0 : Number((distance(one, other) * 10_000n + larger - 1n) / larger)
}

const none = { score: 0, reasons: [] } as const

/**
 * How likely it is that two expenses are the same purchase, 0 to 100, and why: the same member, the same currency, amounts
 * at most 2 % apart, at most 3 days apart, and similar merchants. Where one of these fails it is 0. The same both ways
 * round, and never less for what lies nearer.
 */
export const duplicateLikelihood = (
  one: ComparedExpense,
  other: ComparedExpense
): { readonly score: number; readonly reasons: ReadonlyArray<string> } => {
  const days = Math.abs(dayNumber(one.date) - dayNumber(other.date))
  const forDate = byDaysApart[days]
  const apart = basisPointsApart(one.amount.minor, other.amount.minor)
  const apartMax = Number(nearness.percentMax) * 100
  if (one.userId !== other.userId || one.amount.currency !== other.amount.currency) return none
  if (forDate === undefined || apart > apartMax) return none
  const similarity = merchantSimilarity(one.merchant, other.merchant)
  if (similarity < similarityMin) return none
  const forAmount = weights.amount - ((weights.amount - farAmount) * apart) / apartMax
  return {
    score: Math.round(weights.merchant * similarity + forAmount + forDate),
    reasons: [
      similarity === 1 ? "the same merchant" : "a similar merchant",
      apart === 0 ? "the same amount" : `amounts ${apart / 100} % apart`,
      days === 0 ? "the same day" : days === 1 ? "1 day apart" : `${days} days apart`
    ]
  }
}

/** As many as an expense is kept with. */
const hintsMax = 3

/** What an expense may be a duplicate of, the likeliest first. */
export const duplicatesAmong = (expense: Expense, others: ReadonlyArray<Expense>): ReadonlyArray<DuplicateHint> =>
  others
    .filter(({ id }) => id !== expense.id)
    .map((other) => ({ expenseId: other.id, ...duplicateLikelihood(expense, other) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || (one.expenseId < other.expenseId ? 1 : -1))
    .slice(0, hintsMax)
