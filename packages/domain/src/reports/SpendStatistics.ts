import { Clock, Context, Effect, Layer, Record as Records } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import { type ExpenseStatus, expenseTransitions } from "../expenses/ExpenseStatus.ts"
import type { Caller, RoleMissing } from "../organizations/Caller.ts"
import { Organizations } from "../organizations/Organizations.ts"
import { permitted, type Reach } from "../organizations/Permissions.ts"
import type { CalendarDate } from "../time/CalendarDate.ts"
import { dayIn, lastDayOf, monthAfter } from "./Months.ts"
import { type SpendTally, spentStatuses, tallyOf } from "./Spend.ts"
import { type MonthCell, SpendStore } from "./SpendStore.ts"

/** Months that are told one by one, this one included. */
const monthsShown = 12
/** Months whose tops are told: enough for a month that has just begun, and few enough to be read fast. */
const monthsOfTop = 3
const topMax = 5
const dayMillis = 86_400_000

export interface MonthSpend extends SpendTally {
  /** `2026-01`. */
  readonly month: string
}

export interface TopSpend extends SpendTally {
  /** A category or a merchant; null for expenses without one. */
  readonly name: string | null
}

/** An organization's expenses at a glance, or those of who asks. `Spent` is PENDING, APPROVED and REIMBURSED. */
export interface Statistics {
  readonly baseCurrency: string
  /** In the organization's timezone. */
  readonly today: CalendarDate
  /** What was spent, by the expenses' own dates. */
  readonly thisMonth: MonthSpend
  readonly lastMonth: MonthSpend
  /** All expenses, of whatever date. */
  readonly byStatus: Readonly<Record<ExpenseStatus, SpendTally>>
  /** PENDING expenses. */
  readonly waitingApprovals: number
  /** PENDING and APPROVED expenses without a receipt. */
  readonly missingReceipts: number
  /** Of this month and the two before, the largest first. */
  readonly topCategories: ReadonlyArray<TopSpend>
  readonly topMerchants: ReadonlyArray<TopSpend>
  /** From the last submit to the decision, of expenses of the last 12 months; null where none was decided. */
  readonly averageDaysToDecision: number | null
  /** What was spent in each of the last 12 months, the oldest first. */
  readonly byMonth: ReadonlyArray<MonthSpend>
}

const isSpent = ({ status }: MonthCell): boolean => spentStatuses.some((spent) => spent === status)

/** With two decimals: a quarter of an hour counts. */
const averageDays = (cells: ReadonlyArray<MonthCell>): number | null => {
  const decided = cells.reduce((sum, cell) => sum + cell.decided, 0)
  const millis = cells.reduce((sum, cell) => sum + cell.decisionMillis, 0n)
  return decided === 0 ? null : Math.round((Number(millis) / decided / dayMillis) * 100) / 100
}

const withoutReceipt = (cells: ReadonlyArray<MonthCell>): number =>
  cells.reduce((sum, cell) => sum + cell.withoutReceipt, 0)

/** Driving port: the numbers of a first page. */
export class SpendStatistics extends Context.Service<
  SpendStatistics,
  { readonly current: Effect.Effect<Statistics, RoleMissing | Unavailable, Caller> }
>()("@sarraf/domain/reports/SpendStatistics") {
  static readonly layer: Layer.Layer<SpendStatistics, never, SpendStore | Organizations> = Layer.effect(
    SpendStatistics,
    Effect.gen(function* () {
      const store = yield* SpendStore
      const organizations = yield* Organizations

      const top = Effect.fnUntraced(function* (
        dimension: "category" | "merchant",
        period: { readonly from: CalendarDate; readonly to: CalendarDate },
        baseCurrency: string,
        reach: Reach
      ) {
        const filter = { statuses: spentStatuses, ...period }
        const { cells } = yield* store.grouped({ groupBy: [dimension], filter, baseCurrency, groupsMax: topMax }, reach)
        return Array.from({ length: topMax }, (_, index) => cells.filter(({ place }) => place === index + 1))
          .filter((parts) => parts.length > 0)
          .map((parts) => ({ name: parts[0]?.keys[0] ?? null, ...tallyOf(parts, baseCurrency) }))
      })

      const current = Effect.gen(function* () {
        const { reach } = yield* permitted("statistics.read")
        const { baseCurrency, timezone } = yield* organizations.current
        const today = dayIn(yield* Clock.currentTimeMillis, timezone)
        const present = today.slice(0, 7)
        const first = monthAfter(present, 1 - monthsShown)
        const period = { from: `${monthAfter(present, 1 - monthsOfTop)}-01`, to: lastDayOf(present) }
        const cells = yield* store.months(reach)
        const spentIn = (wanted: string): MonthSpend => {
          const parts = cells.filter((cell) => cell.month === wanted && isSpent(cell))
          return { month: wanted, ...tallyOf(parts, baseCurrency) }
        }
        const ofStatus = (wanted: ExpenseStatus) => cells.filter(({ status }) => status === wanted)
        const byStatus = Records.map(expenseTransitions, (_, status) => tallyOf(ofStatus(status), baseCurrency))
        return {
          baseCurrency,
          today,
          thisMonth: spentIn(present),
          lastMonth: spentIn(monthAfter(present, -1)),
          byStatus,
          waitingApprovals: byStatus.PENDING.expenses,
          missingReceipts: withoutReceipt([...ofStatus("PENDING"), ...ofStatus("APPROVED")]),
          topCategories: yield* top("category", period, baseCurrency, reach),
          topMerchants: yield* top("merchant", period, baseCurrency, reach),
          averageDaysToDecision: averageDays(cells.filter(({ month }) => month >= first && month <= present)),
          byMonth: Array.from({ length: monthsShown }, (_, index) => spentIn(monthAfter(first, index)))
        }
      })
      return SpendStatistics.of({ current: Effect.withSpan(current, "SpendStatistics.current") })
    })
  )
}
