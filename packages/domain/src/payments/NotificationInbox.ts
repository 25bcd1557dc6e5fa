import { Context, type Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Instant } from "../time/Instant.ts"
import type { InboundMessage } from "./Notification.ts"

/** One item of a stored message, held by this process until `leaseUntil`. */
export interface KeptNotification {
  readonly provider: string
  /** The item's, unique per provider. */
  readonly id: string
  readonly message: InboundMessage
  /** Looks before this one that came to nothing. */
  readonly tries: number
  readonly leaseUntil: Instant
}

/**
 * The providers' messages, stored before they are acknowledged (contract section 4). An item that was stored before is
 * not stored again, so that a message that comes twice is done once.
 */
export class NotificationInbox extends Context.Service<
  NotificationInbox,
  {
    keep(
      provider: string,
      ids: ReadonlyArray<string>,
      message: InboundMessage,
      now: Instant
    ): Effect.Effect<void, Unavailable>
    /** Those whose time has come, the oldest first. */
    claim(now: Instant, limit: number): Effect.Effect<ReadonlyArray<KeptNotification>, Unavailable>
    /** Gives a claim back: done with (null), or to be looked at again then. */
    release(kept: KeptNotification, againAt: Instant | null): Effect.Effect<void, Unavailable>
  }
>()("@sarraf/domain/payments/NotificationInbox") {}
