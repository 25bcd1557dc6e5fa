import { Context, Effect, Layer } from "effect"
import type { AuditHead, AuditRecord } from "../audit/AuditTrail.ts"
import type { Forbidden, InvalidFields } from "../errors/Refusals.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import { type Caller, type RoleMissing, submittingPersons } from "../organizations/Caller.ts"
import { UnitOfWork } from "../organizations/UnitOfWork.ts"
import { makeAssessment } from "./AssessExpense.ts"
import { makeChangeExpense } from "./ChangeExpense.ts"
import { makeCreateExpense, type NewExpense } from "./CreateExpense.ts"
import { type BulkDecision, type Decision, makeDecideExpense } from "./DecideExpense.ts"
import type { Expense } from "./Expense.ts"
import { type ExpenseFields, makeEntryChecks } from "./ExpenseFields.ts"
import type { ExpenseSearch } from "./ExpenseReading.ts"
import { type ExpectedVersions, makeExpenseRecords } from "./ExpenseRecords.ts"
import type { CommandRefusal, FieldsRefusal, ReadRefusal } from "./ExpenseRefusal.ts"
import { makeMoveExpense } from "./MoveExpense.ts"
import { type ExportedExpenses, makeReadExpenses } from "./ReadExpenses.ts"
import { makeSubmission } from "./SubmitExpense.ts"

/** A command on one expense; `expected`: see `ExpectedVersions`. */
type Command<A = Expense, E = CommandRefusal> = (id: string, expected?: ExpectedVersions) => Effect.Effect<A, E, Caller>

/** Driving port: expenses of the caller's organization, as far as the caller's role reaches (contract section 6). */
export class Expenses extends Context.Service<
  Expenses,
  {
    readonly create: (expense: NewExpense) => Effect.Effect<Expense, FieldsRefusal | CommandRefusal, Caller>
    readonly get: (id: string) => Effect.Effect<Expense, ReadRefusal, Caller>
    readonly list: (
      search: ExpenseSearch,
      page: PageRequest
    ) => Effect.Effect<Page<Expense>, RoleMissing | InvalidFields | Unavailable, Caller>
    readonly findAll: (
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Expense>, RoleMissing | Unavailable, Caller>
    /** What was done to it, newest first. */
    readonly history: (id: string, page: PageRequest) => Effect.Effect<Page<AuditRecord>, ReadRefusal, Caller>
    /** Changes fields in DRAFT and PENDING; what changes nothing keeps the version. */
    readonly change: (
      id: string,
      fields: ExpenseFields,
      expected?: ExpectedVersions
    ) => Effect.Effect<Expense, FieldsRefusal | CommandRefusal, Caller>
    readonly submit: Command
    /** Still PENDING where other steps are open. The reason is kept with the decision. */
    readonly decide: (
      id: string,
      decision: Decision,
      reason: string | null,
      expected?: ExpectedVersions
    ) => Effect.Effect<Expense, CommandRefusal | Forbidden, Caller>
    /** 500 at most are asked for; one that is refused does not stop the rest. */
    readonly decideSeveral: (
      ids: ReadonlyArray<string>,
      decision: Decision,
      reason: string | null
    ) => Effect.Effect<ReadonlyArray<BulkDecision>, RoleMissing | Unavailable, Caller>
    readonly withdraw: Command
    readonly reopen: Command
    readonly reimburse: Command
    readonly remove: Command<void>
    /** The end of the audit chain, which an export hands out (contract section 6). */
    readonly auditHead: Effect.Effect<AuditHead, RoleMissing | Unavailable, Caller>
    /** Records that expenses were handed out. */
    readonly exported: (what: ExportedExpenses) => Effect.Effect<void, RoleMissing | Unavailable, Caller>
  }
>()("@sarraf/domain/expenses/Expenses") {
  static readonly layer = Layer.effect(
    Expenses,
    Effect.gen(function* () {
      const units = yield* UnitOfWork
      const records = yield* makeExpenseRecords
      const checks = yield* makeEntryChecks
      const assessment = yield* makeAssessment
      const submission = yield* makeSubmission(records, assessment)
      const create = yield* makeCreateExpense(checks, assessment, submission)
      const change = yield* makeChangeExpense({ checks, records, assessment, submission })
      const decisions = yield* makeDecideExpense({ records, assessment, submission })
      const submit = Effect.fn("Expenses.submit")(function* (id: string, expected: ExpectedVersions) {
        return yield* units.run(
          Effect.gen(function* () {
            const { caller, expense } = yield* records.lock(id, "expense.change", expected)
            const submitter = { submittedBy: caller.name, submitters: submittingPersons(caller, expense.userId) }
            return yield* submission.submit(expense, submitter)
          })
        )
      })
      return Expenses.of({
        create,
        change,
        submit,
        decide: decisions.one,
        decideSeveral: decisions.several,
        ...(yield* makeMoveExpense(records)),
        ...(yield* makeReadExpenses)
      })
    })
  )
}
