import { toDecimal } from "../money/Money.ts"
import type { Decimal, Leaf, Operand } from "./Condition.ts"
import { type Evidence, type Judgement, missingRate } from "./evaluateCondition.ts"
import { type Fact, fieldNames, fields, readFact } from "./fields.ts"
import { type Operator, operators } from "./operators.ts"
import type { PolicyFacts } from "./PolicyFacts.ts"

/** A sentence with more reasons than these is not read to its end. */
const reasonsMax = 5
/** Characters of a text from the request, and items of a list, that a sentence repeats. */
const quotedMax = 60
const listedMax = 6

/** "500", "500.50": without decimals where they are zeros alone. */
const plain = (decimal: string): string => decimal.replace(/\.0+$/u, "")

const moneyText = (minor: bigint, currency: string): string => `${plain(toDecimal(currency, minor))} ${currency}`

const decimalText = ({ digits, scale }: Decimal): string => {
  const text = digits.toString().padStart(scale + 1, "0")
  return scale === 0 ? text : `${text.slice(0, -scale)}.${text.slice(-scale).padEnd(2, "0")}`
}

const quoted = (text: string): string => {
  const characters = [...text]
  return `"${characters.length > quotedMax ? `${characters.slice(0, quotedMax).join("")}…` : text}"`
}

const operandText = (operand: Operand, baseCurrency: string): string => {
  switch (operand.type) {
    case "money":
      return `${decimalText(operand.amount)} ${operand.currency ?? baseCurrency}`
    case "text":
      return quoted(operand.value)
    default:
      return String(operand.value)
  }
}

const factText = (fact: Fact, baseCurrency: string): string => {
  switch (fact.type) {
    case "money": {
      const inBase = fact.baseMinor === null ? undefined : moneyText(fact.baseMinor, baseCurrency)
      if (fact.own === undefined) return inBase ?? "not known"
      const own = moneyText(fact.own.minor, fact.own.currency)
      return inBase === undefined || fact.own.currency === baseCurrency ? own : `${own} (${inBase})`
    }
    case "text":
      return quoted(fact.value)
    default:
      return String(fact.value)
  }
}

/** "a", "a or b", "a, b or c". */
export const enumerated = (items: ReadonlyArray<string>, conjunction: string): string => {
  const last = items.at(-1) ?? ""
  return items.length < 2 ? last : `${items.slice(0, -1).join(", ")} ${conjunction} ${last}`
}

export const listText = (operands: ReadonlyArray<Operand>, baseCurrency: string): string => {
  const shown = operands.slice(0, listedMax).map((operand) => operandText(operand, baseCurrency))
  return enumerated(operands.length > listedMax ? [...shown, `${operands.length - listedMax} more`] : shown, "or")
}

/** How the operators say that they hold, and that they do not: numbers and money. */
const comparisons = {
  gt: ["is over", "is not over"],
  gte: ["is at least", "is below"],
  lt: ["is below", "is at least"],
  lte: ["is at most", "is over"],
  contains: ["contains", "does not contain"],
  starts_with: ["starts with", "does not start with"]
} as const satisfies Partial<Record<Operator, readonly [string, string]>>

const datedComparisons = {
  gt: ["is after", "is not after"],
  gte: ["is on or after", "is before"],
  lt: ["is before", "is not before"],
  lte: ["is on or before", "is after"]
} as const

/** What comes after the field and its value; empty where the value says it all. */
export const predicate = ({ field, op, operands }: Leaf, isSo: boolean, baseCurrency: string): string => {
  const listed = listText(operands, baseCurrency)
  switch (op) {
    case "eq":
    case "in":
      return isSo ? "" : `is not ${listed}`
    case "ne":
    case "not_in":
      return isSo ? `is not ${listed}` : ""
    case "between": {
      const bounds = enumerated(
        operands.map((operand) => operandText(operand, baseCurrency)),
        "and"
      )
      return `is ${isSo ? "" : "not "}between ${bounds}`
    }
    case "exists":
      return ""
    default: {
      const words = fields[field].type === "date" && op in datedComparisons ? datedComparisons : comparisons
      const [holds, fails] = { ...comparisons, ...words }[op]
      return `${isSo ? holds : fails} ${listed}`
    }
  }
}

/** One fact as a leaf saw it: "the amount 620 TRY is over 500 TRY", "there is no receipt", "the category is "Meals"". */
const reasonOf = ({ leaf, truth }: Evidence, facts: PolicyFacts): string => {
  if (truth === "unknown") return `no ${missingRate(leaf, facts) ?? "exchange"} rate is known for ${facts.date}`
  const { noun } = fields[leaf.field]
  const bare = noun.replace(/^the /u, "")
  const fact = readFact(leaf.field, facts)
  if (fact === undefined) return `there is no ${bare}`
  if (fact.type === "boolean") return `there is ${fact.value ? "a" : "no"} ${bare}`
  const value = factText(fact, facts.baseCurrency)
  const said = predicate(leaf, truth === "met", facts.baseCurrency)
  return said === "" ? `${noun} is ${value}` : `${noun} ${value} ${said}`
}

/** By field and operator, so that the order in which a condition is written does not change what is said. */
const placeOf = ({ leaf: { field, op } }: Evidence): number =>
  fieldNames.indexOf(field) * operators.length + operators.indexOf(op)

/** The reasons, each once, those of a missing rate last. */
const reasonsOf = (evidence: ReadonlyArray<Evidence>, facts: PolicyFacts): ReadonlyArray<string> => {
  const placed = evidence.map((one) => ({
    isUnknown: one.truth === "unknown",
    place: placeOf(one),
    text: reasonOf(one, facts)
  }))
  placed.sort(
    (one, other) => +one.isUnknown - +other.isUnknown || one.place - other.place || (one.text < other.text ? -1 : 1)
  )
  return [...new Set(placed.map(({ text }) => text))]
}

const countsAsMet = "so this counts as met"

const missingRates = ({ evidence }: Judgement, facts: PolicyFacts): ReadonlyArray<string> =>
  reasonsOf(
    evidence.filter(({ truth }) => truth === "unknown"),
    facts
  )

const joined = (reasons: ReadonlyArray<string>): string =>
  enumerated(
    reasons.length > reasonsMax
      ? [...reasons.slice(0, reasonsMax), `${reasons.length - reasonsMax} more reasons`]
      : reasons,
    "and"
  )

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/**
 * The sentence that a person reads. Its author's own where the policy has one and its condition is met; else the name,
 * and what was found: "Receipts: the amount is 620 TRY …". A condition that only counts as met says why.
 */
export const sentenceOf = (
  { message, name }: { readonly name: string; readonly message: string | null },
  judgement: Judgement,
  facts: PolicyFacts
): string => {
  const isUnknown = judgement.truth === "unknown"
  if (message !== null && judgement.truth !== "unmet") {
    const ended = /[.!?…]$/u.test(message) ? message : `${message}.`
    return isUnknown ? `${ended} ${capitalized(joined(missingRates(judgement, facts)))}, ${countsAsMet}.` : message
  }
  const reasons = reasonsOf(judgement.evidence, facts)
  const always = judgement.truth === "unmet" ? "it never applies" : "it applies to every request"
  return `${name}: ${reasons.length === 0 ? always : joined(reasons)}${isUnknown ? `, ${countsAsMet}` : ""}.`
}
