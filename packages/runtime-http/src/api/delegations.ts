import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Atomic } from "./atomic.ts"
import { Bearer } from "./bearer.ts"
import { idParams, optional, pageOf, pageQuery, Text, TimeFilter, Timestamp, warnings } from "./conventions.ts"
import { StrictDecoding } from "./middleware.ts"
import * as problems from "./problems.ts"

const DelegationBody = Schema.Struct({
  id: Schema.String,
  from_user_id: Schema.String,
  to_user_id: Schema.String,
  starts_at: Timestamp,
  ends_at: Timestamp,
  ended_at: Schema.NullOr(Timestamp).annotate({ description: "When it was ended before its time." }),
  reason: Schema.NullOr(Schema.String),
  created_by: Schema.String,
  created_at: Timestamp,
  ...warnings
}).annotate({ identifier: "Delegation" })

/** Body of `POST /api/delegations`. */
export const CreateDelegation = Schema.Struct({
  from_user_id: optional(Schema.String).annotate({ description: "An ADMIN's to give; by default the caller." }),
  to_user_id: Schema.String,
  starts_at: optional(TimeFilter).annotate({ description: "By default, and at the earliest, now." }),
  ends_at: TimeFilter.annotate({ description: "At most 90 days after starts_at." }),
  reason: optional(Text(500))
}).annotate({ identifier: "CreateDelegation" })

const create = HttpApiEndpoint.post("create", "/api/delegations", {
  payload: CreateDelegation,
  success: DelegationBody.pipe(HttpApiSchema.status(201)),
  error: [
    problems.InvalidRequest,
    problems.Forbidden,
    problems.NotFound,
    problems.InvalidState,
    problems.ServiceUnavailable
  ]
}).annotate(OpenApi.Summary, "Let another member decide for a period what a member may decide")

const list = HttpApiEndpoint.get("list", "/api/delegations", {
  query: pageQuery,
  success: pageOf(DelegationBody, "Delegations"),
  error: [problems.InvalidRequest, problems.Forbidden, problems.ServiceUnavailable]
}).annotate(OpenApi.Summary, "List delegations, newest first")

const get = HttpApiEndpoint.get("get", "/api/delegations/:id", {
  params: idParams,
  success: DelegationBody,
  error: [problems.NotFound, problems.Forbidden, problems.ServiceUnavailable]
}).annotate(OpenApi.Summary, "Read a delegation")

const end = HttpApiEndpoint.delete("end", "/api/delegations/:id", {
  params: idParams,
  success: HttpApiSchema.NoContent,
  error: [problems.NotFound, problems.Forbidden, problems.ServiceUnavailable]
}).annotate(OpenApi.Summary, "End a delegation at once; open steps wait for the member again")

/** Who decides for whom (contract section 6, approvals). */
export class DelegationsApi extends HttpApiGroup.make("delegations")
  .add(create)
  .add(list)
  .add(get)
  .add(end)
  .middleware(StrictDecoding)
  .middleware(Atomic)
  .middleware(Bearer)
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "ignore" }) {}
