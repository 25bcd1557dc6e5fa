import { Context, type Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Caller } from "../organizations/Caller.ts"
import type { CalendarDate } from "../time/CalendarDate.ts"

/**
 * What one unit of `from` costs in `to`, as an exact fraction: never a float. A cross rate (USD → EUR → TRY) is the
 * product of two fractions, rounded nowhere.
 */
export interface ExchangeRate {
  readonly from: string
  readonly to: string
  readonly numerator: bigint
  readonly denominator: bigint
  /** The day of the quotation that was used: on or before the day that was asked for. */
  readonly date: CalendarDate
  /** Whose rate it is: the organization's own, or the operator's (such as the ECB's). */
  readonly source: RateSource
  /** The currency that both were quoted against, where it is the product of two quotations. */
  readonly via?: string
}

export type RateSource = "organization" | "operator"

/** Driven port: dated rates, the organization's own before the operator's. */
export class ExchangeRates extends Context.Service<
  ExchangeRates,
  {
    /**
     * For each of `from` the rate to `to` that holds on this day; without those that have none. Equal currencies need
     * none and are left out. A quotation holds until the next one, ten days at most. See `ratesOf` for which one is used.
     */
    on(
      date: CalendarDate,
      from: ReadonlyArray<string>,
      to: string
    ): Effect.Effect<ReadonlyMap<string, ExchangeRate>, Unavailable, Caller>
  }
>()("@sarraf/domain/money/ExchangeRates") {}
