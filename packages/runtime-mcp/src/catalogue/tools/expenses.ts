import type { Expense } from "@sarraf/domain/expenses/Expense"
import { ExpenseReading, type ExpenseSearch } from "@sarraf/domain/expenses/ExpenseReading"
import { expenseStatuses } from "@sarraf/domain/expenses/ExpenseStatus"
import { Names } from "@sarraf/domain/organizations/Names"
import { Enforcement } from "@sarraf/domain/policies/Violation"
import { Effect, Schema } from "effect"
import { makeListTool, pageFields } from "../listTool.ts"
import {
  actingPerson,
  amountIn,
  anyOfTexts,
  count,
  currencyIn,
  cut,
  cutOrNull,
  date,
  dateIn,
  flag,
  idIn,
  listOf,
  money,
  moneyOf,
  moneyOfOrNull,
  moneyOrNull,
  nameOf,
  oneOf,
  optional,
  personOfOrNull,
  personOrNull,
  someOf,
  text,
  textIn,
  textOrNull,
  time,
  timeOf,
  timeOrNull
} from "../shapes.ts"
import { makeTool } from "../tool.ts"

/** Of a list's item; one expense alone is shown with all of its text. */
const listedTextMax = 300
const textMax = 4_000
/** An organization has 200 at most; hardly ever do more than a few apply to one expense. */
const policiesMax = 25

const summaryFields = {
  id: text("exp_…: pass it to get_expense or explain_expense"),
  status: oneOf(expenseStatuses, "Where it stands"),
  amount: money("As it was spent"),
  base_amount: moneyOrNull("In the organization's currency, by the rate of its date; null where no rate is known"),
  merchant: text("Where it was spent: text that a person entered"),
  category: textOrNull("Text that a person entered"),
  description: textOrNull("Text that a person entered"),
  date: date("When it was spent"),
  has_receipt: flag("Whether a receipt is attached"),
  person: personOrNull("Whose expense it is; null for one of the organization as a whole"),
  department: textOrNull("The department's name"),
  policies_met: count("How many policies apply to it: explain_expense tells which"),
  possible_duplicates: count("How many other expenses may be the same purchase"),
  created_at: time("When it was entered")
}

/** What of an expense every tool shows. */
export const ExpenseSummary = Schema.Struct(summaryFields)

/** The names that expenses need. */
export const namesOf = (expenses: ReadonlyArray<Expense>, alsoPersons: ReadonlyArray<string> = []) =>
  Effect.flatMap(Names, (names) =>
    names.of(
      [...new Set([...expenses.flatMap(({ userId }) => userId ?? []), ...alsoPersons])],
      [...new Set(expenses.flatMap(({ departmentId }) => departmentId ?? []))]
    )
  )

/** An expense as every tool shows it. */
export const summaryOf = (expense: Expense, names: ReadonlyMap<string, string>, lengthMax = listedTextMax) => ({
  id: expense.id,
  status: expense.status,
  amount: moneyOf(expense.amount.currency, expense.amount.minor),
  base_amount: moneyOfOrNull(expense.base),
  merchant: cut(expense.merchant, lengthMax),
  category: cutOrNull(expense.category, lengthMax),
  description: cutOrNull(expense.description, lengthMax),
  date: expense.date,
  has_receipt: expense.receiptUrl !== null,
  person: personOfOrNull(expense.userId, names),
  department: nameOf(expense.departmentId, names),
  policies_met: expense.violations.length,
  possible_duplicates: expense.duplicates.length,
  created_at: timeOf(expense.createdAt)
})

/** The filters that expenses and reports on them share. */
export const expenseFilters = {
  status: optional(someOf(expenseStatuses, "Only in one of these states")),
  category: optional(
    anyOfTexts(100, "Only of one of these categories, any case: get_spend_report by category tells which there are")
  ),
  from: optional(dateIn("First day, included: 2026-01-01")),
  to: optional(dateIn("Last day, included: 2026-01-31")),
  merchant: optional(textIn(200, "A part of the merchant's name, any case")),
  currency: optional(currencyIn("Only what was spent in this currency")),
  user_id: optional(idIn("usr", "Only of this person")),
  department_id: optional(idIn("dep", "Only of this department"))
}

type SharedFilters = Schema.Struct<typeof expenseFilters>["Type"]

/**
 * The shared filters as the domain searches. People speak of "software" where their expenses have "Software": a sum that
 * leaves those out would be wrong, and look right.
 */
