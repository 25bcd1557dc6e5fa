import type { RateFile } from "@sarraf/domain/money/RateFile"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { operator, saveQuotations } from "./QuotationRows.ts"

/** What was asked for cannot be done; `message` says why. */
export class RatesRefused extends Schema.TaggedError<RatesRefused>()("RatesRefused", { message: Schema.String }) {}

/** Quotations of one owner and base currency. */
interface HeldRates {
  /** Empty for the operator's. */
  readonly organization_id: string
  readonly base: string
  readonly quotes: number
  readonly count: number
  readonly from: string
  readonly to: string
}

/** What the operator of an installation does with rates: outside requests, and across organizations. */
export const makeOperatorRates = Effect.map(SqlClient.SqlClient, (sql) => ({
  list: sql<HeldRates>`SELECT organization_id, base, count(DISTINCT quote)::int AS quotes, count(*)::int AS count,
      min(date)::text AS from, max(date)::text AS to
    FROM exchange_rates GROUP BY organization_id, base ORDER BY organization_id, base`,
  /** Saves a whole file for everybody, or for one organization, and answers how many rates are new or differ. */
  save: Effect.fn("OperatorRates.save")(function* (
    { origin, quotations }: RateFile,
    organizationId: string | undefined
  ) {
    const known =
      organizationId === undefined ? [{}] : yield* sql`SELECT 1 FROM organizations WHERE id = ${organizationId}`
    if (known.length === 0) {
      return yield* new RatesRefused({ message: `There is no organization ${organizationId ?? operator}.` })
    }
    return yield* sql.withTransaction(saveQuotations(sql, organizationId ?? operator, quotations, origin))
  })
}))
