import { Clock, Effect } from "effect"
import { ApprovalEngine } from "../approvals/ApprovalEngine.ts"
import { usualSteps } from "../approvals/ApprovalStep.ts"
import { Identifiers } from "../identifiers/TypeId.ts"
import { toDecimal } from "../money/Money.ts"
import type { PolicyVerdict } from "../policies/PolicyEvaluator.ts"
import type { Assessment } from "./AssessExpense.ts"
import type { Expense } from "./Expense.ts"
import type { ExpenseRecords, Happened } from "./ExpenseRecords.ts"
import { decide } from "./ExpenseStatus.ts"
import { ExpenseStore } from "./ExpenseStore.ts"

/** In whose name an expense is submitted: a person or a key, and the persons behind it. */
export type Submitter = Pick<Expense, "submittedBy" | "submitters">

/** In the name of whoever made it: where a decision submits it, the decider is not its submitter. */
export const itsMaker = ({ createdBy, creators }: Expense): Submitter => ({
  submittedBy: createdBy,
  submitters: creators
})

/** Whoever must not decide it (contract section 3): who made or submitted it, and who is paid back. */
const concernedBy = ({ creators, submitters, userId }: Expense): ReadonlyArray<string> => [
  ...new Set([...(userId === null ? [] : [userId]), ...creators, ...submitters])
]

/** `Migros, 149.90 TRY`. */
const summaryOf = ({ amount, merchant }: Expense): string =>
  `${merchant}, ${toDecimal(amount.currency, amount.minor)} ${amount.currency}`

/** How an expense gets its approval. For units of work, on a locked expense. */
export const makeSubmission = (records: ExpenseRecords, assessment: Assessment) =>
  Effect.gen(function* () {
    const store = yield* ExpenseStore
    const engine = yield* ApprovalEngine
    const identifiers = yield* Identifiers

    /** Tells of a version that waits for a decision, opens its approval by the steps that its policies ask for, and stores it. */
    const open = Effect.fnUntraced(function* (
      before: Expense,
      after: Expense,
      { steps }: PolicyVerdict,
      happened: Happened
    ) {
      const approvalId = yield* identifiers.next("apr")
      const expense = yield* records.tell(before, { ...after, approvalId }, happened)
      const { deciders } = yield* engine.open({
        id: approvalId,
        subject: { type: "expense", id: expense.id, version: expense.version },
        concerned: concernedBy(expense),
        submitterId: expense.userId ?? expense.submitters[0] ?? null,
        steps: steps.length === 0 ? usualSteps : steps,
        summary: summaryOf(expense)
      })
      const opened = { ...expense, deciders }
      yield* store.save(opened)
      return opened
    })

    return {
      open,
      /** DRAFT → PENDING: policies run, and an approval is opened on the new version. */
      submit: Effect.fnUntraced(function* (before: Expense, submitter: Submitter) {
        const status = yield* Effect.fromResult(decide(before.status, "submit"))
        const submittedAt = yield* Clock.currentTimeMillis
        const { expense, verdict } = yield* assessment.submission({ ...before, ...submitter, status, submittedAt })
        return yield* open(before, expense, verdict, { action: "expense.submitted", event: "expense.submitted" })
      })
    }
  })
export type Submission = Effect.Success<ReturnType<typeof makeSubmission>>