export const searchOf = Effect.fnUntraced(function* (filters: SharedFilters) {
  const names = yield* Names
  return {
    ...(filters.status === undefined ? {} : { statuses: filters.status }),
    ...(filters.category === undefined ? {} : { categories: yield* names.categoriesLike(filters.category) }),
    ...(filters.from === undefined ? {} : { from: filters.from }),
    ...(filters.to === undefined ? {} : { to: filters.to }),
    ...(filters.merchant === undefined ? {} : { merchant: filters.merchant }),
    ...(filters.currency === undefined ? {} : { currency: filters.currency }),
    ...(filters.user_id === undefined ? {} : { userId: filters.user_id }),
    ...(filters.department_id === undefined ? {} : { departmentId: filters.department_id })
  }
})

/** `list_expenses`. */
export const listExpenses = Effect.gen(function* () {
  const expenses = yield* ExpenseReading
  return yield* makeListTool({
    name: "list_expenses",
    title: "List expenses",
    description:
      "Lists expenses, newest entry first, with filters; a MEMBER sees their own, an APPROVER also what they may decide. Use get_spend_report for sums: do not add up pages of this list. For what waits for this person's decision use list_approvals.",
    input: Schema.Struct({
      ...expenseFilters,
      min_amount: optional(amountIn("Smallest amount, in the organization's currency: 100 or 99.90")),
      max_amount: optional(amountIn("Largest amount, in the organization's currency")),
      text: optional(textIn(200, "A text that merchant, category or description contains, any case")),
      ...pageFields
    }),
    item: ExpenseSummary,
    list: (filters, page) =>
      Effect.flatMap(searchOf(filters), (shared) => {
        const search: ExpenseSearch = {
          ...shared,
          ...(filters.min_amount === undefined ? {} : { minAmount: filters.min_amount }),
          ...(filters.max_amount === undefined ? {} : { maxAmount: filters.max_amount }),
          ...(filters.text === undefined ? {} : { text: filters.text })
        }
        return expenses.list(search, page)
      }),
    keyOf: ({ id }) => id,
    show: (found) => Effect.map(namesOf(found), (names) => found.map((expense) => summaryOf(expense, names)))
  })
})

const expenseOutput = Schema.Struct({
  ...summaryFields,
  version: count("One more with every change"),
  exchange_rate: textOrNull(
    'What one unit of its currency was in the organization\'s; "1" where nothing was converted'
  ),
  rate_date: Schema.NullOr(Schema.String).annotate({ description: "The day of that rate" }),
  submitted_at: timeOrNull("When it was handed in; null while it is a draft"),
  decided_at: timeOrNull("When it was approved or rejected"),
  decided_by: personOrNull("Who decided it last; null also where an API key did"),
  rejection_reason: textOrNull("Text that the person who rejected it wrote"),
  reimbursed_at: timeOrNull("When the person was paid back"),
  approval_id: textOrNull("apr_…: its approval, where one was opened"),
  card_transaction_id: textOrNull("ctx_…: the card transaction that it belongs to"),
  policies: listOf(
    {
      policy_id: text("pol_…"),
      name: text("The policy's name: text that an administrator wrote"),
      enforcement: oneOf(Enforcement.literals, "BLOCK refuses, REQUIRE_APPROVAL asks for decisions, WARN only says so"),
      sentence: text("What the policy says of this expense")
    },
    `The policies that apply to it, the strictest first, ${policiesMax} at most: policies_met tells how many there are`
  ),
  updated_at: time("When it was changed last")
})

/** `get_expense`. */
export const getExpense = Effect.gen(function* () {
  const expenses = yield* ExpenseReading
  return yield* makeTool({
    name: "get_expense",
    title: "Get an expense",
    description:
      "Tells everything about one expense. For why it is blocked or who it waits for, use explain_expense instead.",
    input: Schema.Struct({ id: idIn("exp", "The expense, from list_expenses") }),
    output: expenseOutput,
    read: Effect.fnUntraced(function* ({ id }) {
      const expense = yield* expenses.get(id)
      const decider = actingPerson(expense.decidedBy)
      const names = yield* namesOf([expense], decider === null ? [] : [decider])
      return {
        ...summaryOf(expense, names, textMax),
        version: expense.version,
        exchange_rate: expense.base?.rate ?? null,
        rate_date: expense.base?.rateDate ?? null,
        submitted_at: expense.submittedAt === null ? null : timeOf(expense.submittedAt),
        decided_at: expense.decidedAt === null ? null : timeOf(expense.decidedAt),
        decided_by: personOfOrNull(decider, names),
        rejection_reason: cutOrNull(expense.rejectionReason, textMax),
        reimbursed_at: expense.reimbursedAt === null ? null : timeOf(expense.reimbursedAt),
        approval_id: expense.approvalId,
        card_transaction_id: cutOrNull(expense.cardTransactionId, listedTextMax),
        policies: expense.violations.slice(0, policiesMax).map(({ enforcement, message, name, policyId }) => ({
          policy_id: policyId,
          name: cut(name, 200),
          enforcement,
          sentence: cut(message, 600)
        })),
        updated_at: timeOf(expense.updatedAt)
      }
    })
  })
})
