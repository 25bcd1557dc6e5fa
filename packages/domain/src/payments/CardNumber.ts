import { Result } from "effect"

/** The schemes a card may belong to. `unknown` where no range matches: such a card is tried, not refused. */
export const cardBrands = [
  "visa",
  "mastercard",
  "amex",
  "troy",
  "maestro",
  "discover",
  "diners",
  "jcb",
  "unionpay",
  "unknown"
] as const

export type CardBrand = (typeof cardBrands)[number]

interface Range {
  readonly brand: CardBrand
  readonly from: number
  readonly to: number
}

/**
 * First six digits, most specific first. Sources: ISO/IEC 7812 issuer ranges as the schemes publish them;
 * Troy 9792 and the co-badged 65 ranges of BKM.
 */
const ranges: ReadonlyArray<Range> = [
  { brand: "troy", from: 979200, to: 979289 },
  { brand: "troy", from: 650052, to: 650057 },
  { brand: "troy", from: 650170, to: 650173 },
  { brand: "troy", from: 657366, to: 657367 },
  { brand: "amex", from: 340000, to: 349999 },
  { brand: "amex", from: 370000, to: 379999 },
  { brand: "diners", from: 300000, to: 305999 },
  { brand: "diners", from: 360000, to: 369999 },
  { brand: "diners", from: 380000, to: 399999 },
  { brand: "jcb", from: 352800, to: 358999 },
  { brand: "visa", from: 400000, to: 499999 },
  { brand: "maestro", from: 500000, to: 509999 },
  { brand: "mastercard", from: 510000, to: 559999 },
  { brand: "mastercard", from: 222100, to: 272099 },
  { brand: "discover", from: 601100, to: 601199 },
  { brand: "discover", from: 644000, to: 659999 },
  { brand: "unionpay", from: 620000, to: 629999 },
  { brand: "unionpay", from: 810000, to: 817199 },
  { brand: "maestro", from: 560000, to: 699999 }
]

/** The scheme of a number that begins with these digits, six at least: `411111` → `visa`. */
export const brandOf = (digits: string): CardBrand => {
  const first6 = Number(digits.slice(0, 6))
  return ranges.find(({ from, to }) => first6 >= from && first6 <= to)?.brand ?? "unknown"
}

/** Luhn's check digit (ISO/IEC 7812-1, annex B). */
export const hasValidCheckDigit = (digits: string): boolean => {
  let sum = 0
  for (let position = 0; position < digits.length; position++) {
    const digit = digits.charCodeAt(digits.length - 1 - position) - 48
    const weighted = position % 2 === 1 ? digit * 2 : digit
    sum += weighted > 9 ? weighted - 9 : weighted
  }
  return sum % 10 === 0
}

/** A card number that cannot be printed by accident: every way to text gives `411111******1111`. */
export class CardNumber {
  readonly #digits: string
  readonly brand: CardBrand

  private constructor(digits: string) {
    this.#digits = digits
    this.brand = brandOf(digits)
  }

  /** 12 to 19 digits with a valid check digit; spaces and hyphens between them are taken out (contract section 4). */
  static parse(text: string): Result.Result<CardNumber, string> {
    const digits = text.replace(/[\s-]/gu, "")
    if (!/^\d{12,19}$/u.test(digits)) return Result.fail("The card number must have 12 to 19 digits.")
    if (!hasValidCheckDigit(digits))
      return Result.fail("The card number's check digit is wrong: check it for a typing error.")
    return Result.succeed(new CardNumber(digits))
  }

  /** The whole number, for the provider's message alone. */
  reveal(): string {
    return this.#digits
  }

  get first6(): string {
    return this.#digits.slice(0, 6)
  }

  get last4(): string {
    return this.#digits.slice(-4)
  }

  /** `411111******1111`. */
  toString(): string {
    return `${this.first6}${"*".repeat(this.#digits.length - 10)}${this.last4}`
  }

  toJSON(): string {
    return this.toString()
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString()
  }
}
