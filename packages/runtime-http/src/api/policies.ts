import { EscalationHours } from "@sarraf/domain/approvals/ApprovalStep"
import { rolesWith } from "@sarraf/domain/organizations/Permissions"
import { policyScopes } from "@sarraf/domain/policies/PolicyEvaluator"
import { Enforcement } from "@sarraf/domain/policies/Violation"
import { Schema, Struct } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Atomic } from "./atomic.ts"
import { AuditPage } from "./audit.ts"
import { Bearer } from "./bearer.ts"
import {
  DateOnly,
  idParams,
  ifMatch,
  listOf,
  optional,
  pageOf,
  pageQuery,
  Text,
  Timestamp,
  Version,
  warnings
} from "./conventions.ts"
import { CreateExpense } from "./expenses.ts"
import { StrictDecoding } from "./middleware.ts"
import { Conditions, PolicyCondition } from "./policyConditions.ts"
import * as problems from "./problems.ts"

/** Bounds of one chain: more persons than these wait for each other for weeks. */
const stepsMax = 10
const usersMax = 50

const Scope = Schema.Literals(policyScopes)
const Deciders = Schema.Array(Schema.Literals(rolesWith("approval.decide")))

const ProposedStep = Schema.Struct({
  roles: optional(Deciders),
  users: optional(Schema.Array(Text(100)).check(Schema.isMaxLength(usersMax))),
  manager: optional(Schema.Boolean),
  mode: optional(Schema.Literals(["any", "all"])),
  escalate_after_hours: optional(EscalationHours)
}).annotate({ identifier: "ProposedApprovalStep" })
const ProposedSteps = Schema.Array(ProposedStep).check(Schema.isMaxLength(stepsMax))

const Message = Text(500)
const described = {
  scope: optional(Scope),
  message: optional(Message),
  approval_steps: optional(ProposedSteps),
  active: optional(Schema.Boolean)
}

/** Body of `POST /api/policies`. The scope is `expense` where it is not said. */
export const CreatePolicy = Schema.Struct({
  name: Text(100),
  enforcement: Enforcement,
  conditions: Conditions,
  ...described
}).annotate({ identifier: "CreatePolicy" })

/** Body of `PATCH /api/policies/:id`: what is absent stays; an empty message takes it away. */
export const ChangePolicy = Schema.Struct({
  version: optional(Version).annotate({ description: "The version that the change is meant for, as If-Match." }),
  name: optional(Text(100)),
  enforcement: optional(Enforcement),
  conditions: optional(Conditions),
  ...described,
  message: optional(Schema.Union([Message, Schema.Literal("")]))
}).annotate({ identifier: "ChangePolicy" })

/** A policy to be tried: its conditions are enough. */
export const TriedPolicy = Schema.Struct({
  name: optional(Text(100)),
  enforcement: optional(Enforcement),
  conditions: Conditions,
  ...described
}).annotate({ identifier: "TriedPolicy" })

/** An expense that is not made: the body that would make it, but for what only a real one has. */
const DraftExpense = Schema.Struct(Struct.omit(CreateExpense.fields, ["submit", "card_transaction_id"])).annotate({
  identifier: "DraftExpense"
})

const Months = Schema.Int.check(
  Schema.makeFilter((months: number) => (months >= 1 && months <= 24) || "must be a whole number from 1 to 24")
)

/** Body of `POST /api/policies/evaluate`: which policies (all active ones by default), and on what. */
export const EvaluatePolicies = Schema.Struct({
  policy: optional(TriedPolicy),
  policy_id: optional(Schema.String),
  expense: optional(DraftExpense),
  expense_id: optional(Schema.String),
  months: optional(Months)
})
  .check(
    Schema.makeFilter(({ expense, expense_id, months, policy, policy_id }) => {
      const subjects = Object.entries({ expense, expense_id, months }).filter(([, value]) => value != null)
      const [, second] = subjects
      return [
        ...(policy != null && policy_id != null ? [{ path: ["policy_id"], issue: "must not come with policy" }] : []),
        ...(subjects.length === 0
          ? [{ path: ["expense"], issue: "is required where neither expense_id nor months is given" }]
          : []),
        ...(second === undefined
          ? []
          : [{ path: [second[0]], issue: "must be the only one of expense, expense_id and months" }])
      ]
    })
  )
  .annotate({ identifier: "EvaluatePolicies" })

const ApprovalStepBody = Schema.Struct({
  roles: Schema.optionalKey(Schema.Array(Schema.String)),
  users: Schema.optionalKey(Schema.Array(Schema.String)),
  manager: Schema.optionalKey(Schema.Boolean),
  mode: Schema.Literals(["any", "all"]),
  escalate_after_hours: Schema.optionalKey(Schema.Int)
}).annotate({ identifier: "PolicyApprovalStep" })

const content = {
  name: Schema.String,
  scope: Scope,
  enforcement: Enforcement,
  message: Schema.NullOr(Schema.String),
  conditions: PolicyCondition,
  approval_steps: Schema.Array(ApprovalStepBody)
}
const policyFields = {
  id: Schema.String,
  version: Version,
  ...content,
  active: Schema.Boolean,
  created_at: Timestamp,
  updated_at: Timestamp
}

const PolicyBody = Schema.Struct({ ...policyFields, ...warnings }).annotate({ identifier: "Policy" })
const PolicyVersionBody = Schema.Struct({
  ...policyFields,
  deleted: Schema.Boolean,
  changed_by: Schema.String.annotate({ description: "user:usr_… or key:…" })
}).annotate({ identifier: "PolicyVersion" })
const PolicyTemplateBody = Schema.Struct({
  key: Schema.String,
  description: Schema.String,
  policy: Schema.Struct(content)
}).annotate({ identifier: "PolicyTemplate" })

