import { Effect, Result } from "effect"
import { AuditTrail } from "../audit/AuditTrail.ts"
import { InvalidFields, NotFound } from "../errors/Refusals.ts"
import type { PageRequest } from "../lists/Page.ts"
import { fromDecimal } from "../money/Money.ts"
import { Organizations } from "../organizations/Organizations.ts"
import { permitted } from "../organizations/Permissions.ts"
import { type ExpenseFilter, ExpenseStore } from "./ExpenseStore.ts"

/** What is looked for; amounts in major units of the base currency, as decimals. */
export interface ExpenseSearch extends Omit<ExpenseFilter, "minBaseMinor" | "maxBaseMinor"> {
  readonly minAmount?: string
  readonly maxAmount?: string
}

/** An export as it was handed out, for the audit trail. */
export interface ExportedExpenses {
  readonly format: "csv" | "json"
  /** What was asked for: the filters, or the ids. */
  readonly query: Readonly<Record<string, unknown>>
  readonly rows: number
  /** Of the bytes of the rows, lower-case hex; null where the reader left before the end. */
  readonly sha256: string | null
}

/** Reads expenses as far as the caller's role reaches. */
export const makeReadExpenses = Effect.gen(function* () {
  const store = yield* ExpenseStore
  const audit = yield* AuditTrail
  const organizations = yield* Organizations

  const get = Effect.fn("Expenses.get")(function* (id: string) {
    const { reach } = yield* permitted("expense.read")
    const expense = yield* store.find(id, reach)
    return expense === undefined ? yield* new NotFound({ resource: "expense", id }) : expense
  })

  const bound = Effect.fnUntraced(function* (decimal: string, path: string) {
    const { baseCurrency } = yield* organizations.current
    const money = fromDecimal(baseCurrency, decimal)
    if (Result.isSuccess(money)) return money.success.minor
    const message = `must be an amount in ${baseCurrency}: this is ${money.failure}`
    return yield* new InvalidFields({ faults: [{ path, message }] })
  })

  /** `InvalidFields` at `min_amount` or `max_amount` where it is no amount of the base currency. */
  const filterOf = Effect.fnUntraced(function* ({ maxAmount, minAmount, ...rest }: ExpenseSearch) {
    const filter: ExpenseFilter = {
      ...rest,
      ...(minAmount === undefined ? {} : { minBaseMinor: yield* bound(minAmount, "min_amount") }),
      ...(maxAmount === undefined ? {} : { maxBaseMinor: yield* bound(maxAmount, "max_amount") })
    }
    return filter
  })

  return {
    get,
    list: Effect.fn("Expenses.list")(function* (search: ExpenseSearch, page: PageRequest) {
      const { reach } = yield* permitted("expense.read")
      return yield* store.list(yield* filterOf(search), reach, page)
    }),
    /** Those within reach, in the order asked, each once; what is missing is left out. */
    findAll: Effect.fn("Expenses.findAll")(function* (ids: ReadonlyArray<string>) {
      const { reach } = yield* permitted("expense.read")
      const found = new Map((yield* store.findAll(ids, reach)).map((expense) => [expense.id, expense]))
      return [...new Set(ids)].flatMap((id) => found.get(id) ?? [])
    }),
    history: Effect.fn("Expenses.history")(function* (id: string, page: PageRequest) {
      yield* get(id)
      return yield* audit.list({ subjectType: "expense", subjectId: id }, page)
    }),
    exported: Effect.fn("Expenses.exported")(function* (detail: ExportedExpenses) {
      const { caller } = yield* permitted("expense.read")
      yield* audit.append({
        action: "expense.exported",
        subject: { type: "organization", id: caller.organizationId },
        detail: { ...detail }
      })
    }),
    auditHead: Effect.andThen(permitted("expense.read"), audit.head)
  }
})
