import { isEventType } from "@sarraf/domain/events/EventCatalogue"
import { eventPayload } from "@sarraf/domain/events/EventPayload"
import { Events } from "@sarraf/domain/events/Events"
import { Effect, Struct } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { present } from "../api/conventions.ts"
import { TriggerEvent } from "../api/events.ts"
import { listed, momentOf, pageBody, pageRequest, refusals, warningsAbout, withLocation } from "./conventions.ts"

const ofList = Struct.pick(refusals, ["RoleMissing", "Unavailable"])
const ofReading = Struct.pick(refusals, ["NotFound", "RoleMissing", "Unavailable"])
const ofTrigger = Struct.pick(refusals, ["Forbidden", "RoleMissing", "Unavailable"])

/** The handlers translate between the wire and the domain and decide nothing. */
export const layer = HttpApiBuilder.group(
  Api,
  "events",
  Effect.fn(function* (handlers) {
    const events = yield* Events
    const unknownOfTrigger = warningsAbout(TriggerEvent)
    return handlers
      .handle("list", ({ query }) =>
        Effect.gen(function* () {
          const page = yield* pageRequest("events", query)
          const question = present({
            types: listed(query.type)?.filter(isEventType),
            objectId: query.object_id,
            from: query.from == null ? undefined : momentOf(query.from),
            to: query.to == null ? undefined : momentOf(query.to)
          })
          return pageBody("events", query, yield* events.list(question, page), ({ id }) => id, eventPayload)
        }).pipe(Effect.catchTags(ofList))
      )
      .handle("get", ({ params }) => events.find(params.id).pipe(Effect.map(eventPayload), Effect.catchTags(ofReading)))
      .handle("trigger", ({ payload }) =>
        Effect.gen(function* () {
          const event = yield* events.trigger(payload.type)
          yield* withLocation(`/api/events/${event.id}`)
          return { ...eventPayload(event), ...(yield* unknownOfTrigger) }
        }).pipe(Effect.catchTags(ofTrigger))
      )
  })
)
