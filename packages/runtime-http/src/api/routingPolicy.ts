import { typeId } from "@sarraf/domain/identifiers/TypeId"
import { PaymentCurrency } from "@sarraf/domain/money/Currency"
import { fromDecimal, toDecimal } from "@sarraf/domain/money/Money"
import { cardBrands } from "@sarraf/domain/payments/CardNumber"
import { PaymentProviders } from "@sarraf/domain/payments/PaymentProvider"
import { optionalFields } from "@sarraf/domain/routing/Capabilities"
import {
  RoutingCondition,
  RoutingRule,
  RoutingRules,
  RuleName,
  routingActionOf,
  someOf
} from "@sarraf/domain/routing/RoutingPolicy"
import { Effect, Result, Schema, SchemaGetter, SchemaTransformation } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiMiddleware, OpenApi } from "effect/http-api"
import { Bearer } from "./bearer.ts"
import { ifMatch, isStorable, optional, present, Version, warnings } from "./conventions.ts"
import { countryCode } from "./country.ts"
import { StrictDecoding } from "./middleware.ts"
import { AmountOfPayment } from "./paymentRequests.ts"
import * as problems from "./problems.ts"

/** Only what this installation can route to: another name would be a rule that never applies. */
const KnownProvider = Schema.String.pipe(
  Schema.decode({
    decode: SchemaGetter.checkEffect((id: string) =>
      Effect.map(
        PaymentProviders,
        (providers) => providers.has(id) || "is not a provider of this installation: /pf/v1/capabilities lists them"
      )
    ),
    encode: SchemaGetter.passthrough()
  })
)

const Country = Schema.String.check(
  isStorable,
  Schema.makeFilter(
    (value: string) =>
      countryCode(value) !== undefined ||
      "must be a country: an ISO 3166-1 code such as TR or TUR, or its English or Turkish name"
  )
).pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({ decode: (text) => countryCode(text) ?? text, encode: (code) => code })
  )
)

/** Minor units; all five currencies have two decimals. The schema has checked the text before. */
const Minor = AmountOfPayment.pipe(
  Schema.decodeTo(
    Schema.BigInt,
    SchemaTransformation.transform({
      decode: (amount) => Result.getOrThrow(fromDecimal("EUR", String(amount))).minor,
      encode: (minor) => Number(toDecimal("EUR", minor))
    })
  )
)

const Installment = Schema.Int.check(
  Schema.makeFilter((count: number) => (count >= 1 && count <= 12) || "must be a whole number from 1 to 12")
)

const Condition = Schema.Struct({
  currencies: optional(someOf(PaymentCurrency)),
  countries: optional(someOf(Country)),
  brands: optional(someOf(Schema.Literals(cardBrands))),
  min_amount: optional(Minor),
  max_amount: optional(Minor),
  min_installment: optional(Installment),
  max_installment: optional(Installment),
  is_3ds: optional(Schema.Boolean)
})
  .annotate({ identifier: "RoutingCondition" })
  .pipe(
    Schema.decodeTo(
      Schema.toType(RoutingCondition),
      SchemaTransformation.transform({
        decode: ({ brands, countries, currencies, is_3ds, max_amount, max_installment, min_amount, min_installment }) =>
          present({
            currencies,
            countries,
            brands,
            minMinor: min_amount,
            maxMinor: max_amount,
            minInstallment: min_installment,
            maxInstallment: max_installment,
            is3DS: is_3ds
          }),
        encode: ({ brands, countries, currencies, is3DS, maxInstallment, maxMinor, minInstallment, minMinor }) =>
          present({
            currencies,
            countries,
            brands,
            min_amount: minMinor,
            max_amount: maxMinor,
            min_installment: minInstallment,
            max_installment: maxInstallment,
            is_3ds: is3DS
          })
      })
    )
  )

/** A rule of the policy; without `when` it applies to every payment. */
const Rule = Schema.Struct({
  name: RuleName,
  when: Schema.optionalKey(Condition),
  action: routingActionOf(KnownProvider)
})
  .annotate({ identifier: "RoutingRule" })
  .pipe(
    Schema.decodeTo(
      Schema.toType(RoutingRule),
      SchemaTransformation.transform({ decode: (rule) => ({ when: {}, ...rule }), encode: (rule) => rule })
    )
  )

