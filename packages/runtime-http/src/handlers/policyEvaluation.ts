import type { Unavailable } from "@sarraf/domain/errors/Unavailable"
import type { ImaginedExpense } from "@sarraf/domain/policies/ImaginedExpense"
import type { MetExample, PastMonthsLine } from "@sarraf/domain/policies/PastMonths"
import type { Evaluation, PolicyContent, PolicyResult } from "@sarraf/domain/policies/Policy"
import { stepDocument } from "@sarraf/domain/policies/PolicyDocument"
import { PolicyTrials, type TriedPolicies } from "@sarraf/domain/policies/PolicyTrials"
import { Effect, Stream, Struct } from "effect"
import { HttpServerResponse } from "effect/http"
import { EvaluatePolicies, type PastMonthsLine as PastMonthsLineBody, type TriedPolicy } from "../api/policies.ts"
import { amountOf, refusals, warningsAbout } from "./conventions.ts"

const ofEvaluation = Struct.pick(refusals, ["RoleMissing", "NotFound", "InvalidFields", "Unavailable"])

type Asked = typeof EvaluatePolicies.Type

const imaginedOf = (body: NonNullable<Asked["expense"]>): ImaginedExpense => ({
  amount: /e/u.test(String(body.amount)) ? body.amount.toFixed(12) : String(body.amount),
  currency: body.currency,
  merchant: body.merchant,
  category: body.category,
  description: body.description,
  date: body.date ?? undefined,
  receiptUrl: body.receipt_url,
  departmentId: body.department_id,
  userId: body.user_id ?? undefined
})

/** A policy that is saved nowhere has neither identity nor version. */
const resultBody = ({ policyId, version, ...said }: PolicyResult) => ({
  policy_id: version === 0 ? null : policyId,
  policy_version: version === 0 ? null : version,
  ...said
})

const evaluationBody = ({ results, verdict }: Evaluation) => ({
  results: results.map(resultBody),
  verdict: {
    enforcement: verdict.strongest,
    violations: results.filter(({ met }) => met).map(resultBody),
    approval_steps: verdict.steps.map(stepDocument)
  }
})

const exampleBody = ({ amount, date, expenseId, merchant, message }: MetExample) => ({
  expense_id: expenseId,
  merchant,
  amount: amountOf(amount.currency, amount.minor),
  currency: amount.currency,
  date,
  message
})

const lineBody = (line: PastMonthsLine): typeof PastMonthsLineBody.Type =>
  line.type === "progress"
    ? line
    : {
        type: "result",
        evaluated: line.evaluated,
        met: line.met,
        by_enforcement: line.byEnforcement,
        amount_met: amountOf(line.baseCurrency, line.amountMet),
        currency: line.baseCurrency,
        examples: line.examples.map(exampleBody)
      }

/** The status has been sent, so that it is a line which says that the rest does not come. */
const unavailable: typeof PastMonthsLineBody.Type = {
  type: "error",
  code: "UNAVAILABLE",
  detail: "Send the request again in a moment."
}

/**
 * Lines of JSON. A response of its own, and not the handler's result: that would be read in the handler's context, whose
 * transaction has ended by then.
 */
const streamed = (lines: Stream.Stream<PastMonthsLine, Unavailable>) =>
  lines.pipe(
    Stream.map(lineBody),
    Stream.catchTag("Unavailable", () => Stream.succeed(unavailable)),
    Stream.map((line) => `${JSON.stringify(line)}\n`),
    Stream.encodeText,
    (body) => HttpServerResponse.stream(body, { contentType: "application/x-ndjson" })
  )

/** Answers `POST /api/policies/evaluate`: an evaluation, or lines where past months are asked for. */
export const makeEvaluation = (contentOf: (body: typeof TriedPolicy.Type) => PolicyContent) =>
  Effect.gen(function* () {
    const trials = yield* PolicyTrials
    const unknownOfEvaluation = warningsAbout(EvaluatePolicies)

    const triedOf = ({ policy, policy_id }: Asked): TriedPolicies => {
      if (policy != null) return { kind: "unsaved", content: contentOf(policy) }
      return policy_id == null ? { kind: "active" } : { kind: "saved", id: policy_id }
    }

    return (asked: Asked) =>
      Effect.gen(function* () {
        const tried = triedOf(asked)
        if (asked.months != null) return streamed(yield* trials.onMonths(tried, asked.months))
        const evaluation =
          asked.expense == null
            ? yield* trials.onExpense(tried, asked.expense_id ?? "")
            : yield* trials.onDraft(tried, imaginedOf(asked.expense))
        return { ...evaluationBody(evaluation), ...(yield* unknownOfEvaluation) }
      }).pipe(Effect.catchTags(ofEvaluation))
  })
