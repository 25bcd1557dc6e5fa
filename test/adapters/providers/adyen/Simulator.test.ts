import { createHmac } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import * as MemoryOrderBook from "@sarraf/adapters/providers/MemoryOrderBook"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { at, authenticated, good, merchantAccount, open, purchase } from "./SimulatedAdyen.ts"

type Adyen = Effect.Success<ReturnType<typeof open>>

const short = (adyen: Adyen) =>
  adyen.events().map(({ delayMillis, eventCode, success }) => `${eventCode} ${success} ${delayMillis}`)

describe("the simulated Adyen takes a payment", () => {
  it.effect("in the wire's words, and posts a signed notification", () =>
    Effect.gen(function* () {
      const adyen = yield* open()
      const made = yield* adyen.pay(good, {}, "key-1")
      assert.strictEqual(made.status, 200)
      assert.strictEqual(made.headers["idempotency-key"], "key-1")
      assert.match(`${made.at("pspReference")}`, /^[A-Z0-9]{16}$/u)
      assert.strictEqual(made.at("resultCode"), "Authorised")
      assert.strictEqual(made.at("merchantReference"), "A-1")
      assert.deepStrictEqual(made.at("amount"), { currency: "EUR", value: 2000 })
      assert.strictEqual(made.at("additionalData", "cardSummary"), "1111")
      assert.deepStrictEqual(short(adyen), ["AUTHORISATION true 200"])
      const [event] = adyen.events()
      const text = `${made.at("pspReference")}::${merchantAccount}:A-1:2000:EUR:AUTHORISATION:true`
      const key = Buffer.from("5A17AF0000000000000000000000000000000000000000000000000000005A17", "hex")
      const signature = createHmac("sha256", key).update(text).digest("base64")
      assert.strictEqual(at(event?.item, "additionalData", "hmacSignature"), signature)
      assert.strictEqual(at(event?.item, "eventDate"), "2026-11-21T09:00:00+00:00")
    })
  )

  const declines = [
    ["4000000000000002", "Refused", "Refused", "2"],
    ["4000000000009995", "Refused", "Not enough balance", "12"],
    ["4000000000000069", "Refused", "Expired Card", "6"],
    ["4000000000000119", "Error", "Acquirer Error", "4"],
    ["9792030000000000", "Refused", "Not supported", "10"]
  ] as const
  for (const [number, resultCode, refusalReason, refusalReasonCode] of declines) {
    it.effect(`or refuses ${number} with ${refusalReasonCode} and status 200`, () =>
      Effect.gen(function* () {
        const adyen = yield* open()
        const refused = yield* adyen.pay(number)
        assert.strictEqual(refused.status, 200)
        assert.strictEqual(refused.at("resultCode"), resultCode)
        assert.strictEqual(refused.at("refusalReason"), refusalReason)
        assert.strictEqual(refused.at("refusalReasonCode"), refusalReasonCode)
        assert.deepStrictEqual(short(adyen), ["AUTHORISATION false 200"])
        yield* adyen.modify(refused.at("pspReference"), "captures", 2000)
        assert.include(short(adyen), "CAPTURE false 200")
      })
    )
  }

  it.effect("and captures it at once where it is not asked to wait", () =>
    Effect.gen(function* () {
      const adyen = yield* open()
      const made = yield* adyen.pay(good, { additionalData: undefined })
      yield* adyen.modify(made.at("pspReference"), "refunds", 2000)
      assert.include(short(adyen), "REFUND true 200")
    })
  )

  it.effect("once under one key, and tells the same again", () =>
    Effect.gen(function* () {
      const adyen = yield* open()
      const first = yield* adyen.pay(good, {}, "key-1")
      const again = yield* adyen.pay(good, {}, "key-1")
      assert.deepStrictEqual(again.json, first.json)
      assert.lengthOf(adyen.events(), 1)
      const other = yield* adyen.pay(good, { amount: { value: 2001, currency: "EUR" } }, "key-1")
      assert.deepStrictEqual([other.status, other.at("errorCode")], [422, "704"])
    })
  )

  it.effect("twice under one reference: a reference is not unique", () =>
    Effect.gen(function* () {
      const adyen = yield* open()
      const [one, other] = [yield* adyen.pay(good, {}, "key-1"), yield* adyen.pay(good, {}, "key-2")]
      assert.notStrictEqual(one.at("pspReference"), other.at("pspReference"))
    })
  )

  it.effect("and lets another request with its key wait, as long as the first is at work", () =>
    Effect.gen(function* () {
      const adyen = yield* open()
      const fiber = yield* Effect.forkChild(Effect.exit(adyen.pay("4000000000000259", {}, "key-1")))
      yield* Effect.yieldNow
      const busy = yield* adyen.pay("4000000000000259", {}, "key-1")
      assert.deepStrictEqual([busy.status, busy.at("errorCode")], [422, "704"])
      assert.strictEqual(busy.headers["transient-error"], "true")
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(fiber)
    })
  )

  it.effect("and tells of it after half a minute where its answer was lost", () =>
    Effect.gen(function* () {
      const adyen = yield* open()
      const fiber = yield* Effect.forkChild(Effect.flip(adyen.pay("4000000000000259", {}, "key-1")))
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "NoAnswer")
      assert.deepStrictEqual(short(adyen), ["AUTHORISATION true 31000"])
      assert.strictEqual((yield* Effect.flip(adyen.pay("4000000000000259", {}, "key-1")))._tag, "NoAnswer")
      yield* TestClock.adjust("31 seconds")
      assert.strictEqual((yield* adyen.pay("4000000000000259", {}, "key-1")).at("resultCode"), "Authorised")
    })
  )

  it.effect("that another process can capture, and keeps no card number", () =>
    Effect.gen(function* () {
      const texts: Array<string> = []
      const book = MemoryOrderBook.make()
      const watched = {
        ...book,
        add: (provider: string, key: string, order: object) => {
          texts.push(JSON.stringify(order))
          return book.add(provider, key, order)
        },
        save: (provider: string, key: string, order: object) => {
          texts.push(JSON.stringify(order))
          return book.save(provider, key, order)
        }
      }
      const one = yield* open(watched)
      const made = yield* one.pay(good, {}, "key-1")
      const other = yield* open(watched)
      assert.strictEqual((yield* other.modify(made.at("pspReference"), "captures", 2000)).status, 201)
      assert.deepStrictEqual(short(other), ["CAPTURE true 200"])
      assert.isNotEmpty(texts)
      for (const text of texts) {
        assert.notInclude(text, good)
        assert.notMatch(text, /"737"/u)
      }
    })
  )
})

