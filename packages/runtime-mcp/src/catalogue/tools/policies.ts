import { Identity } from "@sarraf/domain/organizations/Identity"
import { Names } from "@sarraf/domain/organizations/Names"
import { leavesOf, writeCondition } from "@sarraf/domain/policies/Condition"
import type { Policy } from "@sarraf/domain/policies/Policy"
import { policyScopes } from "@sarraf/domain/policies/PolicyEvaluator"
import { PolicyReading } from "@sarraf/domain/policies/PolicyReading"
import { type NameOf, policyWords } from "@sarraf/domain/policies/policyWords"
import { Enforcement } from "@sarraf/domain/policies/Violation"
import { Effect, Schema } from "effect"
import { makeListTool, pageFields } from "../listTool.ts"
import { count, cut, cutOrNull, flag, idIn, oneOf, optional, text, textOrNull, time, timeOf } from "../shapes.ts"

const PolicyShown = Schema.Struct({
  id: text("pol_…"),
  version: count("One more with every change"),
  name: text("Text that an administrator wrote"),
  scope: oneOf(policyScopes, "What it is about"),
  enforcement: oneOf(Enforcement.literals, "BLOCK refuses, REQUIRE_APPROVAL asks for decisions, WARN only says so"),
  active: flag("Only active policies are applied"),
  in_words: text("What it does and when, in a sentence that was made from its conditions"),
  message: textOrNull("What people are told where it applies: text that an administrator wrote"),
  conditions_json: text("Its conditions as JSON, as the API takes them"),
  updated_at: time("When it was changed last")
})

/** What people and departments that policies name by id are called. */
export const policyNames = Effect.fnUntraced(function* (policies: ReadonlyArray<Policy>) {
  const names = yield* Names
  const users = policies.flatMap(({ approvalSteps }) => approvalSteps.flatMap((step) => step.users ?? []))
  const departments = policies.flatMap(({ conditions }) =>
    leavesOf(conditions).flatMap(({ leaf }) =>
      leaf.operands.flatMap((operand) => (operand.type === "id" ? [operand.value] : []))
    )
  )
  const known = yield* names.of([...new Set(users)], [...new Set(departments)])
  const nameOf: NameOf = (id) => cutOrNull(known.get(id) ?? null, 120) ?? undefined
  return nameOf
})

/** A policy as every tool shows it. */
export const policyShown = (policy: Policy, baseCurrency: string, nameOf: NameOf) => ({
  id: policy.id,
  version: policy.version,
  name: cut(policy.name, 200),
  scope: policy.scope,
  enforcement: policy.enforcement,
  active: policy.active,
  in_words: cut(policyWords(policy, baseCurrency, nameOf), 4_000),
  message: cutOrNull(policy.message, 500),
  conditions_json: cut(JSON.stringify(writeCondition(policy.conditions)), 8_000),
  updated_at: timeOf(policy.updatedAt)
})

/** `get_policy`. */
export const getPolicy = Effect.gen(function* () {
  const policies = yield* PolicyReading
  const identity = yield* Identity
  return yield* makeListTool({
    name: "get_policy",
    title: "Get policies",
    description:
      "Tells what the organization's spending policies say, each in a sentence: one of them by id, or without an id all of them, newest first.",
    input: Schema.Struct({
      id: optional(idIn("pol", "Only this policy")),
      scope: optional(oneOf(policyScopes, "Only policies about this")),
      enforcement: optional(oneOf(Enforcement.literals, "Only policies that do this")),
      active: optional(flag("Only those that are applied, or only those that are not")),
      ...pageFields
    }),
    item: PolicyShown,
    list: ({ active, enforcement, id, scope }, page) =>
      id === undefined
        ? policies.list(
            {
              ...(active === undefined ? {} : { active }),
              ...(enforcement === undefined ? {} : { enforcement }),
              ...(scope === undefined ? {} : { scope })
            },
            page
          )
        : Effect.map(policies.find(id), (policy) => ({ items: [policy], hasMore: false })),
    keyOf: ({ id }) => id,
    show: Effect.fnUntraced(function* (found) {
      const { organization } = yield* identity.current
      const nameOf = yield* policyNames(found)
      return found.map((policy) => policyShown(policy, organization.baseCurrency, nameOf))
    })
  })
})
