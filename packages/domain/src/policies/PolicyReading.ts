import { Context, Effect, Layer } from "effect"
import { NotFound } from "../errors/Refusals.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import type { Caller, RoleMissing } from "../organizations/Caller.ts"
import { permitted } from "../organizations/Permissions.ts"
import type { Policy } from "./Policy.ts"
import { type PolicyFilter, PolicyStore } from "./PolicyStore.ts"

/** Reads policies: the one way, for the API and for assistants. */
export const makePolicyReading = Effect.map(PolicyStore, (store) => ({
  list: Effect.fn("Policies.list")(function* (filter: PolicyFilter, page: PageRequest) {
    yield* permitted("policy.read")
    return yield* store.list(filter, page)
  }),
  find: Effect.fn("Policies.find")(function* (id: string) {
    yield* permitted("policy.read")
    const found = yield* store.find(id)
    return found === undefined || found.isDeleted ? yield* new NotFound({ resource: "policy", id }) : found
  }),
  /** As it was in one of its versions, deleted or not; undefined where there is no such version. */
  inVersion: Effect.fn("Policies.inVersion")(function* (id: string, version: number) {
    yield* permitted("policy.read")
    const { items } = yield* store.versions(id, { limit: 1, after: String(version + 1) })
    const [found] = items
    return found?.policy.version === version ? found.policy : undefined
  })
}))

type Reading = RoleMissing | Unavailable

/** Driving port: the organization's policies to look at (contract section 6). */
export class PolicyReading extends Context.Service<
  PolicyReading,
  {
    list(filter: PolicyFilter, page: PageRequest): Effect.Effect<Page<Policy>, Reading, Caller>
    find(id: string): Effect.Effect<Policy, Reading | NotFound, Caller>
    inVersion(id: string, version: number): Effect.Effect<Policy | undefined, Reading, Caller>
  }
>()("@sarraf/domain/policies/PolicyReading") {
  static readonly layer: Layer.Layer<PolicyReading, never, PolicyStore> = Layer.effect(
    PolicyReading,
    Effect.map(makePolicyReading, PolicyReading.of)
  )
}
