import { Schema } from "effect"
import { approvalStatuses } from "../approvals/Approval.ts"
import type { ApprovalDocument } from "../approvals/ApprovalDocument.ts"
import { typeId } from "../identifiers/TypeId.ts"
import { Role } from "../organizations/Caller.ts"
import type { EventDescription } from "./EventDescription.ts"
import { Actor, ObjectVersion, Timestamp } from "./PayloadFields.ts"

const Decision = Schema.Struct({
  by: Actor,
  by_name: Schema.NullOr(Schema.String),
  on_behalf_of: Schema.NullOr(Schema.String).annotate({ description: "The person whose delegate decided: usr_…" }),
  sole_owner: Schema.Boolean,
  decision: Schema.Literals(["approve", "reject"]),
  reason: Schema.NullOr(Schema.String),
  decided_at: Timestamp
})

const Step = Schema.Struct({
  number: Schema.Int.annotate({ description: "From 1" }),
  status: Schema.Literals(["WAITING", ...approvalStatuses]),
  mode: Schema.Literals(["any", "all"]),
  roles: Schema.Array(Role),
  users: Schema.Array(Schema.String),
  manager: Schema.Boolean,
  decisions: Schema.Array(Decision)
})

const WaitingFor = Schema.Struct({
  user_id: Schema.String,
  name: Schema.String,
  on_behalf_of: Schema.NullOr(Schema.String)
})

/** An approval as `GET /api/approvals/:id` shows it to everybody: what `approvalDocument` gives. */
export const ApprovalObject = Schema.Struct({
  id: typeId("apr"),
  version: ObjectVersion,
  status: Schema.Literals(approvalStatuses),
  subject: Schema.Struct({
    type: Schema.Literals(["expense", "bill", "purchase_request", "card", "limit_raise"]),
    id: Schema.String,
    version: ObjectVersion
  }).annotate({ description: "What is to be decided, and the version of it that the decision is bound to" }),
  summary: Schema.String,
  submitter_id: Schema.NullOr(Schema.String),
  opened_by: Actor,
  current_step: Schema.Int.annotate({ description: "From 1" }),
  steps: Schema.Array(Step),
  waiting_for: Schema.Array(WaitingFor).annotate({
    description: "The persons who may decide the open step now, 100 at most; empty once the approval has ended"
  }),
  blocked_reason: Schema.NullOr(Schema.String).annotate({
    description: "Why nobody is left who could complete the open step"
  }),
  due_at: Schema.NullOr(Timestamp).annotate({ description: "Then ADMINs and OWNERs may decide the open step too" }),
  escalated_at: Schema.NullOr(Timestamp),
  completed_at: Schema.NullOr(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp
})

const shared = { object: ApprovalObject, objectName: "approval", prefix: "apr" }

const step = { number: 1, mode: "any", roles: ["APPROVER"], users: [], manager: false } as const

const requested: ApprovalDocument = {
  id: "apr_01kd9a2q4hf2d8r6b5p9yxw0ne",
  version: 1,
  status: "OPEN",
  subject: { type: "expense", id: "exp_01kd9a2q4he8v9xmq2hv3gk7tz", version: 2 },
  summary: "Migros, 1249.90 TRY",
  submitter_id: "usr_01kd8z0000e0080000000000p4",
  opened_by: "user:usr_01kd8z0000e0080000000000p4",
  current_step: 1,
  steps: [{ ...step, status: "OPEN", decisions: [] }],
  waiting_for: [{ user_id: "usr_01kd8z0000e0080000000000p3", name: "Ayşe Approver", on_behalf_of: null }],
  blocked_reason: null,
  due_at: "2026-11-05T19:41:07.312Z",
  escalated_at: null,
  completed_at: null,
  created_at: "2026-11-02T19:41:07.312Z",
  updated_at: "2026-11-02T19:41:07.312Z"
}

const decision = {
  by: "user:usr_01kd8z0000e0080000000000p3",
  by_name: "Ayşe Approver",
  on_behalf_of: null,
  sole_owner: false,
  decision: "approve",
  reason: null,
  decided_at: "2026-11-03T08:05:33.904Z"
} as const

/** The two events of approvals. */
export const approvalEvents = {
  "approval.requested": {
    ...shared,
    happens:
      "A step of an approval was opened, the first one or the next: those in waiting_for are asked to decide it.",
    example: { object: requested }
  },
  "approval.completed": {
    ...shared,
    happens:
      "An approval has ended by a decision: APPROVED in its last step, or REJECTED in any. One whose request was withdrawn or changed is CANCELLED without this event.",
    example: {
      object: {
        ...requested,
        version: 2,
        status: "APPROVED",
        steps: [{ ...step, status: "APPROVED", decisions: [decision] }],
        waiting_for: [],
        due_at: null,
        completed_at: "2026-11-03T08:05:33.904Z",
        updated_at: "2026-11-03T08:05:33.904Z"
      }
    }
  }
} as const satisfies Readonly<Record<`approval.${string}`, EventDescription>>
