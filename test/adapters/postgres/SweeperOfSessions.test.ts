import { assert, layer } from "@effect/vitest"
import * as Sweeper from "@sarraf/adapters/postgres/Sweeper"
import { EncryptionKeys } from "@sarraf/adapters/signing/EncryptionKeys"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../support/Database.ts"
import { insertPerson } from "./support/People.ts"
import { insertOrganization } from "./support/Shop.ts"

const keys = Layer.succeed(EncryptionKeys, { current: Redacted.make(new Uint8Array(32).fill(7)), old: [] })

layer(Layer.merge(Database.layer, keys))("The sweeper", (it) => {
  it.effect("deletes sessions that are over or were not used, and links whose time is over, and no others", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* insertOrganization("org_swept", true)
      yield* insertPerson("org_swept", "usr_swept")
      const session = (number: number, usedHoursAgo: number, endsInHours: number) =>
        sql`INSERT INTO sessions (organization_id, id, digest, user_id, created_at, last_used_at, expires_at)
          VALUES ('org_swept', ${`ses_${number}`}, ${String(number).repeat(64)}, 'usr_swept', now(),
            now() - ${usedHoursAgo}::int * interval '1 hour', now() + ${endsInHours}::int * interval '1 hour')`
      yield* session(1, 11, 1)
      yield* session(2, 13, 1)
      yield* session(3, 1, -1)
      const link = (kind: string, digit: string, endsInHours: number) =>
        sql`INSERT INTO account_links (organization_id, user_id, kind, digest, expires_at)
          VALUES ('org_swept', 'usr_swept', ${kind}, ${digit.repeat(64)}, now() + ${endsInHours}::int * interval '1 hour')`
      yield* link("invitation", "a", 1)
      yield* link("password_reset", "b", -1)
      const left = sql<{ id: string }>`SELECT id FROM sessions UNION ALL SELECT kind FROM account_links ORDER BY 1`
      // Each look is a question to the database, so that this ends without a wait of its own.
      const rows = yield* Effect.repeat(left, { until: (found) => found.length === 2, times: 5_000 }).pipe(
        Effect.provide(Sweeper.layer)
      )
      assert.deepStrictEqual(
        rows.map(({ id }) => id),
        ["invitation", "ses_1"]
      )
    })
  )
})
