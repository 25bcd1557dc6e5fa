import { assert, describe, it } from "@effect/vitest"
import * as RandomIdentifiers from "@sarraf/adapters/identifiers/RandomIdentifiers"
import { Identifiers, typeId } from "@sarraf/domain/identifiers/TypeId"
import { Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"

const identifiers = Identifiers.pipe(Effect.provide(Layer.fresh(RandomIdentifiers.layer)))

const isTransaction = Schema.is(typeId("txn"))

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

/** The UUID in an identifier, as the 128 bits it is. */
const bitsOf = (id: string) =>
  [...(id.split("_")[1] ?? "")].reduce((bits, letter) => (bits << 5n) | BigInt(alphabet.indexOf(letter)), 0n)

const millisOf = (id: string) => Number(bitsOf(id) >> 80n)

const noon = Date.UTC(2026, 10, 1, 12)

/** So many identifiers, with the clock put forward or back in between by what `stepAt` says. */
const drawn = (count: number, stepAt: (index: number) => number = () => 0) =>
  Effect.gen(function* () {
    const { next } = yield* identifiers
    let now = noon
    const ids: Array<string> = []
    for (let index = 0; index < count; index++) {
      const step = stepAt(index)
      now += step
      if (index === 0 || step !== 0) yield* TestClock.setTime(now)
      ids.push(yield* next("txn"))
    }
    return ids
  })

const isIncreasing = (ids: ReadonlyArray<string>) =>
  ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? ""))

describe("RandomIdentifiers.next", () => {
  it.effect("gives identifiers of the schema's form, version 7 and variant 2", () =>
    Effect.gen(function* () {
      for (const id of yield* drawn(1_000, (index) => index % 3)) {
        assert.isTrue(isTransaction(id), id)
        assert.strictEqual((bitsOf(id) >> 76n) & 0xfn, 7n)
        assert.strictEqual((bitsOf(id) >> 62n) & 0x3n, 2n)
      }
    })
  )

  it.effect("begins them with the millisecond of the clock", () =>
    Effect.gen(function* () {
      const ids = yield* drawn(20, () => 1_000)
      assert.deepStrictEqual(
        ids.map(millisOf),
        ids.map((_, index) => noon + (index + 1) * 1_000)
      )
    })
  )

  it.effect("orders ten thousand of one millisecond, each one once", () =>
    Effect.gen(function* () {
      const ids = yield* drawn(10_000)
      assert.strictEqual(new Set(ids).size, 10_000)
      assert.isTrue(isIncreasing(ids))
      // The counter has room for 4,096 in a millisecond, and may begin anywhere in the lower quarter of it.
      assert.isAtMost(millisOf(ids.at(-1) ?? "") - noon, 3)
    })
  )

  it.effect("keeps the order when the clock goes back", () =>
    Effect.gen(function* () {
      const ids = yield* drawn(2_000, (index) => (index % 100 === 50 ? -30 : index % 7 === 0 ? 1 : 0))
      assert.strictEqual(new Set(ids).size, 2_000)
      assert.isTrue(isIncreasing(ids))
    })
  )

  it.effect("gives two processes different ones in the same millisecond", () =>
    Effect.gen(function* () {
      const [some, others] = [yield* drawn(2_000), yield* drawn(2_000)]
      assert.strictEqual(new Set([...some, ...others]).size, 4_000)
    })
  )
})

describe("RandomIdentifiers.randomBytes", () => {
  it.effect("gives as many as were asked for, never the same twice, also more than it keeps at hand", () =>
    Effect.gen(function* () {
      const { randomBytes } = yield* identifiers
      const seen = new Set<string>()
      for (let count = 0; count < 3_000; count++) {
        const bytes = yield* randomBytes(16)
        assert.strictEqual(bytes.length, 16)
        seen.add(Buffer.from(bytes).toString("hex"))
      }
      assert.strictEqual(seen.size, 3_000)
      const many = yield* randomBytes(20_000)
      assert.strictEqual(many.length, 20_000)
      assert.isAbove(new Set(many).size, 200)
      assert.strictEqual((yield* randomBytes(0)).length, 0)
    })
  )

  it.effect("gives bytes that nobody else can change afterwards", () =>
    Effect.gen(function* () {
      const { next, randomBytes } = yield* identifiers
      const bytes = yield* randomBytes(32)
      const before = [...bytes]
      for (let count = 0; count < 1_000; count++) yield* next("op")
      assert.deepStrictEqual([...bytes], before)
    })
  )
})
