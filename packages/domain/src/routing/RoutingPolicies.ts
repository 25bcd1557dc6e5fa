import { Context, Effect, Schema } from "effect"
import { Unavailable } from "../errors/Unavailable.ts"
import type { Actor } from "../payments/PaymentStore.ts"
import type { Instant } from "../time/Instant.ts"
import { automatic, type RoutingPolicy } from "./RoutingPolicy.ts"

/** A policy as it was saved, and by whom; nulls and version 0 where none ever was. */
export interface SavedRoutingPolicy extends RoutingPolicy {
  readonly changedAt: Instant | null
  /** The audit trail's name: `key:sandbox`. */
  readonly changedBy: string | null
}

/** What an organization has before it saves a policy of its own. */
export const unsaved: SavedRoutingPolicy = { ...automatic, changedAt: null, changedBy: null }

/** Somebody saved another version since; `version` is the present one. */
export class RoutingPolicyChanged extends Schema.TaggedError<RoutingPolicyChanged>()("RoutingPolicyChanged", {
  version: Schema.Finite
}) {}

/** A new version of an organization's policy. */
export interface RoutingPolicyChange {
  readonly organizationId: string
  /** The version that it takes the place of; 0 is the first. */
  readonly expected: number
  readonly rules: RoutingPolicy["rules"]
  readonly actor: Actor
  readonly at: Instant
}

/** Routing policies by organization, which is always the caller's own, from its credential. Every version is kept. */
export interface RoutingPolicies {
  /**
   * For routing: kept in the process for a moment, so that payments share one question to the store. A change is seen at
   * once by the process that made it and within two seconds by every other.
   */
  current(organizationId: string): Effect.Effect<RoutingPolicy, Unavailable>
  /** For reading and changing: the last version that was committed. */
  find(organizationId: string): Effect.Effect<SavedRoutingPolicy, Unavailable>
  /**
   * Commits the next version together with its audit row. Compare-and-set on `expected`: of two concurrent changes one
   * succeeds, the other is `RoutingPolicyChanged`.
   */
  save(change: RoutingPolicyChange): Effect.Effect<SavedRoutingPolicy, RoutingPolicyChanged | Unavailable>
}

/** Without a store nobody has a policy and none can be saved. */
export const RoutingPolicies = Context.Reference<RoutingPolicies>("@sarraf/domain/routing/RoutingPolicies", {
  defaultValue: () => ({
    current: () => Effect.succeed(automatic),
    find: () => Effect.succeed(unsaved),
    save: () => Effect.fail(new Unavailable())
  })
})
