import { Effect, Layer } from "effect"
import { type ExchangeRate, ExchangeRates } from "../money/ExchangeRates.ts"
import { Members } from "../organizations/Members.ts"
import { Organizations } from "../organizations/Organizations.ts"
import type { SpendPeriod } from "../policies/PolicyFacts.ts"
import type { Expense } from "./Expense.ts"
import { ExpenseFacts } from "./ExpenseFacts.ts"
import { ExpenseStore } from "./ExpenseStore.ts"

/** The rates that the expense froze to this currency, as policies read them. */
const frozenRatesOf = (expense: Expense, baseCurrency: string): ReadonlyMap<string, ExchangeRate> => {
  if (expense.base !== null && expense.base.currency !== baseCurrency) return new Map()
  return new Map(
    Object.entries(expense.frozenRates ?? {}).map(([from, [numerator, denominator, date]]) => [
      from,
      {
        from,
        to: baseCurrency,
        numerator: BigInt(numerator),
        denominator: BigInt(denominator),
        date,
        source: "organization"
      }
    ])
  )
}

/** Whose role policies ask about: whose expense it is, else the person who submitted it; nobody's for what a key made. */
const personOf = ({ submittedBy, submitters, userId }: Expense): string | null =>
  userId ?? (submittedBy?.startsWith("user:") === true ? (submitters[0] ?? null) : null)

const nothing: Readonly<Record<SpendPeriod, bigint>> = { day: 0n, week: 0n, month: 0n, quarter: 0n, year: 0n }

const withThis = (
  spent: Readonly<Record<SpendPeriod, bigint>>,
  minor: bigint
): Readonly<Record<SpendPeriod, bigint>> => ({
  day: spent.day + minor,
  week: spent.week + minor,
  month: spent.month + minor,
  quarter: spent.quarter + minor,
  year: spent.year + minor
})

/** The facts of an expense from the stores. Its base amount and its duplicates are read from it as they stand. */
export const layer = Layer.effect(
  ExpenseFacts,
  Effect.gen(function* () {
    const store = yield* ExpenseStore
    const rates = yield* ExchangeRates
    const members = yield* Members
    const organizations = yield* Organizations
    return ExpenseFacts.of({
      gather: Effect.fn("ExpenseFacts.gather")(function* (expense, { currencies, spending }) {
        const { baseCurrency } = yield* organizations.current
        const frozen = frozenRatesOf(expense, baseCurrency)
        const missing = currencies.filter((currency) => currency !== baseCurrency && !frozen.has(currency))
        const found = missing.length === 0 ? new Map() : yield* rates.on(expense.date, missing, baseCurrency)
        const person = personOf(expense)
        const member = person === null ? undefined : yield* members.find(person)
        const baseMinor = expense.base?.currency === baseCurrency ? expense.base.minor : null
        // Of a large organization's own expenses the sums of a year are many rows: they are read where somebody asks.
        const spent = spending ? yield* store.spent(expense.userId, expense.date, expense.id) : nothing
        return {
          amount: expense.amount,
          baseMinor,
          baseCurrency,
          date: expense.date,
          merchant: expense.merchant,
          category: expense.category,
          departmentId: expense.departmentId,
          hasReceipt: expense.receiptUrl !== null,
          submitterRole: member?.role ?? null,
          vendorRisk: null,
          duplicateLikelihood: expense.duplicates[0]?.score ?? 0,
          spent: withThis(spent, baseMinor ?? 0n),
          rates: new Map([...found, ...frozen])
        }
      })
    })
  })
)
