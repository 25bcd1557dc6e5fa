import { assert, describe, it } from "@effect/vitest"
import type { OrderBook } from "@sarraf/adapters/providers/OrderBook"
import { Effect } from "effect"

/** What a simulator may rely on, whichever book it is given: one that nobody has written in. */
export const orderBookContract = <E, R>(name: string, empty: Effect.Effect<OrderBook, E, R>, run: Run<R>): void => {
  describe(`${name} as the simulators' order book`, () => {
    const test = (behaviour: string, body: (book: OrderBook) => Effect.Effect<void>) =>
      run(behaviour, Effect.flatMap(empty, body))

    test("has nothing under a key that was never written", (book) =>
      Effect.map(book.find("bank", "order:1"), (found) => assert.isUndefined(found)))

    test("gives back what was written, as JSON", (book) =>
      Effect.gen(function* () {
        const order = {
          text: "İzmir \"'\\ \u{1F4B3} \u0001",
          amount: 9_007_199_254_740_991,
          fraction: 0.1,
          none: null,
          flags: [true, false, []],
          nested: { "a key": { deeper: -1 } }
        }
        yield* book.save("bank", "order:1", order)
        assert.deepStrictEqual(yield* book.find("bank", "order:1"), order)
        yield* book.save("bank", "list", [1, "two", null])
        assert.deepStrictEqual(yield* book.find("bank", "list"), [1, "two", null])
      }))

    test("keeps the last of several writes to one key", (book) =>
      Effect.gen(function* () {
        yield* book.save("bank", "order:1", { state: "authorized" })
        yield* book.save("bank", "order:1", { state: "captured" })
        assert.deepStrictEqual(yield* book.find("bank", "order:1"), { state: "captured" })
      }))

    test("adds an order once, whoever is first", (book) =>
      Effect.gen(function* () {
        assert.isTrue(yield* book.add("bank", "order:1", { state: "authorized" }))
        assert.isFalse(yield* book.add("bank", "order:1", { state: "again" }))
        assert.deepStrictEqual(yield* book.find("bank", "order:1"), { state: "authorized" })
        yield* book.save("bank", "order:2", { state: "saved" })
        assert.isFalse(yield* book.add("bank", "order:2", { state: "again" }))
        const tries = Array.from({ length: 64 }, (_, number) => book.add("bank", "order:3", { number }))
        const added = yield* Effect.all(tries, { concurrency: "unbounded" })
        assert.strictEqual(added.filter((isNew) => isNew).length, 1)
        assert.deepStrictEqual(yield* book.find("bank", "order:3"), { number: added.indexOf(true) })
      }))

    test("keeps the providers' keys apart", (book) =>
      Effect.gen(function* () {
        yield* book.save("bank", "order:1", { of: "bank" })
        yield* book.save("stripe", "order:1", { of: "stripe" })
        yield* book.save("ban", "k order:1", { of: "nobody" })
        assert.deepStrictEqual(yield* book.find("bank", "order:1"), { of: "bank" })
        assert.deepStrictEqual(yield* book.find("stripe", "order:1"), { of: "stripe" })
        assert.isUndefined(yield* book.find("bank", "order:"))
      }))

    test("does not change with the object that was written, nor with the one that was found", (book) =>
      Effect.gen(function* () {
        const order = { amounts: [1] }
        yield* book.save("bank", "order:1", order)
        order.amounts.push(2)
        const found = yield* book.find("bank", "order:1")
        Object.assign(Object(found), { amounts: [3] })
        assert.deepStrictEqual(yield* book.find("bank", "order:1"), { amounts: [1] })
      }))

    test("takes many writes at once, the last of each key in the order in which they came", (book) =>
      Effect.gen(function* () {
        const writes = Array.from({ length: 2_000 }, (_, number) => number)
        yield* Effect.forEach(writes, (number) => book.save("bank", `order:${number % 500}`, { number }), {
          concurrency: "unbounded",
          discard: true
        })
        const found = yield* Effect.forEach(writes.slice(0, 500), (key) => book.find("bank", `order:${key}`), {
          concurrency: 16
        })
        assert.deepStrictEqual(
          found,
          writes.slice(1_500).map((number) => ({ number }))
        )
      }))
  })
}

/** Runs one test with what the book needs. */
export type Run<R> = <E>(behaviour: string, body: Effect.Effect<void, E, R>) => void

export const withoutServices: Run<never> = (behaviour, body) => it.effect(behaviour, () => body)
