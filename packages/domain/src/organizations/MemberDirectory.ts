import { Clock, Context, Effect, Layer, type Redacted } from "effect"
import { type AuditRecord, AuditTrail } from "../audit/AuditTrail.ts"
import { Forbidden, type InvalidFields, NotFound, StateRefused, VersionConflict } from "../errors/Refusals.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import { Identifiers } from "../identifiers/TypeId.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import { type AccountLinkKind, AccountLinks, linkMillisMax } from "./AccountLinks.ts"
import { Caller, personsBehind, type Role, type RoleMissing } from "./Caller.ts"
import { changeMember, type MemberChange, memberAudit, ownerFault, placeFaults } from "./MemberRules.ts"
import { type MemberFilter, MemberStore } from "./MemberStore.ts"
import { type Member, Members } from "./Members.ts"
import { People } from "./People.ts"
import { permitted } from "./Permissions.ts"
import { SecretTokens } from "./SecretTokens.ts"
import { SessionStore } from "./SessionStore.ts"
import { UnitOfWork } from "./UnitOfWork.ts"

/** Somebody who is to become a member. */
export interface Invitation {
  /** In lower case. */
  readonly email: string
  /** Undefined: what stands before the `@`. */
  readonly name: string | undefined
  readonly role: Role
  readonly departmentId: string | null
  readonly managerId: string | null
}

/** A member, and the token of a link that was just made for them; shown once. */
export interface MemberLink {
  readonly member: Member
  readonly token: Redacted.Redacted<string>
  readonly expiresAt: number
}

type Refusal = Forbidden | NotFound | RoleMissing | StateRefused | Unavailable

/** Driving port: the organization's members (contract section 6). */
export class MemberDirectory extends Context.Service<
  MemberDirectory,
  {
    /** Who may read only their own sees themselves. */
    list(
      filter: Omit<MemberFilter, "userIds">,
      page: PageRequest
    ): Effect.Effect<Page<Member>, RoleMissing | Unavailable, Caller>
    find(userId: string): Effect.Effect<Member, NotFound | RoleMissing | Unavailable, Caller>
    /** What was done to the member, newest first. */
    history(
      userId: string,
      page: PageRequest
    ): Effect.Effect<Page<AuditRecord>, NotFound | RoleMissing | Unavailable, Caller>
    /** `StateRefused` where the address is a member's already. */
    invite(
      invitation: Invitation
    ): Effect.Effect<
      MemberLink,
      Forbidden | InvalidFields | NotFound | RoleMissing | StateRefused | Unavailable,
      Caller
    >
    /** A new link in the place of the former one, which is dead from then on. */
    inviteAgain(userId: string): Effect.Effect<MemberLink, Refusal, Caller>
    /** For persons of no other organization. */
    resetPassword(userId: string): Effect.Effect<MemberLink, Refusal, Caller>
    /**
     * With `expected` only where the present version is among them. Who becomes INACTIVE is signed out. Links that were
     * made for whoever becomes OWNER are dead from then on, and so are those that were made by whoever leaves or gets
     * another role.
     */
    change(
      userId: string,
      change: MemberChange,
      expected: ReadonlyArray<number> | undefined
    ): Effect.Effect<Member, InvalidFields | Refusal | VersionConflict, Caller>
  }
