import type { Capabilities } from "@sarraf/domain/routing/Capabilities"
import type { RoutingCandidate, RoutingQuestion } from "@sarraf/domain/routing/Route"
import { Duration, Schema } from "effect"

/** A provider that can do everything. */
export const able: Capabilities = {
  currencies: ["USD", "EUR", "TRY", "AED", "GBP"],
  brands: ["visa", "mastercard", "amex", "troy", "unknown"],
  acquiringCountries: ["TR"],
  installments: { currencies: ["TRY"], max: 12 },
  threeDS: "redirect",
  partialCapture: "multiple",
  partialRefund: true,
  refundBeforeSettlement: "any",
  authorizationWindow: Duration.days(7),
  query: { byReference: true, absenceProvenAfter: Duration.minutes(1) },
  requires: [],
  reference: { alphabet: "uppercase", length: 20 },
  costBasisPoints: 150
}

export const candidate = (
  provider: string,
  capabilities: Partial<Capabilities> = {},
  changes: Partial<RoutingCandidate> = {}
): RoutingCandidate => ({
  provider,
  capabilities: { ...able, ...capabilities },
  health: "closed",
  successRate: 0.9,
  ...changes
})

export const question = (changes: Partial<RoutingQuestion> = {}): RoutingQuestion => ({
  paymentId: "txn_01h455vb4pex5vsknk084sn02q",
  currency: "TRY",
  minor: 14_990n,
  brand: "visa",
  billingCountry: "TR",
  installment: 1,
  is3DS: false,
  present: [],
  ...changes
})

const Currency = Schema.Literals(["TRY", "EUR"])
const Brand = Schema.Literals(["visa", "troy"])
const Country = Schema.Literals(["TR", "DE"])
const Minor = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 1n, maximum: 1_000n }))

export const Question = Schema.Struct({
  paymentId: Schema.String.check(Schema.isPattern(/^txn_[a-z0-9]{8}$/)),
  currency: Currency,
  minor: Minor,
  brand: Brand,
  billingCountry: Country,
  installment: Schema.Literals([1, 2, 6]),
  is3DS: Schema.Boolean,
  present: Schema.Array(Schema.Literals(["buyer.ip", "buyer.phone"]))
})

const some = <S extends Schema.Top>(item: S) => Schema.Array(item).check(Schema.isMinLength(1), Schema.isMaxLength(3))

const Traits = Schema.Struct({
  currencies: some(Currency),
  brands: some(Brand),
  acquiringCountries: Schema.Array(Country),
  minMinor: Schema.NullOr(Minor),
  maxMinor: Schema.NullOr(Minor),
  installmentsMax: Schema.NullOr(Schema.Literals([2, 6])),
  hasThreeDS: Schema.Boolean,
  requires: Schema.Array(Schema.Literals(["buyer.ip", "buyer.phone"])).check(Schema.isMaxLength(2)),
  costBasisPoints: Schema.Literals([100, 200]),
  health: Schema.Literals(["closed", "halfOpen", "open"]),
  successRate: Schema.Literals([0.5, 0.9, 0.904, 1])
})

export const names = ["akbank", "isbank", "stripe", "adyen", "iyzico"] as const

/** Some of five providers, with a few traits each, in any order. */
export const Candidates = Schema.Struct({
  traits: Schema.Array(Traits).check(Schema.isMinLength(names.length), Schema.isMaxLength(names.length)),
  count: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: names.length }))
})

export const candidatesOf = ({ count, traits }: typeof Candidates.Type): ReadonlyArray<RoutingCandidate> =>
  traits.slice(0, count).map((one, index) => {
    const { installments: _, threeDS: __, ...rest } = able
    return {
      provider: names[index] ?? "",
      health: one.health,
      successRate: one.successRate,
      capabilities: {
        ...rest,
        currencies: one.currencies,
        brands: one.brands,
        acquiringCountries: one.acquiringCountries,
        amount: {
          ...(one.minMinor === null ? {} : { minMinor: one.minMinor }),
          ...(one.maxMinor === null ? {} : { maxMinor: one.maxMinor })
        },
        ...(one.installmentsMax === null
          ? {}
          : { installments: { currencies: ["TRY"] as const, max: one.installmentsMax } }),
        ...(one.hasThreeDS ? { threeDS: "form" as const } : {}),
        requires: one.requires,
        costBasisPoints: one.costBasisPoints
      }
    }
  })

export const Action = Schema.Union([
  Schema.Struct({
    type: Schema.Literals(["prefer", "only", "exclude"]),
    providers: Schema.Array(Schema.Literals([...names, "unconfigured"])).check(Schema.isMaxLength(4))
  }),
  Schema.Struct({
    type: Schema.Literal("split"),
    weights: Schema.Record(Schema.Literals([...names, "unconfigured"]), Schema.Literals([-1, 0, 1, 3]))
  })
])
