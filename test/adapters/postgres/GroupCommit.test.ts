import { PgTypes } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import * as GroupCommit from "@sarraf/adapters/postgres/GroupCommit"
import { isLostDatabase } from "@sarraf/adapters/postgres/lostDatabase"
import { Cause, Effect, Exit, Fiber, Latch, Result } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import * as Database from "../../support/Database.ts"

interface Entry {
  readonly key: string
  readonly amount?: bigint
}

const parameter = (values: ReadonlyArray<unknown>, type: number) => Result.getOrThrow(PgTypes.array(values, type))

/** A table of its own, the statement that inserts into it, and the sizes of the statements sent so far. */
const makeLedger = Effect.fnUntraced(function* (name: string, before: Effect.Effect<unknown> = Effect.void) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE ${sql(name)} (key TEXT PRIMARY KEY, amount BIGINT NOT NULL CHECK (amount > 0))`
  const sizes: Array<number> = []
  const insert = yield* GroupCommit.make({
    statement: (items: ReadonlyArray<Entry>) => {
      sizes.push(items.length)
      const keys = parameter(
        items.map(({ key }) => key),
        PgTypes.OID.text
      )
      const amounts = parameter(
        items.map(({ amount }) => amount ?? 1n),
        PgTypes.OID.int8
      )
      const rows = sql<{ inserted: boolean }>`
        WITH input AS (SELECT * FROM unnest(${keys}, ${amounts}) WITH ORDINALITY AS t(key, amount, position)),
        entry AS (INSERT INTO ${sql(name)} SELECT key, amount FROM input ORDER BY key
          ON CONFLICT DO NOTHING RETURNING key),
        ended AS (SELECT pg_terminate_backend(pg_backend_pid()) FROM input WHERE key = 'break')
        SELECT first_value(position) OVER (PARTITION BY key ORDER BY position) = position
            AND entry.key IS NOT NULL AND (SELECT count(*) FROM ended) >= 0 AS inserted
          FROM input LEFT JOIN entry USING (key) ORDER BY position`
      return Effect.andThen(
        before,
        Effect.map(rows, (found) => found.map(({ inserted }) => inserted))
      )
    }
  })
  const keys = Effect.map(sql<{ key: string }>`SELECT key FROM ${sql(name)} ORDER BY key COLLATE "C"`, (rows) =>
    rows.map(({ key }) => key)
  )
  return { insert, keys, sizes }
})

const together = <A, E, R>(effects: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.all(effects.map(Effect.exit), { concurrency: "unbounded" })

const errorsOf = (exit: Exit.Exit<unknown, SqlError.SqlError> | undefined) =>
  exit !== undefined && Exit.isFailure(exit)
    ? exit.cause.reasons.filter(Cause.isFailReason).map(({ error }) => error)
    : []

layer(Database.layer)("GroupCommit", (it) => {
  it.effect("writes concurrent calls with one statement and answers each with its own result", () =>
    Effect.gen(function* () {
      const { insert, keys, sizes } = yield* makeLedger("shared")
      yield* insert({ key: "b" })
      const answers = yield* together(["a", "b", "c"].map((key) => insert({ key })))
      assert.deepStrictEqual(answers, [Exit.succeed(true), Exit.succeed(false), Exit.succeed(true)])
      assert.deepStrictEqual(sizes, [1, 3])
      assert.deepStrictEqual(yield* keys, ["a", "b", "c"])
    })
  )

  it.effect("lets one of two equal keys in a batch win", () =>
    Effect.gen(function* () {
      const { insert, sizes } = yield* makeLedger("equal")
      const answers = yield* together(["same", "same"].map((key) => insert({ key })))
      assert.deepStrictEqual(answers, [Exit.succeed(true), Exit.succeed(false)])
      assert.deepStrictEqual(sizes, [2])
    })
  )

  it.effect("cuts a large batch into statements of 256 rows and keeps the order of the answers", () =>
    Effect.gen(function* () {
      const { insert, sizes } = yield* makeLedger("large")
      const numbers = Array.from({ length: 300 }, (_, index) => index)
      yield* together(numbers.filter((number) => number % 3 === 0).map((number) => insert({ key: `${number}` })))
      const answers = yield* together(numbers.map((number) => insert({ key: `${number}` })))
      assert.deepStrictEqual(
        answers,
        numbers.map((number) => Exit.succeed(number % 3 !== 0))
      )
      assert.deepStrictEqual(sizes, [100, 256, 44])
    })
  )

  it.effect("fails only the call whose row the database refuses", () =>
    Effect.gen(function* () {
      const { insert, keys, sizes } = yield* makeLedger("refused")
      const [first, second, third] = yield* together([
        insert({ key: "a" }),
        insert({ key: "b", amount: 0n }),
        insert({ key: "c" })
      ])
      assert.deepStrictEqual([first, third], [Exit.succeed(true), Exit.succeed(true)])
      assert.deepStrictEqual(
        errorsOf(second).map(({ reason }) => reason._tag),
        ["ConstraintError"]
      )
      assert.deepStrictEqual(yield* keys, ["a", "c"])
      assert.deepStrictEqual(sizes, [3, 1, 1, 1])
    })
  )

  it.effect("fails only the call from whose item no statement can be built", () =>
    Effect.gen(function* () {
      const double = yield* GroupCommit.make({
        statement: (items: ReadonlyArray<bigint | undefined>) => {
          const doubled = items.map((item) => 2n * (item ?? assert.fail("no item")))
          return Effect.succeed(doubled)
        }
      })
      const [first, second, third] = yield* together([double(1n), double(undefined), double(3n)])
      assert.deepStrictEqual([first, third], [Exit.succeed(2n), Exit.succeed(6n)])
      assert.strictEqual(errorsOf(second).length, 1)
    })
  )

  it.effect("fails every call of a statement whose connection breaks, does not repeat it, and works again", () =>
    Effect.gen(function* () {
      const { insert, keys, sizes } = yield* makeLedger("broken")
      const answers = yield* together(["a", "break", "c"].map((key) => insert({ key })))
      for (const answer of answers) assert.deepStrictEqual(errorsOf(answer).map(isLostDatabase), [true])
      assert.deepStrictEqual(sizes, [3])
      assert.isTrue(yield* insert({ key: "d" }))
      assert.deepStrictEqual(yield* keys, ["d"])
    })
  )

  it.effect("writes the row of a caller that was interrupted while the statement ran", () =>
    Effect.gen(function* () {
      const started = yield* Latch.make()
      const released = yield* Latch.make()
      const { insert, keys } = yield* makeLedger("interrupted", Effect.andThen(started.open, released.await))
      const leaving = yield* Effect.forkChild(insert({ key: "leaving" }))
      const staying = yield* Effect.forkChild(insert({ key: "staying" }))
      yield* started.await
      yield* Fiber.interrupt(leaving)
      yield* released.open
      assert.isTrue(yield* Fiber.join(staying))
      assert.deepStrictEqual(yield* keys, ["leaving", "staying"])
    })
  )

  it.effect("writes outside the transaction of a caller that rolls back", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { insert, keys, sizes } = yield* makeLedger("outside")
      yield* together([
        sql.withTransaction(Effect.andThen(insert({ key: "rolled back" }), Effect.fail("rolled back"))),
        insert({ key: "plain" })
      ])
      assert.deepStrictEqual(yield* keys, ["plain", "rolled back"])
      assert.strictEqual(sizes.length, 2)
    })
  )

  it.effect("dies when the statement answers another number of results than it was given items", () =>
    Effect.gen(function* () {
      const call = yield* GroupCommit.make({ statement: () => Effect.succeed([true]) })
      const answers = yield* together([call(1), call(2)])
      for (const answer of answers) assert.isTrue(Exit.hasDies(answer))
    })
  )
})