>()("@sarraf/domain/organizations/MemberDirectory") {
  static readonly layer: Layer.Layer<
    MemberDirectory,
    never,
    AccountLinks | AuditTrail | Identifiers | Members | MemberStore | People | SecretTokens | SessionStore | UnitOfWork
  > = Layer.effect(
    MemberDirectory,
    Effect.gen(function* () {
      const units = yield* UnitOfWork
      const members = yield* Members
      const store = yield* MemberStore
      const people = yield* People
      const links = yield* AccountLinks
      const sessions = yield* SessionStore
      const tokens = yield* SecretTokens
      const identifiers = yield* Identifiers
      const trail = yield* AuditTrail

      const present = Effect.fnUntraced(function* (userId: string) {
        return (yield* members.find(userId)) ?? (yield* new NotFound({ resource: "member", id: userId }))
      })

      /** The member, if it is within the caller's reach. */
      const readable = Effect.fnUntraced(function* (userId: string) {
        const { caller, reach } = yield* permitted("member.read")
        if (reach !== "all" && !personsBehind(caller).includes(userId)) {
          return yield* new NotFound({ resource: "member", id: userId })
        }
        return yield* present(userId)
      })

      /** Under the lock: the member, which the caller may change. */
      const changeable = Effect.fnUntraced(function* (userId: string) {
        const { caller } = yield* permitted("member.change")
        yield* store.lock
        const member = yield* present(userId)
        const fault = ownerFault(caller, member.role)
        return fault === undefined ? member : yield* fault
      })

      const newLink = Effect.fnUntraced(function* (member: Member, kind: AccountLinkKind) {
        const token = yield* tokens.next("acct")
        const expiresAt = (yield* Clock.currentTimeMillis) + linkMillisMax[kind]
        yield* links.put(token, { userId: member.userId, kind, expiresAt })
        return { member, token, expiresAt }
      })

      const record = (action: string, { userId }: Member, after?: Readonly<Record<string, unknown>>) =>
        trail.append({ action, subject: { type: "member", id: userId }, ...(after === undefined ? {} : { after }) })

      const staff = Effect.map(Effect.all([members.all, members.departments]), ([all, departments]) => ({
        members: all,
        departments
      }))

      const inviteNew = Effect.fnUntraced(function* (invitation: Invitation) {
        const { departmentId, email, managerId, role } = invitation
        yield* store.lock
        const id = yield* identifiers.next("usr")
        const place = placeFaults(yield* staff, id, invitation)
        if (place !== undefined) return yield* place
        const name = invitation.name ?? email.replace(/@.*$/u, "")
        const person = yield* people.findOrInsert({ id, email, name })
        const at = yield* Clock.currentTimeMillis
        const member: Member = {
          userId: person.id,
          email,
          name,
          role,
          status: "INVITED",
          departmentId,
          managerId,
          version: 1,
          createdAt: at,
          updatedAt: at
        }
        if (!(yield* store.insert(member))) {
          const status = (yield* members.find(person.id))?.status ?? "ACTIVE"
          const reason = "This address is a member's already."
          return yield* new StateRefused({ resource: "member", status, allowed: ["changes"], reason })
        }
        yield* record("member.invited", member, {
          email,
          name,
          role,
          department_id: departmentId,
          manager_id: managerId
        })
        return yield* newLink(member, "invitation")
      })

      const inviteAgain = Effect.fnUntraced(function* (userId: string) {
        const member = yield* changeable(userId)
        const isOpen =
          member.status === "INVITED" || (member.status === "INACTIVE" && !(yield* store.hasJoined(userId)))
        if (!isOpen) {
          const reason = "The person has joined already."
          return yield* new StateRefused({ resource: "member", status: member.status, allowed: ["changes"], reason })
        }
        const at = yield* Clock.currentTimeMillis
        const invited: Member = { ...member, status: "INVITED", version: member.version + 1, updatedAt: at }
        if (member.status !== "INVITED") yield* store.save(invited)
        yield* record("member.invited_again", member)
        return yield* newLink(member.status === "INVITED" ? member : invited, "invitation")
      })

      const resetPassword = Effect.fnUntraced(function* (userId: string) {
        const member = yield* changeable(userId)
        const { organizationId } = yield* Caller
        if (member.status !== "ACTIVE") {
          const allowed = member.status === "INVITED" ? ["a new invitation"] : ["reactivation"]
          return yield* new StateRefused({ resource: "member", status: member.status, allowed })
        }
        const elsewhere = (yield* people.memberships(userId)).some(
          (one) => one.organizationId !== organizationId && one.status !== "INVITED"
        )
        if (elsewhere) {
          const reason = "The person has other organizations: they sign in and change the password themselves."
          return yield* new Forbidden({ reason })
        }
        yield* record("password.reset_begun", member)
        return yield* newLink(member, "password_reset")
      })

      /** Who comes back must have been here: an invitation is accepted by the person alone. */
      const rejoining = Effect.fnUntraced(function* (before: Member, after: Member) {
        if (before.status !== "INACTIVE" || after.status !== "ACTIVE" || (yield* store.hasJoined(before.userId))) return
        const reason = "The person never accepted the invitation."
        return yield* new StateRefused({
          resource: "member",
          status: "INACTIVE",
          allowed: ["a new invitation"],
          reason
        })
      })

      const change = Effect.fnUntraced(function* (
        userId: string,
        wanted: MemberChange,
        expected: ReadonlyArray<number> | undefined
      ) {
        const { caller } = yield* permitted("member.change")
        yield* store.lock
        const before = yield* present(userId)
        if (expected !== undefined && !expected.includes(before.version)) {
          return yield* new VersionConflict({ present: before.version })
        }
        const actor = { role: caller.role, persons: personsBehind(caller) }
        const at = yield* Clock.currentTimeMillis
        const after = yield* Effect.fromResult(changeMember(yield* staff, actor, before, wanted, at))
        if (after === before) return before
        yield* rejoining(before, after)
        yield* store.save(after)
        if (after.status === "INACTIVE" && before.status !== "INACTIVE") {
          yield* sessions.endAll(userId)
          yield* links.revoke(userId)
        }
        // An ADMIN may hold a link from before, and would become an OWNER with it.
        if (after.role === "OWNER" && before.role !== "OWNER") yield* links.revoke(userId)
        // What they made while they might is nothing to come back with.
        if (after.role !== before.role || after.status === "INACTIVE") yield* links.revokeMadeBy(userId)
        for (const entry of memberAudit(before, after)) yield* trail.append(entry)
        return after
      })

      return MemberDirectory.of({
        list: Effect.fn("MemberDirectory.list")(function* (filter, page) {
          const { caller, reach } = yield* permitted("member.read")
          return yield* store.list(reach === "all" ? filter : { ...filter, userIds: personsBehind(caller) }, page)
        }),
        find: readable,
        history: Effect.fn("MemberDirectory.history")(function* (userId, page) {
          yield* readable(userId)
          return yield* trail.list({ subjectType: "member", subjectId: userId }, page)
        }),
        invite: Effect.fn("MemberDirectory.invite")(function* (invitation) {
          const { caller } = yield* permitted("member.change")
          const fault = ownerFault(caller, invitation.role)
          if (fault !== undefined) return yield* fault
          return yield* units.run(inviteNew(invitation))
        }),
        inviteAgain: Effect.fn("MemberDirectory.inviteAgain")(function* (userId) {
          return yield* units.run(inviteAgain(userId))
        }),
        resetPassword: Effect.fn("MemberDirectory.resetPassword")(function* (userId) {
          return yield* units.run(resetPassword(userId))
        }),
        change: Effect.fn("MemberDirectory.change")(function* (userId, wanted, expected) {
          return yield* units.run(change(userId, wanted, expected))
        })
      })
    })
  )
}
