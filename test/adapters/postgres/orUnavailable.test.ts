import { PgClient } from "@effect/sql-pg"
import { assert, it, layer } from "@effect/vitest"
import { orUnavailable } from "@sarraf/adapters/postgres/orUnavailable"
import { Unavailable } from "@sarraf/domain/errors/Unavailable"
import { Cause, Effect, Exit } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { inject } from "vitest"
import * as Database from "../../support/Database.ts"

const unavailable = Exit.fail(new Unavailable())

layer(Database.layer)("orUnavailable", (it) => {
  it.effect("is Unavailable when the server ends the connection, outside and inside a transaction", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const breaking = sql`SELECT pg_terminate_backend(pg_backend_pid())`
      assert.deepStrictEqual(yield* Effect.exit(orUnavailable(breaking)), unavailable)
      assert.deepStrictEqual(yield* Effect.exit(orUnavailable(sql.withTransaction(breaking))), unavailable)
      assert.strictEqual((yield* sql`SELECT 1`).length, 1)
    })
  )

  it.effect("is Unavailable when nobody listens on the socket", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* Effect.exit(orUnavailable(sql`SELECT 1`)), unavailable)
    }).pipe(Effect.provide(PgClient.layer({ host: "/nonexistent", username: "postgres" })))
  )

  it.effect("is Unavailable when the server has no connection left", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE ROLE crowded LOGIN CONNECTION LIMIT 0`
      const crowded = PgClient.layer({ host: inject("postgres"), username: "crowded", database: "postgres" })
      const asking = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT 1`).pipe(Effect.provide(crowded))
      const exit = yield* Effect.exit(orUnavailable(asking))
      yield* sql`DROP ROLE crowded`
      assert.deepStrictEqual(exit, unavailable)
    })
  )

  it.effect("dies of every other error of the database", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const exit = yield* Effect.exit(orUnavailable(sql`SELECT FROM nowhere`))
      const defects = Exit.isFailure(exit) ? exit.cause.reasons.filter(Cause.isDieReason) : []
      assert.isTrue(SqlError.isSqlError(defects[0]?.defect))
      assert.strictEqual(defects.length, 1)
    })
  )
})

it.effect("passes on answers, the caller's own errors, defects and interruption", () =>
  Effect.gen(function* () {
    for (const exit of [Exit.succeed(1), Exit.fail("mine"), Exit.die("defect"), Exit.interrupt(1)]) {
      assert.deepStrictEqual(yield* Effect.exit(orUnavailable(exit)), exit)
    }
  })
)