const Rules = Schema.Array(Rule).pipe(Schema.decodeTo(Schema.toType(RoutingRules)))

const RoutingPolicyBody = Schema.Struct({
  version: Version,
  rules: Rules,
  changed_at: Schema.NullOr(Schema.String.annotate({ format: "date-time" })),
  changed_by: Schema.NullOr(Schema.String),
  ...warnings
}).annotate({ identifier: "RoutingPolicy" })

/** Body of `PUT /api/routing-policy`: all rules; `version` is the one that they take the place of. */
export const ChangeRoutingPolicy = Schema.Struct({ version: optional(Version), rules: Rules }).annotate({
  identifier: "ChangeRoutingPolicy"
})

/**
 * Body of `POST /api/routing-policy/simulate`: a payment that nobody makes. `present_fields` are the optional fields of
 * the payment request that it would carry, by default all; `payment_id` decides a split, by default a new one.
 */
export const SimulateRouting = Schema.Struct({
  currency: PaymentCurrency,
  amount: Minor,
  card_brand: optional(Schema.Literals(cardBrands)),
  card_bin: optional(
    Schema.String.check(Schema.isPattern(/^\d{6,8}$/u, { message: "must be the first 6 to 8 digits of a card" }))
  ),
  billing_country: Country,
  installment: optional(Installment),
  is_3ds: optional(Schema.Boolean),
  present_fields: optional(Schema.Array(Schema.Literals(optionalFields))),
  rules: optional(Rules),
  payment_id: optional(typeId("txn"))
})
  .check(
    Schema.makeFilter(({ card_bin, card_brand }) => {
      if (card_bin != null && card_brand != null) return { path: ["card_bin"], issue: "must not come with card_brand" }
      return card_bin != null || card_brand != null
        ? undefined
        : { path: ["card_brand"], issue: "is required where card_bin is not given" }
    })
  )
  .annotate({ identifier: "SimulateRouting" })

const SimulatedRouteBody = Schema.Struct({
  payment_id: Schema.String,
  order: Schema.Array(Schema.String),
  rule: Schema.NullOr(Schema.String),
  /** Null for rules that are not saved. */
  policy_version: Schema.NullOr(Version),
  reasons: Schema.Record(Schema.String, Schema.String),
  providers: Schema.Array(
    Schema.Struct({
      provider: Schema.String,
      health: Schema.Literals(["closed", "half_open", "open"])
    })
  ),
  ...warnings
}).annotate({ identifier: "SimulatedRoute" })

const get = HttpApiEndpoint.get("get", "/api/routing-policy", {
  success: RoutingPolicyBody,
  error: [problems.Forbidden, problems.ServiceUnavailable]
}).annotate(OpenApi.Summary, "Read the organization's routing policy")

const change = HttpApiEndpoint.put("change", "/api/routing-policy", {
  headers: ifMatch,
  payload: ChangeRoutingPolicy,
  success: RoutingPolicyBody,
  error: [problems.InvalidRequest, problems.Forbidden, problems.VersionConflict, problems.ServiceUnavailable]
}).annotate(OpenApi.Summary, "Replace the organization's routing policy; the version, or If-Match, guards it")

const simulate = HttpApiEndpoint.post("simulate", "/api/routing-policy/simulate", {
  payload: SimulateRouting,
  success: SimulatedRouteBody,
  error: [problems.InvalidRequest, problems.Forbidden, problems.ServiceUnavailable]
}).annotate(OpenApi.Summary, "See where a payment would be routed, by the policy or by rules that are not saved")

/** Lets the requests be read with the installation's providers at hand, so that a rule names none that it has not. */
export class ProvidersAtHand extends HttpApiMiddleware.Service<ProvidersAtHand, { provides: PaymentProviders }>()(
  "@sarraf/runtime-http/api/ProvidersAtHand"
) {}

/** An organization's routing policy (contract section 4, routing). */
export class RoutingPolicyApi extends HttpApiGroup.make("routingPolicy")
  .add(get)
  .add(change)
  .add(simulate)
  .middleware(StrictDecoding)
  .middleware(ProvidersAtHand)
  .middleware(Bearer)
  // Unknown fields are ignored and named in `warnings`; every other fault is told at once (contract section 1).
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "ignore" }) {}
