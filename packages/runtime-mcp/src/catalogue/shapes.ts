import { toDecimal } from "@sarraf/domain/money/Money"
import { CalendarDate } from "@sarraf/domain/time/CalendarDate"
import type { Instant } from "@sarraf/domain/time/Instant"
import { isoTime } from "@sarraf/domain/time/IsoTime"
import { Schema } from "effect"

/** An object within an answer. */
export const object = <const F extends Schema.Struct.Fields>(fields: F, description: string) =>
  Schema.Struct(fields).annotate({ description })

/** A list within an answer. */
export const listOf = <const F extends Schema.Struct.Fields>(fields: F, description: string) =>
  Schema.Array(Schema.Struct(fields)).annotate({ description })

/** An argument that may be left out. */
export const optional = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(schema)

const isStorable = Schema.makeFilter(
  (text: string) =>
    (!text.includes("\u0000") && text.isWellFormed()) || "must not contain U+0000 or an unpaired surrogate"
)

/** A text as an argument: something to look for. */
export const textIn = (lengthMax: number, description: string) =>
  Schema.String.annotate({ description }).check(Schema.isMinLength(1), Schema.isMaxLength(lengthMax), isStorable)

/** An identifier of ours as an argument: `idIn("exp", …)` takes exp_01h455vb4pex5vsknk084sn02q. */
export const idIn = (prefix: string, description: string) =>
  Schema.String.annotate({ description }).check(
    Schema.isPattern(new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`, "u"), {
      message: `must be an identifier like ${prefix}_01h455vb4pex5vsknk084sn02q`
    })
  )

/** A day as an argument. */
export const dateIn = (description: string) =>
  Schema.String.annotate({ description, format: "date" }).check(
    Schema.isPattern(/^\d{4}-\d{2}-\d{2}$/u, { message: "must be a date such as 2026-01-31" }),
    Schema.makeFilter((text: string) => Schema.is(CalendarDate)(text) || "must be a date such as 2026-01-31")
  )

/** An amount in major units of the organization's currency as an argument: "149.90". */
export const amountIn = (description: string) =>
  Schema.String.annotate({ description }).check(
    Schema.isPattern(/^\d{1,13}(?:\.\d{1,6})?$/u, { message: "must be an amount in major units such as 149.90" })
  )

/** ISO 4217, as an argument. */
export const currencyIn = (description: string) =>
  Schema.String.annotate({ description }).check(
    Schema.isPattern(/^[A-Z]{3}$/u, { message: "must be a currency of ISO 4217 such as TRY" })
  )

/** Some values of a closed set as an argument. */
export const someOf = <const Values extends ReadonlyArray<string>>(values: Values, description: string) =>
  Schema.Array(Schema.Literals(values))
    .annotate({ description })
    .check(Schema.isMinLength(1), Schema.isMaxLength(values.length))

export const oneOf = <const Values extends ReadonlyArray<string>>(values: Values, description: string) =>
  Schema.Literals(values).annotate({ description })

/** Several texts as an argument, one of which must be it. */
export const anyOfTexts = (lengthMax: number, description: string) =>
  Schema.Array(textIn(lengthMax, "One of them"))
    .annotate({ description })
    .check(Schema.isMinLength(1), Schema.isMaxLength(20))

export const flag = (description: string) => Schema.Boolean.annotate({ description })

/** A text in an answer. */
export const text = (description: string) => Schema.String.annotate({ description })
export const textOrNull = (description: string) => Schema.NullOr(Schema.String).annotate({ description })
export const count = (description: string) => Schema.Int.annotate({ description })
export const time = (description: string) => Schema.String.annotate({ description, format: "date-time" })
export const timeOrNull = (description: string) =>
  Schema.NullOr(Schema.String.annotate({ format: "date-time" })).annotate({ description })
export const date = (description: string) => Schema.String.annotate({ description, format: "date" })
export const dateOrNull = (description: string) =>
  Schema.NullOr(Schema.String.annotate({ format: "date" })).annotate({ description })

const moneyFields = {
  amount_minor: text("Whole number of the currency's smallest unit (kuruş, cents), as text: exact, for calculating"),
  currency: text("ISO 4217 code"),
  formatted: text("The same in major units, for people: 10.50 TRY")
}

/** `{ amount_minor: "1050", currency: "TRY", formatted: "10.50 TRY" }`. */
export const money = (description: string) => Schema.Struct(moneyFields).annotate({ description })
export const moneyOrNull = (description: string) => Schema.NullOr(Schema.Struct(moneyFields)).annotate({ description })

/** Money as an answer shows it. */
export const moneyOf = (currency: string, minor: bigint) => ({
  amount_minor: minor.toString(),
  currency,
  formatted: `${toDecimal(currency, minor)} ${currency}`
})

export const moneyOfOrNull = (money: { readonly currency: string; readonly minor: bigint } | null) =>
  money === null ? null : moneyOf(money.currency, money.minor)

const personFields = { id: text("usr_…"), name: textOrNull("Their name; null where they are unknown") }

/** Somebody of the organization. */
export const personOrNull = (description: string) =>
  Schema.NullOr(Schema.Struct(personFields)).annotate({ description })

export const person = (description: string) => Schema.Struct(personFields).annotate({ description })

/** The person in `user:usr_…`; null for a key. */
export const actingPerson = (name: string | null): string | null =>
  name?.startsWith("user:") === true ? name.slice("user:".length) : null

export const timeOf = (instant: Instant): string => isoTime(instant)

/**
 * Characters that nobody sees and that a model reads: controls but for line feed and tab, overrides of the writing direction,
 * and the tags of Unicode, in which whole sentences can be hidden.
 */
const unseen = /(?![\n\t])\p{Cc}|[\u202A-\u202E\u2066-\u2069]|[\u{E0000}-\u{E007F}]/gu

/** A text that people wrote, without what is hidden in it, and no longer than so many characters; what was cut off is said. */
export const cut = (written: string, lengthMax: number): string => {
  const seen = written.slice(0, lengthMax).replace(/[\uD800-\uDBFF]$/u, "")
  const shown = seen.replace(unseen, "\uFFFD")
  return seen.length === written.length ? shown : `${shown}… [${written.length - seen.length} more characters]`
}

export const cutOrNull = (written: string | null, lengthMax: number): string | null =>
  written === null ? null : cut(written, lengthMax)

const nameLengthMax = 120

/** What somebody or something of this id is called; null where that is not known. */
export const nameOf = (id: string | null, names: ReadonlyMap<string, string>): string | null =>
  id === null ? null : cutOrNull(names.get(id) ?? null, nameLengthMax)

/** A person by the names that were looked up. */
export const personOf = (id: string, names: ReadonlyMap<string, string>) => ({ id, name: nameOf(id, names) })

export const personOfOrNull = (id: string | null, names: ReadonlyMap<string, string>) =>
  id === null ? null : personOf(id, names)
