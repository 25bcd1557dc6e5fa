import { Result, Schema } from "effect"
import { Currency, exponentOf } from "./Currency.ts"

/** The largest value that a `bigint` column holds. */
export const minorMax = 2n ** 63n - 1n

/** Never negative. `minor` counts the currency's smallest unit (ISO 4217): 1050n is 10.50 in USD, 1050 in JPY, 1.050 in KWD. */
export class Money extends Schema.Class<Money>("Money")({
  currency: Currency,
  minor: Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: minorMax }))
}) {}

/** Why a text is no amount of money. */
export type DecimalFault = "not a decimal number" | "more decimals than the currency has" | "too large"

const decimal = /^(\d+)(?:\.(\d+))?$/u
/** As many as `minorMax` has: longer numbers are too large, and are not read to find that out. */
const wholeDigitsMax = 19

/**
 * Exact: `fromDecimal("TRY", "149.90")` is 14990 kuruş; "149.9" is the same; "149.905" is refused, never rounded.
 * Digits after the decimal point beyond the currency's may only be zeros.
 */
export const fromDecimal = (currency: string, text: string): Result.Result<Money, DecimalFault> => {
  const match = decimal.exec(text)
  if (match === null) return Result.fail("not a decimal number")
  const [, whole = "", fraction = ""] = match
  if (whole.length > wholeDigitsMax) return Result.fail("too large")
  const exponent = exponentOf(currency)
  if (/[1-9]/u.test(fraction.slice(exponent))) return Result.fail("more decimals than the currency has")
  const minor = BigInt(whole + fraction.slice(0, exponent).padEnd(exponent, "0"))
  return minor > minorMax ? Result.fail("too large") : Result.succeed(new Money({ currency, minor }))
}

/** `1050n` of USD → "10.50"; of JPY → "1050"; of KWD → "1.050". `fromDecimal` gives the same money back. */
export const toDecimal = (currency: string, minor: bigint): string => {
  const exponent = exponentOf(currency)
  if (exponent === 0) return minor.toString()
  const digits = minor.toString().padStart(exponent + 1, "0")
  return `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`
}
