import { Context, Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import type { Caller } from "../organizations/Caller.ts"
import type { Instant } from "../time/Instant.ts"

/** What a change is about: `{ type: "expense", id: "exp_…" }`. */
export interface AuditSubject {
  readonly type: string
  readonly id: string
}

/** One thing that somebody did. Card numbers, secrets and passwords never enter it. */
export interface AuditEntry {
  /** `expense.approved`, `member.role_changed`: subject, then what happened, in the past. */
  readonly action: string
  readonly subject: AuditSubject
  /** The fields that changed as they were, snake_case JSON as the API shows them; absent where there was nothing. */
  readonly before?: Readonly<Record<string, unknown>>
  readonly after?: Readonly<Record<string, unknown>>
  /** What else explains it: a reason, the evidence, for whom a delegate decided. */
  readonly detail?: Readonly<Record<string, unknown>>
}

/** An entry as it was recorded. */
export interface AuditRecord extends AuditEntry {
  /** Its number in the organization's hash chain; null until it is sealed, within a second. */
  readonly sequence: number | null
  /** SHA-256 over the record and the hash before it, lower-case hex; null until it is sealed. */
  readonly hash: string | null
  readonly at: Instant
  /** `user:usr_…`, `key:…`, `system`, `operator`. */
  readonly actor: string
  readonly requestId: string
  readonly address: string | null
  /** Place in the list, for the next page. */
  readonly position: string
}

export interface AuditFilter {
  readonly actor?: string
  readonly action?: string
  readonly subjectType?: string
  readonly subjectId?: string
  readonly from?: Instant
  readonly to?: Instant
}

/** The end of an organization's hash chain: who has it can show later that nothing before it was changed or removed. */
export interface AuditHead {
  /** 0 where nothing was sealed yet. */
  readonly sequence: number
  /** SHA-256, lower-case hex; 64 zeros where nothing was sealed yet. */
  readonly hash: string
  /** When its last entry was recorded; null where there is none. */
  readonly at: Instant | null
}

/** Driven port: what was done in the caller's organization, append-only. */
export class AuditTrail extends Context.Service<
  AuditTrail,
  {
    /** In a unit of work: recorded with the change or not at all. Actor, request and address come from the context. */
    append(entry: AuditEntry): Effect.Effect<void, Unavailable, Caller>
    list(filter: AuditFilter, page: PageRequest): Effect.Effect<Page<AuditRecord>, Unavailable, Caller>
    readonly head: Effect.Effect<AuditHead, Unavailable, Caller>
  }
>()("@sarraf/domain/audit/AuditTrail") {}

/** The end of the chain, for exports to hand out: whoever may export may have it, since it tells nothing. */
export const auditHead: Effect.Effect<AuditHead, Unavailable, Caller | AuditTrail> = Effect.flatMap(
  AuditTrail,
  ({ head }) => head
)
