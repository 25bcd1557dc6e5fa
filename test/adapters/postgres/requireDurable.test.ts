import { assert, layer } from "@effect/vitest"
import { requireDurable } from "@sarraf/adapters/postgres/requireDurable"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../support/Database.ts"

layer(Database.layer)("requireDurable", (it) => {
  it.effect("names every setting by which the database may forget what it committed", () =>
    Effect.gen(function* () {
      // The database of the tests is not durable on purpose.
      const error = yield* Effect.flip(requireDurable)
      assert.include(String(error), "fsync and synchronous_commit off")
    })
  )

  it.effect("names only what is off", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const error = yield* sql.withTransaction(
        Effect.andThen(sql`SET LOCAL synchronous_commit = on`, Effect.flip(requireDurable))
      )
      assert.include(String(error), "has fsync off")
    })
  )
})
