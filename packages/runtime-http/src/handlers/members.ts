import { MemberDirectory, type MemberLink } from "@sarraf/domain/organizations/MemberDirectory"
import type { Member } from "@sarraf/domain/organizations/Members"
import { Effect, Redacted, Struct } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { ChangeMember, InviteMember } from "../api/members.ts"
import { PublicAddress } from "../auth/PublicAddress.ts"
import { historyOf } from "./audit.ts"
import {
  expectedVersions,
  pageBody,
  pageRequest,
  refusals,
  timeOf,
  warningsAbout,
  withEtag,
  withLocation,
  withSecretShown
} from "./conventions.ts"

const ofList = Struct.pick(refusals, ["RoleMissing", "Unavailable"])
const ofGet = Struct.pick(refusals, ["RoleMissing", "NotFound", "Unavailable"])
const ofLink = Struct.pick(refusals, ["RoleMissing", "Forbidden", "NotFound", "StateRefused", "Unavailable"])
const ofInvite = { ...ofLink, ...Struct.pick(refusals, ["InvalidFields"]) }
const ofChange = { ...ofInvite, ...Struct.pick(refusals, ["VersionConflict"]) }

const memberBody = (member: Member) => ({
  id: member.userId,
  email: member.email,
  name: member.name,
  role: member.role,
  status: member.status,
  department_id: member.departmentId,
  manager_id: member.managerId,
  version: member.version,
  created_at: timeOf(member.createdAt),
  updated_at: timeOf(member.updatedAt)
})

/** The handlers translate between the wire and the domain and decide nothing. */
export const layer = HttpApiBuilder.group(
  Api,
  "members",
  Effect.fn(function* (handlers) {
    const directory = yield* MemberDirectory
    const { baseUrl } = yield* PublicAddress
    const unknownOfInvite = warningsAbout(InviteMember)
    const unknownOfChange = warningsAbout(ChangeMember)

    const urlOf = ({ token }: MemberLink) => `${baseUrl}/account/${Redacted.value(token)}`
    const invitedBody = (link: MemberLink) => ({
      ...memberBody(link.member),
      invitation_url: urlOf(link),
      invitation_expires_at: timeOf(link.expiresAt)
    })

    return handlers
      .handle("list", ({ query }) =>
        Effect.gen(function* () {
          const page = yield* pageRequest("members", query)
          const filter = {
            ...(query.role == null ? {} : { role: query.role }),
            ...(query.status == null ? {} : { status: query.status }),
            ...(query.department_id == null ? {} : { departmentId: query.department_id })
          }
          return pageBody("members", query, yield* directory.list(filter, page), ({ userId }) => userId, memberBody)
        }).pipe(Effect.catchTags(ofList))
      )
      .handle("get", ({ params }) =>
        directory.find(params.id).pipe(
          Effect.tap(({ version }) => withEtag(version)),
          Effect.map(memberBody),
          Effect.catchTags(ofGet)
        )
      )
      .handle("history", (request) => historyOf("members", directory.history)(request).pipe(Effect.catchTags(ofGet)))
      .handle("invite", ({ payload }) =>
        Effect.gen(function* () {
          const link = yield* directory.invite({
            email: payload.email.toLowerCase(),
            name: payload.name?.trim(),
            role: payload.role,
            departmentId: payload.department_id ?? null,
            managerId: payload.manager_id ?? null
          })
          yield* withLocation(`/api/members/${link.member.userId}`)
          yield* withEtag(link.member.version)
          yield* withSecretShown
          return { ...invitedBody(link), ...(yield* unknownOfInvite) }
        }).pipe(Effect.catchTags(ofInvite))
      )
      .handle("inviteAgain", ({ params }) =>
        directory.inviteAgain(params.id).pipe(
          Effect.tap(({ member }) => Effect.andThen(withEtag(member.version), withSecretShown)),
          Effect.map(invitedBody),
          Effect.catchTags(ofLink)
        )
      )
      .handle("resetPassword", ({ params }) =>
        directory.resetPassword(params.id).pipe(
          Effect.tap(() => withSecretShown),
          Effect.map((link) => ({ reset_url: urlOf(link), reset_expires_at: timeOf(link.expiresAt) })),
          Effect.catchTags(ofLink)
        )
      )
      .handle("change", ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const change = {
            name: payload.name?.trim(),
            role: payload.role ?? undefined,
            departmentId: payload.department_id,
            managerId: payload.manager_id,
            status: payload.status ?? undefined
          }
          const changed = yield* directory.change(params.id, change, expectedVersions(headers["if-match"]))
          yield* withEtag(changed.version)
          return { ...memberBody(changed), ...(yield* unknownOfChange) }
        }).pipe(Effect.catchTags(ofChange))
      )
  })
)
