import type { BulkDecision } from "@sarraf/domain/expenses/DecideExpense"
import { expenseDocument } from "@sarraf/domain/expenses/ExpenseDocument"
import { Expenses } from "@sarraf/domain/expenses/Expenses"
import { Effect, Result, Struct } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { BulkExpenses } from "../api/expenseBulk.ts"
import { problemBody } from "../http/Problem.ts"
import { RequestId } from "../http/RequestId.ts"
import { refusals, warningsAbout } from "./conventions.ts"
import { makeExports } from "./expenseExport.ts"
import { decisionRefusals } from "./expenseProblems.ts"
import { searchOf } from "./expenseSearch.ts"

const shared = Struct.pick(refusals, ["RoleMissing", "Unavailable"])
const ofOne = Struct.pick(decisionRefusals, ["RoleMissing", "NotFound", "Forbidden", "StateRefused", "PolicyBlocked"])
const ofSearch = Struct.pick(refusals, ["RoleMissing", "InvalidFields", "Unavailable"])

/** A decision's outcome; a refusal has the members that a problem of its own would have. */
const resultOf = Effect.fnUntraced(function* ({ id, result }: BulkDecision, requestId: string) {
  if (Result.isSuccess(result)) return { id, ok: true as const, expense: expenseDocument(result.success) }
  const problem = yield* Effect.flip(Effect.catchTags(Effect.fail(result.failure), ofOne))
  const error = {
    ...problemBody(problem.code),
    detail: problem.detail ?? "",
    instance: `/api/expenses/${encodeURIComponent(id)}`,
    requestId,
    ...("violations" in problem ? { violations: problem.violations } : {})
  }
  return { id, ok: false as const, error }
})

/** The handlers translate between the wire and the domain and decide nothing. */
export const layer = HttpApiBuilder.group(
  Api,
  "expenseBulk",
  Effect.fn(function* (handlers) {
    const expenses = yield* Expenses
    const exports = yield* makeExports
    const unknownOfBulk = warningsAbout(BulkExpenses)
    return handlers
      .handle("bulk", ({ payload }) =>
        Effect.gen(function* () {
          const { action, format, reason } = payload
          const ids = payload.ids ?? payload.expense_ids ?? []
          if (action === "export") return yield* exports.ofIds(ids, format ?? "csv")
          const decisions = yield* expenses.decideSeveral(ids, action, reason ?? null)
          const requestId = (yield* RequestId) ?? ""
          const results = yield* Effect.forEach(decisions, (decision) => resultOf(decision, requestId))
          const succeeded = results.filter(({ ok }) => ok).length
          return { results, succeeded, failed: results.length - succeeded, ...(yield* unknownOfBulk) }
        }).pipe(Effect.catchTags(shared))
      )
      .handle("export", ({ query: { format, ...query } }) =>
        Effect.flatMap(searchOf(query), (search) => exports.all(search, query, format ?? "csv")).pipe(
          Effect.catchTags(ofSearch)
        )
      )
      .handle("manifest", ({ query: { format, ...query } }) =>
        Effect.flatMap(searchOf(query), (search) => exports.manifest(search, query, format ?? "csv")).pipe(
          Effect.catchTags(ofSearch)
        )
      )
  })
)
