import type { ExpenseStatus } from "@sarraf/domain/expenses/ExpenseStatus"
import { Caller } from "@sarraf/domain/organizations/Caller"
import type { SpendDimension } from "@sarraf/domain/reports/Spend"
import { SpendStore } from "@sarraf/domain/reports/SpendStore"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { makeWithin } from "../organizations/PgUnitOfWork.ts"
import type { SummedColumn } from "./SpendCuts.ts"
import { spendSource } from "./SpendSource.ts"

/** How a dimension is read, and the column of the sums that it needs beside those that all have. */
const dimensions: Readonly<
  Record<SpendDimension, { readonly key: string; readonly columns: ReadonlyArray<SummedColumn> }>
> = {
  category: { key: "category", columns: ["category"] },
  merchant: { key: "merchant", columns: ["merchant"] },
  user: { key: "user_id", columns: ["user_id"] },
  department: { key: "department_id", columns: ["department_id"] },
  month: { key: "to_char(month, 'YYYY-MM')", columns: [] },
  currency: { key: "currency", columns: [] }
}

/** Sums of any size come as text. */
interface CellRow {
  readonly currency: string
  readonly base_currency: string | null
  readonly expenses: string
  readonly amount: string
  readonly base_amount: string
}

interface GroupedRow extends CellRow {
  readonly place: string | null
  readonly keys: ReadonlyArray<string | null>
  readonly groups: string
}

interface MonthRow extends CellRow {
  readonly month: string
  readonly status: ExpenseStatus
  readonly without_receipt: string
  readonly decided: string
  readonly decision_millis: string
}

const cellOf = (row: CellRow) => ({
  currency: row.currency,
  baseCurrency: row.base_currency,
  expenses: Number(row.expenses),
  minor: BigInt(row.amount),
  baseMinor: BigInt(row.base_amount)
})

/** Sums over expenses in PostgreSQL. */
export const layer = Layer.effect(
  SpendStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const within = yield* makeWithin
    return SpendStore.of({
      grouped: Effect.fn("PgSpendStore.grouped")(function* ({ baseCurrency, filter, groupBy, groupsMax }, reach) {
        const caller = yield* Caller
        const columns = groupBy.flatMap((dimension) => dimensions[dimension].columns)
        const keys = sql.literal(groupBy.map((dimension) => dimensions[dimension].key).join(", "))
        // Beyond the groups that are shown, only what they come to is told. Few rows are left when the keys become texts,
        // and groups are ranked rather than their parts: both are what most of the time would go into.
        const rows = yield* sql<GroupedRow>`WITH
          parts AS (SELECT ARRAY[${keys}]::text[] COLLATE "C" AS keys, currency, base_currency, sum(expenses) AS expenses,
              sum(amount) AS amount, sum(base_amount) AS base_amount
            FROM ${spendSource(sql, { caller, reach, filter, columns })}
            GROUP BY ${keys}, currency, base_currency HAVING sum(expenses) <> 0),
          ranked AS (SELECT keys, row_number() OVER (ORDER BY coalesce(sum(base_amount)
            FILTER (WHERE base_currency = ${baseCurrency}), 0) DESC, keys) AS rank FROM parts GROUP BY keys),
          shown AS (SELECT keys, rank AS place FROM ranked WHERE rank <= ${groupsMax})
          SELECT place, shown.keys, currency, base_currency,
            sum(expenses)::text AS expenses, sum(amount)::text AS amount, sum(base_amount)::text AS base_amount,
            (SELECT max(rank) FROM ranked) AS groups
          FROM parts LEFT JOIN shown ON shown.keys = parts.keys GROUP BY 1, 2, 3, 4 ORDER BY place, currency, base_currency`
        return {
          groups: Number(rows[0]?.groups ?? 0),
          cells: rows.map((row) => ({
            ...cellOf(row),
            place: row.place === null ? null : Number(row.place),
            keys: row.keys ?? []
          }))
        }
      }, within),
      months: Effect.fn("PgSpendStore.months")(function* (reach) {
        const caller = yield* Caller
        const rows = yield* sql<MonthRow>`SELECT to_char(month, 'YYYY-MM') AS month, status, currency, base_currency,
            sum(expenses)::text AS expenses, sum(amount)::text AS amount, sum(base_amount)::text AS base_amount,
            sum(without_receipt)::text AS without_receipt, sum(decided)::text AS decided,
            sum(decision_millis)::text AS decision_millis
          FROM ${spendSource(sql, { caller, reach, filter: {}, columns: [] })}
          GROUP BY spend.month, status, currency, base_currency HAVING sum(expenses) <> 0`
        return rows.map((row) => ({
          ...cellOf(row),
          month: row.month,
          status: row.status,
          withoutReceipt: Number(row.without_receipt),
          decided: Number(row.decided),
          decisionMillis: BigInt(row.decision_millis)
        }))
      }, within)
    })
  })
)
