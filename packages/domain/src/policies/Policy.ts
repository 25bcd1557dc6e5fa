import type { ApprovalStepRule } from "../approvals/ApprovalStep.ts"
import type { Instant } from "../time/Instant.ts"
import type { Condition } from "./Condition.ts"
import { judge } from "./evaluateCondition.ts"
import type { PolicyScope, PolicyVerdict } from "./PolicyEvaluator.ts"
import type { PolicyFacts } from "./PolicyFacts.ts"
import { sentenceOf } from "./sentences.ts"
import { Enforcement } from "./Violation.ts"

/** What a policy says: everything of it but its identity. */
export interface PolicyContent {
  /** 1 to 100 characters. */
  readonly name: string
  readonly scope: PolicyScope
  readonly enforcement: Enforcement
  /** The sentence for people, 500 characters at most; null: one is made of the condition and the facts. */
  readonly message: string | null
  readonly conditions: Condition
  /** Only with REQUIRE_APPROVAL; empty: the usual step. */
  readonly approvalSteps: ReadonlyArray<ApprovalStepRule>
  /** Only active ones are applied. */
  readonly active: boolean
}

/** A policy as it is now (contract section 6). */
export interface Policy extends PolicyContent {
  /** `pol_…`. */
  readonly id: string
  /** From 1, one more with every change. */
  readonly version: number
  /** It is deleted: not in lists, not applied, and its versions stay. */
  readonly isDeleted: boolean
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

/** What is evaluated of a policy. */
export type Applicable = Pick<
  Policy,
  "id" | "version" | "name" | "enforcement" | "message" | "conditions" | "approvalSteps"
>

/** What one policy says of one request. */
export interface PolicyResult {
  readonly policyId: string
  readonly version: number
  readonly name: string
  readonly enforcement: Enforcement
  readonly met: boolean
  /** The sentence that a person reads, whether it is met or not. */
  readonly message: string
}

/** Everything that came of it. */
export interface Evaluation {
  /** Of every policy, by strength and then by id. */
  readonly results: ReadonlyArray<PolicyResult>
  readonly verdict: PolicyVerdict
}

/** BLOCK over REQUIRE_APPROVAL over WARN. */
const strengthOf = ({ enforcement }: { readonly enforcement: Enforcement }): number =>
  Enforcement.literals.indexOf(enforcement)

const orderOf = (one: Applicable, other: Applicable): number => {
  const byStrength = strengthOf(one) - strengthOf(other)
  if (byStrength !== 0) return byStrength
  return one.id < other.id ? -1 : 1
}

const sameStep = ({ escalateAfterHours, manager, mode, roles = [], users = [] }: ApprovalStepRule): string =>
  JSON.stringify([[...roles].sort(), [...users].sort(), manager === true, mode, escalateAfterHours])

/**
 * The chains of several policies, one after the other. A step that two of them ask for alike is decided once, for each
 * decision takes another person and there may be no second ADMIN; one policy that asks for it twice means two persons.
 */
const chained = (chains: ReadonlyArray<ReadonlyArray<ApprovalStepRule>>): ReadonlyArray<ApprovalStepRule> => {
  const taken = new Map<string, number>()
  return chains.flatMap((chain) => {
    const asked = new Map<string, number>()
    return chain.filter((step) => {
      const key = sameStep(step)
      const count = (asked.get(key) ?? 0) + 1
      asked.set(key, count)
      if (count <= (taken.get(key) ?? 0)) return false
      taken.set(key, count)
      return true
    })
  })
}

/**
 * Applies policies to facts. Pure and total; neither the order of the policies nor that of the members of a condition
 * changes the outcome, and one more policy never makes it milder.
 */
export const applyPolicies = (policies: ReadonlyArray<Applicable>, facts: PolicyFacts): Evaluation => {
  const applied = [...policies].sort(orderOf).map((policy) => {
    const judgement = judge(policy.conditions, facts)
    const { enforcement, id, name, version } = policy
    // What is not known counts as met: a missing rate must not be a way around a policy.
    const met = judgement.truth !== "unmet"
    const result = {
      policyId: id,
      version,
      name,
      enforcement,
      met,
      // Made for whoever reads it: of a policy that is not met mostly nobody does.
      get message() {
        return sentenceOf(policy, judgement, facts)
      }
    }
    return { result, policy }
  })
  const met = applied.filter(({ result }) => result.met)
  const violations = met.map(({ result: { enforcement, message, name, policyId, version } }) => ({
    policyId,
    policyVersion: version,
    name,
    enforcement,
    message
  }))
  return {
    results: applied.map(({ result }) => result),
    verdict: {
      violations,
      strongest: violations[0]?.enforcement ?? null,
      steps: chained(
        met.flatMap(({ policy: { approvalSteps, enforcement } }) =>
          enforcement === "REQUIRE_APPROVAL" ? [approvalSteps] : []
        )
      )
    }
  }
}
