import { assert, layer } from "@effect/vitest"
import * as PgNotificationInbox from "@sarraf/adapters/postgres/payments/PgNotificationInbox"
import { EncryptionKeys } from "@sarraf/adapters/signing/EncryptionKeys"
import { NotificationInbox } from "@sarraf/domain/payments/NotificationInbox"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { noon } from "../../domain/payments/support/SamplePayment.ts"
import * as Database from "../../support/Database.ts"
import { message, notificationInboxContract } from "./notificationInboxContract.ts"

const keysOf = (fill: number) =>
  Layer.succeed(EncryptionKeys, { current: Redacted.make(new Uint8Array(32).fill(fill)), old: [] })

const onDatabase = PgNotificationInbox.layer.pipe(Layer.provide(keysOf(7)), Layer.provideMerge(Database.layer))

layer(onDatabase)("PgNotificationInbox", (it) => notificationInboxContract(it))

const rowOf = (provider: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ row: string; sealed: string }>`SELECT n::text AS row, sealed FROM inbound_notifications n
        WHERE provider = ${provider}`,
      ([row]) => row ?? assert.fail("no row")
    )
  )

layer(onDatabase)("A row of PgNotificationInbox", (it) => {
  it.effect("cannot be read without the key, and is erased when it is done", () =>
    Effect.gen(function* () {
      const inbox = yield* NotificationInbox
      const text = "Ayşe Yılmaz, 411111******1111"
      yield* inbox.keep("sealed", ["e-1"], message(text), noon)
      const { row } = yield* rowOf("sealed")
      for (const plain of [text, "Ayşe", "secret-header", Buffer.from(text).toString("base64")]) {
        assert.notInclude(row, plain)
      }
      const [kept] = yield* inbox.claim(noon, 10)
      if (kept === undefined) return assert.fail("nothing was kept")
      yield* inbox.release(kept, null)
      assert.strictEqual((yield* rowOf("sealed")).sealed, "")
    })
  )

  it.effect("opens in its own place only, and one that does not open keeps no other waiting", () =>
    Effect.gen(function* () {
      const inbox = yield* NotificationInbox
      const sql = yield* SqlClient.SqlClient
      yield* inbox.keep("moved", ["e-1"], message("first"), noon)
      yield* inbox.keep("moved", ["e-2"], message("second"), noon)
      yield* sql`UPDATE inbound_notifications SET sealed =
        (SELECT sealed FROM inbound_notifications WHERE provider = 'moved' AND id = 'e-2')
        WHERE provider = 'moved' AND id = 'e-1'`
      const claimed = (yield* inbox.claim(noon, 10)).filter(({ provider }) => provider === "moved")
      assert.deepStrictEqual(
        claimed.map(({ id }) => id),
        ["e-2"]
      )
    })
  )
})
