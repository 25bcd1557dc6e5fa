import type { Expense } from "@sarraf/domain/expenses/Expense"
import { expenseDocument } from "@sarraf/domain/expenses/ExpenseDocument"
import type { ExpenseFields } from "@sarraf/domain/expenses/ExpenseFields"
import type { ExpectedVersions } from "@sarraf/domain/expenses/ExpenseRecords"
import { Expenses } from "@sarraf/domain/expenses/Expenses"
import { Effect, Struct } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { ChangeExpense, CreateExpense, DecideExpense, ExpenseCommand } from "../api/expenses.ts"
import { GatewayMode } from "../auth/GatewayMode.ts"
import { historyOf } from "./audit.ts"
import {
  expectedVersions,
  invalid,
  pageBody,
  pageRequest,
  refusals,
  warningsAbout,
  withEtag,
  withLocation
} from "./conventions.ts"
import { commandRefusals, decisionRefusals, fieldsRefusals, readRefusals } from "./expenseProblems.ts"
import { searchOf } from "./expenseSearch.ts"

/** A JSON number as decimal text: never in exponents, which `String` uses below a millionth. */
const decimalOf = (amount: number): string => (/e/u.test(String(amount)) ? amount.toFixed(12) : String(amount))

/** An empty text takes away; null and nothing say nothing. */
const clearing = (text: string | null | undefined) => (text === "" ? null : (text ?? undefined))

const fieldsOf = (body: typeof ChangeExpense.Type): ExpenseFields => ({
  amount: body.amount == null ? undefined : decimalOf(body.amount),
  currency: body.currency ?? undefined,
  merchant: body.merchant ?? undefined,
  category: clearing(body.category),
  description: clearing(body.description),
  date: body.date ?? undefined,
  receiptUrl: clearing(body.receipt_url),
  departmentId: clearing(body.department_id),
  cardTransactionId: clearing(body.card_transaction_id),
  userId: body.user_id ?? undefined
})

/** An expense as an answer, with its version as ETag. */
const shown = (expense: Expense) => Effect.as(withEtag(expense.version), expenseDocument(expense))

/** The handlers translate between the wire and the domain and decide nothing. */
export const layer = HttpApiBuilder.group(
  Api,
  "expenses",
  Effect.fn(function* (handlers) {
    const expenses = yield* Expenses
    const { livemode } = yield* GatewayMode
    const unknownOfCreation = warningsAbout(CreateExpense)
    const unknownOfChange = warningsAbout(ChangeExpense)
    const unknownOfCommand = warningsAbout(ExpenseCommand)
    const unknownOfDecision = warningsAbout(DecideExpense)

    const checkReceipt = ({ receipt_url }: { readonly receipt_url?: string | null }) =>
      livemode && receipt_url != null && /^http:/iu.test(receipt_url)
        ? Effect.fail(invalid({ path: "receipt_url", message: "must be an https address" }))
        : Effect.void

    interface Commanded {
      readonly params: { readonly id: string }
      readonly headers: { readonly "if-match"?: string }
      readonly payload: typeof ExpenseCommand.Type | null
    }
    const command =
      <E, R>(run: (id: string, expected: ExpectedVersions) => Effect.Effect<Expense, E, R>) =>
      ({ headers, params, payload }: Commanded) =>
        Effect.gen(function* () {
          const expense = yield* run(params.id, expectedVersions(headers["if-match"], payload?.version))
          return { ...(yield* shown(expense)), ...(payload === null ? {} : yield* unknownOfCommand) }
        })

    const decide = Effect.fnUntraced(function* (
      decision: "approve" | "reject",
      { headers, params, payload }: Commanded & { readonly payload: typeof DecideExpense.Type | null }
    ) {
      const expected = expectedVersions(headers["if-match"], payload?.version)
      const expense = yield* expenses.decide(params.id, decision, payload?.reason ?? null, expected)
      return { ...(yield* shown(expense)), ...(payload === null ? {} : yield* unknownOfDecision) }
    }, Effect.catchTags(decisionRefusals))

    return handlers
      .handle("create", ({ payload }) =>
        Effect.gen(function* () {
          yield* checkReceipt(payload)
          const { amount, currency, merchant } = payload
          const asked = { ...fieldsOf(payload), amount: decimalOf(amount), currency, merchant }
          const expense = yield* expenses.create({ ...asked, submit: payload.submit ?? false })
          yield* withLocation(`/api/expenses/${expense.id}`)
          return { ...(yield* shown(expense)), ...(yield* unknownOfCreation) }
        }).pipe(Effect.catchTags(fieldsRefusals))
      )
      .handle("list", ({ query }) =>
        Effect.gen(function* () {
          const page = yield* expenses.list(yield* searchOf(query), yield* pageRequest("expenses", query))
          return pageBody("expenses", query, page, ({ id }) => id, expenseDocument)
        }).pipe(Effect.catchTags(Struct.pick(refusals, ["RoleMissing", "InvalidFields", "Unavailable"])))
      )
      .handle("get", ({ params }) =>
        expenses.get(params.id).pipe(Effect.flatMap(shown), Effect.catchTags(readRefusals))
      )
      .handle("history", (request) =>
        historyOf("expenses", expenses.history)(request).pipe(Effect.catchTags(readRefusals))
      )
      .handle("change", ({ headers, params, payload }) =>
        Effect.gen(function* () {
          yield* checkReceipt(payload)
          const expected = expectedVersions(headers["if-match"], payload.version)
          const expense = yield* expenses.change(params.id, fieldsOf(payload), expected)
          return { ...(yield* shown(expense)), ...(yield* unknownOfChange) }
        }).pipe(Effect.catchTags(fieldsRefusals))
      )
      .handle("remove", ({ headers, params }) =>
        expenses.remove(params.id, expectedVersions(headers["if-match"])).pipe(Effect.catchTags(commandRefusals))
      )
      .handle("submit", (request) => command(expenses.submit)(request).pipe(Effect.catchTags(commandRefusals)))
      .handle("approve", (request) => decide("approve", request))
      .handle("reject", (request) => decide("reject", request))
      .handle("withdraw", (request) => command(expenses.withdraw)(request).pipe(Effect.catchTags(commandRefusals)))
      .handle("reopen", (request) => command(expenses.reopen)(request).pipe(Effect.catchTags(commandRefusals)))
      .handle("reimburse", (request) => command(expenses.reimburse)(request).pipe(Effect.catchTags(commandRefusals)))
  })
)
