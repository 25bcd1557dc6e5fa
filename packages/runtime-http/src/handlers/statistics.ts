import { SpendStatistics, type Statistics, type TopSpend } from "@sarraf/domain/reports/SpendStatistics"
import { Effect, Record as Records, Struct } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { refusals } from "./conventions.ts"
import { sumsBody } from "./reports.ts"

const shared = Struct.pick(refusals, ["RoleMissing", "Unavailable"])

const statisticsBody = (statistics: Statistics) => {
  const { baseCurrency, byMonth, byStatus, lastMonth, thisMonth } = statistics
  const monthBody = (spend: Statistics["thisMonth"]) => ({ month: spend.month, ...sumsBody(spend, baseCurrency) })
  const topBody = (top: TopSpend) => sumsBody(top, baseCurrency)
  return {
    base_currency: baseCurrency,
    today: statistics.today,
    this_month: monthBody(thisMonth),
    last_month: monthBody(lastMonth),
    by_status: Records.map(byStatus, (tally) => sumsBody(tally, baseCurrency)),
    waiting_approvals: statistics.waitingApprovals,
    missing_receipts: statistics.missingReceipts,
    top_categories: statistics.topCategories.map((top) => ({ category: top.name, ...topBody(top) })),
    top_merchants: statistics.topMerchants.map((top) => ({ merchant: top.name, ...topBody(top) })),
    average_days_to_decision: statistics.averageDaysToDecision,
    by_month: byMonth.map(monthBody)
  }
}

/** The handlers translate between the wire and the domain and decide nothing. */
export const layer = HttpApiBuilder.group(
  Api,
  "statistics",
  Effect.fn(function* (handlers) {
    const statistics = yield* SpendStatistics
    return handlers.handle("stats", () => statistics.current.pipe(Effect.map(statisticsBody), Effect.catchTags(shared)))
  })
)