const card = (changes: object) => ({ paymentMethod: { ...purchase(good).paymentMethod, ...changes } })
const address = { street: "Main St", houseNumberOrName: "1", city: "Springfield", country: "DE" }
const { browserInfo: _, ...withoutBrowser } = authenticated

/** Provider sheet, sections 4 and 5: what is wrong, its status and error code. */
const faults: ReadonlyArray<readonly [string, object, number, string]> = [
  ["an unknown field", { surprise: true }, 400, "702"],
  ["no amount", { amount: undefined }, 422, "100"],
  ["an amount in text", { amount: { value: "2000", currency: "EUR" } }, 422, "100"],
  ["an amount of nothing", { amount: { value: 0, currency: "EUR" } }, 422, "137"],
  ["a currency of nobody", { amount: { value: 2000, currency: "XXX" } }, 422, "138"],
  ["no reference", { reference: undefined }, 422, "130"],
  ["a reference of 81 letters", { reference: "a".repeat(81) }, 422, "130"],
  ["no return address", { returnUrl: undefined }, 422, "14_030"],
  ["a wrong check digit", card({ number: "4111111111111112" }), 422, "101"],
  ["a month of 13", card({ expiryMonth: "13" }), 422, "129"],
  ["a year in two digits", card({ expiryYear: "30" }), 422, "129"],
  ["a date that is over", card({ expiryMonth: "10", expiryYear: "2026" }), 422, "129"],
  ["a security code of 2", card({ cvc: "73" }), 422, "103"],
  ["a security code of 4", card({ cvc: "7373" }), 422, "103"],
  ["an address without its city", { billingAddress: { ...address, city: undefined } }, 422, "131"],
  ["an address without its street", { billingAddress: { ...address, street: undefined } }, 422, "132"],
  ["an address without its number", { billingAddress: { ...address, houseNumberOrName: "" } }, 422, "133"],
  ["an address without its country", { billingAddress: { ...address, country: undefined } }, 422, "134"],
  ["an address without its state", { billingAddress: { ...address, country: "US" } }, 422, "135"],
  ["authentication without a browser", withoutBrowser, 422, "702"],
  ["authentication without an origin", { ...authenticated, origin: undefined }, 422, "702"],
  ["another account", { merchantAccount: "OtherECOM" }, 403, "901"]
]

