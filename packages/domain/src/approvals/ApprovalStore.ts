import { Context, type Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import type { Caller } from "../organizations/Caller.ts"
import type { Instant } from "../time/Instant.ts"
import type { Approval, ApprovalStatus } from "./Approval.ts"
import type { ApprovalSubject } from "./ApprovalEngine.ts"

/** Every condition that is given must hold. */
export interface ApprovalFilter {
  readonly id?: string
  readonly statuses?: ReadonlyArray<ApprovalStatus>
  readonly subjectType?: ApprovalSubject["type"]
  readonly subjectId?: string
}

/** The approvals that a caller may see who does not see all of them. */
export interface ApprovalPart {
  /** The persons behind the caller: what they submitted, what concerns them, what they decided or had decided for them. */
  readonly persons: ReadonlyArray<string>
  /** The caller's name: what it opened or decided. */
  readonly name: string
  /** Those that it may decide now. */
  readonly decidable: ReadonlyArray<string>
  /** Whether it also sees those in which some step asks for a role, or names one of the persons, over or not. */
  readonly seesAsked: boolean
}

/** Driven port: the approvals of the caller's organization. */
export class ApprovalStore extends Context.Service<
  ApprovalStore,
  {
    find(id: string): Effect.Effect<Approval | undefined, Unavailable, Caller>
    /** In a unit of work: the subject's open approval, which nobody else changes until the unit ends. */
    lockOpen(subject: Pick<ApprovalSubject, "type" | "id">): Effect.Effect<Approval | undefined, Unavailable, Caller>
    insert(approval: Approval): Effect.Effect<void, Unavailable, Caller>
    /** Of a locked approval; decisions that it had before stay as they are. */
    save(before: Approval, after: Approval): Effect.Effect<void, Unavailable, Caller>
    /** Newest first. `part`: only these; undefined: all. */
    list(
      filter: ApprovalFilter,
      part: ApprovalPart | undefined,
      page: PageRequest
    ): Effect.Effect<Page<Approval>, Unavailable, Caller>
    /** Every open one, newest first: an organization has few at a time. */
    readonly open: Effect.Effect<ReadonlyArray<Approval>, Unavailable, Caller>
    /** In a unit of work: one whose step was due by then and is not escalated yet, locked; those that others hold are passed over. */
    lockDue(by: Instant): Effect.Effect<Approval | undefined, Unavailable, Caller>
    /** The organizations that have such a one. The service's own work: no caller. */
    organizationsDue(by: Instant): Effect.Effect<ReadonlyArray<string>, Unavailable>
  }
>()("@sarraf/domain/approvals/ApprovalStore") {}
