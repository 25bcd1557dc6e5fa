import type { ExpenseStatus } from "../expenses/ExpenseStatus.ts"
import type { CalendarDate } from "../time/CalendarDate.ts"

/** What a report may be grouped by, and nothing else: `vendor` comes with bills. */
export const spendDimensions = ["category", "merchant", "user", "department", "month", "currency"] as const
export type SpendDimension = (typeof spendDimensions)[number]

/** What counts as spent where a report does not say: what was asked for, granted or paid; no drafts, nothing refused. */
export const spentStatuses = ["PENDING", "APPROVED", "REIMBURSED"] as const satisfies ReadonlyArray<ExpenseStatus>

/** Groups that a report shows; the rest is summed in one more. */
export const spendGroupsMax = 1_000

/** Every condition that is given must hold. */
export interface SpendFilter {
  readonly statuses: ReadonlyArray<ExpenseStatus>
  /** First and last day of the expense's own date, both included. */
  readonly from?: CalendarDate
  readonly to?: CalendarDate
  readonly categories?: ReadonlyArray<string>
  /** A part of the name, any case. */
  readonly merchant?: string
  readonly userId?: string
  readonly departmentId?: string
  readonly currency?: string
}

/** Expenses of one currency that were converted to the same currency, or not at all. Sums are exact. */
export interface SpendCell {
  readonly currency: string
  /** What `baseMinor` counts; null where no rate was known. */
  readonly baseCurrency: string | null
  readonly expenses: number
  /** Minor units of `currency`. */
  readonly minor: bigint
  /** Minor units of `baseCurrency`; 0 without one. */
  readonly baseMinor: bigint
}

/** Expenses in one of their own currencies. */
export interface CurrencyTally {
  readonly currency: string
  readonly expenses: number
  readonly minor: bigint
}

/** The sums of some expenses. */
export interface SpendTally {
  /** All of them, converted or not. */
  readonly expenses: number
  /** Minor units of the organization's currency, of those that could be converted. */
  readonly baseMinor: bigint
  /** All of them, each in its own currency, by the currency's code. */
  readonly amounts: ReadonlyArray<CurrencyTally>
  /** Those that are not in `baseMinor`: for want of a rate, or converted to what was the organization's currency before. */
  readonly unconverted: { readonly expenses: number; readonly amounts: ReadonlyArray<CurrencyTally> }
}

const byCurrency = (cells: ReadonlyArray<SpendCell>): ReadonlyArray<CurrencyTally> => {
  const sums = new Map<string, CurrencyTally>()
  for (const { currency, expenses, minor } of cells) {
    const sum = sums.get(currency)
    sums.set(currency, {
      currency,
      expenses: (sum?.expenses ?? 0) + expenses,
      minor: (sum?.minor ?? 0n) + minor
    })
  }
  return [...sums.values()].sort((one, other) => (one.currency < other.currency ? -1 : 1))
}

const countOf = (cells: ReadonlyArray<SpendCell>): number => cells.reduce((sum, { expenses }) => sum + expenses, 0)

/** Adds cells up. The tally of all cells is the sum of the tallies of its parts, however they are divided. */
export const tallyOf = (cells: ReadonlyArray<SpendCell>, baseCurrency: string): SpendTally => {
  const unconverted = cells.filter((cell) => cell.baseCurrency !== baseCurrency)
  return {
    expenses: countOf(cells),
    baseMinor: cells.reduce((sum, cell) => (cell.baseCurrency === baseCurrency ? sum + cell.baseMinor : sum), 0n),
    amounts: byCurrency(cells),
    unconverted: { expenses: countOf(unconverted), amounts: byCurrency(unconverted) }
  }
}
