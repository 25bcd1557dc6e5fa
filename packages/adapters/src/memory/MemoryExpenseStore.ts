import { isInForce } from "@sarraf/domain/approvals/Delegation"
import { nearness } from "@sarraf/domain/expenses/DuplicateLikelihood"
import type { Expense } from "@sarraf/domain/expenses/Expense"
import { type ExpenseFilter, ExpenseStore } from "@sarraf/domain/expenses/ExpenseStore"
import { type DayRange, spendRanges } from "@sarraf/domain/expenses/SpendRanges"
import { pageOf } from "@sarraf/domain/lists/Page"
import { Caller } from "@sarraf/domain/organizations/Caller"
import type { Reach } from "@sarraf/domain/organizations/Permissions"
import type { CalendarDate } from "@sarraf/domain/time/CalendarDate"
import { Clock, Effect, Layer } from "effect"
import { ExpenseSideMemory } from "./ExpenseSideMemory.ts"

/** Of the likely duplicates; what is left out is as old or as new as what is compared. */
const similarMax = 50

const contains = (value: string | null, text: string): boolean =>
  value?.toLowerCase().includes(text.toLowerCase()) === true

/** Whether a condition that may not have been given holds. */
const holds = <A>(wanted: A | undefined, condition: (wanted: A) => boolean): boolean =>
  wanted === undefined || condition(wanted)

const fits = (filter: ExpenseFilter, { amount, base, category, date, description, ...expense }: Expense): boolean =>
  holds(filter.statuses, (statuses) => statuses.includes(expense.status)) &&
  holds(filter.categories, (categories) => category !== null && categories.includes(category)) &&
  holds(filter.from, (from) => date >= from) &&
  holds(filter.to, (to) => date <= to) &&
  holds(filter.merchant, (merchant) => contains(expense.merchant, merchant)) &&
  holds(filter.currency, (currency) => amount.currency === currency) &&
  holds(filter.minBaseMinor, (least) => base !== null && base.minor >= least) &&
  holds(filter.maxBaseMinor, (most) => base !== null && base.minor <= most) &&
  holds(filter.userId, (userId) => expense.userId === userId) &&
  holds(filter.departmentId, (departmentId) => expense.departmentId === departmentId) &&
  holds(filter.text, (text) => [expense.merchant, category, description].some((value) => contains(value, text)))

const byId = (one: { readonly id: string }, other: { readonly id: string }): number => (one.id < other.id ? -1 : 1)

const distance = (one: bigint, other: bigint): bigint => (one > other ? one - other : other - one)

const dayMillis = 86_400_000
const daysFrom = (date: CalendarDate, days: number): CalendarDate =>
  new Date(Date.parse(date) + days * dayMillis).toISOString().slice(0, 10)

const isSpent = ({ status }: Expense): boolean =>
  status === "PENDING" || status === "APPROVED" || status === "REIMBURSED"

