import { assert, layer } from "@effect/vitest"
import { EventRetentionDays } from "@sarraf/adapters/postgres/events/EventRetention"
import * as Sweeper from "@sarraf/adapters/postgres/Sweeper"
import { EncryptionKeys } from "@sarraf/adapters/signing/EncryptionKeys"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../../support/Database.ts"

const keys = Layer.succeed(EncryptionKeys, { current: Redacted.make(new Uint8Array(32).fill(7)), old: [] })
const sweeper = Layer.provide(Sweeper.layer, Layer.succeed(EventRetentionDays, 90))

layer(Layer.merge(Database.layer, keys))("The sweeper", (it) => {
  it.effect("deletes artifacts whose time is over, and clients that nobody has used for a week", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const insert = (model: string, id: string, daysAgo: number, endsInDays: number | null, payload: object = {}) =>
        sql`INSERT INTO oauth_artifact (model, id, payload, created_at, expires_at)
          VALUES (${model}, ${id}, ${JSON.stringify(payload)}::jsonb, now() - ${daysAgo}::int * interval '1 day',
            now() + ${endsInDays}::int * interval '1 day')`
      yield* insert("AccessToken", "over", 1, -1)
      yield* insert("AccessToken", "good", 1, 1)
      yield* insert("Client", "new", 6, null)
      yield* insert("Client", "unused", 8, null)
      yield* insert("Client", "used", 8, null)
      yield* insert("Grant", "grant", 8, 1, { clientId: "used" })
      const left = sql<{ id: string }>`SELECT id FROM oauth_artifact ORDER BY id`
      // Each look is a question to the database, so that this ends without a wait of its own.
      const rows = yield* Effect.repeat(left, { until: (found) => found.length === 4, times: 5_000 }).pipe(
        Effect.provide(sweeper)
      )
      assert.deepStrictEqual(
        rows.map(({ id }) => id),
        ["good", "grant", "new", "used"]
      )
    })
  )
})