const ResultBody = Schema.Struct({
  /** Null for a policy that is saved nowhere. */
  policy_id: Schema.NullOr(Schema.String),
  policy_version: Schema.NullOr(Version),
  name: Schema.String,
  enforcement: Enforcement,
  met: Schema.Boolean,
  message: Schema.String
}).annotate({ identifier: "PolicyResult" })

const EvaluationBody = Schema.Struct({
  results: Schema.Array(ResultBody),
  verdict: Schema.Struct({
    enforcement: Schema.NullOr(Enforcement),
    violations: Schema.Array(ResultBody),
    approval_steps: Schema.Array(ApprovalStepBody)
  }),
  ...warnings
}).annotate({ identifier: "PolicyEvaluation" })

/** A line of the evaluation of past months: progress, and at the end the result, or why there is none. */
export const PastMonthsLine = Schema.Union([
  Schema.Struct({ type: Schema.Literal("progress"), evaluated: Schema.Int, of: Schema.Int }),
  Schema.Struct({ type: Schema.Literal("error"), code: Schema.Literal("UNAVAILABLE"), detail: Schema.String }),
  Schema.Struct({
    type: Schema.Literal("result"),
    evaluated: Schema.Int,
    met: Schema.Int,
    by_enforcement: Schema.Struct({ BLOCK: Schema.Int, REQUIRE_APPROVAL: Schema.Int, WARN: Schema.Int }),
    amount_met: Schema.Finite.annotate({ description: "Major units of the base currency" }),
    currency: Schema.String,
    examples: Schema.Array(
      Schema.Struct({
        expense_id: Schema.String,
        merchant: Schema.String,
        amount: Schema.Finite,
        currency: Schema.String,
        date: DateOnly,
        message: Schema.String
      })
    )
  })
]).annotate({ identifier: "PastMonthsLine" })

const ofReading = [problems.InvalidRequest, problems.Forbidden, problems.NotFound, problems.ServiceUnavailable] as const
const ofChange = [...ofReading, problems.VersionConflict] as const

const list = HttpApiEndpoint.get("list", "/api/policies", {
  query: {
    ...pageQuery,
    scope: Schema.optionalKey(Scope),
    enforcement: Schema.optionalKey(Enforcement),
    active: Schema.optionalKey(Schema.Literals(["true", "false"]))
  },
  success: pageOf(PolicyBody, "Policies"),
  error: [problems.InvalidRequest, problems.Forbidden, problems.ServiceUnavailable]
}).annotate(OpenApi.Summary, "List the policies, newest first")

const create = HttpApiEndpoint.post("create", "/api/policies", {
  payload: CreatePolicy,
  success: PolicyBody.pipe(HttpApiSchema.status(201)),
  error: [...ofReading, problems.InvalidState]
}).annotate(OpenApi.Summary, "Create a policy")

const templates = HttpApiEndpoint.get("templates", "/api/policies/templates", {
  success: listOf(PolicyTemplateBody, "PolicyTemplates"),
  error: [problems.Forbidden, problems.ServiceUnavailable]
}).annotate(OpenApi.Summary, "List the usual policies, ready to be created")

const get = HttpApiEndpoint.get("get", "/api/policies/:id", {
  params: idParams,
  success: PolicyBody,
  error: ofReading
}).annotate(OpenApi.Summary, "Read a policy")

const change = HttpApiEndpoint.patch("change", "/api/policies/:id", {
  params: idParams,
  headers: ifMatch,
  payload: ChangePolicy,
  success: PolicyBody,
  error: ofChange
}).annotate(OpenApi.Summary, "Change a policy: the next version of it")

const remove = HttpApiEndpoint.delete("remove", "/api/policies/:id", {
  params: idParams,
  headers: ifMatch,
  success: HttpApiSchema.NoContent,
  error: ofChange
}).annotate(OpenApi.Summary, "Delete a policy; its versions stay")

const versions = HttpApiEndpoint.get("versions", "/api/policies/:id/versions", {
  params: idParams,
  query: pageQuery,
  success: pageOf(PolicyVersionBody, "PolicyVersions"),
  error: ofReading
}).annotate(OpenApi.Summary, "Every version that a policy ever had, newest first")

const history = HttpApiEndpoint.get("history", "/api/policies/:id/history", {
  params: idParams,
  query: pageQuery,
  success: AuditPage,
  error: ofReading
}).annotate(OpenApi.Summary, "What was done to a policy, newest first")

const evaluate = HttpApiEndpoint.post("evaluate", "/api/policies/evaluate", {
  payload: EvaluatePolicies,
  success: [EvaluationBody, HttpApiSchema.StreamNdjson({ schema: PastMonthsLine })],
  error: ofReading
}).annotate(OpenApi.Summary, "Try policies on a draft, an expense, or the last months (as a stream of lines)")

/** Policies (contract section 6). */
export class PoliciesApi extends HttpApiGroup.make("policies")
  .add(list)
  .add(create)
  .add(templates)
  .add(get)
  .add(change)
  .add(remove)
  .add(versions)
  .add(history)
  .add(evaluate)
  .middleware(StrictDecoding)
  .middleware(Atomic)
  .middleware(Bearer)
  // Unknown fields are ignored and named in `warnings`; every other fault is told at once (contract section 1).
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "ignore" }) {}
