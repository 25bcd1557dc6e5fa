import { Context, type Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { EventType } from "../events/EventLog.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import type { Caller } from "../organizations/Caller.ts"
import type { Instant } from "../time/Instant.ts"
import type { DeliveryAttempt, DeliveryStatus, WebhookDelivery } from "./WebhookDelivery.ts"

export interface DeliveryFilter {
  readonly endpointId?: string
  readonly status?: DeliveryStatus
  readonly eventType?: EventType
  readonly from?: Instant
  readonly to?: Instant
}

/** Which deliveries of an endpoint are sent again: those that failed, or every one that was made in a range of time. */
export interface ReplayRange {
  readonly endpointId: string
  readonly from: Instant
  readonly to: Instant
  /** `FAILED`: those alone; undefined: those that succeeded too. */
  readonly status: "FAILED" | undefined
}

/** Driven port: the deliveries of the caller's organization, and what sets them going. All in the open unit of work. */
export class WebhookDeliveries extends Context.Service<
  WebhookDeliveries,
  {
    list(filter: DeliveryFilter, page: PageRequest): Effect.Effect<Page<WebhookDelivery>, Unavailable, Caller>
    find(id: string): Effect.Effect<WebhookDelivery | undefined, Unavailable, Caller>
    /** Oldest first. */
    attemptsOf(
      ids: ReadonlyArray<string>
    ): Effect.Effect<ReadonlyMap<string, ReadonlyArray<DeliveryAttempt>>, Unavailable, Caller>
    /** Makes it PENDING and due now, with all its attempts before it again; what was recorded stays. */
    repeat(id: string): Effect.Effect<WebhookDelivery | undefined, Unavailable, Caller>
    /** Does the same for a range, in parts, beside requests; answers how many there are. */
    replay(range: ReplayRange): Effect.Effect<number, Unavailable, Caller>
    /** Sends an example of the type to this endpoint alone, whatever it subscribes to. The event is in no list of events. */
    sendExample(endpointId: string, type: EventType): Effect.Effect<WebhookDelivery, Unavailable, Caller>
    /** Says, once committed, that the endpoint may be delivered to again. */
    wake(endpointId: string): Effect.Effect<void, Unavailable, Caller>
  }
>()("@sarraf/domain/webhooks/WebhookDeliveries") {}
