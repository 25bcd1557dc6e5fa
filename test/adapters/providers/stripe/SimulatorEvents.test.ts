import { createHmac } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { NoAnswer } from "@sarraf/adapters/providers/ProviderTransport"
import { DateTime, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { good, manual, open, purchase } from "./SimulatedStripe.ts"

type Stripe = Effect.Success<ReturnType<typeof open>>

const seconds = DateTime.makeUnsafe("2026-11-21T09:00:00Z").epochMilliseconds / 1000
const told = ({ events }: Stripe) =>
  events().map(({ at, delayMillis }) => [at("type"), at("data", "object", "status"), delayMillis])

/** A captured payment of this many minor units. */
const sale = Effect.fnUntraced(function* (stripe: Stripe, amount: number, number = "4242424242424242") {
  return (yield* stripe.post("payment_intents", purchase(number).replace("2000", `${amount}`))).at("id")
})

describe("the simulated Stripe posts", () => {
  it.effect("an event for each thing that becomes of a payment, and none for what it repeats", () =>
    Effect.gen(function* () {
      const stripe = yield* open()
      const id = (yield* stripe.post("payment_intents", good, "key-1")).at("id")
      yield* stripe.post("payment_intents", good, "key-1")
      yield* stripe.post(`payment_intents/${id}/capture`, "amount_to_capture=1500", "key-2")
      yield* stripe.post(`payment_intents/${id}/capture`, "amount_to_capture=1500", "key-2")
      yield* stripe.post("refunds", `payment_intent=${id}&amount=600`, "key-3")
      yield* stripe.post("refunds", `payment_intent=${id}&amount=9999`, "key-4")
      yield* stripe.post("payment_intents", purchase("4000000000000002", manual))
      const other = yield* stripe.create
      yield* stripe.post(`payment_intents/${other}/cancel`, "")
      assert.deepStrictEqual(told(stripe), [
        ["payment_intent.amount_capturable_updated", "requires_capture", 200],
        ["payment_intent.succeeded", "succeeded", 200],
        ["refund.created", "succeeded", 200],
        ["payment_intent.payment_failed", "requires_payment_method", 200],
        ["payment_intent.amount_capturable_updated", "requires_capture", 200],
        ["payment_intent.canceled", "canceled", 200]
      ])
      const [first, second] = stripe.events()
      assert.strictEqual(first?.at("data", "object", "latest_charge"), `ch_${`${id}`.slice(3)}`)
      assert.strictEqual(first?.at("request", "idempotency_key"), "key-1")
      assert.match(`${first?.at("id")}`, /^evt_\w{24}$/u)
      assert.notStrictEqual(first?.at("id"), second?.at("id"))
    })
  )

  it.effect("each event signed over its bytes and the time at which it goes out", () =>
    Effect.gen(function* () {
      const stripe = yield* open()
      yield* sale(stripe, 1013)
      const times = stripe.events().map(({ headers, text }) => {
        const [, t = "", v1] = /^t=(\d+),v1=(\w+)$/u.exec(headers["stripe-signature"] ?? "") ?? []
        assert.strictEqual(v1, createHmac("sha256", "whsec_sarrafsandbox").update(`${t}.${text}`).digest("hex"))
        return Number(t) - seconds
      })
      assert.deepStrictEqual(times, [0, 2])
    })
  )

  it.effect("a dispute of what was captured where that ends in 13", () =>
    Effect.gen(function* () {
      const stripe = yield* open()
      const id = yield* stripe.create
      yield* stripe.post(`payment_intents/${id}/capture`, "amount_to_capture=1313")
      yield* sale(stripe, 1300)
      const disputes = stripe.events().filter(({ at }) => at("type") === "charge.dispute.created")
      assert.lengthOf(disputes, 1)
      assert.strictEqual(disputes[0]?.delayMillis, 2_000)
      assert.strictEqual(disputes[0]?.at("data", "object", "amount"), 1313)
      assert.strictEqual(disputes[0]?.at("data", "object", "payment_intent"), id)
      assert.deepStrictEqual(disputes[0]?.at("data", "object", "metadata"), {})
    })
  )
})

describe("a refund of the simulated Stripe", () => {
  const statusOf = (answer: { readonly at: (...path: ReadonlyArray<string | number>) => unknown }) =>
    answer.at("status")

  it.effect("of an amount that ends in 77 is done at first and comes back after two seconds", () =>
    Effect.gen(function* () {
      const stripe = yield* open()
      const id = yield* sale(stripe, 1000)
      const form = `payment_intent=${id}&amount=977&metadata[order_id]=A-1`
      const made = yield* stripe.post("refunds", form, "key-1")
      assert.strictEqual(statusOf(made), "succeeded")
      assert.strictEqual(
        (yield* stripe.post("refunds", `payment_intent=${id}&amount=24`)).at("error", "param"),
        "amount"
      )
      yield* TestClock.adjust("1999 millis")
      assert.strictEqual(statusOf(yield* stripe.get(`refunds/${made.at("id")}`)), "succeeded")
      yield* TestClock.adjust("1 millis")
      const late = yield* stripe.get(`refunds/${made.at("id")}`)
      assert.deepStrictEqual([statusOf(late), late.at("failure_reason")], ["failed", "unknown"])
      const charge = yield* stripe.get(`payment_intents/${id}?expand[0]=latest_charge`)
      assert.strictEqual(charge.at("latest_charge", "amount_refunded"), 0)
      assert.strictEqual((yield* stripe.post("refunds", `payment_intent=${id}&amount=1000`)).at("amount"), 1000)
      assert.deepStrictEqual((yield* stripe.post("refunds", form, "key-1")).json, made.json)
      assert.deepStrictEqual(told(stripe).slice(1), [
        ["refund.created", "succeeded", 200],
        ["refund.failed", "failed", 2_000],
        ["refund.created", "succeeded", 200]
      ])
    })
  )

  it.effect("to Stripe's own cards for it is pending at first, or comes back", () =>
    Effect.gen(function* () {
      const stripe = yield* open()
      for (const [number, first, last] of [
        ["4000000000007726", "pending", "succeeded"],
        ["4000000000005126", "succeeded", "failed"]
      ] as const) {
        const id = yield* sale(stripe, 1000, number)
        const made = yield* stripe.post("refunds", `payment_intent=${id}`)
        assert.strictEqual(statusOf(made), first)
        yield* TestClock.adjust("2 seconds")
        assert.strictEqual(statusOf(yield* stripe.get(`refunds/${made.at("id")}`)), last)
      }
      assert.deepStrictEqual(
        told(stripe).filter(([type]) => type !== "payment_intent.succeeded"),
        [
          ["refund.created", "pending", 200],
          ["charge.refund.updated", "succeeded", 2_000],
          ["refund.created", "succeeded", 200],
          ["refund.failed", "failed", 2_000]
        ]
      )
    })
  )
})

describe("the network before the simulated Stripe", () => {
  const lost = Exit.fail(new NoAnswer({ reason: "ECONNRESET" }))

  it.effect("loses the answer to a payment that was taken, and is silent about it for half a minute", () =>
    Effect.gen(function* () {
      const stripe = yield* open()
      const form = purchase("4000000000000259", manual)
      const first = yield* Effect.forkChild(Effect.exit(stripe.post("payment_intents", form, "A-1")))
      yield* TestClock.adjust("1 seconds")
      assert.deepStrictEqual(yield* Fiber.join(first), lost)
      const search = `payment_intents/search?query=${encodeURIComponent("metadata['order_id']:'A-1'")}`
      const silent = Exit.fail(new NoAnswer({ reason: "ETIMEDOUT" }))
      assert.deepStrictEqual(yield* Effect.exit(stripe.post("payment_intents", form, "A-1")), silent)
      assert.deepStrictEqual(yield* Effect.exit(stripe.get(search)), silent)
      yield* TestClock.adjust("29 seconds")
      const id = (yield* stripe.get(search)).at("data", 0, "id")
      assert.strictEqual((yield* stripe.get(`payment_intents/${id}`)).at("status"), "requires_capture")
      assert.deepStrictEqual(told(stripe), [["payment_intent.amount_capturable_updated", "requires_capture", 31_000]])
    })
  )

  it.effect("lets a payment never arrive, of which nothing is known then", () =>
    Effect.gen(function* () {
      const stripe = yield* open()
      const form = purchase("4000000000000267", manual)
      const first = yield* Effect.forkChild(Effect.exit(stripe.post("payment_intents", form, "A-1")))
      yield* TestClock.adjust("1 seconds")
      assert.deepStrictEqual(yield* Fiber.join(first), lost)
      const search = `payment_intents/search?query=${encodeURIComponent("metadata['order_id']:'A-1'")}`
      assert.deepStrictEqual((yield* stripe.get(search)).at("data"), [])
      assert.isEmpty(stripe.events())
    })
  )
})
