import { ApprovalReading } from "@sarraf/domain/approvals/ApprovalReading"
import { expenseStatuses } from "@sarraf/domain/expenses/ExpenseStatus"
import { type MonthSpend, SpendStatistics, type TopSpend } from "@sarraf/domain/reports/SpendStatistics"
import { Effect, Schema } from "effect"
import { count, cut, cutOrNull, date, flag, listOf, object, oneOf, text, textOrNull } from "../shapes.ts"
import { makeTool } from "../tool.ts"
import { Sums, sumsOf } from "./spendReport.ts"

/** Approvals that are named; the others are counted. */
const namedMax = 5
/** So many waiting approvals are counted: beyond them it is "at least". */
const countedMax = 100

const sumsFields = Sums("").fields

const monthly = { month: text("2026-01"), ...sumsFields }
const top = { name: textOrNull("Text that people entered; null: without one"), ...sumsFields }

const output = Schema.Struct({
  base_currency: text("The organization's currency"),
  today: date("In the organization's timezone"),
  this_month: object(monthly, "Spent this month, by the dates of the expenses"),
  last_month: object(monthly, "Spent last month"),
  by_status: listOf(
    { status: oneOf(expenseStatuses, "The state"), ...sumsFields },
    "All expenses within reach, of whatever date, by state"
  ),
  missing_receipts: count("PENDING and APPROVED expenses without a receipt"),
  waiting_for_me: object(
    {
      count: count("Approvals that this person may decide now"),
      is_at_least: flag("Whether there are more than counted"),
      newest: listOf(
        {
          approval_id: text("apr_…"),
          subject_id: text("exp_… of an expense"),
          summary: text("What is to be approved: text that people entered")
        },
        `The newest ${namedMax}; list_approvals tells all`
      )
    },
    "What this person has to decide"
  ),
  top_categories: listOf(top, "Of this month and the two before, the largest first"),
  top_merchants: listOf(top, "Of this month and the two before, the largest first"),
  average_days_to_decision: Schema.NullOr(Schema.Finite).annotate({
    description: "From submit to decision, over the last 12 months; null where nothing was decided"
  }),
  by_month: listOf(monthly, "Spent in each of the last 12 months, the oldest first")
})

/** `get_dashboard_stats`. */
export const getDashboardStats = Effect.gen(function* () {
  const statistics = yield* SpendStatistics
  const approvals = yield* ApprovalReading

  const waiting = Effect.map(
    approvals.list({ mine: true }, { limit: countedMax, after: undefined }),
    ({ hasMore, items }) => ({
      count: items.length,
      is_at_least: hasMore,
      newest: items.slice(0, namedMax).map(({ document }) => ({
        approval_id: document.id,
        subject_id: document.subject.id,
        summary: cut(document.summary, 300)
      }))
    })
  )

  return yield* makeTool({
    name: "get_dashboard_stats",
    title: "Dashboard",
    description:
      "Tells the numbers of the first page: this and last month's spend, expenses by state, missing receipts, top categories and merchants, the last 12 months, and what waits for this person. A MEMBER gets the numbers of their own expenses.",
    input: Schema.Struct({}),
    output,
    read: Effect.fnUntraced(function* () {
      const { baseCurrency, ...numbers } = yield* statistics.current
      const monthOf = (spend: MonthSpend) => ({ month: spend.month, ...sumsOf(spend, baseCurrency) })
      const topOf = (spend: TopSpend) => ({ name: cutOrNull(spend.name, 200), ...sumsOf(spend, baseCurrency) })
      return {
        base_currency: baseCurrency,
        today: numbers.today,
        this_month: monthOf(numbers.thisMonth),
        last_month: monthOf(numbers.lastMonth),
        by_status: expenseStatuses.map((status) => ({ status, ...sumsOf(numbers.byStatus[status], baseCurrency) })),
        missing_receipts: numbers.missingReceipts,
        waiting_for_me: yield* waiting,
        top_categories: numbers.topCategories.map(topOf),
        top_merchants: numbers.topMerchants.map(topOf),
        average_days_to_decision: numbers.averageDaysToDecision,
        by_month: numbers.byMonth.map(monthOf)
      }
    })
  })
})
