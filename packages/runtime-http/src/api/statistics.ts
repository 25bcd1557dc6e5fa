import type { expenseStatuses } from "@sarraf/domain/expenses/ExpenseStatus"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Bearer } from "./bearer.ts"
import { StrictDecoding } from "./middleware.ts"
import * as problems from "./problems.ts"
import { MonthSpendBody, SpendSums, spendSums } from "./reports.ts"

const StatisticsBody = Schema.Struct({
  base_currency: Schema.String,
  today: Schema.String.annotate({ format: "date", description: "In the organization's timezone" }),
  this_month: MonthSpendBody,
  last_month: MonthSpendBody,
  by_status: Schema.Struct({
    DRAFT: SpendSums,
    PENDING: SpendSums,
    APPROVED: SpendSums,
    REJECTED: SpendSums,
    REIMBURSED: SpendSums
  } satisfies Record<(typeof expenseStatuses)[number], unknown>).annotate({
    description: "All expenses, of whatever date"
  }),
  waiting_approvals: Schema.Int.annotate({ description: "PENDING expenses" }),
  missing_receipts: Schema.Int.annotate({ description: "PENDING and APPROVED expenses without a receipt" }),
  top_categories: Schema.Array(
    Schema.Struct({ category: Schema.NullOr(Schema.String), ...spendSums }).annotate({ identifier: "TopCategory" })
  ).annotate({ description: "The five largest of this month and the two before" }),
  top_merchants: Schema.Array(
    Schema.Struct({ merchant: Schema.NullOr(Schema.String), ...spendSums }).annotate({ identifier: "TopMerchant" })
  ).annotate({ description: "The five largest of this month and the two before" }),
  average_days_to_decision: Schema.NullOr(Schema.Finite).annotate({
    description: "From the last submit to the decision, of expenses of the last 12 months; null where none was decided"
  }),
  by_month: Schema.Array(MonthSpendBody).annotate({ description: "The last 12 months, the oldest first" })
}).annotate({ identifier: "Statistics" })

const stats = HttpApiEndpoint.get("stats", "/api/stats", {
  success: StatisticsBody,
  error: [problems.InvalidRequest, problems.Forbidden, problems.ServiceUnavailable]
}).annotate(OpenApi.Summary, "Read the organization's expenses at a glance; a MEMBER reads its own")

/** Numbers for a first page (contract section 6). */
export class StatisticsApi extends HttpApiGroup.make("statistics")
  .add(stats)
  .middleware(StrictDecoding)
  .middleware(Bearer) {}
