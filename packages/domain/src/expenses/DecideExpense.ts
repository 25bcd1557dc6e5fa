import { Clock, Effect, Result } from "effect"
import { ApprovalEngine } from "../approvals/ApprovalEngine.ts"
import { NotFound } from "../errors/Refusals.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Caller } from "../organizations/Caller.ts"
import { permitted } from "../organizations/Permissions.ts"
import { UnitOfWork } from "../organizations/UnitOfWork.ts"
import type { Assessment } from "./AssessExpense.ts"
import type { Expense } from "./Expense.ts"
import type { ExpectedVersions, ExpenseRecords } from "./ExpenseRecords.ts"
import type { DecisionRefusal } from "./ExpenseRefusal.ts"
import { allows, decide } from "./ExpenseStatus.ts"
import { ExpenseStore } from "./ExpenseStore.ts"
import { itsMaker, type Submission } from "./SubmitExpense.ts"

export type Decision = "approve" | "reject"

/** What became of one of several decisions. */
export interface BulkDecision {
  readonly id: string
  readonly result: Result.Result<Expense, DecisionRefusal>
}

interface Parts {
  readonly records: ExpenseRecords
  readonly assessment: Assessment
  readonly submission: Submission
}

const happenings = {
  approve: { action: "expense.approved", event: "expense.approved" },
  reject: { action: "expense.rejected", event: "expense.rejected" }
} as const

/** Approves and rejects: one expense, or several of which each is decided by itself. */
export const makeDecideExpense = ({ assessment, records, submission }: Parts) =>
  Effect.gen(function* () {
    const store = yield* ExpenseStore
    const engine = yield* ApprovalEngine
    const units = yield* UnitOfWork

    /** The policies as they are at the last approval, unless they have just run in this unit of work. */
    const approved = (expense: Expense, isJustSubmitted: boolean) =>
      isJustSubmitted
        ? Effect.succeed(expense)
        : Effect.map(assessment.approval(expense), (assessed) => assessed.expense)

    const decideLocked = Effect.fnUntraced(function* (before: Expense, decision: Decision, reason: string | null) {
      const { caller } = yield* permitted("expense.decide")
      const isDraft = allows(before.status, "submit")
      const pending = isDraft ? yield* submission.submit(before, itsMaker(before)) : before
      const status = yield* Effect.fromResult(decide(pending.status, decision))
      // Before the approval's own locks, in the order in which every unit of work takes them.
      if (decision === "approve") yield* assessment.lockSpending([pending])
      const outcome = yield* engine.decide({ type: "expense", id: pending.id }, decision, reason)
      if (outcome.status === "OPEN") return pending
      const decided: Expense = {
        ...(decision === "approve" ? yield* approved(pending, isDraft) : pending),
        status,
        decidedAt: yield* Clock.currentTimeMillis,
        decidedBy: caller.name,
        rejectionReason: decision === "reject" ? reason : null
      }
      return yield* records.keep(pending, decided, {
        ...happenings[decision],
        ...(reason === null ? {} : { detail: { reason } })
      })
    })

    return {
      /** Decides in the caller's name; a draft is submitted first. A chain with open steps leaves it PENDING. */
      one: Effect.fn("Expenses.decide")(function* (
        id: string,
        decision: Decision,
        reason: string | null,
        expected: ExpectedVersions
      ) {
        return yield* units.run(
          Effect.gen(function* () {
            const { expense } = yield* records.lock(id, "expense.decide", expected)
            return yield* decideLocked(expense, decision, reason)
          })
        )
      }),
      /** Each by itself: what one refuses does not stop the others. In the order asked, an id that is repeated once. */
      several: Effect.fn("Expenses.decideSeveral")(function* (
        asked: ReadonlyArray<string>,
        decision: Decision,
        reason: string | null
      ) {
        const ids = [...new Set(asked)]
        const { reach } = yield* permitted("expense.decide")
        return yield* units.run(
          Effect.gen(function* () {
            const locked = new Map((yield* store.lockAll(ids, reach)).map((expense) => [expense.id, expense]))
            yield* assessment.lockSpending([...locked.values()])
            return yield* Effect.forEach(ids, (id) => {
              const expense = locked.get(id)
              const decided: Effect.Effect<Expense, DecisionRefusal | Unavailable, Caller> =
                expense === undefined
                  ? Effect.fail(new NotFound({ resource: "expense", id }))
                  : units.apart(decideLocked(expense, decision, reason))
              return decided.pipe(
                Effect.map((after): BulkDecision => ({ id, result: Result.succeed(after) })),
                Effect.catch((refusal) =>
                  refusal._tag === "Unavailable"
                    ? Effect.fail(refusal)
                    : Effect.succeed<BulkDecision>({ id, result: Result.fail(refusal) })
                )
              )
            })
          })
        )
      })
    }
  })
