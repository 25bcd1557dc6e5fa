import { queueOf } from "@sarraf/adapters/postgres/webhooks/DeliveryQueue"
import { sealHeaders, sealSecrets } from "@sarraf/adapters/postgres/webhooks/EndpointRows"
import { queueTable } from "@sarraf/adapters/postgres/webhooks/QueueTable"
import { EncryptionKeys } from "@sarraf/adapters/signing/EncryptionKeys"
import { keyFromFolder } from "@sarraf/adapters/signing/KeyFile"
import { makeVault } from "@sarraf/adapters/signing/Vault"
import { usualRetry } from "@sarraf/domain/webhooks/RetrySettings"
import type { WebhookEndpoint } from "@sarraf/domain/webhooks/WebhookEndpoint"
import { Effect, Redacted } from "effect"
import postgres from "postgres"
import { BenchFailed } from "../BenchFailed.ts"

/** The sandbox's organization, whose key the load is sent with. */
const organization = "org_01kd8z0000e0080000000000s1"

/** Inserted in one transaction: what is due at the same moment is sorted at each look at its queue. */
const batchMax = 1_000

/** Some 500 bytes of payload, as an expense has. */
const data = JSON.stringify({
  object: {
    ...{ id: "exp_01kd9a2q4jfwq8k5z3t1r7y6cm", version: 3, status: "APPROVED", amount: "1250.00", currency: "TRY" },
    ...{ merchant: "Merchant 12", category: "Travel", date: "2026-11-03", description: "Taxi to the airport" },
    ...{ created_at: "2026-11-03T08:05:33.911Z", updated_at: "2026-11-03T09:05:33.911Z", violations: [] }
  },
  previous: { status: "PENDING" }
})

const endpointOf = (id: string, url: string): WebhookEndpoint => ({
  ...{ id, url, events: ["*"], description: null, metadata: {}, headers: {}, retry: usualRetry, concurrency: 10 },
  ...{ status: "PAUSED", disabledReason: null, failingSince: null, formerSecretUntil: null },
  ...{ createdAt: 0, updatedAt: 0, version: 1 }
})

/** Endpoints and deliveries of a service that runs, written past it. `dataFolder` holds its key. */
export const open = Effect.fn("bench.StoredDeliveries")(function* (options: {
  readonly host: string
  readonly username: string
  readonly database: string
  readonly dataFolder: string
}) {
  const { database, dataFolder, host, username } = options
  const current = yield* Effect.mapError(keyFromFolder(dataFolder), ({ message }) => new BenchFailed({ message }))
  const vault = yield* Effect.provideService(makeVault, EncryptionKeys, { current, old: [] })
  const sql = yield* Effect.acquireRelease(
    Effect.sync(() => postgres({ host, username, database, max: 2, onnotice: () => {} })),
    (client) => Effect.promise(() => client.end({ timeout: 1 }))
  )
  const doing = <A>(work: () => Promise<A>) =>
    Effect.tryPromise({ try: work, catch: (cause) => new BenchFailed({ message: `The database: ${cause}` }) })
  let made = 0

  /** Commits one event for each place in `endpointIds`, on its way there; as a change does, without the change. */
  const insert = async (endpointIds: ReadonlyArray<string>) => {
    const first = made
    made += endpointIds.length
    const ids = endpointIds.map((_, index) => String(first + index).padStart(12, "0"))
    await sql.begin(async (tx) => {
      await tx`INSERT INTO events (organization_id, id, type, object_id, sequence, data, created_at)
        SELECT ${organization}, 'evt_bench' || id, 'expense.approved', 'exp_bench' || id, 1, ${data}::text::jsonb,
          clock_timestamp() FROM unnest(${ids}::text[]) AS t (id)`
      await tx`INSERT INTO webhook_deliveries
          (organization_id, id, endpoint_id, event_id, event_type, status, next_attempt_at, created_at)
        SELECT ${organization}, 'whd_bench' || id, endpoint, 'evt_bench' || id, 'expense.approved', 'PENDING', now(), now()
        FROM unnest(${ids}::text[], ${[...endpointIds]}::text[]) AS t (id, endpoint)`
      await tx`INSERT INTO ${tx(queueTable)}
          (id, queue_name, element, state, attempts, visible_at, created_at, updated_at)
        SELECT 'whd_bench' || id || '/1', ${queueOf("")} || endpoint, json_build_object('organizationId',
          ${organization}::text, 'deliveryId', 'whd_bench' || id, 'attempt', 1)::text, 'pending', 0,
          clock_timestamp(), now(), now()
        FROM unnest(${ids}::text[], ${[...endpointIds]}::text[]) AS t (id, endpoint)`
    })
    await sql`SELECT pg_notify('sarraf_webhooks', 'bench ' || queue)
      FROM unnest(${[...new Set(endpointIds)].map(queueOf)}::text[]) AS t (queue)`
  }

  return {
    /** Makes so many endpoints that are paused, and gives their ids. */
    endpoints: (count: number, url: string) =>
      doing(async () => {
        await sql`DELETE FROM webhook_endpoints`
        const ids = Array.from({ length: count }, (_, index) => `whk_bench${String(index).padStart(6, "0")}`)
        for (const id of ids) {
          const endpoint = endpointOf(id, url)
          const secret = Redacted.make(`whsec_${Buffer.alloc(32, 7).toString("base64")}`)
          const sealed = sealSecrets(organization, id, { current: secret, former: null }, vault)
          await sql`INSERT INTO webhook_endpoints (organization_id, id, url, events, metadata, headers, secret, retry,
              concurrency, status, version, created_at, updated_at)
            VALUES (${organization}, ${id}, ${url}, ARRAY['*'], '{}', ${sealHeaders(organization, endpoint, vault)},
              ${sealed.secret}, ${sql.json({ ...usualRetry })}, ${endpoint.concurrency}, 'PAUSED', 1, now(), now())`
        }
        return ids
      }),
    /** So many deliveries, evenly for the endpoints. */
    backlog: (count: number, endpointIds: ReadonlyArray<string>) =>
      doing(async () => {
        for (let from = 0; from < count; from += batchMax) {
          const length = Math.min(batchMax, count - from)
          await insert(Array.from({ length }, (_, index) => endpointIds[(from + index) % endpointIds.length] ?? ""))
        }
        await sql`ANALYZE`
      }),
    insert: (endpointIds: ReadonlyArray<string>) => doing(() => insert(endpointIds)),
    /** Lets the service begin. */
    enable: doing(() => sql`UPDATE webhook_endpoints SET status = 'ENABLED'`)
  }
})
