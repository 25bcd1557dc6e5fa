import { pageOf } from "@sarraf/domain/lists/Page"
import { Caller } from "@sarraf/domain/organizations/Caller"
import type { Policy } from "@sarraf/domain/policies/Policy"
import { PolicyStore } from "@sarraf/domain/policies/PolicyStore"
import { Effect, Layer } from "effect"
import { ExpenseSideMemory } from "./ExpenseSideMemory.ts"

const byId = (one: Policy, other: Policy): number => (one.id < other.id ? -1 : 1)

/** Policies in memory, with every version that they ever had. */
export const layer = Layer.effect(
  PolicyStore,
  Effect.gen(function* () {
    const memory = yield* ExpenseSideMemory

    const keep = (policy: Policy) =>
      memory.within(
        Effect.map(Caller, ({ name, organizationId }) => {
          const { createdAt = policy.createdAt } = memory.policies.get(organizationId, policy.id) ?? {}
          const kept = { ...policy, createdAt }
          memory.policies.put(organizationId, policy.id, kept)
          memory.policyVersions.put(organizationId, `${policy.id} ${policy.version}`, { policy: kept, changedBy: name })
        })
      )

    const find = (id: string) =>
      memory.within(Effect.map(Caller, ({ organizationId }) => memory.policies.get(organizationId, id)))

    const present = Effect.map(Caller, ({ organizationId }) =>
      memory.policies.all(organizationId).filter(({ isDeleted }) => !isDeleted)
    )

    return PolicyStore.of({
      find,
      // One unit of work at a time: what is read in it is locked already.
      lock: find,
      insert: keep,
      save: keep,
      list: ({ active, enforcement, scope }, page) =>
        memory.within(
          Effect.map(present, (policies) => {
            const found = policies.filter(
              (policy) =>
                (scope === undefined || policy.scope === scope) &&
                (enforcement === undefined || policy.enforcement === enforcement) &&
                (active === undefined || policy.active === active) &&
                (page.after === undefined || policy.id < page.after)
            )
            return pageOf(
              found
                .sort(byId)
                .reverse()
                .slice(0, page.limit + 1),
              page
            )
          })
        ),
      count: memory.within(Effect.map(present, ({ length }) => length)),
      active: (scope) =>
        memory.within(
          Effect.map(present, (policies) =>
            policies.filter((policy) => policy.active && policy.scope === scope).sort(byId)
          )
        ),
      versions: (id, page) =>
        memory.within(
          Effect.map(Caller, ({ organizationId }) => {
            const before = page.after === undefined ? Number.POSITIVE_INFINITY : Number(page.after)
            const found = memory.policyVersions
              .all(organizationId)
              .filter(({ policy }) => policy.id === id && policy.version < before)
              .sort((one, other) => other.policy.version - one.policy.version)
            return pageOf(found.slice(0, page.limit + 1), page)
          })
        )
    })
  })
)
