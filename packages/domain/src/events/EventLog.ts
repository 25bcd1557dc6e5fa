import { Context, type Effect } from "effect"
import type { Unavailable } from "../errors/Unavailable.ts"
import type { Caller } from "../organizations/Caller.ts"

/** The eleven events of the specification, section 6. */
export const eventTypes = [
  "expense.submitted",
  "expense.approved",
  "expense.rejected",
  "card.transaction",
  "card.frozen",
  "card.limit_exceeded",
  "bill.received",
  "bill.approved",
  "bill.paid",
  "approval.requested",
  "approval.completed"
] as const
export type EventType = (typeof eventTypes)[number]

/** Something that receivers of webhooks are told. */
export interface NewEvent {
  readonly type: EventType
  /** The object it happened to, `exp_…`: its events are numbered from 1. */
  readonly objectId: string
  /** The object as the API shows it, snake_case JSON. */
  readonly object: Readonly<Record<string, unknown>>
  /** What the changed fields were before. */
  readonly previous?: Readonly<Record<string, unknown>>
}

/** Driven port: events of the caller's organization. */
export class EventLog extends Context.Service<
  EventLog,
  {
    /** In a unit of work: committed with the change or not at all. Gives the event its id, `evt_…`, and its sequence. */
    append(event: NewEvent): Effect.Effect<void, Unavailable, Caller>
  }
>()("@sarraf/domain/events/EventLog") {}
