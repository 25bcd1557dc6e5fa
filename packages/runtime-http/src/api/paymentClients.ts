import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Atomic, ShownOnce } from "./atomic.ts"
import { Bearer } from "./bearer.ts"
import {
  idParams,
  ifMatch,
  optional,
  pageOf,
  pageQuery,
  Text,
  Timestamp,
  Version,
  warnings,
  wholeNumber
} from "./conventions.ts"
import { StrictDecoding } from "./middleware.ts"
import * as problems from "./problems.ts"

const ClientSecretBody = Schema.Struct({
  number: Schema.Int,
  created_at: Timestamp,
  expires_at: Schema.NullOr(Timestamp).annotate({ description: "Null for the newest one" })
}).annotate({ identifier: "ClientSecret" })

const PaymentClientBody = Schema.Struct({
  id: Schema.String.annotate({ description: "The x-client-id of its requests" }),
  version: Version,
  name: Schema.NullOr(Schema.String),
  created_by: Schema.NullOr(Schema.String),
  secrets: Schema.Array(ClientSecretBody).annotate({ description: "Those that are valid now, newest first" }),
  created_at: Timestamp,
  updated_at: Timestamp
}).annotate({ identifier: "PaymentClient" })

const ShownSecretBody = Schema.Struct({
  ...PaymentClientBody.fields,
  number: Schema.Int.annotate({ description: "Of the new secret" }),
  secret: Schema.optionalKey(Schema.String).annotate({
    description: "The new secret, this once: it is not in the answer to a repeated request"
  }),
  ...warnings
}).annotate({ identifier: "PaymentClientWithSecret" })

/** Body of `POST /api/payment-clients`; there need not be one. */
export const CreatePaymentClient = Schema.Struct({ name: optional(Text(100)) }).annotate({
  identifier: "CreatePaymentClient"
})

/** Body of `POST /api/payment-clients/:id/rotate-secret`; there need not be one. */
export const RotateSecret = Schema.Struct({
  keep_hours: optional(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 168 }))).annotate({
    description: "How long the secret before it stays valid; 24 by default"
  })
}).annotate({ identifier: "RotateSecret" })

const list = HttpApiEndpoint.get("list", "/api/payment-clients", {
  query: pageQuery,
  success: pageOf(PaymentClientBody, "PaymentClients"),
  error: [problems.InvalidRequest, problems.Forbidden, problems.ServiceUnavailable]
}).annotate(OpenApi.Summary, "List the organization's gateway clients")

const get = HttpApiEndpoint.get("get", "/api/payment-clients/:id", {
  params: idParams,
  success: PaymentClientBody,
  error: [problems.NotFound, problems.Forbidden, problems.ServiceUnavailable]
}).annotate(OpenApi.Summary, "Read a gateway client, without its secrets")

const create = HttpApiEndpoint.post("create", "/api/payment-clients", {
  payload: [CreatePaymentClient, Schema.Null],
  success: ShownSecretBody.pipe(HttpApiSchema.status(201)),
  error: [problems.InvalidRequest, problems.Forbidden, problems.VerificationRequired, problems.ServiceUnavailable]
})
  .annotate(OpenApi.Summary, "Make a gateway client; its secret is shown once")
  .annotate(ShownOnce, ["secret"])

const changed = {
  params: idParams,
  headers: ifMatch,
  error: [
    problems.InvalidRequest,
    problems.NotFound,
    problems.Forbidden,
    problems.VersionConflict,
    problems.ServiceUnavailable
  ]
} as const

const rotate = HttpApiEndpoint.post("rotate", "/api/payment-clients/:id/rotate-secret", {
  ...changed,
  payload: [RotateSecret, Schema.Null],
  success: ShownSecretBody
})
  .annotate(OpenApi.Summary, "Make a new secret; the one before it stays valid for keep_hours, two at most at once")
  .annotate(ShownOnce, ["secret"])

const retireSecret = HttpApiEndpoint.delete("retireSecret", "/api/payment-clients/:id/secrets/:number", {
  ...changed,
  params: { id: Schema.String, number: wholeNumber(999_999) },
  success: HttpApiSchema.NoContent
}).annotate(OpenApi.Summary, "End one secret at once")

const retire = HttpApiEndpoint.delete("retire", "/api/payment-clients/:id", {
  ...changed,
  success: HttpApiSchema.NoContent
}).annotate(OpenApi.Summary, "End a gateway client and its secrets; its payments stay")

/** Gateway clients of the organization (contract section 3). */
export class PaymentClientsApi extends HttpApiGroup.make("paymentClients")
  .add(list)
  .add(get)
  .add(create)
  .add(rotate)
  .add(retireSecret)
  .add(retire)
  .middleware(StrictDecoding)
  .middleware(Atomic)
  .middleware(Bearer)
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "ignore" }) {}
