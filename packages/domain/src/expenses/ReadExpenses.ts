import { Effect } from "effect"
import { AuditTrail } from "../audit/AuditTrail.ts"
import type { PageRequest } from "../lists/Page.ts"
import { permitted } from "../organizations/Permissions.ts"
import { makeExpenseReading } from "./ExpenseReading.ts"
import { ExpenseStore } from "./ExpenseStore.ts"

/** An export as it was handed out, for the audit trail. */
export interface ExportedExpenses {
  readonly format: "csv" | "json"
  /** What was asked for: the filters, or the ids. */
  readonly query: Readonly<Record<string, unknown>>
  readonly rows: number
  /** Of the bytes of the rows, lower-case hex; null where the reader left before the end. */
  readonly sha256: string | null
}

/** Reads expenses as far as the caller's role reaches, and records what is handed out. */
export const makeReadExpenses = Effect.gen(function* () {
  const store = yield* ExpenseStore
  const audit = yield* AuditTrail
  const reading = yield* makeExpenseReading

  return {
    ...reading,
    /** Those within reach, in the order asked, each once; what is missing is left out. */
    findAll: Effect.fn("Expenses.findAll")(function* (ids: ReadonlyArray<string>) {
      const { reach } = yield* permitted("expense.read")
      const found = new Map((yield* store.findAll(ids, reach)).map((expense) => [expense.id, expense]))
      return [...new Set(ids)].flatMap((id) => found.get(id) ?? [])
    }),
    history: Effect.fn("Expenses.history")(function* (id: string, page: PageRequest) {
      yield* reading.get(id)
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
