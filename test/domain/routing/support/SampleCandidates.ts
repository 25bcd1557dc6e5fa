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

/** What a provider lacks, one thing each; most lack nothing. */
const lacks: ReadonlyArray<Partial<Capabilities>> = [
  { currencies: ["TRY"] },
  { brands: ["troy"] },
  { amount: { minMinor: 500n } },
  { amount: { maxMinor: 500n } },
  { requires: ["buyer.ip"] },
  { requires: ["buyer.ip", "buyer.phone"] },
  { installments: { currencies: ["TRY"], max: 2 } }
]

const Traits = Schema.Struct({
  lack: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 19 })),
  acquiringCountries: Schema.Array(Country).check(Schema.isMaxLength(2)),
  costBasisPoints: Schema.Literals([100, 200]),
  health: Schema.Literals(["closed", "halfOpen", "open"]),
  successRate: Schema.Literals([0.5, 0.9, 0.904, 1]),
  isAskable: Schema.Boolean
})

export const names = ["akbank", "isbank", "stripe", "adyen", "iyzico"] as const

/** Some of five providers, with a few traits each, in any order. */
export const Candidates = Schema.Struct({
  traits: Schema.Array(Traits).check(Schema.isMinLength(names.length), Schema.isMaxLength(names.length)),
  count: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: names.length }))
})

/** Neither 3D Secure nor installments. */
const { installments: _, threeDS: __, ...plain } = able

export const candidatesOf = ({ count, traits }: typeof Candidates.Type): ReadonlyArray<RoutingCandidate> =>
  traits
    .slice(0, count)
    .map(({ acquiringCountries, costBasisPoints, health, isAskable, lack, successRate }, index) => ({
      provider: names[index] ?? "",
      health,
      successRate,
      capabilities: {
        ...(lack === lacks.length ? plain : able),
        acquiringCountries,
        costBasisPoints,
        query: { byReference: isAskable },
        ...lacks[lack]
      }
    }))

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
