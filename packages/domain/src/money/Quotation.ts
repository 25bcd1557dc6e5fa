import { Context, type Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import type { Caller } from "../organizations/Caller.ts"
import type { CalendarDate } from "../time/CalendarDate.ts"
import type { RateSource } from "./ExchangeRates.ts"

/** How a quotation came in: one by one over the API, in a file of our own form, or in the European Central Bank's. */
export const quotationOrigins = ["api", "csv", "ecb"] as const
export type QuotationOrigin = (typeof quotationOrigins)[number]

/** What one unit of `base` cost in `quote` on a day. */
export interface NewQuotation {
  readonly date: CalendarDate
  readonly base: string
  readonly quote: string
  /** A decimal with up to ten digits before and ten after the point: "41.235". */
  readonly rate: string
}

export interface Quotation extends NewQuotation {
  readonly source: RateSource
  readonly origin: QuotationOrigin
}

/** Every condition that is given must hold. */
export interface QuotationFilter {
  readonly date?: CalendarDate
  readonly base?: string
  readonly quote?: string
}

/** A quotation's place in the list: newest day first, then by base, quote and source. */
export const quotationPlace = ({ base, date, quote, source }: Quotation): string =>
  [date, base, quote, source].join(" ")

/** Driven port: the quotations of the caller's organization, and the operator's beside them. */
export class Quotations extends Context.Service<
  Quotations,
  {
    /** The organization's own and the operator's. A page's `after` is a `quotationPlace`. */
    list(filter: QuotationFilter, page: PageRequest): Effect.Effect<Page<Quotation>, Unavailable, Caller>
    /**
     * In a unit of work: saves them as the organization's own, each in the place of an earlier one of its day and pair.
     * No two may have the same day and pair. Answers how many are new or differ from what was there.
     */
    save(quotations: ReadonlyArray<NewQuotation>, origin: QuotationOrigin): Effect.Effect<number, Unavailable, Caller>
  }
>()("@sarraf/domain/money/Quotations") {}
