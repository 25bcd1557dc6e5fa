import type { WebhookEndpoint } from "@sarraf/domain/webhooks/WebhookEndpoint"
import { type LoggedDelivery, type ShownWebhookSecret, Webhooks } from "@sarraf/domain/webhooks/Webhooks"
import { Effect, Redacted, Struct } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { present } from "../api/conventions.ts"
import { ChangeWebhook, CreateWebhook, ReplayWebhook, TestWebhook, WebhookCommand } from "../api/webhooks.ts"
import { GatewayMode } from "../auth/GatewayMode.ts"
import {
  expectedVersions,
  momentOf,
  pageBody,
  pageRequest,
  refusals,
  timeOf,
  timeOrNull,
  warningsAbout,
  withEtag,
  withLocation,
  withSecretShown
} from "./conventions.ts"

const ofList = Struct.pick(refusals, ["RoleMissing", "Unavailable"])
const ofOne = Struct.pick(refusals, ["NotFound", "RoleMissing", "Unavailable"])
const ofCreation = Struct.pick(refusals, ["InvalidFields", "RoleMissing", "StateRefused", "Unavailable"])
const ofCommand = Struct.pick(refusals, ["NotFound", "RoleMissing", "Unavailable", "VersionConflict"])
const ofChange = { ...ofCommand, ...Struct.pick(refusals, ["InvalidFields", "StateRefused"]) }
const ofTest = Struct.pick(refusals, ["NotFound", "RoleMissing", "StateRefused", "Unavailable"])
const ofReplay = Struct.pick(refusals, ["InvalidFields", "NotFound", "RoleMissing", "Unavailable"])

/**
 * In the place of a custom header's value, which nobody sees again. It is no ASCII, so that an answer which is sent back
 * as a change is refused instead of making the mask the value.
 */
const mask = "••••••••"

const endpointBody = (endpoint: WebhookEndpoint) => ({
  id: endpoint.id,
  version: endpoint.version,
  url: endpoint.url,
  events: endpoint.events,
  description: endpoint.description,
  metadata: endpoint.metadata,
  headers: Object.fromEntries(Object.keys(endpoint.headers).map((name) => [name, mask])),
  retry: {
    max_attempts: endpoint.retry.maxAttempts,
    base_seconds: endpoint.retry.baseSeconds,
    factor: endpoint.retry.factor,
    max_seconds: endpoint.retry.maxSeconds,
    jitter: endpoint.retry.jitter
  },
  concurrency: endpoint.concurrency,
  status: endpoint.status,
  disabled_reason: endpoint.disabledReason,
  failing_since: timeOrNull(endpoint.failingSince),
  former_secret_until: timeOrNull(endpoint.formerSecretUntil),
  created_at: timeOf(endpoint.createdAt),
  updated_at: timeOf(endpoint.updatedAt)
})

const shownBody = ({ endpoint, secret }: ShownWebhookSecret) => ({
  ...endpointBody(endpoint),
  secret: Redacted.value(secret)
})

const deliveryBody = ({ attempts, delivery }: LoggedDelivery) => ({
  id: delivery.id,
  endpoint_id: delivery.endpointId,
  event_id: delivery.eventId,
  event_type: delivery.eventType,
  status: delivery.status,
  attempts: attempts.map(({ answer, at, durationMillis, error, number, status }) => ({
    number,
    at: timeOf(at),
    duration_ms: durationMillis,
    status,
    error,
    answer
  })),
  next_attempt_at: timeOrNull(delivery.nextAttemptAt),
  created_at: timeOf(delivery.createdAt),
  completed_at: timeOrNull(delivery.completedAt)
})

type Settings = Pick<
  typeof ChangeWebhook.Type,
  "concurrency" | "description" | "events" | "headers" | "metadata" | "retry" | "url"
>

const redacted = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Redacted.make(value)]))

const fieldsOf = ({ concurrency, description, events, headers, metadata, retry, url }: Settings) =>
  present({
    url,
    events,
    description,
    metadata,
    headers: headers == null ? undefined : redacted(headers),
    retry:
      retry == null
        ? undefined
        : present({
            maxAttempts: retry.max_attempts,
            baseSeconds: retry.base_seconds,
            factor: retry.factor,
            maxSeconds: retry.max_seconds,
            jitter: retry.jitter
          }),
    concurrency
  })

