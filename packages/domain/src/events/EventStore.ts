import { Context, type Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import type { Caller } from "../organizations/Caller.ts"
import type { Instant } from "../time/Instant.ts"
import type { EventType } from "./EventLog.ts"
import type { EventRecord } from "./EventPayload.ts"

/** Which events a list has; all of the conditions hold. */
export interface EventFilter {
  /** One of these; empty: none. */
  readonly types?: ReadonlyArray<EventType>
  readonly objectId?: string
  /** At this time or later. */
  readonly from?: Instant
  /** Before this time. */
  readonly to?: Instant
}

/** Driven port: the events of the caller's organization that are kept. */
export class EventStore extends Context.Service<
  EventStore,
  {
    /** The newest first. An example that was made for one endpoint is not among them. */
    list(filter: EventFilter, page: PageRequest): Effect.Effect<Page<EventRecord>, Unavailable, Caller>
    /** Undefined: the organization has none with that id, or keeps it no longer. Finds examples too, for their receivers. */
    find(id: string): Effect.Effect<EventRecord | undefined, Unavailable, Caller>
  }
>()("@sarraf/domain/events/EventStore") {}
