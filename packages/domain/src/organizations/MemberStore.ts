import { Context, type Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import type { Instant } from "../time/Instant.ts"
import type { Caller, Role } from "./Caller.ts"
import type { Member } from "./Members.ts"

/** Every condition that is given must hold. */
export interface MemberFilter {
  /** Only these persons. */
  readonly userIds?: ReadonlyArray<string>
  readonly role?: Role
  readonly status?: Member["status"]
  readonly departmentId?: string
}

/** Driven port: changes of the caller's organization's members. */
export class MemberStore extends Context.Service<
  MemberStore,
  {
    /**
     * In a unit of work: nobody else changes members or departments of the organization until it ends, so that what holds
     * of all of them together (an OWNER is left, no circle of managers) is not lost between two changes.
     */
    readonly lock: Effect.Effect<void, Unavailable, Caller>
    /** Who was added last comes first. */
    list(filter: MemberFilter, page: PageRequest): Effect.Effect<Page<Member>, Unavailable, Caller>
    /** False where the person is in the organization already, in whatever status. */
    insert(member: Member): Effect.Effect<boolean, Unavailable, Caller>
    /** Of a member that was read under the lock. */
    save(member: Member): Effect.Effect<void, Unavailable, Caller>
    /** Whether the person ever accepted the invitation. */
    hasJoined(userId: string): Effect.Effect<boolean, Unavailable, Caller>
    noteJoined(userId: string, at: Instant): Effect.Effect<void, Unavailable, Caller>
  }
>()("@sarraf/domain/organizations/MemberStore") {}
