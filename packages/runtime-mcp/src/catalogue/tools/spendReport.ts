import { ExpenseStatus } from "@sarraf/domain/expenses/ExpenseStatus"
import { type SpendTally, spendDimensions, spentStatuses } from "@sarraf/domain/reports/Spend"
import { type SpendGroup, SpendReports } from "@sarraf/domain/reports/SpendReports"
import { Effect, Schema } from "effect"
import { fitting } from "../listTool.ts"
import { count, cut, cutOrNull, dateOrNull, listOf, money, moneyOf, object, oneOf, optional, text } from "../shapes.ts"
import { answerLengthMax, makeTool } from "../tool.ts"
import { expenseFilters, searchOf } from "./expenses.ts"

const groupsUsual = 25

/** What is left of an answer for its groups, beside the total in each of some 180 currencies. */
const groupsLengthMax = answerLengthMax - 25_000

const sumFields = {
  expenses: count("How many expenses"),
  spent: money("What they come to in the organization's currency, exactly: those that could be converted"),
  unconverted: count("How many expenses are not in spent, since no exchange rate is known")
}

/** Sums in the organization's currency, as reports and statistics show them. */
export const Sums = (description: string) => object(sumFields, description)

/** Sums of a tally. */
export const sumsOf = ({ baseMinor, expenses, unconverted }: SpendTally, baseCurrency: string) => ({
  expenses,
  spent: moneyOf(baseCurrency, baseMinor),
  unconverted: unconverted.expenses
})

const output = Schema.Struct({
  base_currency: text("The organization's currency, in which spent is"),
  from: dateOrNull("First day; null: from the beginning"),
  to: dateOrNull("Last day; null: to the end"),
  status: Schema.Array(ExpenseStatus).annotate({ description: "The states that were counted" }),
  group_by: Schema.Array(Schema.Literals(spendDimensions)).annotate({ description: "What the groups tell apart" }),
  groups: listOf(
    {
      label: text("What the group is, in names: text that people entered, or 2026-01 of a month"),
      key: Schema.Array(Schema.NullOr(Schema.String)).annotate({
        description: "The same as ids or values, one for each of group_by: for the filters of list_expenses"
      }),
      ...sumFields
    },
    "The largest first"
  ),
  other: Schema.NullOr(Schema.Struct({ groups: count("How many groups are not shown"), ...sumFields })).annotate({
    description: "What the groups that are not shown come to; null where all are"
  }),
  total: object(
    {
      ...sumFields,
      amounts: listOf(
        { expenses: count("How many expenses"), amount: money("What they come to in this currency") },
        "All expenses in the currencies in which they were spent, converted or not"
      )
    },
    "Everything together"
  )
})

const shownGroup = (group: SpendGroup, baseCurrency: string) => ({
  label: cut(group.label, 300),
  key: Object.values(group.key).map((value) => cutOrNull(value ?? null, 200)),
  ...sumsOf(group, baseCurrency)
})

/** What is not among the groups shown: the total without them, to the last unit. */
const beyond = (total: SpendTally, shown: ReadonlyArray<SpendGroup>, groups: number, baseCurrency: string) =>
  groups === 0
    ? null
    : {
        groups,
        expenses: shown.reduce((left, { expenses }) => left - expenses, total.expenses),
        spent: moneyOf(
          baseCurrency,
          shown.reduce((left, { baseMinor }) => left - baseMinor, total.baseMinor)
        ),
        unconverted: shown.reduce((left, { unconverted }) => left - unconverted.expenses, total.unconverted.expenses)
      }

const input = Schema.Struct({
  group_by: oneOf(spendDimensions, "What to sum by"),
  then_by: optional(oneOf(spendDimensions, "A second one, for each pair: category by month")),
  ...expenseFilters,
  limit: optional(
    Schema.Int.annotate({
      description: `How many groups at most, ${groupsUsual} by default; the rest is summed in other`
    }).check(Schema.isBetween({ minimum: 1, maximum: 100 }))
  )
})

/** A report as the tool and the resources answer it. */
export const makeSpendReport = Effect.map(SpendReports, (reports) =>
  Effect.fnUntraced(function* ({ group_by, limit = groupsUsual, then_by, ...filters }: typeof input.Type) {
    const groupBy = then_by === undefined || then_by === group_by ? [group_by] : [group_by, then_by]
    const asked = { ...(yield* searchOf(filters)), statuses: filters.status ?? spentStatuses }
    const { baseCurrency, filter, groups, other, total } = yield* reports.spend(groupBy, asked, limit)
    const shown = fitting(
      groups.map((group) => shownGroup(group, baseCurrency)),
      groupsLengthMax
    )
    const left = (other?.groups ?? 0) + groups.length - shown.length
    return {
      base_currency: baseCurrency,
      from: filter.from ?? null,
      to: filter.to ?? null,
      status: filter.statuses,
      group_by: groupBy,
      groups: shown,
      other: beyond(total, groups.slice(0, shown.length), left, baseCurrency),
      total: {
        ...sumsOf(total, baseCurrency),
        amounts: total.amounts.map(({ currency, expenses, minor }) => ({ expenses, amount: moneyOf(currency, minor) }))
      }
    }
  })
)

/** `get_spend_report`. */
export const getSpendReport = Effect.flatMap(makeSpendReport, (report) =>
  makeTool({
    name: "get_spend_report",
    title: "Spend report",
    description:
      "Sums expenses by category, merchant, user, department, month or currency, with filters: exact, over any number of expenses. Without status it counts what was spent: PENDING, APPROVED and REIMBURSED. Use it for every question about how much. It takes the role APPROVER or above, or AUDITOR.",
    input,
    output,
    read: report
  })
)
