import { OrganizationSettings } from "@sarraf/domain/organizations/OrganizationSettings"
import type { Organization } from "@sarraf/domain/organizations/Organizations"
import { Effect, Struct } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { present } from "../api/conventions.ts"
import { ChangeOrganization, SubmitVerification } from "../api/organization.ts"
import { GatewayMode } from "../auth/GatewayMode.ts"
import { expectedVersions, refusals, timeOf, warningsAbout, withEtag } from "./conventions.ts"

const ofReading = Struct.pick(refusals, ["RoleMissing", "Unavailable"])
const ofChange = Struct.pick(refusals, [
  "InvalidFields",
  "RoleMissing",
  "StateRefused",
  "Unavailable",
  "VersionConflict"
])
const ofSubmission = Struct.pick(refusals, ["RoleMissing", "StateRefused", "Unavailable"])

const organizationBody = (organization: Organization) => ({
  id: organization.id,
  version: organization.version,
  name: organization.name,
  base_currency: organization.baseCurrency,
  timezone: organization.timezone,
  verification: organization.verification,
  strict_signatures: organization.strictSignatures,
  api_keys_may_approve: organization.apiKeysMayApprove,
  sole_owner_may_approve: organization.soleOwnerMayApprove,
  requires_second_factor: organization.requiresSecondFactor,
  allowed_origins: organization.allowedOrigins,
  created_at: timeOf(organization.createdAt),
  updated_at: timeOf(organization.updatedAt)
})

const settingsOf = (body: typeof ChangeOrganization.Type) =>
  present({
    name: body.name,
    baseCurrency: body.base_currency,
    timezone: body.timezone,
    strictSignatures: body.strict_signatures,
    apiKeysMayApprove: body.api_keys_may_approve,
    soleOwnerMayApprove: body.sole_owner_may_approve,
    requiresSecondFactor: body.requires_second_factor,
    allowedOrigins: body.allowed_origins
  })

/** The handlers translate between the wire and the domain and decide nothing. */
export const layer = HttpApiBuilder.group(
  Api,
  "organization",
  Effect.fn(function* (handlers) {
    const settings = yield* OrganizationSettings
    const { livemode } = yield* GatewayMode
    const unknownOfChange = warningsAbout(ChangeOrganization)
    const unknownOfSubmission = warningsAbout(SubmitVerification)
    return handlers
      .handle("get", () =>
        settings.find.pipe(
          Effect.tap(({ version }) => withEtag(version)),
          Effect.map(organizationBody),
          Effect.catchTags(ofReading)
        )
      )
      .handle("change", ({ headers, payload }) =>
        Effect.gen(function* () {
          const expected = expectedVersions(headers["if-match"])
          const organization = yield* settings.change(settingsOf(payload), { expected, livemode })
          yield* withEtag(organization.version)
          return { ...organizationBody(organization), ...(yield* unknownOfChange) }
        }).pipe(Effect.catchTags(ofChange))
      )
      .handle("submit", ({ payload }) =>
        Effect.gen(function* () {
          const organization = yield* settings.submit({
            legalName: payload.legal_name,
            registrationNumber: payload.registration_number,
            country: payload.country,
            website: payload.website ?? null
          })
          yield* withEtag(organization.version)
          return { ...organizationBody(organization), ...(yield* unknownOfSubmission) }
        }).pipe(Effect.catchTags(ofSubmission))
      )
  })
)
