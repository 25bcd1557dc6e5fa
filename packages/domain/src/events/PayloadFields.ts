import { Schema } from "effect"

/** `2026-11-02T09:30:00.000Z`. */
export const Timestamp = Schema.String.annotate({ format: "date-time" }).check(
  Schema.isPattern(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/u)
)

/** `2026-11-02`, in the organization's timezone. */
export const DateOnly = Schema.String.annotate({ format: "date" }).check(Schema.isPattern(/^\d{4}-\d{2}-\d{2}$/u))

/** Major units of a currency as a JSON number: 149.9. */
export const MajorUnits = Schema.Finite.annotate({ description: "Major units of the currency: 149.9" })

/** ISO 4217. */
export const CurrencyCode = Schema.String.check(Schema.isPattern(/^[A-Z]{3}$/u)).annotate({ description: "ISO 4217" })

/** From 1, one more with every change of the object. */
export const ObjectVersion = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({
  description: "One more with every change of the object"
})

/** Who did something, a person or an API key. */
export const Actor = Schema.String.annotate({ description: "user:usr_… or key:…" })
