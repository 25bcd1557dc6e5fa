import { Effect, Equal } from "effect"
import { ApprovalEngine } from "../approvals/ApprovalEngine.ts"
import { toDecimal } from "../money/Money.ts"
import { submittingPersons } from "../organizations/Caller.ts"
import { UnitOfWork } from "../organizations/UnitOfWork.ts"
import type { Assessment } from "./AssessExpense.ts"
import type { Expense } from "./Expense.ts"
import type { EntryChecks, ExpenseFields } from "./ExpenseFields.ts"
import type { ExpectedVersions, ExpenseRecords } from "./ExpenseRecords.ts"
import { allows, decide } from "./ExpenseStatus.ts"
import type { Submission } from "./SubmitExpense.ts"

/** What is said takes the place of what was there; what is not said stays. */
const said = <A>(value: A | undefined, before: A): A => (value === undefined ? before : value)

interface Parts {
  readonly checks: EntryChecks
  readonly records: ExpenseRecords
  readonly assessment: Assessment
  readonly submission: Submission
}

/** Changes the fields of an expense. While it waits for a decision, its approval starts again on the new version. */
export const makeChangeExpense = ({ assessment, checks, records, submission }: Parts) =>
  Effect.gen(function* () {
    const engine = yield* ApprovalEngine
    const units = yield* UnitOfWork

    const withFields = Effect.fnUntraced(function* (before: Expense, fields: ExpenseFields) {
      const currency = said(fields.currency, before.amount.currency)
      const decimal = said(fields.amount, toDecimal(before.amount.currency, before.amount.minor))
      const amount = yield* checks.values(decimal, currency, fields.date)
      // What stays is not asked about again: its person may have left, its department may be gone.
      const named = <A>(value: A | undefined, present: A) => (value === present ? undefined : value)
      const person = named(fields.userId, before.userId)
      if (person != null) yield* checks.person(person)
      yield* checks.references({
        departmentId: named(fields.departmentId, before.departmentId),
        receiptUrl: named(fields.receiptUrl, before.receiptUrl),
        cardTransactionId: named(fields.cardTransactionId, before.cardTransactionId)
      })
      const after: Expense = {
        ...before,
        amount,
        merchant: said(fields.merchant, before.merchant),
        category: said(fields.category, before.category),
        description: said(fields.description, before.description),
        date: said(fields.date, before.date),
        receiptUrl: said(fields.receiptUrl, before.receiptUrl),
        departmentId: said(fields.departmentId, before.departmentId),
        cardTransactionId: said(fields.cardTransactionId, before.cardTransactionId),
        userId: said(fields.userId, before.userId)
      }
      return after
    })

    /** Whoever changes what waits for a decision submits what it has become. */
    const resubmit = Effect.fnUntraced(function* (before: Expense, changed: Expense, persons: ReadonlyArray<string>) {
      const submitters = [...new Set([...before.submitters, ...persons])]
      const { expense, verdict } = yield* assessment.submission({ ...changed, submitters })
      yield* engine.cancel({ type: "expense", id: before.id }, "The expense was changed.")
      return yield* submission.open(before, expense, verdict, { action: "expense.changed" })
    })

    return Effect.fn("Expenses.change")(function* (id: string, fields: ExpenseFields, expected: ExpectedVersions) {
      return yield* units.run(
        Effect.gen(function* () {
          const { caller, expense: before } = yield* records.lock(id, "expense.change", expected)
          yield* Effect.fromResult(decide(before.status, "patch"))
          const changed = yield* withFields(before, fields)
          if (Equal.equals(before, changed)) return before
          if (allows(before.status, "approve"))
            return yield* resubmit(before, changed, submittingPersons(caller, changed.userId))
          return yield* records.keep(before, yield* assessment.draft(changed), { action: "expense.changed" })
        })
      )
    })
  })
