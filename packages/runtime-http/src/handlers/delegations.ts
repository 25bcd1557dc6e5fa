import type { Delegation } from "@sarraf/domain/approvals/Delegation"
import { Delegations } from "@sarraf/domain/approvals/Delegations"
import { Effect, Struct } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { CreateDelegation } from "../api/delegations.ts"
import { pageBody, pageRequest, refusals, timeOf, timeOrNull, warningsAbout, withLocation } from "./conventions.ts"

const ofList = Struct.pick(refusals, ["RoleMissing", "Unavailable"])
const ofFind = Struct.pick(refusals, ["RoleMissing", "NotFound", "Unavailable"])
const ofCreate = Struct.pick(refusals, [
  "RoleMissing",
  "Forbidden",
  "InvalidFields",
  "NotFound",
  "StateRefused",
  "Unavailable"
])
const ofEnd = Struct.pick(refusals, ["RoleMissing", "Forbidden", "NotFound", "Unavailable"])

const delegationBody = (delegation: Delegation) => ({
  id: delegation.id,
  from_user_id: delegation.from,
  to_user_id: delegation.to,
  starts_at: timeOf(delegation.startsAt),
  ends_at: timeOf(delegation.endsAt),
  ended_at: timeOrNull(delegation.endedAt),
  reason: delegation.reason,
  created_by: delegation.createdBy,
  created_at: timeOf(delegation.createdAt)
})

/** The handlers translate between the wire and the domain and decide nothing. */
export const layer = HttpApiBuilder.group(
  Api,
  "delegations",
  Effect.fn(function* (handlers) {
    const delegations = yield* Delegations
    const unknownOfCreate = warningsAbout(CreateDelegation)
    return handlers
      .handle("create", ({ payload }) =>
        Effect.gen(function* () {
          const made = yield* delegations.create({
            from: payload.from_user_id ?? undefined,
            to: payload.to_user_id,
            startsAt: payload.starts_at == null ? undefined : Date.parse(payload.starts_at),
            endsAt: Date.parse(payload.ends_at),
            reason: payload.reason ?? null
          })
          yield* withLocation(`/api/delegations/${made.id}`)
          return { ...delegationBody(made), ...(yield* unknownOfCreate) }
        }).pipe(Effect.catchTags(ofCreate))
      )
      .handle("list", ({ query }) =>
        Effect.gen(function* () {
          const page = yield* delegations.list(yield* pageRequest("delegations", query))
          return pageBody("delegations", query, page, ({ id }) => id, delegationBody)
        }).pipe(Effect.catchTags(ofList))
      )
      .handle("get", ({ params }) =>
        delegations.find(params.id).pipe(Effect.map(delegationBody), Effect.catchTags(ofFind))
      )
      .handle("end", ({ params }) => delegations.end(params.id).pipe(Effect.catchTags(ofEnd)))
  })
)
