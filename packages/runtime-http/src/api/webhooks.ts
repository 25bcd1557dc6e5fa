import { eventTypes } from "@sarraf/domain/events/EventLog"
import { deliveryStatuses } from "@sarraf/domain/webhooks/WebhookDelivery"
import { endpointStatuses } from "@sarraf/domain/webhooks/WebhookEndpoint"
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Atomic, ShownOnce } from "./atomic.ts"
import { Bearer } from "./bearer.ts"
import {
  idParams,
  ifMatch,
  isStorable,
  optional,
  pageOf,
  pageQuery,
  TimeFilter,
  Timestamp,
  Version,
  warnings
} from "./conventions.ts"
import { StrictDecoding } from "./middleware.ts"
import * as problems from "./problems.ts"

const EventName = Schema.Literals(eventTypes)
const Words = Schema.String.check(isStorable)
const Entries = Schema.Record(Words, Words)

const retryFields = {
  max_attempts: Schema.Finite.annotate({ description: "In all, the first included: 1 to 20" }),
  base_seconds: Schema.Finite.annotate({ description: "The pause after the first attempt: 1 to 3600" }),
  factor: Schema.Finite.annotate({ description: "Each pause is so many times the one before: 1 to 10" }),
  max_seconds: Schema.Finite.annotate({ description: "No pause is longer: base_seconds to 604800" }),
  jitter: Schema.Finite.annotate({ description: "A pause varies by up to this part of itself: 0 to 1" })
}

