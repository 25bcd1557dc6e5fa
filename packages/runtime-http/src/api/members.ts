import { Role } from "@sarraf/domain/organizations/Caller"
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Atomic, ShownOnce } from "./atomic.ts"
import { AuditPage } from "./audit.ts"
import { Bearer } from "./bearer.ts"
import {
  idParams,
  ifMatch,
  isStorable,
  optional,
  pageOf,
  pageQuery,
  Text,
  Timestamp,
  Version,
  warnings
} from "./conventions.ts"
import { StrictDecoding } from "./middleware.ts"
import * as problems from "./problems.ts"

const Status = Schema.Literals(["INVITED", "ACTIVE", "INACTIVE"])

const member = {
  id: Schema.String,
  email: Schema.String,
  name: Schema.String,
  role: Role,
  status: Status,
  department_id: Schema.NullOr(Schema.String),
  manager_id: Schema.NullOr(Schema.String),
  version: Version,
  created_at: Timestamp,
  updated_at: Timestamp
}

const MemberBody = Schema.Struct({ ...member, ...warnings }).annotate({ identifier: "Member" })

/** A member with the one-time link for them, which is shown once and not sent by us. */
const InvitedMemberBody = Schema.Struct({
  ...member,
  invitation_url: Schema.String,
  invitation_expires_at: Timestamp,
  ...warnings
}).annotate({ identifier: "InvitedMember" })

const PasswordResetBody = Schema.Struct({ reset_url: Schema.String, reset_expires_at: Timestamp }).annotate({
  identifier: "PasswordReset"
})

/** Visible ASCII, as mail systems take it everywhere. */
const Email = Schema.String.check(
  Schema.isMaxLength(254),
  Schema.isPattern(/^[\x21-\x3f\x41-\x7e]+@[A-Za-z0-9.-]+\.[A-Za-z0-9-]{2,}$/u, {
    message: "must be an e-mail address such as name@example.com"
  })
)

const Id = Schema.String.check(isStorable, Schema.isMaxLength(64))

/** Body of `POST /api/members`. */
export const InviteMember = Schema.Struct({
  email: Email,
  name: optional(Text(200)),
  role: Role,
  department_id: optional(Id),
  manager_id: optional(Id)
}).annotate({ identifier: "InviteMember" })

/** Body of `PATCH /api/members/:id`. */
export const ChangeMember = Schema.Struct({
  name: optional(Text(200)),
  role: optional(Role),
  department_id: optional(Id).annotate({ description: "null: none" }),
  manager_id: optional(Id).annotate({ description: "null: none" }),
  status: optional(Schema.Literals(["ACTIVE", "INACTIVE"]))
}).annotate({ identifier: "ChangeMember" })

const refused = [problems.Forbidden, problems.ServiceUnavailable] as const

const list = HttpApiEndpoint.get("list", "/api/members", {
  query: { ...pageQuery, role: optional(Role), status: optional(Status), department_id: optional(Id) },
  success: pageOf(MemberBody, "Members"),
  error: [problems.InvalidRequest, ...refused]
}).annotate(OpenApi.Summary, "List the organization's members; a MEMBER sees itself")

const get = HttpApiEndpoint.get("get", "/api/members/:id", {
  params: idParams,
  success: MemberBody,
  error: [problems.NotFound, ...refused]
}).annotate(OpenApi.Summary, "Read a member")

const history = HttpApiEndpoint.get("history", "/api/members/:id/history", {
  params: idParams,
  query: pageQuery,
  success: AuditPage,
  error: [problems.InvalidRequest, problems.NotFound, ...refused]
}).annotate(OpenApi.Summary, "Read what was done to a member, newest first")

const invite = HttpApiEndpoint.post("invite", "/api/members", {
  payload: InviteMember,
  success: InvitedMemberBody.pipe(HttpApiSchema.status(201)),
  error: [problems.InvalidRequest, problems.NotFound, problems.InvalidState, ...refused]
})
  .annotate(OpenApi.Summary, "Invite somebody; the one-time link is shown once and yours to hand over")
  .annotate(ShownOnce, ["invitation_url"])

const inviteAgain = HttpApiEndpoint.post("inviteAgain", "/api/members/:id/invitation", {
  params: idParams,
  success: InvitedMemberBody,
  error: [problems.NotFound, problems.InvalidState, ...refused]
})
  .annotate(OpenApi.Summary, "Make a new invitation link; the former one is dead")
  .annotate(ShownOnce, ["invitation_url"])

const resetPassword = HttpApiEndpoint.post("resetPassword", "/api/members/:id/password-reset", {
  params: idParams,
  success: PasswordResetBody,
  error: [problems.NotFound, problems.InvalidState, ...refused]
})
  .annotate(OpenApi.Summary, "Make a one-time link for a new password of a member of this organization alone")
  .annotate(ShownOnce, ["reset_url"])

const change = HttpApiEndpoint.patch("change", "/api/members/:id", {
  params: idParams,
  headers: ifMatch,
  payload: ChangeMember,
  success: MemberBody,
  error: [problems.InvalidRequest, problems.NotFound, problems.InvalidState, problems.VersionConflict, ...refused]
}).annotate(OpenApi.Summary, "Change a member's role, place, name, or whether it is active")

/** The organization's people (contract section 6). */
export class MembersApi extends HttpApiGroup.make("members")
  .add(list)
  .add(get)
  .add(history)
  .add(invite)
  .add(inviteAgain)
  .add(resetPassword)
  .add(change)
  .middleware(StrictDecoding)
  .middleware(Atomic)
  .middleware(Bearer)
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "ignore" }) {}
