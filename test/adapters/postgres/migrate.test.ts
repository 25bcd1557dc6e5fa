import { readdirSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { migrate } from "@sarraf/adapters/postgres/migrate"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../support/Database.ts"

const files = readdirSync("packages/adapters/src/postgres/migrations").map((file) => file.replace(/\.ts$/, ""))

it.effect("runs every migration of its folder, in the order of their numbers", () =>
  Effect.gen(function* () {
    const ran = yield* migrate
    assert.deepStrictEqual(
      ran.map(([number, name]) => `${String(number).padStart(4, "0")}_${name}`),
      files.sort()
    )
  }).pipe(Effect.provide(Database.layerUnmigrated))
)

it.effect("runs each migration once when four processes migrate at the same time", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const ran = yield* Effect.all([migrate, migrate, migrate, migrate], { concurrency: "unbounded" })
    assert.deepStrictEqual(ran.map(({ length }) => length).sort(), [0, 0, 0, files.length])
    const rows = yield* sql`SELECT migration_id FROM effect_sql_migrations`
    assert.strictEqual(rows.length, files.length)
  }).pipe(Effect.provide(Database.layerUnmigrated))
)

it.effect("says which migration failed and in the database's words why, and leaves nothing of it", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`CREATE TABLE organizations (obstacle INT)`
    const error = yield* Effect.flip(migrate)
    assert.match(error.message, /^Migration "1_create_gateway" failed: .*relation "organizations" already exists/)
    assert.strictEqual((yield* sql`SELECT * FROM effect_sql_migrations`).length, 0)
  }).pipe(Effect.provide(Database.layerUnmigrated))
)
