import { Context, type Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import type { Caller } from "../organizations/Caller.ts"
import type { Policy } from "./Policy.ts"
import type { PolicyScope } from "./PolicyEvaluator.ts"
import type { Enforcement } from "./Violation.ts"

/** Every condition that is given must hold. */
export interface PolicyFilter {
  readonly scope?: PolicyScope
  readonly enforcement?: Enforcement
  readonly active?: boolean
}

/** A policy as it was from one change to the next. */
export interface PolicyVersion {
  readonly policy: Policy
  /** `user:usr_…` or `key:…`. */
  readonly changedBy: string
}

/** Driven port: the policies of the caller's organization, and every version that they ever had. */
export class PolicyStore extends Context.Service<
  PolicyStore,
  {
    /** As it is now, deleted ones too; undefined for what is not there. */
    find(id: string): Effect.Effect<Policy | undefined, Unavailable, Caller>
    /** In a unit of work: the same, and nobody else changes it until the unit ends. */
    lock(id: string): Effect.Effect<Policy | undefined, Unavailable, Caller>
    insert(policy: Policy): Effect.Effect<void, Unavailable, Caller>
    /** The next version of a locked policy; the earlier ones stay. */
    save(policy: Policy): Effect.Effect<void, Unavailable, Caller>
    /** Those that are not deleted. */
    list(filter: PolicyFilter, page: PageRequest): Effect.Effect<Page<Policy>, Unavailable, Caller>
    /** How many are not deleted. */
    readonly count: Effect.Effect<number, Unavailable, Caller>
    /** Every active one of the scope, as this unit of work sees it. */
    active(scope: PolicyScope): Effect.Effect<ReadonlyArray<Policy>, Unavailable, Caller>
    /** Newest first; `page.after` is a version's number. */
    versions(id: string, page: PageRequest): Effect.Effect<Page<PolicyVersion>, Unavailable, Caller>
  }
>()("@sarraf/domain/policies/PolicyStore") {}
