import { approvalStatuses } from "@sarraf/domain/approvals/Approval"
import { Role } from "@sarraf/domain/organizations/Caller"
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Atomic } from "./atomic.ts"
import { AuditPage } from "./audit.ts"
import { Bearer } from "./bearer.ts"
import { idParams, ifMatch, optional, pageOf, pageQuery, Text, Timestamp, Version, warnings } from "./conventions.ts"
import { StrictDecoding } from "./middleware.ts"
import * as problems from "./problems.ts"

const SubjectType = Schema.Literals(["expense", "bill", "purchase_request", "card", "limit_raise"])
const Status = Schema.Literals(approvalStatuses)

/** Who decided what in a step; `on_behalf_of` names the person whose delegate that was. */
const DecisionBody = Schema.Struct({
  by: Schema.String.annotate({ description: "user:usr_… or key:…" }),
  by_name: Schema.NullOr(Schema.String),
  on_behalf_of: Schema.NullOr(Schema.String).annotate({ description: "The person who had delegated: usr_…" }),
  sole_owner: Schema.Boolean.annotate({
    description: "An OWNER decided although concerned, since nobody else was left (sole_owner_may_approve)."
  }),
  decision: Schema.Literals(["approve", "reject"]),
  reason: Schema.NullOr(Schema.String),
  decided_at: Timestamp
}).annotate({ identifier: "ApprovalDecision" })

const StepBody = Schema.Struct({
  number: Schema.Int,
  status: Schema.Literals(["WAITING", ...approvalStatuses]),
  mode: Schema.Literals(["any", "all"]),
  roles: Schema.Array(Role),
  users: Schema.Array(Schema.String),
  manager: Schema.Boolean,
  decisions: Schema.Array(DecisionBody)
}).annotate({ identifier: "ApprovalStep" })

/** Somebody who may decide the open step now. */
const WaitingFor = Schema.Struct({
  user_id: Schema.String,
  name: Schema.String,
  on_behalf_of: Schema.NullOr(Schema.String)
}).annotate({ identifier: "ApprovalDecider" })

const ApprovalBody = Schema.Struct({
  id: Schema.String,
  version: Version,
  status: Status,
  subject: Schema.Struct({ type: SubjectType, id: Schema.String, version: Version }),
  summary: Schema.String,
  submitter_id: Schema.NullOr(Schema.String),
  opened_by: Schema.String,
  current_step: Schema.Int,
  steps: Schema.Array(StepBody),
  waiting_for: Schema.Array(WaitingFor).annotate({
    description: "The persons who may decide the open step now, 100 at most; API keys with the role may decide too."
  }),
  can_decide: Schema.Boolean.annotate({ description: "Whether the caller may decide the open step." }),
  blocked_reason: Schema.NullOr(Schema.String).annotate({
    description: "Why nobody is left who could complete the open step."
  }),
  due_at: Schema.NullOr(Timestamp).annotate({ description: "Then ADMINs and OWNERs may decide the open step too." }),
  escalated_at: Schema.NullOr(Timestamp),
  completed_at: Schema.NullOr(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
  ...warnings
}).annotate({ identifier: "Approval" })

/** Body of `POST /api/approvals/:id/approve` and `…/reject`; there need not be one. */
export const DecideApproval = Schema.Struct({
  reason: optional(Text(1000)),
  version: optional(Version).annotate({
    description: "The version of the subject that the decision is meant for: subject.version."
  })
}).annotate({ identifier: "DecideApproval" })

const list = HttpApiEndpoint.get("list", "/api/approvals", {
  query: {
    ...pageQuery,
    status: Schema.optionalKey(Status),
    mine: Schema.optionalKey(Schema.Literals(["true", "false"])),
    subject_type: Schema.optionalKey(SubjectType),
    subject_id: Schema.optionalKey(Schema.String)
  },
  success: pageOf(ApprovalBody, "Approvals"),
  error: [problems.InvalidRequest, problems.Forbidden, problems.ServiceUnavailable]
}).annotate(OpenApi.Summary, "List approvals, newest first; mine=true: those that you may decide now")

const get = HttpApiEndpoint.get("get", "/api/approvals/:id", {
  params: idParams,
  success: ApprovalBody,
  error: [problems.NotFound, problems.Forbidden, problems.ServiceUnavailable]
}).annotate(OpenApi.Summary, "Read an approval: its steps, what was decided, and for whom it waits")

const history = HttpApiEndpoint.get("history", "/api/approvals/:id/history", {
  params: idParams,
  query: pageQuery,
  success: AuditPage,
  error: [problems.InvalidRequest, problems.NotFound, problems.Forbidden, problems.ServiceUnavailable]
}).annotate(OpenApi.Summary, "Read what was done to an approval, newest first")

const decision = {
  params: idParams,
  headers: ifMatch,
  payload: [DecideApproval, Schema.Null],
  success: ApprovalBody,
  error: [
    problems.InvalidRequest,
    problems.NotFound,
    problems.Forbidden,
    problems.InvalidState,
    problems.VersionConflict,
    problems.PolicyBlocked,
    problems.ServiceUnavailable
  ]
} as const

const approve = HttpApiEndpoint.post("approve", "/api/approvals/:id/approve", decision).annotate(
  OpenApi.Summary,
  "Approve the open step, as POST /api/expenses/:id/approve does"
)

const reject = HttpApiEndpoint.post("reject", "/api/approvals/:id/reject", decision).annotate(
  OpenApi.Summary,
  "Reject the request, as POST /api/expenses/:id/reject does"
)

/** Approvals (contract section 6). */
export class ApprovalsApi extends HttpApiGroup.make("approvals")
  .add(list)
  .add(get)
  .add(history)
  .add(approve)
  .add(reject)
  .middleware(StrictDecoding)
  .middleware(Atomic)
  .middleware(Bearer)
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "ignore" }) {}
