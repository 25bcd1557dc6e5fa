import type { Caller } from "@sarraf/domain/organizations/Caller"
import type { Reach } from "@sarraf/domain/organizations/Permissions"
import type { SpendFilter } from "@sarraf/domain/reports/Spend"
import type { SqlClient, Statement } from "effect/sql"
import { cutOf, type SummedColumn } from "./SpendCuts.ts"
import { periodOf, type SpendPeriod } from "./SpendPeriod.ts"

/** Of whose expenses, which of them, and what is to be told apart beside month, status and currency. */
interface SpendWanted {
  readonly caller: Caller["Service"]
  readonly reach: Reach
  readonly filter: Partial<SpendFilter>
  readonly columns: ReadonlyArray<SummedColumn>
}

const filteredColumns = ({ categories, departmentId, merchant, userId }: Partial<SpendFilter>) => [
  ...(categories === undefined ? [] : ["category" as const]),
  ...(merchant === undefined ? [] : ["merchant" as const]),
  ...(userId === undefined ? [] : ["user_id" as const]),
  ...(departmentId === undefined ? [] : ["department_id" as const])
]

/** Text that LIKE takes as it is. */
const literally = (text: string) => text.replace(/[\\%_]/gu, "\\$&")

/** What the filter asks of rows of any of the three tables, but for their dates and statuses. */
const conditionsOf = (sql: SqlClient.SqlClient, { caller, filter }: SpendWanted): ReadonlyArray<Statement.Fragment> => [
  sql`organization_id = ${caller.organizationId}`,
  ...(filter.categories === undefined ? [] : [sql`category = ANY (${[...filter.categories]}::text[])`]),
  ...(filter.merchant === undefined ? [] : [sql`merchant ILIKE ${`%${literally(filter.merchant)}%`}`]),
  ...(filter.userId === undefined ? [] : [sql`user_id = ${filter.userId}`]),
  ...(filter.departmentId === undefined ? [] : [sql`department_id = ${filter.departmentId}`]),
  ...(filter.currency === undefined ? [] : [sql`currency = ${filter.currency}`])
]

/** What each part gives, in this order. */
const summed = `month, status, category, merchant, user_id, department_id, currency, base_currency, expenses, amount,
  base_amount, without_receipt, decided, decision_millis`

/** The expenses themselves, as sums of one each. */
const rowsOf = (sql: SqlClient.SqlClient, conditions: ReadonlyArray<Statement.Fragment>) => sql`SELECT
    date_trunc('month', date::timestamp)::date, status, category, merchant, user_id, department_id, currency, base_currency,
    1, amount, coalesce(base_minor, 0), (receipt_url IS NULL)::int, (decided_at IS NOT NULL)::int,
    coalesce(round(extract(epoch FROM decided_at - submitted_at) * 1000), 0)
  FROM expenses WHERE ${sql.and(conditions)}`

const ownOf = (sql: SqlClient.SqlClient, { name, userId }: Caller["Service"]) =>
  userId === null ? sql`created_by = ${name}` : sql`(user_id = ${userId} OR created_by = ${name})`

const withinMonths = (sql: SqlClient.SqlClient, { first, last }: NonNullable<SpendPeriod["months"]>) => [
  ...(first === undefined ? [] : [sql`month >= ${first}::date`]),
  ...(last === undefined ? [] : [sql`month <= ${last}::date`])
]

const withinDays = (sql: SqlClient.SqlClient, filter: Partial<SpendFilter>) => [
  ...(filter.from === undefined ? [] : [sql`date >= ${filter.from}::date`]),
  ...(filter.to === undefined ? [] : [sql`date <= ${filter.to}::date`])
]

/**
 * What the wanted expenses come to, in parts that are to be added up, as a subquery with the columns `summed`: the kept
 * sums of whole months, the changes that are not in them yet, and the expenses of the days beside. One statement sees all
 * three as they were at one moment, so that the sum is exact. Where no sums are kept of what is wanted, the expenses alone.
 */
export const spendSource = (sql: SqlClient.SqlClient, wanted: SpendWanted): Statement.Fragment => {
  const { caller, columns, filter, reach } = wanted
  const conditions = conditionsOf(sql, wanted)
  const { statuses } = filter
  const ofStatuses = statuses === undefined ? [] : [sql`status = ANY (${[...statuses]}::text[])`]
  const chosen = reach === "all" ? cutOf([...columns, ...filteredColumns(filter)], statuses) : undefined
  const named = (parts: ReadonlyArray<Statement.Fragment>) =>
    sql`(${sql.join(" UNION ALL ", false)(parts)}) AS spend (${sql.literal(summed)})`
  if (chosen === undefined) {
    const own = reach === "all" ? [] : [ownOf(sql, caller)]
    return named([rowsOf(sql, [...conditions, ...ofStatuses, ...own, ...withinDays(sql, filter)])])
  }
  const { days, months } = periodOf(filter.from, filter.to)
  const monthly = months === null ? undefined : [...conditions, ...withinMonths(sql, months)]
  const ofCut = [sql`cut = ${chosen.cut}`, ...(chosen.isSpent ? [] : ofStatuses)]
  return named([
    ...(monthly === undefined
      ? []
      : [
          sql`SELECT ${sql.literal(summed)} FROM spend_sums WHERE ${sql.and([...monthly, ...ofCut])}`,
          sql`SELECT ${sql.literal(summed)} FROM spend_changes WHERE ${sql.and([...monthly, ...ofStatuses])}`
        ]),
    ...days.map(({ from, to }) =>
      rowsOf(sql, [...conditions, ...ofStatuses, sql`date BETWEEN ${from}::date AND ${to}::date`])
    )
  ])
}
