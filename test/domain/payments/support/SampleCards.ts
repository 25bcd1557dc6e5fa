import { CardNumber } from "@sarraf/domain/payments/CardNumber"
import { Arbitrary, Result, Schema } from "effect"

/** The check digit of ISO/IEC 7812-1, annex B, stated apart from the source: it brings the weighted sum to a multiple of ten. */
const checkDigit = (payload: string): string => {
  const weighted = [...payload].reverse().map((digit, position) => {
    const value = Number(digit) * (position % 2 === 0 ? 2 : 1)
    return value > 9 ? value - 9 : value
  })
  return String((10 - (weighted.reduce((sum, value) => sum + value, 0) % 10)) % 10)
}

/** Card numbers of every length from 12 to 19 digits, with a right check digit. */
export const cardDigits = Arbitrary.schema(Schema.String.check(Schema.isPattern(/^[0-9]{11,18}$/))).pipe(
  Arbitrary.map((payload) => payload + checkDigit(payload))
)

export const visa = "4111111111111111"

export const cardNumber = (digits: string): CardNumber => Result.getOrThrow(CardNumber.parse(digits))