/** The handlers translate between the wire and the domain and decide nothing. */
export const layer = HttpApiBuilder.group(
  Api,
  "webhooks",
  Effect.fn(function* (handlers) {
    const webhooks = yield* Webhooks
    const { livemode } = yield* GatewayMode
    const unknownOfCreation = warningsAbout(CreateWebhook)
    const unknownOfChange = warningsAbout(ChangeWebhook)
    const unknownOfCommand = warningsAbout(WebhookCommand)
    const unknownOfTest = warningsAbout(TestWebhook)
    const unknownOfReplay = warningsAbout(ReplayWebhook)

    interface Command {
      readonly headers: { readonly "if-match"?: string }
      readonly params: { readonly id: string }
      readonly payload: typeof WebhookCommand.Type | null
    }
    const moveTo =
      (status: "ENABLED" | "PAUSED") =>
      ({ headers, params, payload }: Command) =>
        Effect.gen(function* () {
          const expected = expectedVersions(headers["if-match"], payload?.version)
          const endpoint = yield* webhooks.change(params.id, { status }, { expected, livemode })
          yield* withEtag(endpoint.version)
          return { ...endpointBody(endpoint), ...(payload === null ? {} : yield* unknownOfCommand) }
        }).pipe(Effect.catchTags(ofChange))

    return handlers
      .handle("list", ({ query }) =>
        Effect.gen(function* () {
          const page = yield* webhooks.list(yield* pageRequest("webhooks", query))
          return pageBody("webhooks", query, page, ({ id }) => id, endpointBody)
        }).pipe(Effect.catchTags(ofList))
      )
      .handle("create", ({ payload }) =>
        Effect.gen(function* () {
          const { events, url } = payload
          const shown = yield* webhooks.create({ ...fieldsOf(payload), events, url }, livemode)
          yield* withEtag(shown.endpoint.version)
          yield* withLocation(`/api/webhooks/${shown.endpoint.id}`)
          yield* withSecretShown
          return { ...shownBody(shown), ...(yield* unknownOfCreation) }
        }).pipe(Effect.catchTags(ofCreation))
      )
      .handle("get", ({ params }) =>
        webhooks.find(params.id).pipe(
          Effect.tap(({ version }) => withEtag(version)),
          Effect.map(endpointBody),
          Effect.catchTags(ofOne)
        )
      )
      .handle("change", ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const expected = expectedVersions(headers["if-match"], payload.version)
          const change = { ...fieldsOf(payload), ...present({ status: payload.status }) }
          const endpoint = yield* webhooks.change(params.id, change, { expected, livemode })
          yield* withEtag(endpoint.version)
          return { ...endpointBody(endpoint), ...(yield* unknownOfChange) }
        }).pipe(Effect.catchTags(ofChange))
      )
      .handle("remove", ({ headers, params }) =>
        webhooks.remove(params.id, expectedVersions(headers["if-match"])).pipe(Effect.catchTags(ofCommand))
      )
      .handle("rotateSecret", ({ headers, params, payload }) =>
        Effect.gen(function* () {
          const expected = expectedVersions(headers["if-match"], payload?.version)
          const shown = yield* webhooks.rotateSecret(params.id, expected)
          yield* withEtag(shown.endpoint.version)
          yield* withSecretShown
          return { ...shownBody(shown), ...(payload === null ? {} : yield* unknownOfCommand) }
        }).pipe(Effect.catchTags(ofCommand))
      )
      .handle("pause", moveTo("PAUSED"))
      .handle("resume", moveTo("ENABLED"))
      .handle("test", ({ params, payload }) =>
        Effect.gen(function* () {
          const delivery = yield* webhooks.sendTest(params.id, payload?.type ?? "expense.approved")
          return { ...deliveryBody(delivery), ...(payload === null ? {} : yield* unknownOfTest) }
        }).pipe(Effect.catchTags(ofTest))
      )
      .handle("deliveries", ({ params, query }) =>
        Effect.gen(function* () {
          const name = `webhooks/${params.id}/deliveries`
          const { from, status, to, type } = query
          const question = present({
            status,
            eventType: type,
            from: from == null ? undefined : momentOf(from),
            to: to == null ? undefined : momentOf(to)
          })
          const page = yield* webhooks.deliveries(params.id, question, yield* pageRequest(name, query))
          return pageBody(name, query, page, ({ delivery }) => delivery.id, deliveryBody)
        }).pipe(Effect.catchTags(ofOne))
      )
      .handle("replay", ({ params, payload: { from, status, to } }) =>
        Effect.gen(function* () {
          const count = yield* webhooks.replay({
            endpointId: params.id,
            from: momentOf(from),
            to: to == null ? undefined : momentOf(to),
            status: status == null ? undefined : "FAILED"
          })
          return { deliveries: count, ...(yield* unknownOfReplay) }
        }).pipe(Effect.catchTags(ofReplay))
      )
      .handle("repeat", ({ params }) =>
        webhooks.repeat(params.id).pipe(Effect.map(deliveryBody), Effect.catchTags(ofOne))
      )
  })
)
