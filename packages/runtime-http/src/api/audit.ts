import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Bearer } from "./bearer.ts"
import { optional, pageOf, pageQuery, TimeFilter, Timestamp } from "./conventions.ts"
import { StrictDecoding } from "./middleware.ts"
import * as problems from "./problems.ts"

/** Fields as the API shows them, snake_case. */
const Fields = Schema.Record(Schema.String, Schema.Unknown)

/**
 * One thing that somebody did. `sequence` and `hash` are its place in the organization's chain, null until it is sealed,
 * within a second.
 */
export const AuditEntryBody = Schema.Struct({
  sequence: Schema.NullOr(Schema.Int),
  hash: Schema.NullOr(Schema.String),
  at: Timestamp,
  actor: Schema.String.annotate({ description: "user:usr_…, key:…, system, or operator" }),
  request_id: Schema.String,
  address: Schema.NullOr(Schema.String),
  action: Schema.String.annotate({ description: "Subject and what happened to it: expense.approved" }),
  subject: Schema.Struct({ type: Schema.String, id: Schema.String }),
  before: Schema.NullOr(Fields),
  after: Schema.NullOr(Fields),
  detail: Fields
}).annotate({ identifier: "AuditEntry" })

/** A page of the audit trail, of the whole organization or of one object's history. */
export const AuditPage = pageOf(AuditEntryBody, "AuditEntries")

/** The end of the organization's chain; `sequence` 0 and no time where nothing was sealed yet. */
const AuditHeadBody = Schema.Struct({
  sequence: Schema.Int,
  hash: Schema.String,
  at: Schema.NullOr(Timestamp)
}).annotate({ identifier: "AuditHead" })

const list = HttpApiEndpoint.get("list", "/api/audit", {
  query: {
    ...pageQuery,
    actor: optional(Schema.String),
    action: optional(Schema.String),
    subject_type: optional(Schema.String),
    subject_id: optional(Schema.String),
    from: optional(TimeFilter).annotate({ description: "A time, or a day in the organization's timezone." }),
    to: optional(TimeFilter).annotate({ description: "Before this time, or until the end of this day." })
  },
  success: AuditPage,
  error: [problems.InvalidRequest, problems.Forbidden, problems.ServiceUnavailable]
}).annotate(OpenApi.Summary, "Read what was done in the organization, newest first")

const head = HttpApiEndpoint.get("head", "/api/audit/head", {
  success: AuditHeadBody,
  error: [problems.Forbidden, problems.ServiceUnavailable]
}).annotate(OpenApi.Summary, "Read the end of the organization's audit chain")

/** What was done, by whom and from where (contract section 6). */
export class AuditApi extends HttpApiGroup.make("audit")
  .add(list)
  .add(head)
  .middleware(StrictDecoding)
  .middleware(Bearer)
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "ignore" }) {}
