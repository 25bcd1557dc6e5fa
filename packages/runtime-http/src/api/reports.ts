import { expenseStatuses } from "@sarraf/domain/expenses/ExpenseStatus"
import { spendDimensions } from "@sarraf/domain/reports/Spend"
import { Schema, Struct } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Bearer } from "./bearer.ts"
import { expenseFilters } from "./expenses.ts"
import { StrictDecoding } from "./middleware.ts"
import * as problems from "./problems.ts"

const isDimension = Schema.is(Schema.Literals(spendDimensions))

/** The dimensions of a `group_by`; undefined where it does not name one or two of them, each once. */
export const dimensionsOf = (groupBy: string) => {
  const names = groupBy.split(",")
  return names.length <= 2 && new Set(names).size === names.length && names.every(isDimension) ? names : undefined
}

const GroupBy = Schema.String.check(
  Schema.makeFilter((groupBy: string) => {
    if (groupBy.split(",").includes("vendor"))
      return "cannot be vendor: only bills have vendors, and there are none yet"
    return dimensionsOf(groupBy) !== undefined || `must be one or two of ${spendDimensions.join(", ")}, by a comma`
  })
).annotate({ description: `One or two of ${spendDimensions.join(", ")}, by a comma; category where it is left out.` })

const Count = Schema.Int.annotate({ description: "How many expenses" })
const Month = Schema.String.annotate({ description: "2026-01, of the expense's own date" })

const CurrencyAmount = Schema.Struct({
  currency: Schema.String,
  amount: Schema.Finite.annotate({ description: "Major units of the currency" }),
  count: Count
}).annotate({ identifier: "CurrencyAmount" })

/** The sums of some expenses, as every report and statistic shows them. */
export const spendSums = {
  count: Count,
  amount: Schema.Finite.annotate({
    description: "Major units of base_currency, of all expenses but those under unconverted"
  }),
  amounts: Schema.Array(CurrencyAmount).annotate({ description: "All of them, in their own currencies" }),
  unconverted: Schema.Struct({ count: Count, amounts: Schema.Array(CurrencyAmount) }).annotate({
    identifier: "UnconvertedSpend",
    description: "Expenses for which no rate to base_currency is known: counted, and not in amount"
  })
}

/** Some expenses together. */
export const SpendSums = Schema.Struct(spendSums).annotate({ identifier: "SpendSums" })

/** What was spent in a month, as statistics show it. */
export const MonthSpendBody = Schema.Struct({ month: Month, ...spendSums }).annotate({ identifier: "MonthSpend" })

const SpendGroup = Schema.Struct({
  key: Schema.Record(Schema.String, Schema.NullOr(Schema.String)).annotate({
    description: "The value of each of group_by; null for expenses that have none"
  }),
  label: Schema.String.annotate({ description: "The same for people: names instead of ids" }),
  ...spendSums
}).annotate({ identifier: "SpendGroup" })

const SpendReportBody = Schema.Struct({
  base_currency: Schema.String,
  from: Schema.NullOr(Schema.String.annotate({ format: "date" })),
  to: Schema.NullOr(Schema.String.annotate({ format: "date" })),
  status: Schema.Array(Schema.Literals(expenseStatuses)),
  group_by: Schema.Array(Schema.Literals(spendDimensions)),
  groups: Schema.Array(SpendGroup).annotate({ description: "The largest amount first, 1,000 at most" }),
  other: Schema.NullOr(
    Schema.Struct({ groups: Schema.Int, ...spendSums }).annotate({
      identifier: "OtherSpend",
      description: "The groups beyond the first 1,000, together"
    })
  ),
  total: SpendSums
}).annotate({ identifier: "SpendReport" })

const spend = HttpApiEndpoint.get("spend", "/api/reports/spend", {
  query: { group_by: Schema.optionalKey(GroupBy), ...Struct.omit(expenseFilters, ["min_amount", "max_amount", "q"]) },
  success: SpendReportBody,
  error: [problems.InvalidRequest, problems.Forbidden, problems.ServiceUnavailable]
}).annotate(
  OpenApi.Summary,
  "Read what was spent, grouped; without status of PENDING, APPROVED and REIMBURSED expenses. APPROVER or above, AUDITOR"
)

/** Reports (contract section 6). */
export class ReportsApi extends HttpApiGroup.make("reports").add(spend).middleware(StrictDecoding).middleware(Bearer) {}
