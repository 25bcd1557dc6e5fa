import { Effect } from "effect"
import { PaymentProviders } from "../payments/PaymentProvider.ts"
import { ProviderHealth } from "./ProviderHealth.ts"
import { type RoutingQuestion, route } from "./Route.ts"
import { RoutingPolicies } from "./RoutingPolicies.ts"
import type { RoutingPolicy } from "./RoutingPolicy.ts"
import { priorSuccessRate, SuccessRates } from "./SuccessRates.ts"

/** Routes with what is known at this moment: the organization's policy, or `tried` in its place, health and success. */
export const makeRouter = Effect.gen(function* () {
  const providers = [...(yield* PaymentProviders).values()]
  const policies = yield* RoutingPolicies
  const health = yield* ProviderHealth
  const rates = yield* SuccessRates
  return Effect.fnUntraced(function* (organizationId: string, asked: RoutingQuestion, tried?: RoutingPolicy) {
    const policy = tried ?? (yield* policies.current(organizationId))
    const healthOf = yield* health.snapshot
    const rateOf = yield* rates.of(organizationId)
    const candidates = providers.map(({ capabilities, id }) => ({
      provider: id,
      capabilities,
      health: healthOf.get(id) ?? "closed",
      successRate: rateOf.get(id) ?? priorSuccessRate
    }))
    return route(policy, asked, candidates)
  })
})