describe("the simulated Adyen refuses", () => {
  for (const [name, changes, status, errorCode] of faults) {
    it.effect(`a payment with ${name}`, () =>
      Effect.gen(function* () {
        const adyen = yield* open()
        const refused = yield* adyen.pay(good, changes)
        assert.deepStrictEqual([refused.status, refused.at("errorCode")], [status, errorCode])
        assert.strictEqual(refused.at("status"), status)
        assert.lengthOf(adyen.events(), 0)
      })
    )
  }

  it.effect("whom it does not know, and what it cannot read", () =>
    Effect.gen(function* () {
      const { post } = yield* open()
      for (const key of [undefined, "AQEother"]) {
        const refused = yield* post("payments", purchase(good), { "x-api-key": key })
        assert.deepStrictEqual([refused.status, refused.at("errorCode")], [401, "000"])
      }
      for (const body of ["", "{", "[]", '"text"']) {
        assert.deepStrictEqual((yield* post("payments", body)).at("errorCode"), "702")
      }
      const form = yield* post("payments", purchase(good), { "content-type": "application/x-www-form-urlencoded" })
      assert.strictEqual(form.status, 400)
      assert.strictEqual((yield* post("payments", purchase(good), { "idempotency-key": "k".repeat(65) })).status, 400)
      assert.strictEqual((yield* post("paymentMethods", purchase(good))).status, 404)
    })
  )

  it.effect("to change a payment that it does not know, and fields that it does not know", () =>
    Effect.gen(function* () {
      const { modify, pay, post } = yield* open()
      for (const kind of ["captures", "refunds", "cancels"]) {
        const value = kind === "cancels" ? undefined : 2000
        const refused = yield* modify("NC6HT9CRT65ZGN82", kind, value)
        assert.deepStrictEqual([refused.status, refused.at("errorCode")], [422, "167"])
      }
      const { at: of } = yield* pay(good)
      const path = `payments/${of("pspReference")}`
      assert.strictEqual((yield* post(`${path}/captures`, { merchantAccount })).at("errorCode"), "100")
      const withAmount = { merchantAccount, amount: { value: 1, currency: "EUR" } }
      assert.strictEqual((yield* post(`${path}/cancels`, withAmount)).at("errorCode"), "702")
      assert.strictEqual((yield* post("cancels", { merchantAccount })).at("errorCode"), "130")
    })
  )
})

