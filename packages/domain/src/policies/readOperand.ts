import { Result, Schema } from "effect"
import { Currency, exponentOf } from "../money/Currency.ts"
import { CalendarDate } from "../time/CalendarDate.ts"
import { type Decimal, type Operand, textMax, type WrittenItem } from "./Condition.ts"
import type { Field } from "./fields.ts"

/** Why nothing can be compared with a value, and where in it: `["amount"]`. */
export interface OperandFault {
  readonly path: ReadonlyArray<string | number>
  readonly message: string
}

export interface ReadValue {
  readonly operand: Operand
  readonly written: WrittenItem
}

type Reading = Result.Result<ReadValue, ReadonlyArray<OperandFault>>

const fault = (message: string, ...path: ReadonlyArray<string>): Reading => Result.fail([{ path, message }])

/** Beyond every limit that a policy sets, and exact as a JSON number. */
const amountMax = 9_999_999_999_999
/** As many as any currency of ISO 4217 has. */
const decimalsMax = 4

/** `500.5` exactly; undefined for what is no number from 0 on, or has more digits than money has. */
export const decimalOf = (value: unknown): Decimal | undefined => {
  if (typeof value !== "number" || !(value >= 0 && value <= amountMax)) return undefined
  // Smaller numbers than a millionth are written with an exponent; they have too many decimals for any currency.
  const [whole = "", fraction = ""] = (/e/u.test(String(value)) ? value.toFixed(12) : String(value)).split(".")
  const decimals = fraction.replace(/0+$/u, "")
  return { digits: BigInt(whole + decimals), scale: decimals.length }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isCurrency = Schema.is(Currency)
const isDate = Schema.is(CalendarDate)

/** What is wrong with a number of major units in this currency, or undefined. */
export const scaleFault = ({ scale }: Decimal, currency: string): string | undefined => {
  const exponent = exponentOf(currency)
  if (scale <= exponent) return undefined
  return `must have at most ${exponent} decimal${exponent === 1 ? "" : "s"} in ${currency}`
}

const moneyExpected = `must be a number from 0 to ${amountMax} in the base currency, or { amount, currency }`

const readMoney = (value: unknown): Reading => {
  if (!isObject(value)) {
    const amount = decimalOf(value)
    if (amount === undefined || typeof value !== "number") return fault(moneyExpected)
    if (amount.scale > decimalsMax) return fault(`must have at most ${decimalsMax} decimals`)
    return Result.succeed({ operand: { type: "money", amount, currency: undefined }, written: value })
  }
  const code = typeof value.currency === "string" ? value.currency.trim().toUpperCase() : undefined
  const currency = isCurrency(code) ? code : undefined
  const amount = decimalOf(value.amount)
  const scale = amount !== undefined && currency !== undefined ? scaleFault(amount, currency) : undefined
  const faults = [
    ...(amount === undefined ? [{ path: ["amount"], message: `must be a number from 0 to ${amountMax}` }] : []),
    ...(scale === undefined ? [] : [{ path: ["amount"], message: scale }]),
    ...(currency === undefined
      ? [{ path: ["currency"], message: "must be an ISO 4217 currency code such as EUR" }]
      : [])
  ]
  if (faults.length > 0 || amount === undefined || currency === undefined) return Result.fail(faults)
  return Result.succeed({
    operand: { type: "money", amount, currency },
    written: { amount: Number(value.amount), currency }
  })
}

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\u0000")

const readText = (value: unknown, type: "text" | "id"): Reading =>
  typeof value === "string" && value.trim() !== "" && value.length <= textMax && isStorable(value)
    ? Result.succeed({ operand: { type, value }, written: value })
    : fault(`must be a text of 1 to ${textMax} characters`)

/** So many are listed in a message; ISO 4217 has more. */
const choicesShown = 10

const readChoice = (value: unknown, choices: ReadonlyArray<string>): Reading => {
  const chosen = typeof value === "string" ? value.trim().toUpperCase() : ""
  if (choices.includes(chosen)) return Result.succeed({ operand: { type: "choice", value: chosen }, written: chosen })
  return fault(
    choices.length > choicesShown
      ? "must be an ISO 4217 currency code such as EUR"
      : `must be one of ${choices.join(", ")}`
  )
}

/** Reads one value to compare the field with. */
export const readOperand = (value: unknown, { choices = [], range, type }: Field): Reading => {
  switch (type) {
    case "money":
      return readMoney(value)
    case "number": {
      const [low, high] = range ?? [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]
      return typeof value === "number" && value >= low && value <= high
        ? Result.succeed({ operand: { type, value }, written: value })
        : fault(`must be a number from ${low} to ${high}`)
    }
    case "boolean":
      return typeof value === "boolean"
        ? Result.succeed({ operand: { type, value }, written: value })
        : fault("must be true or false")
    case "date":
      return typeof value === "string" && isDate(value)
        ? Result.succeed({ operand: { type, value }, written: value })
        : fault("must be a date such as 2026-01-31")
    case "choice":
      return readChoice(value, choices)
    default:
      return readText(value, type)
  }
}
