import { Role } from "@sarraf/domain/organizations/Caller"
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
  TimeFilter,
  Timestamp,
  Version,
  warnings
} from "./conventions.ts"
import { StrictDecoding } from "./middleware.ts"
import * as problems from "./problems.ts"

const ApiKeyBody = Schema.Struct({
  id: Schema.String,
  version: Version,
  name: Schema.String,
  role: Role,
  last4: Schema.NullOr(Schema.String).annotate({ description: "The key's last four characters" }),
  livemode: Schema.Boolean,
  created_by: Schema.NullOr(Schema.String),
  expires_at: Schema.NullOr(Timestamp),
  last_used_at: Schema.NullOr(Timestamp).annotate({ description: "To the minute" }),
  created_at: Timestamp,
  updated_at: Timestamp
}).annotate({ identifier: "ApiKey" })

const NewApiKeyBody = Schema.Struct({
  ...ApiKeyBody.fields,
  key: Schema.optionalKey(Schema.String).annotate({
    description: "The key, this once: it is not in the answer to a repeated request"
  }),
  ...warnings
}).annotate({ identifier: "NewApiKey" })

/** Body of `POST /api/api-keys`. Without `expires_at` the key lasts until it is revoked. */
export const CreateApiKey = Schema.Struct({
  name: Text(100),
  role: Role,
  expires_at: optional(TimeFilter)
}).annotate({ identifier: "CreateApiKey" })

const list = HttpApiEndpoint.get("list", "/api/api-keys", {
  query: pageQuery,
  success: pageOf(ApiKeyBody, "ApiKeys"),
  error: [problems.InvalidRequest, problems.Forbidden, problems.ServiceUnavailable]
}).annotate(OpenApi.Summary, "List the organization's API keys")

const get = HttpApiEndpoint.get("get", "/api/api-keys/:id", {
  params: idParams,
  success: ApiKeyBody,
  error: [problems.NotFound, problems.Forbidden, problems.ServiceUnavailable]
}).annotate(OpenApi.Summary, "Read an API key, without the key itself")

const create = HttpApiEndpoint.post("create", "/api/api-keys", {
  payload: CreateApiKey,
  success: NewApiKeyBody.pipe(HttpApiSchema.status(201)),
  error: [problems.InvalidRequest, problems.Forbidden, problems.VerificationRequired, problems.ServiceUnavailable]
})
  .annotate(OpenApi.Summary, "Make an API key with a role; it is shown once")
  .annotate(ShownOnce, ["key"])

const revoke = HttpApiEndpoint.delete("revoke", "/api/api-keys/:id", {
  params: idParams,
  headers: ifMatch,
  success: HttpApiSchema.NoContent,
  error: [problems.NotFound, problems.Forbidden, problems.VersionConflict, problems.ServiceUnavailable]
}).annotate(OpenApi.Summary, "Revoke an API key: it is refused from now on, everywhere within five seconds")

/** API keys of the organization (contract section 3). */
export class ApiKeysApi extends HttpApiGroup.make("apiKeys")
  .add(list)
  .add(get)
  .add(create)
  .add(revoke)
  .middleware(StrictDecoding)
  .middleware(Atomic)
  .middleware(Bearer)
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "ignore" }) {}
