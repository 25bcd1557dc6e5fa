import { Context, Effect, Layer } from "effect"
import type { ApprovalStepRule } from "../approvals/ApprovalStep.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Caller } from "../organizations/Caller.ts"
import { needsOf } from "./Condition.ts"
import { applyPolicies } from "./Policy.ts"
import type { PolicyFacts, PolicyNeeds } from "./PolicyFacts.ts"
import { PolicyStore } from "./PolicyStore.ts"
import type { Enforcement, Violation } from "./Violation.ts"

/** What policies are about. */
export const policyScopes = ["expense", "card", "bill", "purchase_request"] as const
export type PolicyScope = (typeof policyScopes)[number]

/** What all active policies of a scope say of one request; the order in which they are stored does not matter. */
export interface PolicyVerdict {
  /** The policies whose conditions are met, BLOCK first, then by policy id. */
  readonly violations: ReadonlyArray<Violation>
  /** The strongest among them; null where there is none. */
  readonly strongest: Enforcement | null
  /** The steps of every REQUIRE_APPROVAL that was met, one chain after the other by policy id, equal steps once; empty: the usual one. */
  readonly steps: ReadonlyArray<ApprovalStepRule>
}

/** The organization's active policies of a scope, as they were read: what they need and what they say belong together. */
export interface ActivePolicies {
  /** What they need to know: the facts have to hold that, and nothing more. */
  readonly needs: PolicyNeeds
  verdict(facts: PolicyFacts): PolicyVerdict
}

/** Reads the organization's active policies, to be applied. */
export class PolicyEvaluator extends Context.Service<
  PolicyEvaluator,
  {
    active(scope: PolicyScope): Effect.Effect<ActivePolicies, Unavailable, Caller>
  }
>()("@sarraf/domain/policies/PolicyEvaluator") {
  /** One indexed read each time, so that a change of policies in the same unit of work is seen. */
  static readonly layer: Layer.Layer<PolicyEvaluator, never, PolicyStore> = Layer.effect(
    PolicyEvaluator,
    Effect.map(PolicyStore, (store) =>
      PolicyEvaluator.of({
        active: Effect.fn("PolicyEvaluator.active")(function* (scope) {
          const policies = yield* store.active(scope)
          return {
            needs: needsOf(policies.map(({ conditions }) => conditions)),
            verdict: (facts) => applyPolicies(policies, facts).verdict
          } satisfies ActivePolicies
        })
      })
    )
  )
}
