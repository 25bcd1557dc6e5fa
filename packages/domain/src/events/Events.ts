import { Context, Effect, Layer } from "effect"
import { AuditTrail } from "../audit/AuditTrail.ts"
import { Forbidden, NotFound } from "../errors/Refusals.ts"
import type { Unavailable } from "../errors/Unavailable.ts"
import { Identifiers } from "../identifiers/TypeId.ts"
import type { Page, PageRequest } from "../lists/Page.ts"
import type { Caller, RoleMissing } from "../organizations/Caller.ts"
import { Organizations } from "../organizations/Organizations.ts"
import { permitted } from "../organizations/Permissions.ts"
import { UnitOfWork } from "../organizations/UnitOfWork.ts"
import { beginOf, endOf, type Moment } from "../time/Moment.ts"
import { eventCatalogue, exampleEvent } from "./EventCatalogue.ts"
import { EventLog, type EventType } from "./EventLog.ts"
import type { EventRecord } from "./EventPayload.ts"
import { type EventFilter, EventStore } from "./EventStore.ts"

/** What is asked of the list. */
export interface EventQuestion extends Omit<EventFilter, "from" | "to"> {
  readonly from?: Moment
  readonly to?: Moment
}

const filterOf = ({ from, to, ...rest }: EventQuestion, timezone: string): EventFilter => ({
  ...rest,
  ...(from === undefined ? {} : { from: beginOf(from, timezone) }),
  ...(to === undefined ? {} : { to: endOf(to, timezone) })
})

type Refusal = RoleMissing | Unavailable

/** Driving port: what happened in the caller's organization, as receivers are told it. */
export class Events extends Context.Service<
  Events,
  {
    list(question: EventQuestion, page: PageRequest): Effect.Effect<Page<EventRecord>, Refusal, Caller>
    find(id: string): Effect.Effect<EventRecord, NotFound | Refusal, Caller>
    /**
     * Makes an example of this type happen, about an object that there is not: it is told to every endpoint that wants it,
     * and is in the list. `Forbidden` for an organization that is no sandbox, whose receivers would take it for true.
     */
    trigger(type: EventType): Effect.Effect<EventRecord, Forbidden | Refusal, Caller>
  }
>()("@sarraf/domain/events/Events") {
  static readonly layer: Layer.Layer<
    Events,
    never,
    AuditTrail | EventLog | EventStore | Identifiers | Organizations | UnitOfWork
  > = Layer.effect(
    Events,
    Effect.gen(function* () {
      const store = yield* EventStore
      const log = yield* EventLog
      const trail = yield* AuditTrail
      const organizations = yield* Organizations
      const identifiers = yield* Identifiers
      const units = yield* UnitOfWork

      const trigger = Effect.fnUntraced(function* (type: EventType) {
        const objectId = yield* identifiers.next(eventCatalogue[type].prefix)
        yield* log.append(exampleEvent(type, objectId))
        const { items } = yield* store.list({ objectId }, { limit: 1, after: undefined })
        const [event] = items
        if (event === undefined) return yield* Effect.die(new Error("An event that was appended is not there"))
        yield* trail.append({
          action: "event.triggered",
          subject: { type: "event", id: event.id },
          after: { type, object_id: objectId }
        })
        return event
      })

      return Events.of({
        list: Effect.fn("Events.list")(function* (question, page) {
          yield* permitted("event.read")
          const { timezone } = yield* organizations.current
          return yield* store.list(filterOf(question, timezone), page)
        }),
        find: Effect.fn("Events.find")(function* (id) {
          yield* permitted("event.read")
          const event = yield* store.find(id)
          return event ?? (yield* new NotFound({ resource: "event", id }))
        }),
        trigger: Effect.fn("Events.trigger")(function* (type) {
          yield* permitted("webhook.change")
          const { isSandbox } = yield* organizations.current
          if (!isSandbox) {
            return yield* new Forbidden({
              reason: "Examples are made in TEST mode alone: in live mode an event is something that happened."
            })
          }
          return yield* units.run(trigger(type))
        })
      })
    })
  )
}
