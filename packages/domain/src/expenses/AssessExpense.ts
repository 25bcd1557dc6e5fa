import { Effect } from "effect"
import { convert, rateText } from "../money/Conversion.ts"
import { type ExchangeRate, ExchangeRates } from "../money/ExchangeRates.ts"
import { Organizations } from "../organizations/Organizations.ts"
import { PolicyBlocked } from "../policies/PolicyBlocked.ts"
import { type ActivePolicies, PolicyEvaluator, type PolicyVerdict } from "../policies/PolicyEvaluator.ts"
import type { CalendarDate } from "../time/CalendarDate.ts"
import { duplicatesAmong } from "./DuplicateLikelihood.ts"
import type { BaseAmount, Expense } from "./Expense.ts"
import { ExpenseFacts } from "./ExpenseFacts.ts"
import { ExpenseStore } from "./ExpenseStore.ts"

/** An expense with what was found out about it, and what the policies say of it. */
export interface AssessedExpense {
  readonly expense: Expense
  readonly verdict: PolicyVerdict
}

const frozen = (rates: ReadonlyMap<string, ExchangeRate>): NonNullable<Expense["frozenRates"]> =>
  Object.fromEntries(
    [...rates].map(([currency, { date, denominator, numerator }]) => [
      currency,
      [numerator.toString(), denominator.toString(), date] as const
    ])
  )

/** `PolicyBlocked` where a BLOCK is met. */
const unlessBlocked = (assessed: AssessedExpense): Effect.Effect<AssessedExpense, PolicyBlocked> =>
  assessed.verdict.strongest === "BLOCK"
    ? Effect.fail(new PolicyBlocked({ violations: assessed.verdict.violations }))
    : Effect.succeed(assessed)

/** What is found out about an expense: its amount in the base currency, its likely duplicates, and its violations. */
export const makeAssessment = Effect.gen(function* () {
  const store = yield* ExpenseStore
  const facts = yield* ExpenseFacts
  const policies = yield* PolicyEvaluator
  const rates = yield* ExchangeRates
  const organizations = yield* Organizations

  const baseOf = Effect.fnUntraced(function* ({ amount, date }: Pick<Expense, "amount" | "date">) {
    const { baseCurrency } = yield* organizations.current
    const inBase = (minor: bigint, rate: string, rateDate: CalendarDate): BaseAmount => ({
      minor,
      currency: baseCurrency,
      rate,
      rateDate
    })
    if (amount.currency === baseCurrency) return inBase(amount.minor, "1", date)
    const rate = (yield* rates.on(date, [amount.currency], baseCurrency)).get(amount.currency)
    const converted = rate === undefined ? undefined : convert(amount, rate, baseCurrency)
    return rate === undefined || converted === undefined ? null : inBase(converted.minor, rateText(rate), rate.date)
  })

  const judge = Effect.fnUntraced(function* (expense: Expense, active: ActivePolicies) {
    const gathered = yield* facts.gather(expense, active.needs)
    const verdict = active.verdict(gathered)
    return { expense: { ...expense, violations: verdict.violations }, verdict, rates: gathered.rates }
  })

  const refreshed = Effect.fnUntraced(function* (expense: Expense) {
    const base = yield* baseOf(expense)
    const duplicates = duplicatesAmong(expense, yield* store.similar(expense))
    return { ...expense, base, frozenRates: null, duplicates }
  })

  /** Where no policy asks for sums of periods, nobody waits for them. */
  const lockSpending = Effect.fnUntraced(function* (expenses: ReadonlyArray<Expense>) {
    const active = yield* policies.active("expense")
    if (active.needs.spending) yield* store.lockSpending(expenses)
    return active
  })

  return {
    /** What the policies ask of these expenses' periods stays as it is until the unit of work ends. */
    lockSpending,
    /** For a draft, by the present rates. Nothing is refused: a draft is saved with its violations. */
    draft: Effect.fnUntraced(function* (expense: Expense) {
      const assessed = yield* judge(yield* refreshed(expense), yield* policies.active("expense"))
      return assessed.expense
    }),
    /**
     * For what is being submitted: the present rates are frozen with it, and the sums of the person's periods stay as
     * they are until the unit of work ends. `PolicyBlocked` where a BLOCK is met.
     */
    submission: Effect.fnUntraced(function* (expense: Expense) {
      const active = yield* lockSpending([expense])
      const assessed = yield* judge(yield* refreshed(expense), active)
      const kept = { ...assessed.expense, frozenRates: frozen(assessed.rates) }
      return yield* unlessBlocked({ expense: kept, verdict: assessed.verdict })
    }),
    /** For the last approval: by the rates that were frozen. `PolicyBlocked` where a BLOCK is met. */
    approval: Effect.fnUntraced(function* (expense: Expense) {
      return yield* unlessBlocked(yield* judge(expense, yield* lockSpending([expense])))
    })
  }
})
export type Assessment = Effect.Success<typeof makeAssessment>
