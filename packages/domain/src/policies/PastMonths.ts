import { DateTime, Effect, Option, Stream } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Expense } from "../expenses/Expense.ts"
import { type ExpenseFilter, ExpenseStore } from "../expenses/ExpenseStore.ts"
import type { Money } from "../money/Money.ts"
import type { Caller } from "../organizations/Caller.ts"
import { Organizations } from "../organizations/Organizations.ts"
import { UnitOfWork } from "../organizations/UnitOfWork.ts"
import type { CalendarDate } from "../time/CalendarDate.ts"
import type { Evaluation } from "./Policy.ts"
import type { Enforcement } from "./Violation.ts"

/** Expenses that are read and evaluated at once; the largest page that a list has. */
const pageSize = 100
/** Expenses between two lines of progress. */
const progressEvery = 200
const examplesMax = 10

/** An expense that met a policy, and what it was told. */
export interface MetExample {
  readonly expenseId: string
  readonly merchant: string
  readonly amount: Money
  readonly date: CalendarDate
  readonly message: string
}

/** What came of past months: expenses that were looked at, and those that met at least one policy. */
export interface PastMonthsResult {
  readonly type: "result"
  readonly evaluated: number
  readonly met: number
  /** Of those that met some, by the strongest enforcement. */
  readonly byEnforcement: Readonly<Record<Enforcement, number>>
  /** Sum of those that met some, where a rate is known; minor units of the base currency. */
  readonly amountMet: bigint
  readonly baseCurrency: string
  /** The newest ten at most. */
  readonly examples: ReadonlyArray<MetExample>
}

export type PastMonthsLine =
  | { readonly type: "progress"; readonly evaluated: number; readonly of: number }
  | PastMonthsResult

/** What was submitted; a draft is still being written. */
const statuses = ["PENDING", "APPROVED", "REJECTED", "REIMBURSED"] as const

const withExpense = (result: PastMonthsResult, expense: Expense, { verdict }: Evaluation): PastMonthsResult => {
  const [strongest] = verdict.violations
  if (strongest === undefined) return { ...result, evaluated: result.evaluated + 1 }
  const { enforcement, message } = strongest
  const { amount, base, date, id, merchant } = expense
  return {
    ...result,
    evaluated: result.evaluated + 1,
    met: result.met + 1,
    byEnforcement: { ...result.byEnforcement, [enforcement]: result.byEnforcement[enforcement] + 1 },
    amountMet: result.amountMet + (base?.currency === result.baseCurrency ? base.minor : 0n),
    examples:
      result.examples.length < examplesMax
        ? [...result.examples, { expenseId: id, merchant, amount, date, message }]
        : result.examples
  }
}

type Evaluate = (expense: Expense) => Effect.Effect<Evaluation, Unavailable, Caller>

/** How far the evaluation is. */
interface Progress {
  /** The last expense that was evaluated. */
  readonly after: string | undefined
  readonly result: PastMonthsResult
}

/** Evaluates what was submitted in the last months, page by page, each page in one unit of work. */
export const makePastMonths = Effect.gen(function* () {
  const store = yield* ExpenseStore
  const organizations = yield* Organizations
  const units = yield* UnitOfWork

  const pageAfter = (filter: ExpenseFilter, after: string | undefined) =>
    store.list(filter, "all", { limit: pageSize, after })

  const count = Effect.fnUntraced(function* (filter: ExpenseFilter) {
    let found = 0
    let page = yield* pageAfter(filter, undefined)
    for (found += page.items.length; page.hasMore; found += page.items.length) {
      page = yield* pageAfter(filter, page.items.at(-1)?.id)
    }
    return found
  })

  /** One page: its line of progress where one is due, the result after the last, and where the next page begins. */
  const advance = Effect.fnUntraced(function* (progress: Progress, filter: ExpenseFilter, evaluate: Evaluate) {
    const { hasMore, items } = yield* pageAfter(filter, progress.after)
    let { result } = progress
    for (const expense of items) result = withExpense(result, expense, yield* evaluate(expense))
    const isDue = Math.floor(result.evaluated / progressEvery) > Math.floor(progress.result.evaluated / progressEvery)
    return { isDue, result, next: hasMore ? Option.some({ after: items.at(-1)?.id, result }) : Option.none() }
  })

  return Effect.fnUntraced(function* (months: number, evaluate: Evaluate) {
    const { baseCurrency, timezone } = yield* organizations.current
    const today = DateTime.setZoneNamedUnsafe(yield* DateTime.now, timezone)
    const filter: ExpenseFilter = {
      statuses,
      from: DateTime.formatIsoDate(DateTime.subtract(today, { months }))
    }
    const byEnforcement = { BLOCK: 0, REQUIRE_APPROVAL: 0, WARN: 0 }
    const none: PastMonthsResult = {
      type: "result",
      evaluated: 0,
      met: 0,
      byEnforcement,
      amountMet: 0n,
      baseCurrency,
      examples: []
    }
    const initial: Progress = { after: undefined, result: none }
    const evaluated = (of: number) =>
      Stream.paginate(initial, (progress) =>
        Effect.map(units.run(advance(progress, filter, evaluate)), ({ isDue, next, result }) => {
          // Expenses that were entered meanwhile are evaluated as well.
          const line = { type: "progress", evaluated: result.evaluated, of: Math.max(of, result.evaluated) } as const
          const lines: ReadonlyArray<PastMonthsLine> = [
            ...(isDue ? [line] : []),
            ...(Option.isNone(next) ? [result] : [])
          ]
          return [lines, next] as const
        })
      )
    return Stream.unwrap(
      Effect.map(count(filter), (of) =>
        Stream.concat(Stream.succeed<PastMonthsLine>({ type: "progress", evaluated: 0, of }), evaluated(of))
      )
    )
  })
})
