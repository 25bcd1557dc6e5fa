import { Context, Effect, Layer, Stream } from "effect"
import { InvalidFields, NotFound } from "../errors/Refusals.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import { makeAssessment } from "../expenses/AssessExpense.ts"
import type { Expense } from "../expenses/Expense.ts"
import { ExpenseFacts } from "../expenses/ExpenseFacts.ts"
import { ExpenseStore } from "../expenses/ExpenseStore.ts"
import type { Identifiers } from "../identifiers/TypeId.ts"
import type { ExchangeRates } from "../money/ExchangeRates.ts"
import { Caller, type RoleMissing } from "../organizations/Caller.ts"
import type { Members } from "../organizations/Members.ts"
import type { Organizations } from "../organizations/Organizations.ts"
import { permitted } from "../organizations/Permissions.ts"
import type { UnitOfWork } from "../organizations/UnitOfWork.ts"
import { needsOf } from "./Condition.ts"
import { type ImaginedExpense, makeImagination } from "./ImaginedExpense.ts"
import { makePastMonths, type PastMonthsLine } from "./PastMonths.ts"
import { type Applicable, applyPolicies, type Evaluation, type PolicyContent } from "./Policy.ts"
import { makePolicyChecks } from "./PolicyChecks.ts"
import type { PolicyEvaluator } from "./PolicyEvaluator.ts"
import { PolicyStore } from "./PolicyStore.ts"

/** Which policies are tried: all active ones, a saved one (active or not), or one that is saved nowhere. */
export type TriedPolicies =
  | { readonly kind: "active" }
  | { readonly kind: "saved"; readonly id: string }
  | { readonly kind: "unsaved"; readonly content: PolicyContent }

type Refused = RoleMissing | InvalidFields | NotFound | Unavailable

/** Driving port: what policies would say, without anything being changed. */
export class PolicyTrials extends Context.Service<
  PolicyTrials,
  {
    /** Every result of an expense that nobody has made. */
    onDraft(tried: TriedPolicies, draft: ImaginedExpense): Effect.Effect<Evaluation, Refused, Caller>
    /** Every result of an expense as it stands. */
    onExpense(tried: TriedPolicies, expenseId: string): Effect.Effect<Evaluation, Refused, Caller>
    /** What it would have said of all that was submitted in the last months (1 to 24). The stream opens its own reads. */
    onMonths(
      tried: TriedPolicies,
      months: number
    ): Effect.Effect<Stream.Stream<PastMonthsLine, Unavailable>, Refused, Caller>
  }
>()("@sarraf/domain/policies/PolicyTrials") {
  static readonly layer: Layer.Layer<
    PolicyTrials,
    never,
    | PolicyStore
    | PolicyEvaluator
    | ExpenseStore
    | ExpenseFacts
    | ExchangeRates
    | Members
    | Organizations
    | Identifiers
    | UnitOfWork
  > = Layer.effect(
    PolicyTrials,
    Effect.gen(function* () {
      const store = yield* PolicyStore
      const expenses = yield* ExpenseStore
      const facts = yield* ExpenseFacts
      const assessment = yield* makeAssessment
      const check = yield* makePolicyChecks
      const imagine = yield* makeImagination
      const pastMonths = yield* makePastMonths

      const policiesOf = Effect.fnUntraced(function* (tried: TriedPolicies) {
        if (tried.kind === "active") return yield* store.active("expense")
        if (tried.kind === "unsaved") {
          yield* check(tried.content, "policy.")
          return [{ ...tried.content, id: "", version: 0 }] satisfies ReadonlyArray<Applicable>
        }
        const policy = yield* store.find(tried.id)
        return policy === undefined || policy.isDeleted
          ? yield* new NotFound({ resource: "policy (policy_id)", id: tried.id })
          : [policy]
      })

      const evaluate = Effect.fnUntraced(function* (policies: ReadonlyArray<Applicable>, expense: Expense) {
        const needs = needsOf(policies.map(({ conditions }) => conditions))
        return applyPolicies(policies, yield* facts.gather(expense, needs))
      })

      const imagined = (draft: ImaginedExpense) =>
        imagine(draft).pipe(
          Effect.catchTag("InvalidFields", ({ faults }) =>
            Effect.fail(
              new InvalidFields({ faults: faults.map(({ message, path }) => ({ path: `expense.${path}`, message })) })
            )
          )
        )

      return PolicyTrials.of({
        onDraft: Effect.fn("PolicyTrials.onDraft")(function* (tried, draft) {
          yield* permitted("policy.evaluate")
          const policies = yield* policiesOf(tried)
          return yield* evaluate(policies, yield* assessment.draft(yield* imagined(draft)))
        }),
        onExpense: Effect.fn("PolicyTrials.onExpense")(function* (tried, expenseId) {
          yield* permitted("policy.evaluate")
          const policies = yield* policiesOf(tried)
          const { reach } = yield* permitted("expense.read")
          const expense = yield* expenses.find(expenseId, reach)
          if (expense === undefined) return yield* new NotFound({ resource: "expense (expense_id)", id: expenseId })
          return yield* evaluate(policies, expense)
        }),
        onMonths: Effect.fn("PolicyTrials.onMonths")(function* (tried, months) {
          yield* permitted("policy.evaluate")
          const policies = yield* policiesOf(tried)
          const lines = yield* pastMonths(months, (expense) => evaluate(policies, expense))
          return Stream.provideService(lines, Caller, yield* Caller)
        })
      })
    })
  )
}
