/** The types that fields of conditions have. An `id` and a `choice` are compared as a whole. */
export type FieldType = "money" | "number" | "date" | "text" | "choice" | "id" | "boolean"

/** Every operator; the order is that of messages and documents. */
export const operators = [
  "eq",
  "ne",
  "in",
  "not_in",
  "gt",
  "gte",
  "lt",
  "lte",
  "between",
  "contains",
  "starts_with",
  "exists"
] as const
export type Operator = (typeof operators)[number]

const whole = ["eq", "ne", "in", "not_in"] as const
const ordered = [...whole, "gt", "gte", "lt", "lte", "between", "exists"] as const

/** Which operators a type takes (contract section 6). */
export const operatorsOf: Readonly<Record<FieldType, ReadonlyArray<Operator>>> = {
  money: ordered,
  number: ordered,
  date: ordered,
  text: [...whole, "contains", "starts_with", "exists"],
  choice: [...whole, "exists"],
  id: [...whole, "exists"],
  boolean: [...whole, "exists"]
}
