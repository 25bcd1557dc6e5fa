import { Schema } from "effect"
import { PaymentCurrency } from "../money/Currency.ts"
import { cardBrands } from "../payments/CardNumber.ts"

/** Bounds of one policy: what a person can still read, and what is compared with every payment in microseconds. */
const rulesMax = 50
const itemsMax = 250
const weightMax = 1_000_000

/** A list that says something: not empty, nothing twice. */
export const someOf = <S extends Schema.Constraint>(item: S) =>
  Schema.Array(item).check(Schema.isMinLength(1), Schema.isMaxLength(itemsMax), Schema.isUnique())

/** A provider's id as in the transaction's `provider`: `isbank`. Whether an installation has it is asked elsewhere. */
export const ProviderId = Schema.String.check(
  Schema.isPattern(/^[a-z0-9][a-z0-9_-]{0,63}$/u, { message: "must be a provider's id such as isbank" })
)

const InstallmentBound = Schema.Int.check(
  Schema.makeFilter((count: number) => (count >= 1 && count <= 12) || "must be a whole number from 1 to 12")
)

const isInOrder = <Bound extends bigint | number>(least: Bound | undefined, most: Bound | undefined): boolean =>
  least === undefined || most === undefined || least <= most

/**
 * When a rule applies; a field that is absent matches everything, and all that are there must match. Amounts are minor
 * units of the payment's own currency; an installment of 1 means none, so `minInstallment: 2` is "in installments".
 */
export const RoutingCondition = Schema.Struct({
  currencies: Schema.optionalKey(someOf(PaymentCurrency)),
  /** ISO 3166-1 alpha-2, of the billing address. */
  countries: Schema.optionalKey(someOf(Schema.String.check(Schema.isPattern(/^[A-Z]{2}$/u)))),
  brands: Schema.optionalKey(someOf(Schema.Literals(cardBrands))),
  minMinor: Schema.optionalKey(Schema.BigInt),
  maxMinor: Schema.optionalKey(Schema.BigInt),
  minInstallment: Schema.optionalKey(InstallmentBound),
  maxInstallment: Schema.optionalKey(InstallmentBound),
  is3DS: Schema.optionalKey(Schema.Boolean)
}).check(
  Schema.makeFilter(({ maxInstallment, maxMinor, minInstallment, minMinor }) => {
    if (!isInOrder(minMinor, maxMinor)) return "must not have a smallest amount above its largest"
    return isInOrder(minInstallment, maxInstallment) || "must not have a smallest installment above its largest"
  })
)
export type RoutingCondition = typeof RoutingCondition.Type

const Weight = Schema.Finite.check(
  Schema.makeFilter((weight: number) => (weight >= 0 && weight <= weightMax) || `must be from 0 to ${weightMax}`)
)

/** The action of a rule over providers that `Provider` allows; see `RoutingAction`. */
export const routingActionOf = <S extends Schema.Codec<string, string, unknown, unknown> & Schema.Record.Key>(
  Provider: S
) => {
  const providers = someOf(Provider)
  const weights = Schema.Record(Provider, Weight).check(
    Schema.makeFilter(
      (record: Readonly<Record<string, number>>) =>
        Object.values(record).some((weight) => weight > 0) || "must have a weight above 0"
    )
  )
  // One literal each, so that the faults of an action are those of its own type.
  return Schema.Union([
    Schema.Struct({ type: Schema.Literal("prefer"), providers }),
    Schema.Struct({ type: Schema.Literal("only"), providers }),
    Schema.Struct({ type: Schema.Literal("exclude"), providers }),
    Schema.Struct({ type: Schema.Literal("split"), weights })
  ]).annotate({ message: "must have the type prefer, only, exclude or split" })
}

const Action = routingActionOf(ProviderId)

/**
 * `prefer` puts these first, `only` leaves out all others, `exclude` leaves these out, `split` chooses the first by
 * weight, the same for the same payment id however often it is asked.
 */
export type RoutingAction = typeof Action.Type

export const RuleName = Schema.String.check(
  Schema.makeFilter((name: string) => (name.trim() !== "" && name.length <= 100) || "must have 1 to 100 characters"),
  Schema.makeFilter(
    (name: string) => (!name.includes("\u0000") && name.isWellFormed()) || "must not contain U+0000 or half a character"
  )
)

export const RoutingRule = Schema.Struct({ name: RuleName, when: RoutingCondition, action: Action })
export type RoutingRule = typeof RoutingRule.Type

/** The rules of one policy, in the order in which they are tried. Their names tell them apart in explanations. */
export const RoutingRules = Schema.Array(RoutingRule).check(
  Schema.isMaxLength(rulesMax),
  Schema.makeFilter(
    (rules: ReadonlyArray<RoutingRule>) =>
      new Set(rules.map(({ name }) => name)).size === rules.length || "must not have two rules of one name"
  )
)

/** An organization's rules; the first that matches wins (contract section 4). */
export interface RoutingPolicy {
  readonly version: number
  readonly rules: ReadonlyArray<RoutingRule>
}

/** No rules: cost, success rate and health decide. */
export const automatic: RoutingPolicy = { version: 0, rules: [] }
