import * as RandomIdentifiers from "@sarraf/adapters/identifiers/RandomIdentifiers"
import * as PgAuditTrail from "@sarraf/adapters/postgres/audit/PgAuditTrail"
import * as PgEventLog from "@sarraf/adapters/postgres/events/PgEventLog"
import * as PgUnitOfWork from "@sarraf/adapters/postgres/organizations/PgUnitOfWork"
import * as PgWebhookDeliveries from "@sarraf/adapters/postgres/webhooks/PgWebhookDeliveries"
import * as PgWebhookEndpointStore from "@sarraf/adapters/postgres/webhooks/PgWebhookEndpointStore"
import * as WebhookDelivery from "@sarraf/adapters/postgres/webhooks/WebhookDelivery"
import { EncryptionKeys } from "@sarraf/adapters/signing/EncryptionKeys"
import * as HttpWebhookSender from "@sarraf/adapters/webhooks/HttpWebhookSender"
import { EventLog } from "@sarraf/domain/events/EventLog"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import { WebhookDeliveries } from "@sarraf/domain/webhooks/WebhookDeliveries"
import type { WebhookEndpoint } from "@sarraf/domain/webhooks/WebhookEndpoint"
import { WebhookEndpointStore } from "@sarraf/domain/webhooks/WebhookEndpointStore"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { sampleEndpoint } from "../../../../domain/webhooks/support/SampleEndpoint.ts"
import * as Database from "../../../../support/Database.ts"
import { insertOrganization } from "../../support/Shop.ts"

const keys = Layer.succeed(EncryptionKeys, { current: Redacted.make(new Uint8Array(32).fill(7)), old: [] })

/** What deliveries stand on, in a database of its own. Nothing is delivered before `delivering`. */
export const stage = Layer.mergeAll(
  PgUnitOfWork.layer,
  PgAuditTrail.layer,
  PgEventLog.layer,
  PgWebhookEndpointStore.layer,
  PgWebhookDeliveries.layer
).pipe(
  Layer.provideMerge(Layer.mergeAll(keys, RandomIdentifiers.layer)),
  Layer.provideMerge(HttpWebhookSender.layer({ livemode: false, allowPrivate: false })),
  Layer.provideMerge(Database.layer)
)

/** Delivers as one process does, until the scope closes; each time another one. */
export const delivering = Effect.asVoid(Layer.build(Layer.fresh(WebhookDelivery.layer)))

export const secret = Redacted.make("whsec_Zmlyc3QgZmlyc3QgZmlyc3QgZmlyc3QgZmlyc3QgISE=")

/** Pauses that no test waits out: `hasten` ends them. */
const patient = { maxAttempts: 8, baseSeconds: 1_000, factor: 2, maxSeconds: 100_000, jitter: 0 }

/** An organization of its own, and what it does. */
export const organization = Effect.fnUntraced(function* (name: string) {
  const id = `org_${name}`
  const sql = yield* SqlClient.SqlClient
  const units = yield* UnitOfWork
  const log = yield* EventLog
  const endpoints = yield* WebhookEndpointStore
  const deliveries = yield* WebhookDeliveries
  yield* insertOrganization(id, true)
  const as = Effect.provideService(Caller, {
    organizationId: id,
    role: "ADMIN",
    name: "key:test",
    kind: "key",
    userId: null,
    createdBy: null
  })
  const happened = (number: number) =>
    log.append({ type: "expense.approved", objectId: `exp_${name}_${number}`, object: { id: `exp_${number}`, number } })
  const setStatus = (endpointId: string, status: WebhookEndpoint["status"]) =>
    sql`UPDATE webhook_endpoints SET status = ${status} WHERE organization_id = ${id} AND id = ${endpointId}`
  return {
    id,
    as,
    deliveries,
    endpoints,
    happened,
    units,
    setStatus,
    /** An endpoint `whk_<organization>_<name>`. */
    endpoint: (label: string, more: Partial<WebhookEndpoint> & { readonly url: string }) => {
      const endpoint = sampleEndpoint({ id: `whk_${name}_${label}`, events: ["*"], retry: patient, ...more })
      return Effect.as(as(endpoints.insert(endpoint, { current: secret, former: null })), endpoint.id)
    },
    /** So many changes, each committed alone. */
    change: (count: number, first = 1) =>
      Effect.forEach(
        Array.from({ length: count }, (_, index) => first + index),
        (number) => as(units.run(happened(number))),
        { discard: true }
      ),
    pause: (endpointId: string) => setStatus(endpointId, "PAUSED"),
    resume: (endpointId: string) =>
      as(units.run(Effect.andThen(setStatus(endpointId, "ENABLED"), deliveries.wake(endpointId)))),
    /** All of an endpoint's, oldest first. */
    sent: (endpointId: string) =>
      Effect.map(as(deliveries.list({ endpointId }, { limit: 100_000, after: undefined })), ({ items }) =>
        items.toReversed()
      )
  }
})

/** Waits for what is bound to happen; the test's own time limit ends it. */
export const until = <E, R>(condition: Effect.Effect<boolean, E, R>): Effect.Effect<void, E, R> =>
  Effect.flatMap(condition, (isMet) =>
    isMet
      ? Effect.void
      : Effect.andThen(
          Effect.sleep("15 millis"),
          Effect.suspend(() => until(condition))
        )
  )

/** Makes due what waits for its time. */
export const hasten = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`UPDATE webhook_queue SET visible_at = now() WHERE state = 'pending' AND visible_at > now()`
)

/** How many elements of an organization are not done. */
export const elementsLeft = (organizationId: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ readonly count: number }>`SELECT count(*)::int AS count FROM webhook_queue
        WHERE state = 'pending' AND element::jsonb ->> 'organizationId' = ${organizationId}`,
      ([row]) => row?.count ?? 0
    )
  )