describe("the simulated Adyen acknowledges and tells later", () => {
  it.effect("a capture, once, and what is wrong with another", () =>
    Effect.gen(function* () {
      const adyen = yield* open()
      const psp = (yield* adyen.pay(good)).at("pspReference")
      const received = yield* adyen.modify(psp, "captures", 1500)
      assert.strictEqual(received.status, 201)
      assert.strictEqual(received.at("status"), "received")
      assert.strictEqual(received.at("paymentPspReference"), psp)
      assert.strictEqual(received.at("reference"), "A-1")
      assert.deepStrictEqual(received.at("amount"), { value: 1500, currency: "EUR" })
      const [, event] = adyen.events()
      assert.strictEqual(at(event?.item, "pspReference"), received.at("pspReference"))
      assert.strictEqual(at(event?.item, "originalReference"), psp)
      assert.strictEqual((yield* adyen.modify(psp, "captures", 500)).status, 201)
      assert.deepStrictEqual(short(adyen), ["AUTHORISATION true 200", "CAPTURE true 200", "CAPTURE false 200"])
      assert.strictEqual(at(adyen.events()[2]?.item, "reason"), "Insufficient balance on payment")
    })
  )

  it.effect("a capture under one key only once", () =>
    Effect.gen(function* () {
      const adyen = yield* open()
      const psp = (yield* adyen.pay(good)).at("pspReference")
      const first = yield* adyen.modify(psp, "captures", 2000, "op_1")
      assert.deepStrictEqual((yield* adyen.modify(psp, "captures", 2000, "op_1")).json, first.json)
      assert.lengthOf(adyen.events(), 2)
      assert.strictEqual((yield* adyen.modify(psp, "captures", 1999, "op_1")).at("errorCode"), "704")
    })
  )

  it.effect("refunds up to what was captured, before which there is nothing to refund", () =>
    Effect.gen(function* () {
      const adyen = yield* open()
      const psp = (yield* adyen.pay(good)).at("pspReference")
      yield* adyen.modify(psp, "refunds", 100)
      yield* adyen.modify(psp, "captures", 1500)
      for (const value of [1000, 501, 500]) yield* adyen.modify(psp, "refunds", value)
      const refunds = short(adyen).filter((event) => event.startsWith("REFUND"))
      assert.deepStrictEqual(refunds, ["REFUND false 200", "REFUND true 200", "REFUND false 200", "REFUND true 200"])
    })
  )

  it.effect("that a refund ending in 77 failed after all, so that its amount can be refunded again", () =>
    Effect.gen(function* () {
      const adyen = yield* open()
      const psp = (yield* adyen.pay(good)).at("pspReference")
      yield* adyen.modify(psp, "captures", 2000)
      const refund = yield* adyen.modify(psp, "refunds", 1977)
      yield* adyen.modify(psp, "refunds", 2000)
      yield* TestClock.adjust("2 seconds")
      yield* adyen.modify(psp, "refunds", 2000)
      assert.deepStrictEqual(short(adyen).slice(2), [
        "REFUND true 200",
        "REFUND_FAILED true 2000",
        "REFUND false 200",
        "REFUND true 200"
      ])
      assert.strictEqual(at(adyen.events()[3]?.item, "pspReference"), refund.at("pspReference"))
    })
  )

  it.effect("that a capture ending in 13 was charged back", () =>
    Effect.gen(function* () {
      const adyen = yield* open()
      const psp = (yield* adyen.pay(good)).at("pspReference")
      yield* adyen.modify(psp, "captures", 1013)
      assert.deepStrictEqual(short(adyen).slice(1), ["CAPTURE true 200", "CHARGEBACK true 2000"])
      const { item } = adyen.events()[2] ?? {}
      assert.strictEqual(at(item, "originalReference"), psp)
      assert.strictEqual(at(item, "merchantReference"), "A-1")
      assert.deepStrictEqual(at(item, "amount"), { value: 1013, currency: "EUR" })
    })
  )

  it.effect("a cancellation, which a capture rules out and the other way round", () =>
    Effect.gen(function* () {
      const adyen = yield* open()
      const one = (yield* adyen.pay(good)).at("pspReference")
      yield* adyen.modify(one, "cancels")
      yield* adyen.modify(one, "captures", 2000)
      const other = (yield* adyen.pay(good)).at("pspReference")
      yield* adyen.modify(other, "captures", 2000)
      yield* adyen.modify(other, "cancels")
      assert.deepStrictEqual(
        short(adyen).filter((event) => !event.startsWith("AUTHORISATION")),
        ["CANCELLATION true 200", "CAPTURE false 200", "CAPTURE true 200", "CANCELLATION false 200"]
      )
    })
  )

  it.effect("a cancellation by the merchant's reference, of whatever arrived under it", () =>
    Effect.gen(function* () {
      const adyen = yield* open()
      const psp = (yield* adyen.pay(good)).at("pspReference")
      const cancel = (paymentReference: string) =>
        adyen.post("cancels", { merchantAccount, paymentReference, reference: "A-1" })
      const received = yield* cancel("A-1")
      assert.deepStrictEqual([received.status, received.at("paymentReference")], [201, "A-1"])
      yield* cancel("A-2")
      assert.deepStrictEqual(short(adyen).slice(1), ["TECHNICAL_CANCEL true 200", "TECHNICAL_CANCEL false 200"])
      assert.strictEqual(at(adyen.events()[1]?.item, "originalReference"), psp)
      yield* adyen.modify(psp, "captures", 2000)
      assert.include(short(adyen), "CAPTURE false 200")
    })
  )
})
