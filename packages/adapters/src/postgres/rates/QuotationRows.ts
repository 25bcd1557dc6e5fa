import type { NewQuotation, QuotationOrigin } from "@sarraf/domain/money/Quotation"
import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/sql"

/** Whose the operator's quotations are. */
export const operator = ""

/** Rows of one statement: a history of the ECB has 300,000. */
const rowsMax = 5_000

/** Saves quotations of an owner, each in the place of an earlier one, and answers how many are new or differ. */
export const saveQuotations = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  owner: string,
  quotations: ReadonlyArray<NewQuotation>,
  origin: QuotationOrigin
) {
  const at = new Date(yield* Clock.currentTimeMillis)
  let written = 0
  for (let from = 0; from < quotations.length; from += rowsMax) {
    const rows = quotations.slice(from, from + rowsMax)
    const [counted] = yield* sql<{ count: number }>`WITH saved AS (
      INSERT INTO exchange_rates (organization_id, date, base, quote, rate, origin, changed_at)
      SELECT ${owner}, row.date, row.base, row.quote, row.rate, ${origin}, ${at}
      FROM unnest(${rows.map(({ date }) => date)}::date[], ${rows.map(({ base }) => base)}::text[],
        ${rows.map(({ quote }) => quote)}::text[], ${rows.map(({ rate }) => rate)}::numeric[])
        AS row (date, base, quote, rate)
      ON CONFLICT (organization_id, date, base, quote)
      DO UPDATE SET rate = excluded.rate, origin = excluded.origin, changed_at = excluded.changed_at
      WHERE exchange_rates.rate <> excluded.rate
      RETURNING 1)
      SELECT count(*)::int AS count FROM saved`
    written += counted?.count ?? 0
  }
  return written
})
