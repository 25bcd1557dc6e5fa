import type { RoleMissing } from "@sarraf/domain/organizations/Caller"
import { brandOf } from "@sarraf/domain/payments/CardNumber"
import { PaymentProviders } from "@sarraf/domain/payments/PaymentProvider"
import { optionalFields } from "@sarraf/domain/routing/Capabilities"
import type { Health } from "@sarraf/domain/routing/ProviderHealth"
import type { RoutingPolicyChanged, SavedRoutingPolicy } from "@sarraf/domain/routing/RoutingPolicies"
import { type ImaginedPayment, RoutingSettings, type SimulatedRoute } from "@sarraf/domain/routing/RoutingSettings"
import { Effect, Layer } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import * as problems from "../api/problems.ts"
import { ChangeRoutingPolicy, ProvidersAtHand, SimulateRouting } from "../api/routingPolicy.ts"
import type { Fault } from "../http/formatFaults.ts"
import { RequestId } from "../http/RequestId.ts"
import { unknownFields } from "../http/unknownFields.ts"

const shared = {
  RoleMissing: ({ needed }: RoleMissing) =>
    Effect.fail(new problems.Forbidden({ detail: `This takes one of the roles ${needed.join(", ")}.` })),
  Unavailable: () => Effect.fail(new problems.ServiceUnavailable({ detail: "Send the request again in a moment." }))
}

const changed = ({ version }: RoutingPolicyChanged) =>
  Effect.fail(
    new problems.VersionConflict({
      detail: `The present version is ${version}: read the policy again, apply your change to it, and send that version.`
    })
  )

const withEtag = (version: number) =>
  HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.succeed(HttpServerResponse.setHeader(response, "etag", `"${version}"`))
  )

/** The versions that a change is meant for; undefined: any. What If-Match names and is no version of ours fits none. */
const expectedVersions = (
  ifMatch: string | undefined,
  version: number | null | undefined
): ReadonlyArray<number> | undefined => {
  const tags = ifMatch === undefined || ifMatch.trim() === "*" ? undefined : ifMatch.split(",")
  const named = tags?.flatMap((tag) => {
    const [, digits] = /^(?:"(\d{1,9})"|\d{1,9})$/u.exec(tag.trim()) ?? []
    return digits === undefined ? [] : [Number(digits)]
  })
  if (version == null) return named
  return named === undefined || named.includes(version) ? [version] : []
}

const warningsOf = (found: ReadonlyArray<Fault>) => (found.length === 0 ? {} : { warnings: found })

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
    const unknownOfChange = unknownFields(ChangeRoutingPolicy)
    const unknownOfSimulation = unknownFields(SimulateRouting)
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
          return { ...policyBody(saved), ...warningsOf(yield* unknownOfChange) }
        }).pipe(Effect.catchTags({ ...shared, RoutingPolicyChanged: changed }))
      )
      .handle("simulate", ({ payload }) =>
        Effect.gen(function* () {
          const rules = payload.rules ?? undefined
          const route = yield* settings.simulate(imaginedPayment(payload), rules)
          return { ...simulatedBody(route, rules === undefined), ...warningsOf(yield* unknownOfSimulation) }
        }).pipe(Effect.catchTags(shared))
      )
  })
).pipe(Layer.provide(providersAtHand))
