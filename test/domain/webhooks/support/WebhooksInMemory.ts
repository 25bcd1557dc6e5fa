import { type AuditEntry, AuditTrail } from "@sarraf/domain/audit/AuditTrail"
import { Identifiers } from "@sarraf/domain/identifiers/TypeId"
import { Caller, type Role } from "@sarraf/domain/organizations/Caller"
import { Organizations } from "@sarraf/domain/organizations/Organizations"
import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import { type DeliveryFilter, type ReplayRange, WebhookDeliveries } from "@sarraf/domain/webhooks/WebhookDeliveries"
import type { DeliveryAttempt, WebhookDelivery } from "@sarraf/domain/webhooks/WebhookDelivery"
import type { EndpointSecrets, WebhookEndpoint } from "@sarraf/domain/webhooks/WebhookEndpoint"
import { WebhookEndpointStore } from "@sarraf/domain/webhooks/WebhookEndpointStore"
import { WebhookSender } from "@sarraf/domain/webhooks/WebhookSender"
import { Webhooks } from "@sarraf/domain/webhooks/Webhooks"
import { Effect, Layer, Redacted } from "effect"
import { sampleOrganization } from "../../organizations/support/SampleOrganization.ts"

export const delivery: WebhookDelivery = {
  id: "whd_1",
  endpointId: "whk_1",
  eventId: "evt_1",
  eventType: "card.frozen",
  status: "FAILED",
  attempts: 1,
  nextAttemptAt: null,
  createdAt: 0,
  completedAt: 5
}
export const attempt: DeliveryAttempt = { number: 1, at: 1, durationMillis: 4, status: 500, error: null, answer: "no" }

/** The endpoints of one organization, kept in memory; what was recorded, woken, filtered and replayed is collected. */
export const arranged = (...endpoints: ReadonlyArray<WebhookEndpoint>) => {
  const kept = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]))
  const secrets = new Map<string, EndpointSecrets>(
    endpoints.map(({ id }) => [id, { current: Redacted.make("whsec_first"), former: null }])
  )
  const recorded: Array<AuditEntry> = []
  const woken: Array<string> = []
  const filters: Array<DeliveryFilter> = []
  const replays: Array<ReplayRange> = []
  let units = 0
  let made = 0
  const find = (id: string) => Effect.sync(() => kept.get(id))
  const ports = Layer.mergeAll(
    Layer.mock(WebhookEndpointStore, {
      insert: (endpoint, initial) =>
        Effect.sync(() => {
          kept.set(endpoint.id, endpoint)
          secrets.set(endpoint.id, initial)
        }),
      find,
      lock: find,
      list: () => Effect.sync(() => ({ items: [...kept.values()], hasMore: false })),
      count: () => Effect.sync(() => kept.size),
      update: (endpoint) => Effect.sync(() => void kept.set(endpoint.id, endpoint)),
      replaceSecrets: (id, next) => Effect.sync(() => void secrets.set(id, next)),
      findSecrets: (id) => Effect.sync(() => secrets.get(id)),
      remove: (id) => Effect.sync(() => void kept.delete(id))
    }),
    Layer.mock(WebhookDeliveries, {
      list: (filter) => {
        filters.push(filter)
        return Effect.succeed({ items: [delivery], hasMore: true })
      },
      attemptsOf: (ids) => Effect.succeed(new Map(ids.map((id) => [id, [attempt]]))),
      find: (id) => Effect.succeed(id === delivery.id ? delivery : undefined),
      repeat: (id) => Effect.succeed(id === delivery.id ? delivery : undefined),
      replay: (range) => {
        replays.push(range)
        return Effect.succeed(3)
      },
      sendExample: (endpointId, eventType) => Effect.succeed({ ...delivery, endpointId, eventType }),
      wake: (id) => Effect.sync(() => void woken.push(id))
    }),
    Layer.mock(AuditTrail, { append: (entry) => Effect.sync(() => void recorded.push(entry)) }),
    Layer.mock(Organizations, { current: Effect.succeed(sampleOrganization()) }),
    Layer.mock(Identifiers, {
      next: (prefix) => Effect.sync(() => `${prefix}_new${made++}`),
      randomBytes: (count) => Effect.succeed(new Uint8Array(count))
    }),
    Layer.mock(UnitOfWork, {
      run: (effect) =>
        Effect.suspend(() => {
          units += 1
          return effect
        })
    }),
    Layer.mock(WebhookSender, {
      refusalOf: (url) => (url.includes("10.0.0.1") ? "It is a private address" : undefined)
    })
  )
  return {
    kept,
    secrets,
    recorded,
    woken,
    filters,
    replays,
    units: () => units,
    layer: Layer.provide(Webhooks.layer, ports)
  }
}

export type Arranged = ReturnType<typeof arranged>

/** What a role makes of the endpoints that are arranged. */
export const as =
  (role: Role, { layer }: Arranged) =>
  <A, E>(use: (webhooks: Webhooks["Service"]) => Effect.Effect<A, E, Caller>): Effect.Effect<A, E> =>
    Effect.flatMap(Webhooks, use).pipe(
      Effect.provide(layer),
      Effect.provideService(Caller, {
        organizationId: "org_1",
        role,
        name: "user:usr_1",
        kind: "user",
        userId: "usr_1",
        createdBy: null
      })
    )
