import { Context, Effect, Layer } from "effect"
import { type InvalidFields, NotFound } from "../errors/Refusals.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import { baseBound } from "../money/BaseBound.ts"
import type { Caller, RoleMissing } from "../organizations/Caller.ts"
import { Organizations } from "../organizations/Organizations.ts"
import { permitted } from "../organizations/Permissions.ts"
import type { Expense } from "./Expense.ts"
import type { ReadRefusal } from "./ExpenseRefusal.ts"
import { type ExpenseFilter, ExpenseStore } from "./ExpenseStore.ts"

/** What is looked for; amounts in major units of the base currency, as decimals. */
export interface ExpenseSearch extends Omit<ExpenseFilter, "minBaseMinor" | "maxBaseMinor"> {
  readonly minAmount?: string
  readonly maxAmount?: string
}

/** Reads expenses as far as the caller's role reaches: the one way, for the API and for assistants. */
export const makeExpenseReading = Effect.gen(function* () {
  const store = yield* ExpenseStore
  const organizations = yield* Organizations

  /** `InvalidFields` at `min_amount` or `max_amount` where it is no amount of the base currency. */
  const filterOf = Effect.fnUntraced(function* ({ maxAmount, minAmount, ...rest }: ExpenseSearch) {
    if (minAmount === undefined && maxAmount === undefined) return rest
    const { baseCurrency } = yield* organizations.current
    const minBaseMinor = yield* baseBound(baseCurrency, minAmount, "min_amount")
    const maxBaseMinor = yield* baseBound(baseCurrency, maxAmount, "max_amount")
    const filter: ExpenseFilter = {
      ...rest,
      ...(minBaseMinor === undefined ? {} : { minBaseMinor }),
      ...(maxBaseMinor === undefined ? {} : { maxBaseMinor })
    }
    return filter
  })

  return {
    get: Effect.fn("Expenses.get")(function* (id: string) {
      const { reach } = yield* permitted("expense.read")
      const expense = yield* store.find(id, reach)
      return expense === undefined ? yield* new NotFound({ resource: "expense", id }) : expense
    }),
    list: Effect.fn("Expenses.list")(function* (search: ExpenseSearch, page: PageRequest) {
      const { reach } = yield* permitted("expense.read")
      return yield* store.list(yield* filterOf(search), reach, page)
    })
  }
})

/** Driving port: expenses to look at, and nothing to do with them. */
export class ExpenseReading extends Context.Service<
  ExpenseReading,
  {
    readonly get: (id: string) => Effect.Effect<Expense, ReadRefusal, Caller>
    readonly list: (
      search: ExpenseSearch,
      page: PageRequest
    ) => Effect.Effect<Page<Expense>, RoleMissing | InvalidFields | Unavailable, Caller>
  }
>()("@sarraf/domain/expenses/ExpenseReading") {
  static readonly layer: Layer.Layer<ExpenseReading, never, ExpenseStore | Organizations> = Layer.effect(
    ExpenseReading,
    Effect.map(makeExpenseReading, ExpenseReading.of)
  )
}
