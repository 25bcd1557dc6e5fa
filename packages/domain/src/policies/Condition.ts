import type { FieldName } from "./fields.ts"
import type { Operator } from "./operators.ts"
import { type PolicyNeeds, spendPeriods } from "./PolicyFacts.ts"

/** Bounds of one policy: what a person can still read, and what is compared with every request in microseconds. */
export const depthMax = 8
export const leavesMax = 100
export const listMax = 100
export const textMax = 200

/** A number with a decimal point, exactly: `500.5` is `{ digits: 5005n, scale: 1 }`. */
export interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

/** What a fact is compared with. */
export type Operand =
  /** Major units; without a currency those of the base currency, whatever it is when the condition is evaluated. */
  | { readonly type: "money"; readonly amount: Decimal; readonly currency: string | undefined }
  | { readonly type: "number"; readonly value: number }
  | { readonly type: "boolean"; readonly value: boolean }
  | { readonly type: "text" | "date" | "choice" | "id"; readonly value: string }

/** JSON of one value as it was written. */
export type WrittenItem = string | number | boolean | { readonly amount: number; readonly currency: string }

/** The value of a leaf, or the list of them. */
export type WrittenValue = WrittenItem | ReadonlyArray<WrittenItem>

/** One field compared with something. `between` has two operands, a list as many as it has, every other operator one. */
export interface Leaf {
  readonly kind: "leaf"
  readonly field: FieldName
  readonly op: Operator
  readonly operands: ReadonlyArray<Operand>
  /** As the author wrote it, so that it is shown as it was sent: the field's name may be an alias. */
  readonly written: { readonly field: string; readonly value: WrittenValue }
}

export type Condition =
  | Leaf
  | { readonly kind: "all" | "any"; readonly of: ReadonlyArray<Condition> }
  | { readonly kind: "not"; readonly of: Condition }

/** The condition as JSON (contract section 6). */
export type ConditionJson =
  | { readonly field: string; readonly op: Operator; readonly value: WrittenValue }
  | { readonly all: ReadonlyArray<ConditionJson> }
  | { readonly any: ReadonlyArray<ConditionJson> }
  | { readonly not: ConditionJson }

/** The JSON that `readCondition` reads as this condition. */
export const writeCondition = (condition: Condition): ConditionJson => {
  switch (condition.kind) {
    case "leaf":
      return { field: condition.written.field, op: condition.op, value: condition.written.value }
    case "all":
      return { all: condition.of.map(writeCondition) }
    case "any":
      return { any: condition.of.map(writeCondition) }
    case "not":
      return { not: writeCondition(condition.of) }
  }
}

/** A leaf and where it stands: `["all", 1]`. */
interface PlacedLeaf {
  readonly leaf: Leaf
  readonly path: ReadonlyArray<string | number>
}

/** Every leaf of the condition, in its order. */
export const leavesOf = (
  condition: Condition,
  path: ReadonlyArray<string | number> = []
): ReadonlyArray<PlacedLeaf> => {
  switch (condition.kind) {
    case "leaf":
      return [{ leaf: condition, path }]
    case "not":
      return leavesOf(condition.of, [...path, "not"])
    default:
      return condition.of.flatMap((inner, index) => leavesOf(inner, [...path, condition.kind, index]))
  }
}

/** What has to be known to evaluate the conditions. */
export const needsOf = (conditions: ReadonlyArray<Condition>): PolicyNeeds => {
  const leaves = conditions.flatMap((condition) => leavesOf(condition).map(({ leaf }) => leaf))
  const named = leaves.flatMap(({ operands }) =>
    operands.flatMap((operand) =>
      operand.type === "money" && operand.currency !== undefined ? [operand.currency] : []
    )
  )
  return {
    currencies: [...new Set(named)].sort(),
    spending: leaves.some(({ field }) => spendPeriods.some((period) => field === `spend_${period}`))
  }
}