const EndpointBody = Schema.Struct({
  id: Schema.String,
  version: Version,
  url: Schema.String,
  events: Schema.Array(Schema.Literals([...eventTypes, "*"])),
  description: Schema.NullOr(Schema.String),
  metadata: Schema.Record(Schema.String, Schema.String),
  headers: Schema.Record(Schema.String, Schema.String).annotate({
    description: "The names of the custom headers, in lower case; their values are never shown again"
  }),
  retry: Schema.Struct(retryFields).annotate({ identifier: "WebhookRetry" }),
  concurrency: Schema.Int,
  status: Schema.Literals(endpointStatuses),
  disabled_reason: Schema.NullOr(Schema.String),
  failing_since: Schema.NullOr(Timestamp).annotate({ description: "Since when every attempt failed" }),
  former_secret_until: Schema.NullOr(Timestamp).annotate({
    description: "Until when the secret before the last rotation signs as well"
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
  ...warnings
}).annotate({ identifier: "Webhook" })

const ShownEndpointBody = Schema.Struct({
  ...EndpointBody.fields,
  secret: Schema.optionalKey(Schema.String).annotate({
    description: "What signs its deliveries, this once: it is not in the answer to a repeated request"
  })
}).annotate({ identifier: "WebhookWithSecret" })

const AttemptBody = Schema.Struct({
  number: Schema.Int,
  at: Timestamp,
  duration_ms: Schema.Int,
  status: Schema.NullOr(Schema.Int).annotate({ description: "The receiver's HTTP status; null: there was no answer" }),
  error: Schema.NullOr(Schema.String).annotate({ description: "Why there was no answer" }),
  answer: Schema.NullOr(Schema.String).annotate({ description: "The first 2 KiB of the answer" })
}).annotate({ identifier: "WebhookAttempt" })

const DeliveryBody = Schema.Struct({
  id: Schema.String,
  endpoint_id: Schema.String,
  event_id: Schema.String,
  event_type: EventName,
  status: Schema.Literals(deliveryStatuses),
  attempts: Schema.Array(AttemptBody).annotate({ description: "Oldest first" }),
  next_attempt_at: Schema.NullOr(Timestamp),
  created_at: Timestamp,
  completed_at: Schema.NullOr(Timestamp),
  ...warnings
}).annotate({ identifier: "WebhookDelivery" })

const RetryInput = Schema.Struct({
  max_attempts: optional(retryFields.max_attempts),
  base_seconds: optional(retryFields.base_seconds),
  factor: optional(retryFields.factor),
  max_seconds: optional(retryFields.max_seconds),
  jitter: optional(retryFields.jitter)
}).annotate({ identifier: "WebhookRetrySettings" })

const url = Words.annotate({ description: "https; in TEST mode http as well. At most 2,048 characters" })
const events = Schema.Array(Words).annotate({
  description: `Types of events, or ["*"] for all: ${eventTypes.join(", ")}`
})
const settings = {
  description: optional(Words).annotate({ description: "At most 500 characters; an empty text takes it away" }),
  metadata: optional(Entries).annotate({ description: "Up to 20 texts; merged by name, an empty text removes one" }),
  headers: optional(Entries).annotate({
    description: "Up to 20 headers that are sent with each delivery; merged by name, an empty text removes one"
  }),
  retry: optional(RetryInput),
  concurrency: optional(Schema.Finite).annotate({
    description: "Deliveries under way at a time: 1 to 50, 10 by default"
  })
}

/** Body of `POST /api/webhooks`. The domain looks at the values, so that every fault is told at once. */
export const CreateWebhook = Schema.Struct({ url, events, ...settings }).annotate({ identifier: "CreateWebhook" })

/** Body of `PATCH /api/webhooks/:id`: what is absent stays. */
export const ChangeWebhook = Schema.Struct({
  version: optional(Version).annotate({ description: "The version that the change is meant for, as If-Match" }),
  url: optional(url),
  events: optional(events),
  ...settings,
  status: optional(Schema.Literals(["ENABLED", "PAUSED"])).annotate({ description: "Resumes it, or pauses it" })
}).annotate({ identifier: "ChangeWebhook" })

/** Body of a command on an endpoint; there need not be one. */
export const WebhookCommand = Schema.Struct({
  version: optional(Version).annotate({ description: "The version that the command is meant for, as If-Match" })
}).annotate({ identifier: "WebhookCommand" })

/** Body of `POST /api/webhooks/:id/test`; there need not be one. */
export const TestWebhook = Schema.Struct({
  type: optional(EventName).annotate({ description: "Of what an example is sent; expense.approved by default" })
}).annotate({ identifier: "TestWebhook" })

/** Body of `POST /api/webhooks/:id/replay`. */
export const ReplayWebhook = Schema.Struct({
  from: TimeFilter.annotate({ description: "A time, or a day in the organization's timezone" }),
  to: optional(TimeFilter).annotate({ description: "Before this time, or until the end of this day; now by default" }),
  status: optional(Schema.Literals(["failed", "FAILED"])).annotate({ description: "Those that failed alone" })
}).annotate({ identifier: "ReplayWebhook" })

const ReplayBody = Schema.Struct({
  deliveries: Schema.Int.annotate({ description: "How many are sent again" }),
  ...warnings
}).annotate({ identifier: "WebhookReplay" })

const ofReading = [problems.InvalidRequest, problems.NotFound, problems.Forbidden, problems.ServiceUnavailable] as const
const ofChange = [...ofReading, problems.InvalidState, problems.VersionConflict] as const

const list = HttpApiEndpoint.get("list", "/api/webhooks", {
  query: pageQuery,
  success: pageOf(EndpointBody, "Webhooks"),
  error: [problems.InvalidRequest, problems.Forbidden, problems.ServiceUnavailable]
}).annotate(OpenApi.Summary, "List the webhook endpoints of the organization")

const create = HttpApiEndpoint.post("create", "/api/webhooks", {
  payload: CreateWebhook,
  success: ShownEndpointBody.pipe(HttpApiSchema.status(201)),
  error: [problems.InvalidRequest, problems.Forbidden, problems.InvalidState, problems.ServiceUnavailable]
})
  .annotate(OpenApi.Summary, "Make a webhook endpoint; its secret is shown once. ADMIN or above")
  .annotate(ShownOnce, ["secret"])

const get = HttpApiEndpoint.get("get", "/api/webhooks/:id", {
  params: idParams,
  success: EndpointBody,
  error: ofReading
}).annotate(OpenApi.Summary, "Read a webhook endpoint, without its secret")

const changed = { params: idParams, headers: ifMatch, success: EndpointBody, error: ofChange } as const

const change = HttpApiEndpoint.patch("change", "/api/webhooks/:id", { ...changed, payload: ChangeWebhook }).annotate(
  OpenApi.Summary,
  "Change a webhook endpoint; with status it is paused or resumed"
)

const remove = HttpApiEndpoint.delete("remove", "/api/webhooks/:id", {
  ...changed,
  success: HttpApiSchema.NoContent
}).annotate(OpenApi.Summary, "End a webhook endpoint with what was on its way to it, and its delivery log")

const commanded = { ...changed, payload: [WebhookCommand, Schema.Null] } as const

const rotateSecret = HttpApiEndpoint.post("rotateSecret", "/api/webhooks/:id/rotate-secret", {
  ...commanded,
  success: ShownEndpointBody
})
  .annotate(OpenApi.Summary, "Make a new secret, shown once; the one before it signs as well for 24 hours")
  .annotate(ShownOnce, ["secret"])

const pause = HttpApiEndpoint.post("pause", "/api/webhooks/:id/pause", commanded).annotate(
  OpenApi.Summary,
  "Let its deliveries wait"
)

const resume = HttpApiEndpoint.post("resume", "/api/webhooks/:id/resume", commanded).annotate(
  OpenApi.Summary,
  "Deliver to it again, what waited first; also where the service disabled it"
)

const test = HttpApiEndpoint.post("test", "/api/webhooks/:id/test", {
  params: idParams,
  payload: [TestWebhook, Schema.Null],
  success: DeliveryBody.pipe(HttpApiSchema.status(202)),
  error: [...ofReading, problems.InvalidState]
}).annotate(OpenApi.Summary, "Send an example of an event to this endpoint alone")

const deliveries = HttpApiEndpoint.get("deliveries", "/api/webhooks/:id/deliveries", {
  params: idParams,
  query: {
    ...pageQuery,
    status: Schema.optionalKey(Schema.Literals(deliveryStatuses)),
    type: Schema.optionalKey(EventName),
    from: optional(TimeFilter).annotate({ description: "A time, or a day in the organization's timezone" }),
    to: optional(TimeFilter).annotate({ description: "Before this time, or until the end of this day" })
  },
  success: pageOf(DeliveryBody, "WebhookDeliveries"),
  error: ofReading
}).annotate(OpenApi.Summary, "List the deliveries to an endpoint with their attempts, newest first")

const replay = HttpApiEndpoint.post("replay", "/api/webhooks/:id/replay", {
  params: idParams,
  payload: ReplayWebhook,
  success: ReplayBody.pipe(HttpApiSchema.status(202)),
  error: ofReading
}).annotate(OpenApi.Summary, "Send the deliveries of a range of time again, or those of them that failed")

const repeat = HttpApiEndpoint.post("repeat", "/api/webhooks/deliveries/:id/retry", {
  params: idParams,
  success: DeliveryBody.pipe(HttpApiSchema.status(202)),
  error: ofReading
}).annotate(OpenApi.Summary, "Send one delivery again, with all its attempts before it")

/** Where an organization wants its events, and what became of them (contract section 7). */
export class WebhooksApi extends HttpApiGroup.make("webhooks")
  .add(list)
  .add(create)
  .add(get)
  .add(change)
  .add(remove)
  .add(rotateSecret)
  .add(pause)
  .add(resume)
  .add(test)
  .add(deliveries)
  .add(replay)
  .add(repeat)
  .middleware(StrictDecoding)
  .middleware(Atomic)
  .middleware(Bearer)
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "ignore" }) {}
