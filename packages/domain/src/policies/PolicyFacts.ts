import type { ExchangeRate } from "../money/ExchangeRates.ts"
import type { Money } from "../money/Money.ts"
import type { Role } from "../organizations/Caller.ts"
import type { CalendarDate } from "../time/CalendarDate.ts"

/** The periods of which a policy may ask what a person has spent. Weeks begin on Monday. */
export const spendPeriods = ["day", "week", "month", "quarter", "year"] as const
export type SpendPeriod = (typeof spendPeriods)[number]

/** What the conditions of some policies need beyond the request itself, so that nothing else has to be gathered. */
export interface PolicyNeeds {
  /** The currencies that operands name, in alphabetical order: a rate is needed for each. */
  readonly currencies: ReadonlyArray<string>
  /** Whether any of them asks what was spent in a period. */
  readonly spending: boolean
}

/**
 * Everything that a policy may ask about a request: plain values, gathered before the evaluation, which is pure. Undefined
 * and null alike mean that there is nothing.
 */
export interface PolicyFacts {
  readonly amount: Money
  /** Minor units of the base currency; null where no rate is known: a condition on money then counts as met and says so. */
  readonly baseMinor: bigint | null
  readonly baseCurrency: string
  readonly date: CalendarDate
  readonly merchant: string
  readonly category: string | null
  readonly departmentId: string | null
  readonly hasReceipt: boolean
  /** Null for what a key made for nobody in particular. */
  readonly submitterRole: Role | null
  /** 0 to 100, of the vendor where there is one. */
  readonly vendorRisk: number | null
  /** 0 to 100: how likely it is that this was entered before. */
  readonly duplicateLikelihood: number
  /** What the person has spent in the period of the date, this request included, in minor units of the base currency; not gathered where no policy asks. */
  readonly spent: Readonly<Record<SpendPeriod, bigint>>
  /** Rates of the date to the base currency, for operands in other currencies; frozen when the request was submitted. */
  readonly rates: ReadonlyMap<string, ExchangeRate>
}
