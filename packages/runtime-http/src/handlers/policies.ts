import type { ApprovalStepRule } from "@sarraf/domain/approvals/ApprovalStep"
import type { Condition } from "@sarraf/domain/policies/Condition"
import { Policies } from "@sarraf/domain/policies/Policies"
import type { Policy, PolicyContent } from "@sarraf/domain/policies/Policy"
import { policyDocument } from "@sarraf/domain/policies/PolicyDocument"
import type { PolicyVersion } from "@sarraf/domain/policies/PolicyStore"
import { readCondition } from "@sarraf/domain/policies/readCondition"
import { Effect, Struct } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { present } from "../api/conventions.ts"
import { ChangePolicy, CreatePolicy, type TriedPolicy } from "../api/policies.ts"
import { historyOf } from "./audit.ts"
import {
  expectedVersions,
  pageBody,
  pageRequest,
  refusals,
  warningsAbout,
  withEtag,
  withLocation
} from "./conventions.ts"
import { makeEvaluation } from "./policyEvaluation.ts"

const ofReading = Struct.pick(refusals, ["RoleMissing", "NotFound", "Unavailable"])
const ofCreation = Struct.pick(refusals, ["RoleMissing", "NotFound", "InvalidFields", "StateRefused", "Unavailable"])
const ofChange = Struct.pick(refusals, ["RoleMissing", "NotFound", "InvalidFields", "VersionConflict", "Unavailable"])
const ofRemoval = Struct.pick(refusals, ["RoleMissing", "NotFound", "VersionConflict", "Unavailable"])

/** The body's schema has let no other condition pass. */
const conditionOf = (json: unknown): Condition => {
  const { condition, faults } = readCondition(json)
  if (condition === undefined) throw new Error(`A condition with faults passed: ${faults[0]?.message}`)
  return condition
}

type ProposedSteps = NonNullable<(typeof CreatePolicy.Type)["approval_steps"]>

/** Any one of those named is enough where nothing else is said. */
const stepsOf = (steps: ProposedSteps): ReadonlyArray<ApprovalStepRule> =>
  steps.map(({ escalate_after_hours, manager, mode, roles, users }) => ({
    ...present({ roles, users, manager, escalateAfterHours: escalate_after_hours }),
    mode: mode ?? "any"
  }))

/** The policy of a body; what a policy that is only tried need not say is made up. */
export const contentOf = (body: typeof TriedPolicy.Type): PolicyContent => ({
  name: body.name?.trim() ?? "This policy",
  scope: body.scope ?? "expense",
  enforcement: body.enforcement ?? "WARN",
  message: body.message ?? null,
  conditions: conditionOf(body.conditions),
  approvalSteps: stepsOf(body.approval_steps ?? []),
  active: body.active ?? true
})

const changeOf = (body: typeof ChangePolicy.Type) => ({
  name: body.name?.trim(),
  scope: body.scope ?? undefined,
  enforcement: body.enforcement ?? undefined,
  // An empty text takes it away; null and nothing say nothing.
  message: body.message === "" ? null : (body.message ?? undefined),
  conditions: body.conditions == null ? undefined : conditionOf(body.conditions),
  approvalSteps: body.approval_steps == null ? undefined : stepsOf(body.approval_steps),
  active: body.active ?? undefined
})

/** A policy as an answer, with its version as ETag. */
const shown = (policy: Policy) => Effect.as(withEtag(policy.version), policyDocument(policy))

const versionBody = ({ changedBy, policy }: PolicyVersion) => ({
  ...policyDocument(policy),
  deleted: policy.isDeleted,
  changed_by: changedBy
})

/** The handlers translate between the wire and the domain and decide nothing. */
export const layer = HttpApiBuilder.group(
  Api,
  "policies",
  Effect.fn(function* (handlers) {
    const policies = yield* Policies
    const evaluation = yield* makeEvaluation(contentOf)
    const unknownOfCreation = warningsAbout(CreatePolicy)
    const unknownOfChange = warningsAbout(ChangePolicy)
    return handlers
      .handle("list", ({ query }) =>
        Effect.gen(function* () {
          const { active, enforcement, scope } = query
          const filter = present({ enforcement, scope, active: active === undefined ? undefined : active === "true" })
          const page = yield* policies.list(filter, yield* pageRequest("policies", query))
          return pageBody("policies", query, page, ({ id }) => id, policyDocument)
        }).pipe(Effect.catchTags(Struct.pick(refusals, ["RoleMissing", "Unavailable"])))
      )
      .handle("create", ({ payload }) =>
        Effect.gen(function* () {
          const policy = yield* policies.create(contentOf(payload))
          yield* withLocation(`/api/policies/${policy.id}`)
          return { ...(yield* shown(policy)), ...(yield* unknownOfCreation) }
        }).pipe(Effect.catchTags(ofCreation))
      )
      .handle("templates", () =>
        policies.templates.pipe(
          Effect.map((data) => ({ data })),
          Effect.catchTags(Struct.pick(refusals, ["RoleMissing", "Unavailable"]))
        )
      )
      .handle("get", ({ params }) => policies.find(params.id).pipe(Effect.flatMap(shown), Effect.catchTags(ofReading)))
      .handle("change", ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const expected = expectedVersions(headers["if-match"], payload.version)
          const policy = yield* policies.change(params.id, changeOf(payload), expected)
          return { ...(yield* shown(policy)), ...(yield* unknownOfChange) }
        }).pipe(Effect.catchTags(ofChange))
      )
      .handle("remove", ({ headers, params }) =>
        policies.remove(params.id, expectedVersions(headers["if-match"])).pipe(Effect.catchTags(ofRemoval))
      )
      .handle("versions", ({ params, query }) =>
        Effect.gen(function* () {
          const list = `policies/${params.id}/versions`
          const page = yield* policies.versions(params.id, yield* pageRequest(list, query))
          return pageBody(list, query, page, ({ policy }) => String(policy.version), versionBody)
        }).pipe(Effect.catchTags(ofReading))
      )
      .handle("history", (request) =>
        historyOf("policies", policies.history)(request).pipe(Effect.catchTags(ofReading))
      )
      .handle("evaluate", ({ payload }) => evaluation(payload))
  })
)
