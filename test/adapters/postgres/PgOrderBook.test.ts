import { assert, describe, it, layer } from "@effect/vitest"
import { layer as connect } from "@sarraf/adapters/postgres/Database"
import * as PgOrderBook from "@sarraf/adapters/postgres/PgOrderBook"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import * as Database from "../../support/Database.ts"
import { orderBookContract } from "../providers/orderBookContract.ts"

/** With a database of its own for each test. */
const withDatabase = <E>(behaviour: string, body: Effect.Effect<void, E, SqlClient.SqlClient>) =>
  it.effect(behaviour, () => Effect.provide(body, Database.layer))

orderBookContract("PostgreSQL", PgOrderBook.make, withDatabase)

describe("PostgreSQL's order book", () => {
  layer(Database.layer)("in one database", (it) => {
    it.effect("shows every process what another wrote", () =>
      Effect.gen(function* () {
        const one = yield* PgOrderBook.make
        const other = yield* PgOrderBook.make
        yield* one.save("bank", "order:1", { by: "one" })
        assert.deepStrictEqual(yield* other.find("bank", "order:1"), { by: "one" })
        yield* other.save("bank", "order:1", { by: "other" })
        assert.deepStrictEqual(yield* one.find("bank", "order:1"), { by: "other" })
      })
    )

    it.effect("takes writes of several processes to the same keys without blocking them for good", () =>
      Effect.gen(function* () {
        const books = [yield* PgOrderBook.make, yield* PgOrderBook.make, yield* PgOrderBook.make]
        const keys = Array.from({ length: 300 }, (_, key) => key)
        yield* Effect.forEach(
          books,
          (book, number) => {
            const own = number % 2 === 0 ? keys : keys.toReversed()
            return Effect.forEach(own, (key) => book.save("shared", `${key}`, { key }), { concurrency: "unbounded" })
          },
          { concurrency: "unbounded", discard: true }
        )
        const [book] = books
        assert(book !== undefined)
        for (const key of keys) assert.deepStrictEqual(yield* book.find("shared", `${key}`), { key })
      })
    )

    it.effect("does not wait for the disk, and leaves its connection as it was", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        // What a write of the book sees of the setting, told by the row itself.
        yield* sql`CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN NEW.value = to_jsonb(current_setting(''synchronous_commit'')); RETURN NEW; END'`
        yield* sql`CREATE TRIGGER tell BEFORE INSERT ON simulator_orders FOR EACH ROW WHEN (NEW.provider = 'told')
          EXECUTE FUNCTION tell()`
        const [named] = yield* sql<{ database: string }>`SELECT current_database() AS database`
        assert(named !== undefined)
        const { database } = named
        // The test's server has it off for all; connections from now on have it on.
        yield* sql`ALTER DATABASE ${sql(database)} SET synchronous_commit = on`
        const single = connect({ host: inject("postgres"), username: "postgres", database, maxConnections: 1 })
        yield* Effect.gen(function* () {
          const book = yield* PgOrderBook.make
          yield* book.save("told", "order:1", {})
          assert.strictEqual(yield* book.find("told", "order:1"), "off")
          const after = yield* (yield* SqlClient.SqlClient)`SELECT current_setting('synchronous_commit') AS setting`
          assert.deepStrictEqual(after, [{ setting: "on" }])
        }).pipe(Effect.provide(single))
      })
    )
  })
})
