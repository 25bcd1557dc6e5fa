import { Redacted, Result } from "effect"
import { CardNumber } from "./CardNumber.ts"

/** A card as it goes to a provider. It lives no longer than the call and is never stored. */
export interface Card {
  readonly number: CardNumber
  /** 1 to 12. */
  readonly expMonth: number
  /** Four digits. */
  readonly expYear: number
  readonly cvc: Redacted.Redacted<string>
  readonly holderName: string
}

/** What is kept of a card: enough to recognise it, not enough to use it. */
export interface CardSummary {
  readonly brand: CardNumber["brand"]
  readonly first6: string
  readonly last4: string
  readonly expMonth: number
  readonly expYear: number
  /** HMAC under a key of the organization, lower-case hex: equal for equal numbers of one organization only. */
  readonly fingerprint: string
}

export interface CardText {
  readonly cardNumber: string
  readonly cardExpMonth: string
  readonly cardExpYear: string
  readonly cardCvc: string
  readonly holderName: string
}

/** Most providers are sent two digits of it. */
const yearMax = 2099

const monthOf = (text: string) => (/^\d{1,2}$/u.test(text) ? Number(text) : 0)
const yearOf = (text: string) =>
  /^\d{4}$/u.test(text) ? Number(text) : /^\d{2}$/u.test(text) ? 2000 + Number(text) : 0

/** American Express prints four digits on the front, every other scheme three on the back. */
const cvcLength = (number: CardNumber) => (number.brand === "amex" ? 4 : 3)
const isCvc = (text: string, length: number) => text.length === length && /^\d+$/u.test(text)

/**
 * Reads the card's fields (contract section 4: month of one or two digits, year of two or four) and says what is wrong
 * with them in one sentence. A card is good to the end of its month anywhere on earth, so the month before the present
 * one in UTC is refused only from the second day on.
 */
export const parseCard = (
  text: CardText,
  now: { readonly year: number; readonly month: number; readonly day: number }
): Result.Result<Card, string> => {
  const number = CardNumber.parse(text.cardNumber)
  if (Result.isFailure(number)) return Result.fail(number.failure)
  const expMonth = monthOf(text.cardExpMonth.trim())
  if (expMonth < 1 || expMonth > 12) return Result.fail("The card's expiry month must be 1 to 12.")
  const expYear = yearOf(text.cardExpYear.trim())
  if (expYear === 0) return Result.fail("The card's expiry year must have two or four digits.")
  const monthsLeft = (expYear - now.year) * 12 + expMonth - now.month
  if (monthsLeft < 0 && !(monthsLeft === -1 && now.day === 1))
    return Result.fail("The card has expired: ask for another.")
  if (expYear > yearMax) return Result.fail("The card's expiry year is too far ahead: check it.")
  const length = cvcLength(number.success)
  const cvcText = text.cardCvc.trim()
  if (!isCvc(cvcText, length)) return Result.fail(`The security code of this card must have ${length} digits.`)
  const cvc = Redacted.make(cvcText, { label: "cvc" })
  return Result.succeed({ number: number.success, expMonth, expYear, cvc, holderName: text.holderName })
}
