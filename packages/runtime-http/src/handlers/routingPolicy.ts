import { brandOf } from "@sarraf/domain/payments/CardNumber"
import { PaymentProviders } from "@sarraf/domain/payments/PaymentProvider"
import { optionalFields } from "@sarraf/domain/routing/Capabilities"
import type { Health } from "@sarraf/domain/routing/ProviderHealth"
import type { RoutingPolicyChanged, SavedRoutingPolicy } from "@sarraf/domain/routing/RoutingPolicies"
import { type ImaginedPayment, RoutingSettings, type SimulatedRoute } from "@sarraf/domain/routing/RoutingSettings"
import { Effect, Layer, Struct } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import * as problems from "../api/problems.ts"
import { ChangeRoutingPolicy, ProvidersAtHand, SimulateRouting } from "../api/routingPolicy.ts"
import { RequestId } from "../http/RequestId.ts"
import { expectedVersions, refusals, warningsAbout, withEtag } from "./conventions.ts"

const shared = Struct.pick(refusals, ["RoleMissing", "Unavailable"])

const changed = ({ version }: RoutingPolicyChanged) =>
  Effect.fail(
    new problems.VersionConflict({
      detail: `The present version is ${version}: read the policy again, apply your change to it, and send that version.`
    })
  )

const policyBody = ({ changedAt, changedBy, rules, version }: SavedRoutingPolicy) => ({
  version,
  rules,
  changed_at: changedAt === null ? null : new Date(changedAt).toISOString(),
  changed_by: changedBy
})

const imaginedPayment = (body: typeof SimulateRouting.Type): ImaginedPayment => ({
  currency: body.currency,
  minor: body.amount,
  brand: body.card_brand ?? brandOf(body.card_bin ?? ""),
  billingCountry: body.billing_country,
  installment: body.installment ?? 1,
  is3DS: body.is_3ds ?? false,
  present: body.present_fields ?? optionalFields,
  ...(body.payment_id == null ? {} : { paymentId: body.payment_id })
})

const healthNames = { closed: "closed", halfOpen: "half_open", open: "open" } as const satisfies Record<Health, string>

/** Without cost and success rates, which are the operator's alone. */
const simulatedBody = (route: SimulatedRoute, isSaved: boolean) => ({
  payment_id: route.paymentId,
  order: route.order,
  rule: route.rule,
  policy_version: isSaved ? route.policyVersion : null,
  reasons: route.reasons,
  providers: (route.decidedBy ?? []).map(({ health, provider }) => ({
    provider,
    health: healthNames[health]
  }))
})

const providersAtHand = Layer.effect(
  ProvidersAtHand,
  Effect.map(PaymentProviders, (providers) =>
    ProvidersAtHand.of((handler) => Effect.provideService(handler, PaymentProviders, providers))
  )
)

/** The handlers translate between the wire and the domain and decide nothing. */
export const layer = HttpApiBuilder.group(
  Api,
  "routingPolicy",
  Effect.fn(function* (handlers) {
    const settings = yield* RoutingSettings
    const unknownOfChange = warningsAbout(ChangeRoutingPolicy)
    const unknownOfSimulation = warningsAbout(SimulateRouting)
    return handlers
      .handle("get", () =>
        settings.find.pipe(
          Effect.tap(({ version }) => withEtag(version)),
          Effect.map(policyBody),
          Effect.catchTags(shared)
        )
      )
      .handle("change", ({ headers, payload }) =>
        Effect.gen(function* () {
          const saved = yield* settings.change({
            rules: payload.rules,
            expected: expectedVersions(headers["if-match"], payload.version),
            requestId: (yield* RequestId) ?? ""
          })
          yield* withEtag(saved.version)
          return { ...policyBody(saved), ...(yield* unknownOfChange) }
        }).pipe(Effect.catchTags({ ...shared, RoutingPolicyChanged: changed }))
      )
      .handle("simulate", ({ payload }) =>
        Effect.gen(function* () {
          const rules = payload.rules ?? undefined
          const route = yield* settings.simulate(imaginedPayment(payload), rules)
          return { ...simulatedBody(route, rules === undefined), ...(yield* unknownOfSimulation) }
        }).pipe(Effect.catchTags(shared))
      )
  })
).pipe(Layer.provide(providersAtHand))
