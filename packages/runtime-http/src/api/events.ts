import { isEventType } from "@sarraf/domain/events/EventCatalogue"
import { eventTypes } from "@sarraf/domain/events/EventLog"
import { apiVersion } from "@sarraf/domain/events/EventPayload"
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Atomic } from "./atomic.ts"
import { Bearer } from "./bearer.ts"
import { idParams, optional, pageOf, pageQuery, someOf, TimeFilter, Timestamp, warnings } from "./conventions.ts"
import { StrictDecoding } from "./middleware.ts"
import * as problems from "./problems.ts"

const Fields = Schema.Record(Schema.String, Schema.Unknown)

const eventFields = {
  id: Schema.String,
  type: Schema.Literals(eventTypes),
  created_at: Timestamp,
  organization_id: Schema.String,
  api_version: Schema.Literal(apiVersion),
  sequence: Schema.Int.annotate({ description: "Counts the events of the object, from 1" }),
  data: Schema.Struct({
    object: Fields.annotate({
      description: "What it happened to, as it was then: /docs/events has the schema of each type"
    }),
    previous: Schema.optionalKey(Fields).annotate({ description: "What the members that changed were before" })
  })
}

/** An event, the same JSON that endpoints are sent (contract section 7). */
const EventBody = Schema.Struct(eventFields).annotate({ identifier: "Event" })

/** Body of `POST /api/events`. */
export const TriggerEvent = Schema.Struct({ type: Schema.Literals(eventTypes) }).annotate({
  identifier: "TriggerEvent"
})

const list = HttpApiEndpoint.get("list", "/api/events", {
  query: {
    ...pageQuery,
    type: someOf(isEventType, `must be one or more of ${eventTypes.join(", ")}`),
    object_id: Schema.optionalKey(Schema.String),
    from: optional(TimeFilter).annotate({ description: "A time, or a day in the organization's timezone." }),
    to: optional(TimeFilter).annotate({ description: "Before this time, or until the end of this day." })
  },
  success: pageOf(EventBody, "Events"),
  error: [problems.InvalidRequest, problems.Forbidden, problems.ServiceUnavailable]
}).annotate(OpenApi.Summary, "List events, newest first; they are kept 90 days by default")

const get = HttpApiEndpoint.get("get", "/api/events/:id", {
  params: idParams,
  success: EventBody,
  error: [problems.NotFound, problems.Forbidden, problems.ServiceUnavailable]
}).annotate(OpenApi.Summary, "Read an event")

const trigger = HttpApiEndpoint.post("trigger", "/api/events", {
  payload: TriggerEvent,
  success: Schema.Struct({ ...eventFields, ...warnings })
    .annotate({ identifier: "TriggeredEvent" })
    .pipe(HttpApiSchema.status(201)),
  error: [problems.InvalidRequest, problems.Forbidden, problems.ServiceUnavailable]
}).annotate(OpenApi.Summary, "In TEST mode: make an example event, which is delivered like any other")

/** What happened in the organization (contract section 7). */
export class EventsApi extends HttpApiGroup.make("events")
  .add(list)
  .add(get)
  .add(trigger)
  .middleware(StrictDecoding)
  .middleware(Atomic)
  .middleware(Bearer)
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "ignore" }) {}
