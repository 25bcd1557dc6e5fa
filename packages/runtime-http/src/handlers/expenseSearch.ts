import type { ExpenseSearch } from "@sarraf/domain/expenses/ExpenseReading"
import { ExpenseStatus } from "@sarraf/domain/expenses/ExpenseStatus"
import { Effect, Schema } from "effect"
import { present } from "../api/conventions.ts"
import type { expenseFilters } from "../api/expenses.ts"
import { invalid, listed } from "./conventions.ts"

type ExpenseQuery = Schema.Struct<typeof expenseFilters>["Type"]

const isStatus = Schema.is(ExpenseStatus)

/** The filters of a query as the domain searches; INVALID_REQUEST where a day is given by both of its names. */
export const searchOf = Effect.fnUntraced(function* (query: ExpenseQuery) {
  const twice = [
    ...(query.from !== undefined && query.start_date !== undefined ? [["start_date", "from"] as const] : []),
    ...(query.to !== undefined && query.end_date !== undefined ? [["end_date", "to"] as const] : [])
  ]
  if (twice.length > 0) {
    return yield* invalid(...twice.map(([path, other]) => ({ path, message: `must not come with ${other}` })))
  }
  const search: ExpenseSearch = present({
    statuses: listed(query.status)?.filter(isStatus),
    categories: query.category,
    from: query.from ?? query.start_date,
    to: query.to ?? query.end_date,
    merchant: query.merchant,
    currency: query.currency,
    minAmount: query.min_amount,
    maxAmount: query.max_amount,
    userId: query.user_id,
    departmentId: query.department_id,
    text: query.q
  })
  return search
})
