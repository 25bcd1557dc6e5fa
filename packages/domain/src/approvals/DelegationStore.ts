import { Context, type Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import type { Caller } from "../organizations/Caller.ts"
import type { Instant } from "../time/Instant.ts"
import type { Delegation } from "./Delegation.ts"

/** Driven port: the delegations of the caller's organization. */
export class DelegationStore extends Context.Service<
  DelegationStore,
  {
    find(id: string): Effect.Effect<Delegation | undefined, Unavailable, Caller>
    /** Those in force at the moment. */
    inForce(at: Instant): Effect.Effect<ReadonlyArray<Delegation>, Unavailable, Caller>
    /** In a unit of work: those that the person gave and that end after `at`; nobody else adds to them until the unit ends. */
    lockOf(from: string, at: Instant): Effect.Effect<ReadonlyArray<Delegation>, Unavailable, Caller>
    insert(delegation: Delegation): Effect.Effect<void, Unavailable, Caller>
    /** Nothing happens where it has ended already. */
    end(id: string, at: Instant): Effect.Effect<void, Unavailable, Caller>
    /** Newest first. `of`: those that the person gave or was given; undefined: all. */
    list(of: string | undefined, page: PageRequest): Effect.Effect<Page<Delegation>, Unavailable, Caller>
  }
>()("@sarraf/domain/approvals/DelegationStore") {}
