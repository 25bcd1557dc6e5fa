import { Clock, Effect } from "effect"
import { ApprovalEngine } from "../approvals/ApprovalEngine.ts"
import { AuditTrail } from "../audit/AuditTrail.ts"
import { UnitOfWork } from "../organizations/UnitOfWork.ts"
import type { Expense } from "./Expense.ts"
import { expenseDocument } from "./ExpenseDocument.ts"
import type { ExpectedVersions, ExpenseRecords } from "./ExpenseRecords.ts"
import { decide } from "./ExpenseStatus.ts"
import { ExpenseStore } from "./ExpenseStore.ts"

/** A draft again, as if it had not been submitted. What it went through is in its history. */
const asDraft = {
  frozenRates: null,
  approvalId: null,
  deciders: null,
  submitters: [],
  submittedBy: null,
  submittedAt: null,
  decidedAt: null,
  decidedBy: null,
  rejectionReason: null
} satisfies Partial<Expense>

/** The commands that lead an expense to another state without a decision, and the end of a draft. */
export const makeMoveExpense = (records: ExpenseRecords) =>
  Effect.gen(function* () {
    const store = yield* ExpenseStore
    const audit = yield* AuditTrail
    const engine = yield* ApprovalEngine
    const units = yield* UnitOfWork
    return {
      /** PENDING → DRAFT: its approval ends. */
      withdraw: Effect.fn("Expenses.withdraw")(function* (id: string, expected: ExpectedVersions) {
        return yield* units.run(
          Effect.gen(function* () {
            const { expense } = yield* records.lock(id, "expense.change", expected)
            const status = yield* Effect.fromResult(decide(expense.status, "withdraw"))
            yield* engine.cancel({ type: "expense", id }, "The expense was withdrawn.")
            return yield* records.keep(expense, { ...expense, ...asDraft, status }, { action: "expense.withdrawn" })
          })
        )
      }),
      /** REJECTED → DRAFT. */
      reopen: Effect.fn("Expenses.reopen")(function* (id: string, expected: ExpectedVersions) {
        return yield* units.run(
          Effect.gen(function* () {
            const { expense } = yield* records.lock(id, "expense.change", expected)
            const status = yield* Effect.fromResult(decide(expense.status, "reopen"))
            return yield* records.keep(expense, { ...expense, ...asDraft, status }, { action: "expense.reopened" })
          })
        )
      }),
      /** APPROVED → REIMBURSED: it was paid back. */
      reimburse: Effect.fn("Expenses.reimburse")(function* (id: string, expected: ExpectedVersions) {
        return yield* units.run(
          Effect.gen(function* () {
            const { expense } = yield* records.lock(id, "expense.reimburse", expected)
            const status = yield* Effect.fromResult(decide(expense.status, "reimburse"))
            const reimbursedAt = yield* Clock.currentTimeMillis
            return yield* records.keep(expense, { ...expense, status, reimbursedAt }, { action: "expense.reimbursed" })
          })
        )
      }),
      /** The end of a draft. */
      remove: Effect.fn("Expenses.remove")(function* (id: string, expected: ExpectedVersions) {
        return yield* units.run(
          Effect.gen(function* () {
            const { expense } = yield* records.lock(id, "expense.change", expected)
            yield* Effect.fromResult(decide(expense.status, "delete"))
            yield* store.remove(id)
            const subject = { type: "expense", id }
            yield* audit.append({ action: "expense.deleted", subject, before: expenseDocument(expense) })
          })
        )
      })
    }
  })
