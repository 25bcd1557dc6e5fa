import { assert, describe, it } from "@effect/vitest"
import * as MemoryOrderBook from "@sarraf/adapters/providers/MemoryOrderBook"
import type { OrderBook } from "@sarraf/adapters/providers/OrderBook"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { good, manual, open, purchase } from "./SimulatedStripe.ts"

describe("an idempotency key of the simulated Stripe", () => {
  it.effect("stands for the first answer, whatever has become of the payment", () =>
    Effect.gen(function* () {
      const { post } = yield* open()
      const first = yield* post("payment_intents", good, "key-1")
      const id = first.at("id")
      const captured = yield* post(`payment_intents/${id}/capture`, "amount_to_capture=900", "key-2")
      const refunded = yield* post("refunds", `payment_intent=${id}&amount=100`, "key-3")
      const refused = yield* post("refunds", `payment_intent=${id}&amount=1000`, "key-4")
      yield* post("refunds", `payment_intent=${id}`, "key-5")
      const again = [
        [first, yield* post("payment_intents", good, "key-1")],
        [captured, yield* post(`payment_intents/${id}/capture`, "amount_to_capture=900", "key-2")],
        [refunded, yield* post("refunds", `payment_intent=${id}&amount=100`, "key-3")],
        [refused, yield* post("refunds", `payment_intent=${id}&amount=1000`, "key-4")]
      ] as const
      for (const [before, after] of again) {
        assert.deepStrictEqual([after.status, after.json], [before.status, before.json])
        assert.strictEqual(after.headers["idempotent-replayed"], "true")
        assert.strictEqual(after.headers["original-request"], before.headers["request-id"])
        assert.isUndefined(before.headers["idempotent-replayed"])
      }
    })
  )

  it.effect("stands for a decline too", () =>
    Effect.gen(function* () {
      const { post } = yield* open()
      const form = purchase("4000000000000002", manual)
      const first = yield* post("payment_intents", form, "key-1")
      const again = yield* post("payment_intents", form, "key-1")
      assert.deepStrictEqual([again.status, again.json], [402, first.json])
    })
  )

  it.effect("serves for no other request", () =>
    Effect.gen(function* () {
      const { post } = yield* open()
      const id = (yield* post("payment_intents", good, "key-1")).at("id")
      yield* post(`payment_intents/${id}/capture`, "amount_to_capture=900", "key-2")
      for (const other of [
        yield* post("payment_intents", good.replace("2000", "2001"), "key-1"),
        yield* post("payment_intents", good.replace("4242424242424242", "4111111111111111"), "key-1"),
        yield* post(`payment_intents/${id}/capture`, "amount_to_capture=901", "key-2"),
        yield* post(`payment_intents/${id}/cancel`, "", "key-2")
      ]) {
        assert.deepStrictEqual([other.status, other.at("error", "type")], [400, "idempotency_error"])
      }
    })
  )

  it.effect("does not go by the card's security code, of which nothing is kept", () =>
    Effect.gen(function* () {
      const { post } = yield* open()
      yield* post("payment_intents", good, "key-1")
      const again = yield* post("payment_intents", good.replace("=737", "=738"), "key-1")
      assert.strictEqual(again.headers["idempotent-replayed"], "true")
    })
  )

  it.effect("makes a second request wait for the first", () =>
    Effect.gen(function* () {
      const memory = MemoryOrderBook.make()
      const slow: OrderBook = {
        find: memory.find,
        add: (provider, key, order) => Effect.delay(memory.add(provider, key, order), "1 seconds"),
        save: (provider, key, order) => Effect.delay(memory.save(provider, key, order), "1 seconds")
      }
      const { post } = yield* open(slow)
      const first = yield* Effect.forkChild(post("payment_intents", good.replace("[order_id]=A-1", "[x]=1"), "key-1"))
      yield* Effect.yieldNow
      const second = yield* post("payment_intents", good, "key-1")
      assert.deepStrictEqual([second.status, second.at("error", "code")], [409, "idempotency_key_in_use"])
      yield* TestClock.adjust("1 seconds")
      const id = (yield* Fiber.join(first)).at("id")
      const capture = yield* Effect.forkChild(post(`payment_intents/${id}/capture`, "", "key-2"))
      yield* Effect.yieldNow
      const other = yield* post(`payment_intents/${id}/cancel`, "", "key-3")
      assert.deepStrictEqual([other.status, other.at("error", "code")], [429, "lock_timeout"])
      yield* Fiber.interrupt(capture)
      const later = yield* Effect.forkChild(post(`payment_intents/${id}/cancel`, "", "key-3"))
      yield* TestClock.adjust("1 seconds")
      assert.strictEqual((yield* Fiber.join(later)).at("status"), "canceled")
    })
  )
})

describe("the simulated Stripe's search", () => {
  const search = (reference: string) =>
    `payment_intents/search?query=${encodeURIComponent(`metadata['order_id']:'${reference}'`)}`

  it.effect("finds payments by their reference, whatever their keys", () =>
    Effect.gen(function* () {
      const { get, post } = yield* open()
      const ids = [
        (yield* post("payment_intents", good, "A-1")).at("id"),
        (yield* post("payment_intents", good, "another key")).at("id"),
        (yield* post("payment_intents", good)).at("id")
      ]
      const found = yield* get(search("A-1"))
      assert.strictEqual(found.at("object"), "search_result")
      assert.deepStrictEqual(
        [0, 1, 2, 3].map((place) => found.at("data", place, "id")),
        [...ids, undefined]
      )
      assert.deepStrictEqual((yield* get(search("A-2"))).at("data"), [])
      assert.strictEqual((yield* get("payment_intents/search?query=amount:5")).status, 400)
    })
  )
})

it.effect("the simulated Stripe keeps no card number and no security code", () =>
  Effect.gen(function* () {
    const memory = MemoryOrderBook.make()
    const saved: Array<string> = []
    const noted =
      <A>(write: (provider: string, key: string, order: object) => A) =>
      (provider: string, key: string, order: object) => {
        saved.push(JSON.stringify({ key, order }))
        return write(provider, key, order)
      }
    const { post } = yield* open({ find: memory.find, add: noted(memory.add), save: noted(memory.save) })
    yield* post("payment_intents", good, "key-1")
    yield* post("payment_intents", purchase("4000000000000002"))
    assert.isNotEmpty(saved)
    for (const text of saved) {
      assert.notInclude(text, "4242424242424242")
      assert.notInclude(text, "4000000000000002")
      assert.notInclude(text, '"737"')
    }
  })
)
