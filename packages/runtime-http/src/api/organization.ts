import { Schema, SchemaTransformation } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Atomic } from "./atomic.ts"
import { Bearer } from "./bearer.ts"
import { AnyCurrency, ifMatch, isStorable, optional, Text, Timestamp, Version, warnings } from "./conventions.ts"
import { countryCode } from "./country.ts"
import { StrictDecoding } from "./middleware.ts"
import * as problems from "./problems.ts"

const OrganizationBody = Schema.Struct({
  id: Schema.String,
  version: Version,
  name: Schema.String,
  base_currency: Schema.String,
  timezone: Schema.String,
  verification: Schema.Literals(["UNVERIFIED", "PENDING", "VERIFIED", "REJECTED"]),
  strict_signatures: Schema.Boolean,
  api_keys_may_approve: Schema.Boolean,
  sole_owner_may_approve: Schema.Boolean,
  requires_second_factor: Schema.Boolean,
  allowed_origins: Schema.Array(Schema.String),
  created_at: Timestamp,
  updated_at: Timestamp,
  ...warnings
}).annotate({ identifier: "Organization" })

/** As browsers send it in `Origin` (RFC 6454): no path, no default port, in lower case. */
const WebOrigin = Schema.String.check(
  Schema.makeFilter(
    (value: string) =>
      (URL.canParse(value) && new URL(value).origin === value) ||
      "must be an origin as browsers send it, such as https://app.example.com"
  )
)

/** Body of `PATCH /api/organization`: what changes. */
export const ChangeOrganization = Schema.Struct({
  name: optional(Text(200)),
  base_currency: optional(AnyCurrency).annotate({ description: "Fixed once there are expenses" }),
  timezone: optional(Text(100)).annotate({ description: "A name of the IANA database: Europe/Istanbul" }),
  strict_signatures: optional(Schema.Boolean).annotate({
    description: "Its gateway clients sign with x-signature-version 2 alone"
  }),
  api_keys_may_approve: optional(Schema.Boolean),
  sole_owner_may_approve: optional(Schema.Boolean),
  requires_second_factor: optional(Schema.Boolean),
  allowed_origins: optional(Schema.Array(WebOrigin)).annotate({
    description: "Web origins that may call /api from a browser with a bearer credential"
  })
}).annotate({ identifier: "ChangeOrganization" })

const Country = Schema.String.check(
  isStorable,
  Schema.makeFilter(
    (value: string) => countryCode(value) !== undefined || "must be a country: an ISO 3166-1 code such as TR or TUR"
  )
).pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({ decode: (text) => countryCode(text) ?? text, encode: (code) => code })
  )
)

const Website = Text(2_000).check(
  Schema.makeFilter(
    (value: string) =>
      (URL.canParse(value) && /^https?:$/u.test(new URL(value).protocol)) ||
      "must be an address such as https://example.com"
  )
)

/** Body of `POST /api/organization/verification`. */
export const SubmitVerification = Schema.Struct({
  legal_name: Text(200),
  registration_number: Text(100),
  country: Country,
  website: optional(Website)
}).annotate({ identifier: "SubmitVerification" })

const get = HttpApiEndpoint.get("get", "/api/organization", {
  success: OrganizationBody,
  error: [problems.Forbidden, problems.ServiceUnavailable]
}).annotate(OpenApi.Summary, "Read your organization and its settings")

const change = HttpApiEndpoint.patch("change", "/api/organization", {
  headers: ifMatch,
  payload: ChangeOrganization,
  success: OrganizationBody,
  error: [
    problems.InvalidRequest,
    problems.Forbidden,
    problems.InvalidState,
    problems.VersionConflict,
    problems.ServiceUnavailable
  ]
}).annotate(OpenApi.Summary, "Change settings of your organization")

const submit = HttpApiEndpoint.post("submit", "/api/organization/verification", {
  payload: SubmitVerification,
  success: OrganizationBody,
  error: [problems.InvalidRequest, problems.Forbidden, problems.InvalidState, problems.ServiceUnavailable]
}).annotate(OpenApi.Summary, "Submit your business for verification, which live mode demands")

/** The caller's organization (contract sections 3 and 6). */
export class OrganizationApi extends HttpApiGroup.make("organization")
  .add(get)
  .add(change)
  .add(submit)
  .middleware(StrictDecoding)
  .middleware(Atomic)
  .middleware(Bearer)
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "ignore" }) {}