/** Expenses in memory. */
export const layer = Layer.effect(
  ExpenseStore,
  Effect.gen(function* () {
    const memory = yield* ExpenseSideMemory

    /** Whether a reach covers an expense: as the conditions of `PgExpenseStore` have it. */
    const reachable = (reach: Reach) =>
      Effect.gen(function* () {
        const { name, organizationId, userId } = yield* Caller
        const now = yield* Clock.currentTimeMillis
        const given = memory.delegations
          .all(organizationId)
          .filter((one) => one.to === userId && one.endedAt === null && isInForce(one, now))
        const isOwn = (expense: Expense) => expense.createdBy === name || (userId !== null && expense.userId === userId)
        const memberOf = (person: string) => memory.members.get(organizationId, person)
        const isAdministrator = (person: string) => ["ADMIN", "OWNER"].includes(memberOf(person)?.role ?? "")
        const decides = ({ deciders, userId: owner }: Expense) =>
          deciders === null ||
          (userId !== null && deciders.includes(userId)) ||
          (userId !== null && owner !== null && memberOf(owner)?.managerId === userId) ||
          given.some(({ from }) => deciders.includes(from) || isAdministrator(from))
        return (expense: Expense) => reach === "all" || isOwn(expense) || (reach === "decidable" && decides(expense))
      })

    const find = (id: string, reach: Reach) =>
      memory.within(
        Effect.gen(function* () {
          const { organizationId } = yield* Caller
          const found = memory.expenses.get(organizationId, id)
          return found !== undefined && (yield* reachable(reach))(found) ? found : undefined
        })
      )

    const findAll = (ids: ReadonlyArray<string>, reach: Reach) =>
      memory.within(
        Effect.gen(function* () {
          const { organizationId } = yield* Caller
          const found = [...new Set(ids)].flatMap((id) => memory.expenses.get(organizationId, id) ?? [])
          return found.filter(yield* reachable(reach)).sort(byId)
        })
      )

    return ExpenseStore.of({
      find,
      findAll,
      // One unit of work at a time: what is read in it is locked already.
      lock: find,
      lockAll: findAll,
      lockSpending: () => Effect.void,
      insert: (expense) =>
        memory.within(
          Effect.map(Caller, ({ organizationId }) => memory.expenses.put(organizationId, expense.id, expense))
        ),
      save: (expense) =>
        memory.within(
          Effect.flatMap(Caller, ({ organizationId }) => {
            const present = memory.expenses.get(organizationId, expense.id)
            if (present?.version !== expense.version - 1) {
              return Effect.die(new Error(`${expense.id} was not locked before it was saved`))
            }
            const { createdAt, createdBy, creators } = present
            return Effect.sync(() =>
              memory.expenses.put(organizationId, expense.id, { ...expense, createdAt, createdBy, creators })
            )
          })
        ),
      remove: (id) =>
        memory.within(Effect.map(Caller, ({ organizationId }) => memory.expenses.remove(organizationId, id))),
      list: (filter, reach, page) =>
        memory.within(
          Effect.gen(function* () {
            const { organizationId } = yield* Caller
            const isReachable = yield* reachable(reach)
            const found = memory.expenses
              .all(organizationId)
              .filter((one) => holds(page.after, (after) => one.id < after) && fits(filter, one) && isReachable(one))
            return pageOf(
              found
                .sort(byId)
                .reverse()
                .slice(0, page.limit + 1),
              page
            )
          })
        ),
      similar: ({ amount, date, id, userId }) =>
        memory.within(
          Effect.map(Caller, ({ organizationId }) => {
            const { daysMax, percentMax } = nearness
            const [from, to] = [daysFrom(date, -daysMax), daysFrom(date, daysMax)]
            // A little wider than what is compared exactly afterwards.
            const least = (amount.minor * (100n - percentMax)) / 100n
            const most = (amount.minor * 100n) / (100n - percentMax) + 1n
            const apart = (one: Expense) => distance(one.amount.minor, amount.minor)
            return memory.expenses
              .all(organizationId)
              .filter((one) => one.id !== id && one.userId === userId && one.date >= from && one.date <= to)
              .filter((one) => one.amount.currency === amount.currency)
              .filter((one) => one.amount.minor >= least && one.amount.minor <= most)
              .sort((one, other) => Number(apart(one) - apart(other)) || byId(other, one))
              .slice(0, similarMax)
          })
        ),
      spent: (userId, date, except) =>
        memory.within(
          Effect.map(Caller, ({ organizationId }) => {
            const ranges = spendRanges(date)
            const spent = memory.expenses
              .all(organizationId)
              .filter((one) => one.userId === userId && one.id !== except && isSpent(one))
            const sum = ({ before, from }: DayRange) =>
              spent
                .filter((one) => one.date >= from && one.date < before)
                .reduce((total, { base }) => total + (base?.minor ?? 0n), 0n)
            return {
              day: sum(ranges.day),
              week: sum(ranges.week),
              month: sum(ranges.month),
              quarter: sum(ranges.quarter),
              year: sum(ranges.year)
            }
          })
        )
    })
  })
)
