import { pageOf } from "@sarraf/domain/lists/Page"
import { ExchangeRates } from "@sarraf/domain/money/ExchangeRates"
import { type QuotationOrigin, Quotations } from "@sarraf/domain/money/Quotation"
import { quotationDaysMax, ratesOf } from "@sarraf/domain/money/RateLookup"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { makeWithin } from "../organizations/PgUnitOfWork.ts"
import { operator, saveQuotations } from "./QuotationRows.ts"

interface QuotationRow {
  readonly organization_id: string
  readonly date: string
  readonly base: string
  readonly quote: string
  /** With ten decimals. */
  readonly rate: string
  readonly origin: QuotationOrigin
}

const quotationOf = ({ base, date, organization_id, origin, quote, rate }: QuotationRow) => ({
  date,
  base,
  quote,
  rate: rate.replace(/\.?0+$/u, ""),
  source: organization_id === operator ? ("operator" as const) : ("organization" as const),
  origin
})

/** Rates of the day, in one statement for all currencies. */
const rates = Layer.effect(
  ExchangeRates,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const within = yield* makeWithin
    const find = Effect.fn("PgExchangeRates.on")(function* (date: string, froms: ReadonlyArray<string>, to: string) {
      const { organizationId } = yield* Caller
      const currencies = [...new Set([...froms, to])]
      // Of each pair the newest of each owner that holds: which of those is used is the domain's decision.
      const rows = yield* sql<QuotationRow>`SELECT DISTINCT ON (base, quote, organization_id)
          organization_id, date::text AS date, base, quote, rate::text AS rate, origin
        FROM exchange_rates
        WHERE organization_id IN (${operator}, ${organizationId})
          AND date BETWEEN ${date}::date - ${quotationDaysMax}::int AND ${date}::date
          AND (base = ANY (${currencies}::text[]) OR quote = ANY (${currencies}::text[]))
        ORDER BY base, quote, organization_id, exchange_rates.date DESC`
      return ratesOf(rows.map(quotationOf), froms, to)
    }, within)
    return ExchangeRates.of({
      on: (date, froms, to) => (froms.every((from) => from === to) ? Effect.succeed(new Map()) : find(date, froms, to))
    })
  })
)

/** The quotations themselves. */
const quotations = Layer.effect(
  Quotations,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const within = yield* makeWithin
    return Quotations.of({
      list: Effect.fn("PgExchangeRates.list")(function* (filter, page) {
        const { organizationId } = yield* Caller
        const [date = "", base = "", quote = "", source = ""] = page.after?.split(" ") ?? []
        const owner = source === "operator" ? operator : organizationId
        const conditions = [
          sql`organization_id IN (${operator}, ${organizationId})`,
          ...(filter.date === undefined ? [] : [sql`date = ${filter.date}::date`]),
          ...(filter.base === undefined ? [] : [sql`base = ${filter.base}`]),
          ...(filter.quote === undefined ? [] : [sql`quote = ${filter.quote}`]),
          ...(page.after === undefined
            ? []
            : [
                sql`date <= ${date}::date AND (date < ${date}::date
                  OR (base, quote, organization_id) > (${base}, ${quote}, ${owner}))`
              ])
        ]
        const rows = yield* sql<QuotationRow>`SELECT organization_id, date::text AS date, base, quote,
            rate::text AS rate, origin
          FROM exchange_rates WHERE ${sql.and(conditions)}
          ORDER BY exchange_rates.date DESC, base, quote, organization_id LIMIT ${page.limit + 1}`
        return pageOf(rows.map(quotationOf), page)
      }, within),
      save: Effect.fn("PgExchangeRates.save")(function* (added, origin) {
        const { organizationId } = yield* Caller
        return yield* saveQuotations(sql, organizationId, added, origin)
      }, within)
    })
  })
)

/** Exchange rates in PostgreSQL. */
export const layer = Layer.merge(rates, quotations)
