import { currencyCodes, exponentOf } from "@sarraf/domain/money/Currency"
import { CalendarDate } from "@sarraf/domain/time/CalendarDate"
import { Schema } from "effect"

/** PostgreSQL has no place for U+0000, and a lone surrogate is no character (contract section 1). */
export const isStorable = Schema.makeFilter(
  (text: string) =>
    (!text.includes("\u0000") && text.isWellFormed()) || "must not contain U+0000 or an unpaired surrogate"
)

/** `null` counts as absent for every optional field (contract section 1). */
export const optional = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

type Present<A> = { readonly [K in keyof A]?: NonNullable<A[K]> }

/** Leaves out what is null or undefined. */
export const present = <A extends object>(fields: A) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)) as Present<A>

/** A text that must say something: not empty, not spaces alone. */
export const Text = (lengthMax: number) =>
  Schema.String.check(
    isStorable,
    Schema.makeFilter((value: string) => value.trim() !== "" || "must not be empty"),
    Schema.isMaxLength(lengthMax)
  )

/** Any ISO 4217 currency, three capital letters: the expense side takes all of them. */
export const AnyCurrency = Schema.Literals(currencyCodes)

/** Ten thousand million units of a currency with two decimals: beyond any expense, and far below what is stored. */
const amountMax = 9_999_999_999.99

/** Major units as a JSON number, positive. Whether it has too many decimals is known with its currency: `decimalsFault`. */
export const Amount = Schema.Finite.check(
  Schema.makeFilter(
    (amount: number) =>
      (amount > 0 && amount <= amountMax) || `must be a number above 0 and at most ${amountMax}, in major units`
  )
).annotate({ description: "Major units of the currency: 149.90" })

/** What is wrong with an amount in this currency, or undefined: more decimals than ISO 4217 gives it are refused, never rounded. */
export const decimalsFault = (amount: number, currency: string): string | undefined => {
  const exponent = exponentOf(currency)
  const text = /e/u.test(String(amount)) ? amount.toFixed(12) : String(amount)
  const decimals = text.split(".")[1]?.replace(/0+$/u, "").length ?? 0
  return decimals > exponent
    ? `must have at most ${exponent} decimal${exponent === 1 ? "" : "s"} in ${currency}`
    : undefined
}

/** A whole number in a query or a path. */
export const wholeNumber = (maximum: number, minimum = 1) =>
  Schema.FiniteFromString.check(
    Schema.makeFilter(
      (value: number) =>
        (Number.isInteger(value) && value >= minimum && value <= maximum) ||
        `must be a whole number from ${minimum} to ${maximum}`
    )
  )

/** Of a query: one value, several by commas, or the parameter several times. */
export const someOf = (isOne: (text: string) => boolean, message: string) =>
  Schema.optionalKey(
    Schema.Array(Schema.String.check(Schema.makeFilter((text: string) => text.split(",").every(isOne) || message)))
  )

/** The query of every list (contract section 1). */
export const pageQuery = {
  limit: Schema.optionalKey(wholeNumber(100)),
  cursor: Schema.optionalKey(Schema.String)
}

/** An answer that is a page of a list. */
export const pageOf = <S extends Schema.Constraint>(item: S, identifier: string) =>
  Schema.Struct({
    data: Schema.Array(item),
    has_more: Schema.Boolean,
    next_cursor: Schema.NullOr(Schema.String)
  }).annotate({ identifier })

/** An answer that is a whole list. */
export const listOf = <S extends Schema.Constraint>(item: S, identifier: string) =>
  Schema.Struct({ data: Schema.Array(item) }).annotate({ identifier })

/** `2026-01-31T09:30:00.000Z`. */
export const Timestamp = Schema.String.annotate({ format: "date-time" })

/** `2026-01-31`, in the organization's timezone. */
export const DateOnly = CalendarDate.annotate({ format: "date" })

const isDate = Schema.is(CalendarDate)

/** A date, or a time in ISO 8601, as a filter. */
export const TimeFilter = Schema.String.check(
  Schema.makeFilter(
    (value: string) =>
      (/^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/u.test(value) &&
        // `Date.parse` takes the 30th of February for the 2nd of March.
        isDate(value.slice(0, 10)) &&
        !Number.isNaN(Date.parse(value))) ||
      "must be a date or a time in ISO 8601 such as 2026-01-31T09:30:00.000Z"
  )
)

export const Version = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** Something that was sent and had no effect. */
const Warning = Schema.Struct({ path: Schema.String, message: Schema.String }).annotate({ identifier: "Warning" })

/** In the answer to a body: its fields that nobody knows (contract section 1). */
export const warnings = { warnings: Schema.optionalKey(Schema.Array(Warning)) }

/** Of a resource with a version: a change is refused where it was meant for another one. */
export const ifMatch = { "if-match": Schema.optionalKey(Schema.String) }

/** Any text: what is no identifier of ours is NOT_FOUND like one that nobody has. */
export const idParams = { id: Schema.String }
