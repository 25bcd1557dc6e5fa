import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Atomic } from "./atomic.ts"
import { Bearer } from "./bearer.ts"
import { idParams, pageOf, pageQuery, Timestamp, Version } from "./conventions.ts"
import { StrictDecoding } from "./middleware.ts"
import * as problems from "./problems.ts"

const AssistantConnectionBody = Schema.Struct({
  id: Schema.String,
  version: Version,
  user_id: Schema.String,
  client_id: Schema.String,
  client_name: Schema.String.annotate({ description: "As the assistant calls itself; nobody has checked it" }),
  client_host: Schema.NullOr(Schema.String).annotate({
    description: "The host that publishes the assistant's metadata; null for one that has registered itself"
  }),
  redirect_host: Schema.String.annotate({ description: "Where the browser was sent with the code" }),
  expires_at: Timestamp,
  last_used_at: Schema.NullOr(Timestamp).annotate({ description: "To the minute" }),
  created_at: Timestamp,
  updated_at: Timestamp
}).annotate({ identifier: "AssistantConnection" })

const list = HttpApiEndpoint.get("list", "/api/assistant-connections", {
  query: pageQuery,
  success: pageOf(AssistantConnectionBody, "AssistantConnections"),
  error: [problems.InvalidRequest, problems.Forbidden, problems.ServiceUnavailable]
}).annotate(OpenApi.Summary, "List the assistants that you have connected by OAuth; an OWNER sees everybody's")

const revoke = HttpApiEndpoint.delete("revoke", "/api/assistant-connections/:id", {
  params: idParams,
  success: HttpApiSchema.NoContent,
  error: [problems.NotFound, problems.Forbidden, problems.ServiceUnavailable]
}).annotate(OpenApi.Summary, "End a connection of yours at once; an OWNER ends anybody's")

/** Assistants that people have let read what they may read (OAuth 2.1). */
export class AssistantConnectionsApi extends HttpApiGroup.make("assistantConnections")
  .add(list)
  .add(revoke)
  .middleware(StrictDecoding)
  .middleware(Atomic)
  .middleware(Bearer)
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "ignore" }) {}
