import { assert, it } from "@effect/vitest"
import * as Database from "@sarraf/adapters/postgres/Database"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"

const urlOf = (parameters: Record<string, string> = {}) =>
  Redacted.make(
    `postgres://postgres:secret@localhost/postgres?${new URLSearchParams({ host: inject("postgres"), ...parameters })}`
  )

const build = (url: Redacted.Redacted<string>) => Layer.build(Database.layer({ url, maxConnections: 2 }))

it.effect("connects by URL and plans every statement for its own values", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] =
      yield* sql`SELECT current_setting('plan_cache_mode') AS mode, current_setting('application_name') AS name`
    assert.deepStrictEqual({ ...row }, { mode: "force_custom_plan", name: "sarraf" })
  }).pipe(Effect.provide(Layer.suspend(() => Database.layer({ url: urlOf(), maxConnections: 2 }))))
)

it.effect("refuses a server older than PostgreSQL 15", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`CREATE SCHEMA old_server`
    yield* sql`CREATE FUNCTION old_server.current_setting(name TEXT) RETURNS TEXT LANGUAGE sql
      RETURN CASE name WHEN 'server_version_num' THEN '140011' ELSE '14.11' END`
    const error = yield* Effect.flip(build(urlOf({ options: "-csearch_path=old_server,pg_catalog" }))).pipe(
      Effect.ensuring(Effect.orDie(sql`DROP SCHEMA old_server CASCADE`))
    )
    assert.strictEqual(
      error.message,
      "DATABASE_URL names a PostgreSQL 14.11: upgrade it to 15 or newer, or unset DATABASE_URL to use the embedded one."
    )
  }).pipe(Effect.provide(Layer.suspend(() => Database.layer({ url: urlOf(), maxConnections: 2 }))))
)

it.effect("says why a server cannot be used, without showing the password", () =>
  Effect.gen(function* () {
    const nobody = yield* Effect.flip(build(urlOf({ user: "nobody" })))
    assert.match(
      nobody.message,
      /^The database that DATABASE_URL names cannot be used \(.*role "nobody" does not exist/
    )
    const nowhere = yield* Effect.flip(build(urlOf({ host: "/nonexistent" })))
    assert.match(nowhere.message, /ENOENT.*: check that it runs/)
    assert.notInclude(`${nobody.message}${nowhere.message}`, "secret")
  })
)
