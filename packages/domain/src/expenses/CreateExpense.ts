import { Clock, Effect } from "effect"
import { AuditTrail } from "../audit/AuditTrail.ts"
import { Identifiers } from "../identifiers/TypeId.ts"
import { type Caller, submittingPersons } from "../organizations/Caller.ts"
import { permitted } from "../organizations/Permissions.ts"
import { UnitOfWork } from "../organizations/UnitOfWork.ts"
import type { Assessment } from "./AssessExpense.ts"
import type { Expense } from "./Expense.ts"
import { expenseDocument } from "./ExpenseDocument.ts"
import type { EntryChecks, ExpenseFields } from "./ExpenseFields.ts"
import { ExpenseStore } from "./ExpenseStore.ts"
import type { Submission } from "./SubmitExpense.ts"

/** A new expense; whose it is, when it was and which department's are found out where they are not said. */
export interface NewExpense extends ExpenseFields {
  readonly amount: string
  readonly currency: string
  readonly merchant: string
  /** Submits it at once. */
  readonly submit: boolean
}

/** What nobody has found out or decided of an expense yet. */
export const unassessed = {
  base: null,
  frozenRates: null,
  violations: [],
  duplicates: [],
  approvalId: null,
  deciders: null,
  submitters: [],
  submittedBy: null,
  submittedAt: null,
  decidedAt: null,
  decidedBy: null,
  rejectionReason: null,
  reimbursedAt: null
} satisfies Partial<Expense>

/** Enters an expense: of the person who is signed in, or of whom an administrator or a key names. */
export const makeCreateExpense = (checks: EntryChecks, assessment: Assessment, submission: Submission) =>
  Effect.gen(function* () {
    const store = yield* ExpenseStore
    const audit = yield* AuditTrail
    const identifiers = yield* Identifiers
    const units = yield* UnitOfWork

    const draftOf = Effect.fnUntraced(function* (asked: NewExpense, caller: Caller["Service"]) {
      const amount = yield* checks.values(asked.amount, asked.currency, asked.date)
      const userId = asked.userId ?? caller.userId
      const member = userId === null ? undefined : yield* checks.person(userId)
      yield* checks.references(asked)
      const createdAt = yield* Clock.currentTimeMillis
      const draft: Expense = {
        ...unassessed,
        id: yield* identifiers.next("exp"),
        version: 1,
        status: "DRAFT",
        amount,
        merchant: asked.merchant,
        category: asked.category ?? null,
        description: asked.description ?? null,
        date: asked.date ?? (yield* checks.today),
        receiptUrl: asked.receiptUrl ?? null,
        // Else a policy about a department would be escaped by not naming it.
        departmentId: asked.departmentId ?? member?.departmentId ?? null,
        cardTransactionId: asked.cardTransactionId ?? null,
        userId,
        createdBy: caller.name,
        creators: submittingPersons(caller, userId),
        createdAt,
        updatedAt: createdAt
      }
      return draft
    })

    return Effect.fn("Expenses.create")(function* (asked: NewExpense) {
      const { caller } = yield* permitted("expense.create")
      return yield* units.run(
        Effect.gen(function* () {
          const draft = yield* draftOf(asked, caller)
          const created = asked.submit ? draft : yield* assessment.draft(draft)
          yield* store.insert(created)
          yield* audit.append({
            action: "expense.created",
            subject: { type: "expense", id: created.id },
            after: expenseDocument(created)
          })
          if (!asked.submit) return created
          return yield* submission.submit(created, { submittedBy: caller.name, submitters: created.creators })
        })
      )
    })
  })
