import { Context, Effect, Layer } from "effect"
import { AuditTrail } from "../audit/AuditTrail.ts"
import { InvalidFields } from "../errors/Refusals.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import type { Caller, RoleMissing } from "../organizations/Caller.ts"
import { permitted } from "../organizations/Permissions.ts"
import { UnitOfWork } from "../organizations/UnitOfWork.ts"
import type { CalendarDate } from "../time/CalendarDate.ts"
import { convert } from "./Conversion.ts"
import { type ExchangeRate, ExchangeRates } from "./ExchangeRates.ts"
import type { Money } from "./Money.ts"
import {
  type NewQuotation,
  type Quotation,
  type QuotationFilter,
  type QuotationOrigin,
  Quotations
} from "./Quotation.ts"
import { type FileFault, quotationFaults, quotationKey, readRateFile } from "./RateFile.ts"
import { quotationDaysMax } from "./RateLookup.ts"

/** What became of quotations that were sent. */
export interface SavedRates {
  /** How many were sent. */
  readonly read: number
  /** How many of them are new, or differ from what was there. */
  readonly written: number
  /** The first and the last day. */
  readonly from: CalendarDate
  readonly to: CalendarDate
  /** Columns of a file for currencies that no longer circulate. */
  readonly skipped: ReadonlyArray<string>
}

/** Money in another currency, and the rate that made it; null where the two currencies are one. */
export interface Converted {
  readonly amount: Money
  readonly rate: ExchangeRate | null
}

/** The days that quotations span. */
export const spanOf = (quotations: ReadonlyArray<NewQuotation>): { from: CalendarDate; to: CalendarDate } =>
  quotations.reduce(
    ({ from, to }, { date }) => ({ from: from === "" || date < from ? date : from, to: date > to ? date : to }),
    { from: "", to: "" }
  )

const listFaults = (quotations: ReadonlyArray<NewQuotation>): ReadonlyArray<FileFault> => {
  const seen = new Map<string, number>()
  return quotations.flatMap((quotation, index) => {
    const key = quotationKey(quotation)
    const earlier = seen.get(key)
    if (earlier === undefined) seen.set(key, index)
    return [
      ...quotationFaults(quotation).map(({ message, path }) => ({ path: `rates[${index}].${path}`, message })),
      ...(earlier === undefined ? [] : [{ path: `rates[${index}]`, message: `repeats rates[${earlier}]` }])
    ]
  })
}

/** Driving port: the exchange rates of an organization, read, changed and tried. */
export class RateTable extends Context.Service<
  RateTable,
  {
    list(filter: QuotationFilter, page: PageRequest): Effect.Effect<Page<Quotation>, RoleMissing | Unavailable, Caller>
    /** Saves them all, or none and tells each fault at its path (`rates[3].rate`). */
    change(
      quotations: ReadonlyArray<NewQuotation>
    ): Effect.Effect<SavedRates, RoleMissing | InvalidFields | Unavailable, Caller>
    /** Saves a whole CSV file, or nothing of it and tells each fault with its line. See `readRateFile`. */
    importFile(text: string): Effect.Effect<SavedRates, RoleMissing | InvalidFields | Unavailable, Caller>
    /** What an amount is in another currency on a day; `InvalidFields` where no rate is known. */
    convert(
      amount: Money,
      to: string,
      date: CalendarDate
    ): Effect.Effect<Converted, RoleMissing | InvalidFields | Unavailable, Caller>
  }
>()("@sarraf/domain/money/RateTable") {
  static readonly layer: Layer.Layer<RateTable, never, Quotations | ExchangeRates | UnitOfWork | AuditTrail> =
    Layer.effect(
      RateTable,
      Effect.gen(function* () {
        const quotations = yield* Quotations
        const rates = yield* ExchangeRates
        const units = yield* UnitOfWork
        const audit = yield* AuditTrail

        const save = (
          caller: Caller["Service"],
          added: ReadonlyArray<NewQuotation>,
          origin: QuotationOrigin,
          skipped: ReadonlyArray<string>
        ) =>
          units.run(
            Effect.gen(function* () {
              const span = spanOf(added)
              const written = yield* quotations.save(added, origin)
              yield* audit.append({
                action: "exchange_rates.changed",
                subject: { type: "exchange_rates", id: caller.organizationId },
                detail: { origin, read: added.length, written, ...span }
              })
              return { read: added.length, written, ...span, skipped }
            })
          )

        return RateTable.of({
          list: (filter, page) => Effect.andThen(permitted("rate.read"), quotations.list(filter, page)),
          change: Effect.fn("RateTable.change")(function* (added) {
            const { caller } = yield* permitted("rate.change")
            const faults = listFaults(added)
            if (faults.length > 0) return yield* new InvalidFields({ faults })
            return yield* save(caller, added, "api", [])
          }),
          importFile: Effect.fn("RateTable.importFile")(function* (text) {
            const { caller } = yield* permitted("rate.change")
            const file = yield* readRateFile(text)
            return yield* save(caller, file.quotations, file.origin, file.skipped)
          }),
          convert: Effect.fn("RateTable.convert")(function* (amount, to, date) {
            yield* permitted("rate.read")
            if (amount.currency === to) return { amount, rate: null }
            const rate = (yield* rates.on(date, [amount.currency], to)).get(amount.currency)
            if (rate === undefined) {
              const message = `has no rate to ${to} on ${date} or in the ${quotationDaysMax} days before`
              return yield* new InvalidFields({ faults: [{ path: "from", message }] })
            }
            const converted = convert(amount, rate, to)
            if (converted !== undefined) return { amount: converted, rate }
            return yield* new InvalidFields({ faults: [{ path: "amount", message: `is too large in ${to}` }] })
          })
        })
      })
    )
}
