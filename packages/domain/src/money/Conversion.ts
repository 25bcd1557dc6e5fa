import { Result } from "effect"
import { exponentOf } from "./Currency.ts"
import type { ExchangeRate } from "./ExchangeRates.ts"
import { Money, minorMax } from "./Money.ts"

/** An exact rate: what one unit of a currency costs in another. Both parts are above zero. */
export type Fraction = Pick<ExchangeRate, "numerator" | "denominator">

/** Why a text is no rate. */
export type RateFault = "not a decimal number" | "zero" | "more than 10 decimals" | "too large"

const decimal = /^(\d+)(?:\.(\d+))?$/u
/** As the table of quotations holds them: ten digits before the point and ten after it. */
const wholeDigitsMax = 10
const decimalsMax = 10

/** "41.2350" → 412350/10000, exactly. Decimals beyond the tenth may only be zeros. */
export const parseRate = (text: string): Result.Result<Fraction, RateFault> => {
  const match = decimal.exec(text)
  if (match === null) return Result.fail("not a decimal number")
  const [, whole = "", decimals = ""] = match
  if (whole.replace(/^0+/u, "").length > wholeDigitsMax) return Result.fail("too large")
  if (/[1-9]/u.test(decimals.slice(decimalsMax))) return Result.fail("more than 10 decimals")
  const kept = decimals.slice(0, decimalsMax)
  const numerator = BigInt(whole + kept)
  return numerator === 0n ? Result.fail("zero") : Result.succeed({ numerator, denominator: 10n ** BigInt(kept.length) })
}

/** The rate the other way round: TRY → EUR from EUR → TRY. */
export const inverse = ({ denominator, numerator }: Fraction): Fraction => ({
  numerator: denominator,
  denominator: numerator
})

/** Two rates one after the other: USD → EUR and EUR → TRY make USD → TRY. Rounded nowhere. */
export const product = (first: Fraction, second: Fraction): Fraction => ({
  numerator: first.numerator * second.numerator,
  denominator: first.denominator * second.denominator
})

/** The nearest whole number; of two that are equally near the even one (IEEE 754, roundTiesToEven). */
const roundHalfEven = (numerator: bigint, denominator: bigint): bigint => {
  const whole = numerator / denominator
  const twice = 2n * (numerator % denominator)
  const isUp = twice > denominator || (twice === denominator && whole % 2n === 1n)
  return isUp ? whole + 1n : whole
}

/**
 * The money in another currency, rounded half to even to its minor unit: 1050n of KWD (1.050) at 500 is 525 in JPY.
 * Undefined where it does not fit what is stored (2^63 - 1 minor units).
 */
export const convert = (money: Money, rate: Fraction, toCurrency: string): Money | undefined => {
  const minor = roundHalfEven(
    money.minor * rate.numerator * 10n ** BigInt(exponentOf(toCurrency)),
    rate.denominator * 10n ** BigInt(exponentOf(money.currency))
  )
  return minor > minorMax ? undefined : new Money({ currency: toCurrency, minor })
}

/** A rate as a person reads it: "41.235", "1", "0.0242512429". Ten decimals at most, rounded half to even. */
export const rateText = ({ denominator, numerator }: Fraction): string => {
  const digits = roundHalfEven(numerator * 10n ** BigInt(decimalsMax), denominator)
    .toString()
    .padStart(decimalsMax + 1, "0")
  const decimals = digits.slice(-decimalsMax).replace(/0+$/u, "")
  return `${digits.slice(0, -decimalsMax)}${decimals === "" ? "" : "."}${decimals}`
}
