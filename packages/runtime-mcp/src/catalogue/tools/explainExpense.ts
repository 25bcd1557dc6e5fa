import { ApprovalReading, type ApprovalView } from "@sarraf/domain/approvals/ApprovalReading"
import type { Expense } from "@sarraf/domain/expenses/Expense"
import { ExpenseReading } from "@sarraf/domain/expenses/ExpenseReading"
import { Identity } from "@sarraf/domain/organizations/Identity"
import type { Policy } from "@sarraf/domain/policies/Policy"
import { PolicyReading } from "@sarraf/domain/policies/PolicyReading"
import { policyWords } from "@sarraf/domain/policies/policyWords"
import { Enforcement, type Violation } from "@sarraf/domain/policies/Violation"
import { Effect, Schema } from "effect"
import { fitting } from "../listTool.ts"
import { count, cut, flag, idIn, listOf, oneOf, text, textOrNull } from "../shapes.ts"
import { makeTool } from "../tool.ts"
import { ApprovalShown, approvalShown, personsIn } from "./approvals.ts"
import { ExpenseSummary, namesOf, summaryOf } from "./expenses.ts"
import { policyNames } from "./policies.ts"

/** An organization has 200 policies at most; an expense that more than these apply to is explained by the strictest. */
const policiesMax = 25
const policiesLengthMax = 30_000
const duplicatesMax = 10

const output = Schema.Struct({
  expense: ExpenseSummary.annotate({ description: "The expense in short; get_expense tells all of it" }),
  situation: text("Where it stands and what happens next, in a sentence"),
  policies: listOf(
    {
      policy_id: text("pol_…"),
      version: count("The version that was applied"),
      is_current: flag(
        "Whether the policy still says the same: a later version is not applied to what was submitted before"
      ),
      name: text("Text that an administrator wrote"),
      enforcement: oneOf(Enforcement.literals, "BLOCK refuses, REQUIRE_APPROVAL asks for decisions, WARN only says so"),
      result: text("What it does to this expense, in words"),
      sentence: text("What it says of this expense, with the facts that it found"),
      rule: textOrNull("The rule as it was then, in words; null where that version is no longer known")
    },
    "Every policy that applies to this version of the expense, the strictest first; those that do not apply are left out"
  ),
  policies_left_out: count("How many more policies apply that are not in this answer"),
  possible_duplicates: listOf(
    {
      expense_id: text("exp_…"),
      likelihood: count("0 to 100"),
      reasons: Schema.Array(Schema.String).annotate({ description: "What the two have in common" })
    },
    "Other expenses that may be the same purchase"
  ),
  approval: Schema.NullOr(ApprovalShown).annotate({
    description: "Its present approval: steps, decisions, and who is waited for; null where there is none"
  })
})

const results = {
  BLOCK: "It cannot be submitted or approved while this applies.",
  REQUIRE_APPROVAL: "It needs the decisions that this policy asks for.",
  WARN: "It is marked; nothing is refused."
} as const satisfies Record<Violation["enforcement"], string>

/** What happens next, from the state and the approval: no text that people wrote is in it. */
const situationOf = (expense: Expense, approval: ApprovalView | undefined): string => {
  const blocks = expense.violations.filter(({ enforcement }) => enforcement === "BLOCK").length
  const document = approval?.document
  switch (expense.status) {
    case "DRAFT":
      return blocks > 0
        ? `It is a draft, and ${blocks === 1 ? "a policy refuses" : `${blocks} policies refuse`} to let it be submitted.`
        : "It is a draft: nobody is asked to decide before it is submitted."
    case "PENDING": {
      if (document === undefined) return "It waits for the decision of an APPROVER or above."
      if (document.blocked_reason !== null) return `It waits, and nobody can decide it. ${document.blocked_reason}`
      const { length } = document.waiting_for
      return `It waits in step ${document.current_step} of ${document.steps.length} for ${length === 1 ? "one person" : `any of ${length} people`}, see approval.waiting_for.`
    }
    case "APPROVED":
      return "It was approved, and the person has not been paid back yet."
    case "REJECTED":
      return "It was rejected; the person may reopen, correct and submit it again."
    case "REIMBURSED":
      return "It was approved, and the person was paid back."
  }
}

/** `explain_expense`. */
export const explainExpense = Effect.gen(function* () {
  const expenses = yield* ExpenseReading
  const policies = yield* PolicyReading
  const approvals = yield* ApprovalReading
  const identity = yield* Identity

  const applied = Effect.fnUntraced(function* ({ violations }: Expense) {
    const { organization } = yield* identity.current
    const first = violations.slice(0, policiesMax)
    const then = yield* Effect.forEach(first, ({ policyId, policyVersion }) =>
      policies.inVersion(policyId, policyVersion)
    )
    const now = yield* Effect.forEach(first, ({ policyId }) =>
      Effect.catchTag(policies.find(policyId), "NotFound", () => Effect.undefined)
    )
    const nameOf = yield* policyNames(then.filter((policy): policy is Policy => policy !== undefined))
    return first.map(({ enforcement, message, name, policyId, policyVersion }, index) => {
      const rule = then[index]
      const present = now[index]
      return {
        policy_id: policyId,
        version: policyVersion,
        is_current: present?.active === true && present.version === policyVersion,
        name: cut(name, 200),
        enforcement,
        result: results[enforcement],
        sentence: cut(message, 800),
        rule: rule === undefined ? null : cut(policyWords(rule, organization.baseCurrency, nameOf), 2_000)
      }
    })
  })

  const approvalOf = ({ approvalId }: Expense) =>
    approvalId === null
      ? Effect.undefined
      : Effect.catchTag(approvals.find(approvalId), "NotFound", () => Effect.undefined)

  return yield* makeTool({
    name: "explain_expense",
    title: "Explain an expense",
    description:
      "Explains one expense: which policies apply to it, in which version, what each says and does, which other expenses may be the same purchase, and whose decision it waits for.",
    input: Schema.Struct({ id: idIn("exp", "The expense, from list_expenses") }),
    output,
    read: Effect.fnUntraced(function* ({ id }) {
      const expense = yield* expenses.get(id)
      const approval = yield* approvalOf(expense)
      const names = yield* namesOf([expense], approval === undefined ? [] : personsIn([approval]))
      const told = fitting(yield* applied(expense), policiesLengthMax)
      return {
        expense: summaryOf(expense, names),
        situation: situationOf(expense, approval),
        policies: told,
        policies_left_out: expense.violations.length - told.length,
        possible_duplicates: expense.duplicates.slice(0, duplicatesMax).map(({ expenseId, reasons, score }) => ({
          expense_id: expenseId,
          likelihood: score,
          reasons: reasons.slice(0, duplicatesMax).map((reason) => cut(reason, 200))
        })),
        approval: approval === undefined ? null : approvalShown(approval, names)
      }
    })
  })
})
