import { Schema } from "effect"
import { typeId } from "../identifiers/TypeId.ts"
import { approvalEvents } from "./ApprovalEvents.ts"
import { billEvents } from "./BillEvents.ts"
import { cardEvents } from "./CardEvents.ts"
import type { EventDescription } from "./EventDescription.ts"
import { type EventType, eventTypes, type NewEvent } from "./EventLog.ts"
import { apiVersion, type EventPayload } from "./EventPayload.ts"
import { expenseEvents } from "./ExpenseEvents.ts"
import { Timestamp } from "./PayloadFields.ts"

/** Every event there is, and what receivers are promised of it (specification section 6, contract section 7). */
export const eventCatalogue: Readonly<Record<EventType, EventDescription>> = {
  ...expenseEvents,
  ...cardEvents,
  ...billEvents,
  ...approvalEvents
}

/** What the event is about; `previous` may be left out, since an object that is new has none. */
const dataSchema = ({ object, previous }: EventDescription): Schema.Codec<EventPayload["data"], object> =>
  previous === undefined
    ? Schema.Struct({ object })
    : Schema.Struct({
        object,
        previous: Schema.optionalKey(previous).annotate({
          description: "What the members that changed were before; absent where the object is new"
        })
      })

/** The whole payload of one type of event (contract section 7). */
export const payloadSchema = (type: EventType): Schema.Codec<EventPayload, object> => {
  const description = eventCatalogue[type]
  return Schema.Struct({
    id: typeId("evt").annotate({
      description: "The same at each delivery of this event: receivers know repeats by it"
    }),
    type: Schema.Literal(type),
    created_at: Timestamp,
    organization_id: Schema.String.check(Schema.isPattern(/^org_/u)),
    api_version: Schema.Literal(apiVersion),
    sequence: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)).annotate({
      description: "Counts the events of this object from 1, without a gap"
    }),
    data: dataSchema(description)
  }).annotate({ title: type, description: description.happens })
}

/** An event of this type about an object that there is not, for trying receivers. `objectId` has the prefix of the type. */
export const exampleEvent = (type: EventType, objectId: string): NewEvent => {
  const { object, previous } = eventCatalogue[type].example
  return { type, objectId, object: { ...object, id: objectId }, ...(previous === undefined ? {} : { previous }) }
}

/** Of the examples: the events that their objects had, this one included, where it is not the first. */
const sequences: Partial<Readonly<Record<EventType, number>>> = {
  "expense.approved": 2,
  "expense.rejected": 2,
  "bill.approved": 2,
  "bill.paid": 3,
  "approval.completed": 2
}

/** What receivers get of an event of this type, for the documentation. */
export const examplePayload = (type: EventType): EventPayload => {
  const { example } = eventCatalogue[type]
  return {
    id: "evt_01kd9a2q4jfwq8k5z3t1r7y6cm",
    type,
    created_at: example.object.updated_at,
    organization_id: "org_01kd8z0000e0080000000000s1",
    api_version: apiVersion,
    sequence: sequences[type] ?? 1,
    data: example
  }
}

export const isEventType: (text: string) => text is EventType = Schema.is(Schema.Literals(eventTypes))
