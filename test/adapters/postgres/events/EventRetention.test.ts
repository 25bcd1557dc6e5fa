import { assert, layer } from "@effect/vitest"
import { EventRetentionDays } from "@sarraf/adapters/postgres/events/EventRetention"
import * as Sweeper from "@sarraf/adapters/postgres/Sweeper"
import { EncryptionKeys } from "@sarraf/adapters/signing/EncryptionKeys"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { shopOf, stores } from "./support/Told.ts"

const keys = Layer.succeed(EncryptionKeys, { current: Redacted.make(new Uint8Array(32).fill(7)), old: [] })

const minutesOfADay = 24 * 60

/** An event of so many minutes ago, with a delivery in this state and an attempt of it. */
const insertDelivered = Effect.fnUntraced(function* (
  organizationId: string,
  name: string,
  minutes: number,
  status: string
) {
  const sql = yield* SqlClient.SqlClient
  const at = sql`now() - ${minutes}::int * interval '1 minute'`
  yield* sql`INSERT INTO events (organization_id, id, type, object_id, sequence, data, created_at)
    VALUES (${organizationId}, ${`evt_${name}`}, 'bill.paid', ${`bill_${name}`}, 1, '{}', ${at})`
  yield* sql`INSERT INTO webhook_deliveries
      (organization_id, id, endpoint_id, event_id, event_type, status, attempts, created_at)
    VALUES (${organizationId}, ${`whd_${name}`}, 'whk_1', ${`evt_${name}`}, 'bill.paid', ${status}, 1, ${at})`
  yield* sql`INSERT INTO webhook_attempts (organization_id, delivery_id, number, at, duration_millis)
    VALUES (${organizationId}, ${`whd_${name}`}, 1, ${at}, 5)`
})

/** What is left of an organization's events, deliveries and attempts, once no more than `count` rows are. */
const leftOf = Effect.fnUntraced(function* (organizationId: string, count: number, days?: number) {
  const sql = yield* SqlClient.SqlClient
  const left = sql<{ id: string }>`
    SELECT id FROM events WHERE organization_id = ${organizationId}
    UNION ALL SELECT id FROM webhook_deliveries WHERE organization_id = ${organizationId}
    UNION ALL SELECT 'attempt of ' || delivery_id FROM webhook_attempts WHERE organization_id = ${organizationId}
    ORDER BY 1`
  const sweeper =
    days === undefined ? Sweeper.layer : Layer.provide(Sweeper.layer, Layer.succeed(EventRetentionDays, days))
  // Each look is a question to the database, so that this ends without a wait of its own.
  const rows = yield* Effect.repeat(left, { until: (found) => found.length <= count, times: 20_000 }).pipe(
    Effect.provide(sweeper)
  )
  return rows.map(({ id }) => id)
})

const arrange = Effect.fnUntraced(function* (name: string) {
  const { found, organizationId } = shopOf(name)
  const sql = yield* SqlClient.SqlClient
  yield* found
  yield* sql`INSERT INTO webhook_endpoints (organization_id, id, url, events, metadata, headers, secret, retry,
      concurrency, status, version, created_at, updated_at)
    VALUES (${organizationId}, 'whk_1', 'https://receiver.test', '{*}', '{}', '{}', 'sealed', '{}', 1, 'ENABLED', 1,
      now(), now())`
  return organizationId
})

const rowsOf = (...names: ReadonlyArray<string>) => [
  ...names.map((name) => `attempt of whd_${name}`),
  ...names.map((name) => `evt_${name}`),
  ...names.map((name) => `whd_${name}`)
]

layer(Layer.merge(stores, keys))("Events", (it) => {
  it.effect("are kept 90 days with their deliveries, and a delivery that is still tried keeps neither", () =>
    Effect.gen(function* () {
      const organizationId = yield* arrange("usual")
      const days = 90 * minutesOfADay
      yield* insertDelivered(organizationId, "done", days + 5, "SUCCEEDED")
      yield* insertDelivered(organizationId, "failed", days + 5, "FAILED")
      yield* insertDelivered(organizationId, "pending", days + 5, "PENDING")
      yield* insertDelivered(organizationId, "young", days - 60, "PENDING")
      assert.deepStrictEqual(yield* leftOf(organizationId, 3), rowsOf("young"))
    })
  )

  it.effect("are kept for as many days as it is set", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM webhook_endpoints`
      const organizationId = yield* arrange("short")
      yield* insertDelivered(organizationId, "old", minutesOfADay + 5, "PENDING")
      yield* insertDelivered(organizationId, "today", minutesOfADay - 60, "SUCCEEDED")
      assert.deepStrictEqual(yield* leftOf(organizationId, 3, 1), rowsOf("today"))
    })
  )
})
