import { type ApprovalStepRule, usualEscalationHours } from "../approvals/ApprovalStep.ts"
import type { Role } from "../organizations/Caller.ts"
import type { Condition, Leaf } from "./Condition.ts"
import { type Field, fields } from "./fields.ts"
import type { PolicyContent } from "./Policy.ts"
import type { PolicyScope } from "./PolicyEvaluator.ts"
import { enumerated, listText, predicate } from "./sentences.ts"

/** What a person or a department of this id is called; undefined where nobody knows. */
export type NameOf = (id: string) => string | undefined

/** Ids stand for people and departments, whom readers know by their names. */
const namedOperands = ({ operands }: Leaf, nameOf: NameOf): Leaf["operands"] =>
  operands.map((operand) =>
    operand.type === "id" ? { ...operand, value: nameOf(operand.value) ?? operand.value } : operand
  )

/** "the amount is over 500 TRY", "there is no receipt". */
const leafWords = (written: Leaf, baseCurrency: string, nameOf: NameOf): string => {
  const leaf = { ...written, operands: namedOperands(written, nameOf) }
  const { noun, type }: Field = fields[leaf.field]
  const [first] = leaf.operands
  if (leaf.op === "exists" || (type === "boolean" && leaf.op === "eq")) {
    const isThere = first?.type !== "boolean" || first.value
    return `there is ${isThere ? "a" : "no"} ${noun.replace(/^the /u, "")}`
  }
  return leaf.op === "eq" || leaf.op === "in"
    ? `${noun} is ${listText(leaf.operands, baseCurrency)}`
    : `${noun} ${predicate(leaf, true, baseCurrency)}`
}

const isCompound = (condition: Condition): boolean =>
  (condition.kind === "all" || condition.kind === "any") && condition.of.length > 1

/** A condition as a clause: "the category is "Meals" and (the amount is over 500 TRY or there is no receipt)". */
export const conditionWords = (
  condition: Condition,
  baseCurrency: string,
  nameOf: NameOf = () => undefined
): string => {
  const inner = (part: Condition): string => {
    const words = conditionWords(part, baseCurrency, nameOf)
    return isCompound(part) ? `(${words})` : words
  }
  switch (condition.kind) {
    case "leaf":
      return leafWords(condition, baseCurrency, nameOf)
    case "not":
      return `it is not so that ${inner(condition.of)}`
    case "all":
      return condition.of.length === 0 ? "anything is the case" : condition.of.map(inner).join(" and ")
    case "any":
      return condition.of.length === 0 ? "nothing is the case" : condition.of.map(inner).join(" or ")
  }
}

const roleWords = (role: Role): string =>
  role === "AUDITOR"
    ? "an AUDITOR"
    : `${/^[AO]/u.test(role) ? "an" : "a"} ${role}${role === "OWNER" ? "" : " or above"}`

/** Who decides in a step: "an APPROVER or above", "each of Ada and the submitter's manager". */
export const deciderWords = (step: ApprovalStepRule, nameOf: NameOf = () => undefined): string => {
  const deciders = [
    ...(step.roles ?? []).map(roleWords),
    ...(step.users ?? []).map((user) => nameOf(user) ?? user),
    ...(step.manager === true ? ["the submitter's manager"] : [])
  ]
  const isEach = step.mode === "all" && deciders.length > 1
  return isEach ? `each of ${enumerated(deciders, "and")}` : enumerated(deciders, "or")
}

const stepWords = (step: ApprovalStepRule, nameOf: NameOf): string =>
  `${deciderWords(step, nameOf)} (after ${step.escalateAfterHours ?? usualEscalationHours} hours ADMINs and OWNERs too)`

const subjects: Readonly<Record<PolicyScope, string>> = {
  expense: "An expense",
  card: "A card payment",
  bill: "A bill",
  purchase_request: "A purchase request"
}

const consequence = ({ approvalSteps, enforcement }: PolicyContent, nameOf: NameOf): string => {
  switch (enforcement) {
    case "BLOCK":
      return "is refused"
    case "WARN":
      return "is marked with a warning"
    case "REQUIRE_APPROVAL":
      return approvalSteps.length === 0
        ? "needs the approval of an APPROVER or above"
        : `needs the approval of ${approvalSteps.map((step) => stepWords(step, nameOf)).join(", then of ")}`
  }
}

/** A policy as a sentence: "An expense is refused when the amount is over 500 TRY and there is no receipt." */
export const policyWords = (policy: PolicyContent, baseCurrency: string, nameOf: NameOf = () => undefined): string =>
  `${subjects[policy.scope]} ${consequence(policy, nameOf)} when ${conditionWords(policy.conditions, baseCurrency, nameOf)}.`
