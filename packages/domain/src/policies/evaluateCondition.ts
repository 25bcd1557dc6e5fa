import { exponentOf } from "../money/Currency.ts"
import type { Condition, Leaf, Operand } from "./Condition.ts"
import { type Fact, readFact } from "./fields.ts"
import { fold } from "./folding.ts"
import type { PolicyFacts } from "./PolicyFacts.ts"
import { conjunction, disjunction, negated, type Truth, truthOf } from "./Truth.ts"

/** A leaf that decided, and what it came to. */
export interface Evidence {
  readonly leaf: Leaf
  readonly truth: Truth
}

/** What a condition comes to, and the leaves that make it so. */
export interface Judgement {
  readonly truth: Truth
  readonly evidence: ReadonlyArray<Evidence>
}

type MoneyFact = Extract<Fact, { readonly type: "money" }>
type MoneyOperand = Extract<Operand, { readonly type: "money" }>

/** A currency whose rate nobody knows. */
interface MissingRate {
  readonly missing: string
}

const powerOfTen = (exponent: number): bigint => 10n ** BigInt(exponent)

const orderOf = <A extends bigint | number | string>(one: A, other: A): number => (one < other ? -1 : +(one > other))

/**
 * Exact: both sides are brought to one denominator and nothing is rounded. Where the operand has the currency of the
 * amount itself no rate is needed; else both are compared in the base currency.
 */
const compareMoney = (
  fact: MoneyFact,
  { amount, currency }: MoneyOperand,
  facts: PolicyFacts
): number | MissingRate => {
  const named = currency ?? facts.baseCurrency
  const unit = amount.digits * powerOfTen(exponentOf(named))
  const scale = powerOfTen(amount.scale)
  if (fact.own?.currency === named) return orderOf(fact.own.minor * scale, unit)
  if (fact.baseMinor === null) return { missing: facts.amount.currency }
  if (named === facts.baseCurrency) return orderOf(fact.baseMinor * scale, unit)
  const rate = facts.rates.get(named)
  if (rate === undefined) return { missing: named }
  const converted = amount.digits * powerOfTen(exponentOf(facts.baseCurrency)) * rate.numerator
  return orderOf(fact.baseMinor * scale * rate.denominator, converted)
}

/** The currency whose rate a leaf of unknown truth would have needed. */
export const missingRate = ({ field, operands }: Leaf, facts: PolicyFacts): string | undefined => {
  const fact = readFact(field, facts)
  if (fact?.type !== "money") return undefined
  for (const operand of operands) {
    const order = operand.type === "money" ? compareMoney(fact, operand, facts) : 0
    if (typeof order !== "number") return order.missing
  }
  return undefined
}

/** Below, at or above zero as the fact is before, at or after the operand; texts are only ever equal or not. */
const compare = (fact: Fact, operand: Operand, facts: PolicyFacts): number | MissingRate => {
  if (fact.type === "money") return operand.type === "money" ? compareMoney(fact, operand, facts) : 1
  if (operand.type === "money") return 1
  if (fact.type === "text") return fold(fact.value) === fold(String(operand.value)) ? 0 : 1
  if (typeof fact.value === "number" && typeof operand.value === "number") return orderOf(fact.value, operand.value)
  return orderOf(String(fact.value), String(operand.value))
}

const ordered = (fact: Fact, operand: Operand | undefined, facts: PolicyFacts, holds: (order: number) => boolean) => {
  if (operand === undefined) return "unmet"
  const order = compare(fact, operand, facts)
  return typeof order === "number" ? truthOf(holds(order)) : "unknown"
}

const isEqual = (order: number): boolean => order === 0

const isWithin = (fact: Fact, [operand]: ReadonlyArray<Operand>, has: (text: string, part: string) => boolean): Truth =>
  truthOf(fact.type === "text" && operand?.type === "text" && has(fold(fact.value), fold(operand.value)))

/** The operators that hold of what is there. Each other one is the opposite of one of these. */
const truthOfPresent = ({ op, operands }: Leaf, fact: Fact, facts: PolicyFacts): Truth => {
  const [first, second] = operands
  switch (op) {
    case "eq":
    case "ne":
      return ordered(fact, first, facts, isEqual)
    case "in":
    case "not_in":
      return disjunction(operands.map((operand) => ordered(fact, operand, facts, isEqual)))
    case "gt":
      return ordered(fact, first, facts, (order) => order > 0)
    case "gte":
      return ordered(fact, first, facts, (order) => order >= 0)
    case "lt":
      return ordered(fact, first, facts, (order) => order < 0)
    case "lte":
      return ordered(fact, first, facts, (order) => order <= 0)
    case "between":
      return conjunction([
        ordered(fact, first, facts, (order) => order >= 0),
        ordered(fact, second, facts, (order) => order <= 0)
      ])
    case "contains":
      return isWithin(fact, operands, (text, part) => text.includes(part))
    case "starts_with":
      return isWithin(fact, operands, (text, part) => text.startsWith(part))
    // Of what is either so or not, such as the receipt, this asks whether it is so.
    case "exists":
      return truthOf((fact.type === "boolean" ? fact.value : true) === (first?.type === "boolean" && first.value))
  }
}

/** What a leaf comes to. Nothing equals, contains or exceeds what is not there; so `ne` and `not_in` hold of it. */
const truthOfLeaf = (leaf: Leaf, facts: PolicyFacts): Truth => {
  const fact = readFact(leaf.field, facts)
  const [operand] = leaf.operands
  if (fact === undefined && leaf.op === "exists") return truthOf(operand?.type === "boolean" && !operand.value)
  const truth = fact === undefined ? "unmet" : truthOfPresent(leaf, fact, facts)
  return leaf.op === "ne" || leaf.op === "not_in" ? negated(truth) : truth
}

/** What a condition comes to for these facts. Total and pure; the order of members does not matter. */
export const judge = (condition: Condition, facts: PolicyFacts): Judgement => {
  if (condition.kind === "leaf") {
    const truth = truthOfLeaf(condition, facts)
    return { truth, evidence: [{ leaf: condition, truth }] }
  }
  if (condition.kind === "not") {
    const { evidence, truth } = judge(condition.of, facts)
    return { truth: negated(truth), evidence }
  }
  const judgements = condition.of.map((member) => judge(member, facts))
  const combine = condition.kind === "all" ? conjunction : disjunction
  const truth = combine(judgements.map((judgement) => judgement.truth))
  // Where `all` is not refused, each of its members had a part in that; else those decided that came to the same.
  const decided = judgements.filter((one) => one.truth === truth || (condition.kind === "all" && truth !== "unmet"))
  return { truth, evidence: decided.flatMap(({ evidence }) => evidence) }
}
