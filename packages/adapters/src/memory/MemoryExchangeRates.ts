import { pageOf } from "@sarraf/domain/lists/Page"
import { parseRate, rateText } from "@sarraf/domain/money/Conversion"
import { ExchangeRates } from "@sarraf/domain/money/ExchangeRates"
import { type Quotation, type QuotationFilter, Quotations, quotationPlace } from "@sarraf/domain/money/Quotation"
import { quotationDaysMax, ratesOf } from "@sarraf/domain/money/RateLookup"
import { Caller } from "@sarraf/domain/organizations/Caller"
import type { CalendarDate } from "@sarraf/domain/time/CalendarDate"
import { Effect, Layer, Result } from "effect"
import { ExpenseSideMemory } from "./ExpenseSideMemory.ts"

/** Whose the operator's quotations are. */
export const operator = ""

const dayMillis = 86_400_000

/** Of each pair the newest that holds on the day. */
export const heldOn = (
  memory: ExpenseSideMemory["Service"],
  owner: string,
  date: CalendarDate
): ReadonlyArray<Quotation> => {
  const newest = new Map<string, Quotation>()
  for (let days = 0; days <= quotationDaysMax; days++) {
    const day = new Date(Date.parse(date) - days * dayMillis).toISOString().slice(0, 10)
    for (const [pair, quotation] of memory.quotations.get(owner, day) ?? []) {
      if (!newest.has(pair)) newest.set(pair, quotation)
    }
  }
  return [...newest.values()]
}

/** Puts a quotation in the place of an earlier one of its day and pair; false where that says the same. */
export const putQuotation = (memory: ExpenseSideMemory["Service"], owner: string, quotation: Quotation): boolean => {
  const ofDay = memory.quotations.get(owner, quotation.date)
  const pair = `${quotation.base} ${quotation.quote}`
  // "50.0" and "50" are one rate.
  const rate = rateText(Result.getOrThrow(parseRate(quotation.rate)))
  if (ofDay?.get(pair)?.rate === rate) return false
  memory.quotations.put(owner, quotation.date, new Map(ofDay).set(pair, { ...quotation, rate }))
  return true
}

const fits = (filter: QuotationFilter, { base, date, quote }: Quotation): boolean =>
  (filter.date === undefined || date === filter.date) &&
  (filter.base === undefined || base === filter.base) &&
  (filter.quote === undefined || quote === filter.quote)

/** Newest day first, then by base, quote and source, as `quotationPlace` says them. */
const inOrder = (one: readonly string[], other: readonly string[]): number => {
  const [date = "", ...rest] = one
  const [otherDate = "", ...otherRest] = other
  if (date !== otherDate) return date > otherDate ? -1 : 1
  const at = rest.findIndex((part, index) => part !== otherRest[index])
  return at < 0 ? 0 : (rest[at] ?? "") < (otherRest[at] ?? "") ? -1 : 1
}

const partsOf = (quotation: Quotation) => {
  const [date = "", base = "", quote = "", source = ""] = quotationPlace(quotation).split(" ")
  // As in a table where the operator's owner is the empty text.
  return [date, base, quote, source === "operator" ? "" : source]
}

const rates = Layer.effect(
  ExchangeRates,
  Effect.map(ExpenseSideMemory, (memory) =>
    ExchangeRates.of({
      on: (date, froms, to) =>
        memory.within(
          Effect.map(Caller, ({ organizationId }) =>
            ratesOf([...heldOn(memory, operator, date), ...heldOn(memory, organizationId, date)], froms, to)
          )
        )
    })
  )
)

const quotations = Layer.effect(
  Quotations,
  Effect.map(ExpenseSideMemory, (memory) =>
    Quotations.of({
      list: (filter, page) =>
        memory.within(
          Effect.map(Caller, ({ organizationId }) => {
            const [date = "", base = "", quote = "", source = ""] = page.after?.split(" ") ?? []
            const after = [date, base, quote, source === "operator" ? "" : source]
            const found = [operator, organizationId]
              .flatMap((owner) => memory.quotations.all(owner).flatMap((ofDay) => [...ofDay.values()]))
              .filter((one) => fits(filter, one))
              .filter((one) => page.after === undefined || inOrder(partsOf(one), after) > 0)
              .sort((one, other) => inOrder(partsOf(one), partsOf(other)))
            return pageOf(found.slice(0, page.limit + 1), page)
          })
        ),
      save: (added, origin) =>
        memory.within(
          Effect.map(Caller, ({ organizationId }) => {
            const saved = added.filter((quotation) =>
              putQuotation(memory, organizationId, { ...quotation, source: "organization", origin })
            )
            return saved.length
          })
        )
    })
  )
)

/** Exchange rates in memory: organizations' own, and the operator's, which are put into `ExpenseSideMemory` itself. */
export const layer = Layer.merge(rates, quotations)
