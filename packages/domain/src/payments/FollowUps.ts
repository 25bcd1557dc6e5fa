import { Context, type Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { GatewayCaller } from "../organizations/GatewayCaller.ts"
import type { Instant } from "../time/Instant.ts"
import type { FollowUp } from "./FollowUp.ts"

/** A payment that is to be looked at now, held by this process until `leaseUntil`. */
export interface Claimed {
  readonly caller: GatewayCaller["Service"]
  readonly paymentId: string
  /** The provider of its last attempt. */
  readonly provider: string
  readonly kind: FollowUp["kind"]
  /** Looks before this one that settled nothing; see `FollowUp`. */
  readonly tries: number
  readonly leaseUntil: Instant
}

/** A payment that a person has to look at. */
export interface UnderReview {
  readonly caller: GatewayCaller["Service"]
  readonly paymentId: string
}

/**
 * The payments that have to be looked at again, each with its time. The payment store writes a payment's next time with
 * the payment itself (`followUpOf`); any number of processes share the work, and a lease keeps two from the same payment.
 */
export class FollowUps extends Context.Service<
  FollowUps,
  {
    /** Takes up what a crash left open, and what has expired since `expiredSince` (null: ever). */
    enlist(now: Instant, expiredSince: Instant | null): Effect.Effect<void, Unavailable>
    /** At most `limit` of those whose time has come and that nobody holds, the longest due first; none of `without`. */
    claim(
      now: Instant,
      limit: number,
      without: ReadonlyArray<string>
    ): Effect.Effect<ReadonlyArray<Claimed>, Unavailable>
    /** Gives a claim back, to be looked at then, or never again (null). Of no effect where the payment was committed since. */
    release(claimed: Claimed, at: Instant | null, tries: number): Effect.Effect<void, Unavailable>
    /**
     * Brings a provider's open questions forward to now, those that were asked before and in vain, and begins their
     * schedule anew. With `limit` it is the first of them only, each where it is in its schedule: to try the provider.
     */
    wake(provider: string, now: Instant, limit?: number): Effect.Effect<void, Unavailable>
    /** The same for all providers. */
    wakeAll(now: Instant): Effect.Effect<void, Unavailable>
    /** What needs a person, the oldest first. */
    reviews: Effect.Effect<ReadonlyArray<UnderReview>, Unavailable>
  }
>()("@sarraf/domain/payments/FollowUps") {}
