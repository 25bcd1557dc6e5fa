import { pageOf } from "@sarraf/domain/lists/Page"
import { Caller } from "@sarraf/domain/organizations/Caller"
import type { WebhookEndpoint } from "@sarraf/domain/webhooks/WebhookEndpoint"
import { WebhookEndpointStore } from "@sarraf/domain/webhooks/WebhookEndpointStore"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { makeVault } from "../../signing/Vault.ts"
import { makeWithin } from "../organizations/PgUnitOfWork.ts"
import {
  type EndpointRow,
  endpointOf,
  type SecretColumns,
  sealHeaders,
  sealSecrets,
  secretsOf
} from "./EndpointRows.ts"

const dateOrNull = (instant: number | null): Date | null => (instant === null ? null : new Date(instant))

/** Webhook endpoints in PostgreSQL; their secrets and the values of their headers are sealed. */
export const layer = Layer.effect(
  WebhookEndpointStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const within = yield* makeWithin
    const vault = yield* makeVault

    /** A row that does not open was changed behind our back, or its key was taken away: nobody can answer that. */
    const opened = (row: EndpointRow) => Effect.orDie(endpointOf(row, vault))
    const openedOne = (row: EndpointRow | undefined): Effect.Effect<WebhookEndpoint | undefined> =>
      row === undefined ? Effect.undefined : opened(row)

    return WebhookEndpointStore.of({
      insert: Effect.fn("PgWebhookEndpointStore.insert")(function* (endpoint, secrets) {
        const { organizationId } = yield* Caller
        const sealed = sealSecrets(organizationId, endpoint.id, secrets, vault)
        const { concurrency, description, disabledReason, events, id, metadata, retry, status, url, version } = endpoint
        yield* sql`INSERT INTO webhook_endpoints (organization_id, id, url, events, description, metadata, headers,
            secret, former_secret, former_secret_until, retry, concurrency, status, disabled_reason, failing_since,
            version, created_at, updated_at)
          VALUES (${organizationId}, ${id}, ${url}, ${[...events]}::text[], ${description},
            ${JSON.stringify(metadata)}::jsonb, ${sealHeaders(organizationId, endpoint, vault)}, ${sealed.secret},
            ${sealed.formerSecret}, ${sealed.formerUntil}, ${JSON.stringify(retry)}::jsonb, ${concurrency}, ${status},
            ${disabledReason}, ${dateOrNull(endpoint.failingSince)}, ${version}, ${new Date(endpoint.createdAt)},
            ${new Date(endpoint.updatedAt)})`
      }, within),
      find: Effect.fn("PgWebhookEndpointStore.find")(function* (id) {
        const { organizationId } = yield* Caller
        const [row] = yield* sql<EndpointRow>`SELECT * FROM webhook_endpoints
          WHERE organization_id = ${organizationId} AND id = ${id}`
        return yield* openedOne(row)
      }, within),
      lock: Effect.fn("PgWebhookEndpointStore.lock")(function* (id) {
        const { organizationId } = yield* Caller
        const [row] = yield* sql<EndpointRow>`SELECT * FROM webhook_endpoints
          WHERE organization_id = ${organizationId} AND id = ${id} FOR NO KEY UPDATE`
        return yield* openedOne(row)
      }, within),
      list: Effect.fn("PgWebhookEndpointStore.list")(function* (page) {
        const { organizationId } = yield* Caller
        const conditions = [
          sql`organization_id = ${organizationId}`,
          ...(page.after === undefined ? [] : [sql`id < ${page.after}`])
        ]
        const rows = yield* sql<EndpointRow>`SELECT * FROM webhook_endpoints WHERE ${sql.and(conditions)}
          ORDER BY id DESC LIMIT ${page.limit + 1}`
        return pageOf(yield* Effect.forEach(rows, opened), page)
      }, within),
      count: Effect.fn("PgWebhookEndpointStore.count")(function* () {
        const { organizationId } = yield* Caller
        yield* sql`SELECT pg_advisory_xact_lock(hashtextextended(${`webhook endpoints of ${organizationId}`}, 0))`
        const [row] = yield* sql<{ count: number }>`SELECT count(*)::integer AS count FROM webhook_endpoints
          WHERE organization_id = ${organizationId}`
        return row?.count ?? 0
      }, within),
      update: Effect.fn("PgWebhookEndpointStore.update")(function* (endpoint) {
        const { organizationId } = yield* Caller
        const { concurrency, description, disabledReason, events, id, metadata, retry, status, url, version } = endpoint
        yield* sql`UPDATE webhook_endpoints SET url = ${url}, events = ${[...events]}::text[],
            description = ${description}, metadata = ${JSON.stringify(metadata)}::jsonb,
            headers = ${sealHeaders(organizationId, endpoint, vault)}, retry = ${JSON.stringify(retry)}::jsonb,
            concurrency = ${concurrency}, status = ${status}, disabled_reason = ${disabledReason},
            failing_since = ${dateOrNull(endpoint.failingSince)}, version = ${version},
            updated_at = ${new Date(endpoint.updatedAt)}
          WHERE organization_id = ${organizationId} AND id = ${id}`
      }, within),
      replaceSecrets: Effect.fn("PgWebhookEndpointStore.replaceSecrets")(function* (id, secrets) {
        const { organizationId } = yield* Caller
        const { formerSecret, formerUntil, secret } = sealSecrets(organizationId, id, secrets, vault)
        yield* sql`UPDATE webhook_endpoints SET secret = ${secret}, former_secret = ${formerSecret},
            former_secret_until = ${formerUntil}
          WHERE organization_id = ${organizationId} AND id = ${id}`
      }, within),
      findSecrets: Effect.fn("PgWebhookEndpointStore.findSecrets")(function* (id) {
        const { organizationId } = yield* Caller
        const [row] = yield* sql<SecretColumns>`SELECT organization_id, id, secret, former_secret, former_secret_until
          FROM webhook_endpoints WHERE organization_id = ${organizationId} AND id = ${id}`
        return row === undefined ? undefined : yield* Effect.orDie(secretsOf(row, vault))
      }, within),
      remove: Effect.fn("PgWebhookEndpointStore.remove")(function* (id) {
        const { organizationId } = yield* Caller
        yield* sql`WITH removed AS (
            DELETE FROM webhook_endpoints WHERE organization_id = ${organizationId} AND id = ${id}
            RETURNING organization_id, id)
          INSERT INTO removed_webhook_endpoints (organization_id, id) SELECT organization_id, id FROM removed`
      }, within)
    })
  })
)
