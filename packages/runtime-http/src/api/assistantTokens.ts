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

const AssistantTokenBody = Schema.Struct({
  id: Schema.String,
  version: Version,
  user_id: Schema.String,
  name: Schema.String,
  last4: Schema.String.annotate({ description: "The token's last four characters" }),
  expires_at: Timestamp,
  last_used_at: Schema.NullOr(Timestamp).annotate({ description: "To the minute" }),
  created_at: Timestamp,
  updated_at: Timestamp
}).annotate({ identifier: "AssistantToken" })

const NewAssistantTokenBody = Schema.Struct({
  ...AssistantTokenBody.fields,
  token: Schema.optionalKey(Schema.String).annotate({
    description: "The token, this once: it is not in the answer to a repeated request"
  }),
  ...warnings
}).annotate({ identifier: "NewAssistantToken" })

/** Body of `POST /api/assistant-tokens`. Without `expires_at` the token lives 90 days; 365 at most. */
export const CreateAssistantToken = Schema.Struct({
  name: Text(100),
  expires_at: optional(TimeFilter)
}).annotate({ identifier: "CreateAssistantToken" })

const list = HttpApiEndpoint.get("list", "/api/assistant-tokens", {
  query: pageQuery,
  success: pageOf(AssistantTokenBody, "AssistantTokens"),
  error: [problems.InvalidRequest, problems.Forbidden, problems.ServiceUnavailable]
}).annotate(OpenApi.Summary, "List your tokens for the assistant server; an OWNER sees everybody's")

const create = HttpApiEndpoint.post("create", "/api/assistant-tokens", {
  payload: CreateAssistantToken,
  success: NewAssistantTokenBody.pipe(HttpApiSchema.status(201)),
  error: [problems.InvalidRequest, problems.Forbidden, problems.ServiceUnavailable]
})
  .annotate(OpenApi.Summary, "Make a token with which an assistant reads what you may read; it is shown once")
  .annotate(ShownOnce, ["token"])

const revoke = HttpApiEndpoint.delete("revoke", "/api/assistant-tokens/:id", {
  params: idParams,
  headers: ifMatch,
  success: HttpApiSchema.NoContent,
  error: [problems.NotFound, problems.Forbidden, problems.VersionConflict, problems.ServiceUnavailable]
}).annotate(OpenApi.Summary, "Revoke a token of yours; an OWNER revokes anybody's")

/** Tokens for the assistant server, which no other endpoint takes (contract section 3). */
export class AssistantTokensApi extends HttpApiGroup.make("assistantTokens")
  .add(list)
  .add(create)
  .add(revoke)
  .middleware(StrictDecoding)
  .middleware(Atomic)
  .middleware(Bearer)
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "ignore" }) {}
