import { type CurrencyTally, type SpendTally, spentStatuses } from "@sarraf/domain/reports/Spend"
import { type SpendGroup, type SpendReport, SpendReports } from "@sarraf/domain/reports/SpendReports"
import { Effect, Struct } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { dimensionsOf } from "../api/reports.ts"
import { amountOf, refusals } from "./conventions.ts"
import { searchOf } from "./expenseSearch.ts"

const shared = Struct.pick(refusals, ["RoleMissing", "InvalidFields", "Unavailable"])

const amountsBody = (amounts: ReadonlyArray<CurrencyTally>) =>
  amounts.map(({ currency, expenses, minor }) => ({ currency, amount: amountOf(currency, minor), count: expenses }))

/** Sums as every report and statistic shows them. */
export const sumsBody = ({ amounts, baseMinor, expenses, unconverted }: SpendTally, baseCurrency: string) => ({
  count: expenses,
  amount: amountOf(baseCurrency, baseMinor),
  amounts: amountsBody(amounts),
  unconverted: { count: unconverted.expenses, amounts: amountsBody(unconverted.amounts) }
})

const groupBody = (group: SpendGroup, baseCurrency: string) => ({
  key: group.key,
  label: group.label,
  ...sumsBody(group, baseCurrency)
})

const reportBody = ({ baseCurrency, filter, groupBy, groups, other, total }: SpendReport) => ({
  base_currency: baseCurrency,
  from: filter.from ?? null,
  to: filter.to ?? null,
  status: filter.statuses,
  group_by: groupBy,
  groups: groups.map((group) => groupBody(group, baseCurrency)),
  other: other === null ? null : { groups: other.groups, ...sumsBody(other, baseCurrency) },
  total: sumsBody(total, baseCurrency)
})

/** The handlers translate between the wire and the domain and decide nothing. */
export const layer = HttpApiBuilder.group(
  Api,
  "reports",
  Effect.fn(function* (handlers) {
    const reports = yield* SpendReports
    return handlers.handle("spend", ({ query }) =>
      Effect.gen(function* () {
        const groupBy = dimensionsOf(query.group_by ?? "category") ?? []
        const search = yield* searchOf(Struct.omit(query, ["group_by"]))
        const filter = Struct.omit(search, ["minAmount", "maxAmount", "text"])
        return reportBody(yield* reports.spend(groupBy, { ...filter, statuses: filter.statuses ?? spentStatuses }))
      }).pipe(Effect.catchTags(shared))
    )
  })
)
