import { assert, describe, it } from "@effect/vitest"
import * as MemoryOrderBook from "@sarraf/adapters/providers/MemoryOrderBook"
import type { OrderBook } from "@sarraf/adapters/providers/OrderBook"
import { Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import { hexOf } from "./Sample.ts"
import { apiKey, buyer, card, type Fields, isFields, open, order, pagesUrl, secret, textAt } from "./SimulatedIyzico.ts"

describe("the simulated iyzico checks who asks", () => {
  it.effect("and refuses a request that is not signed, or was changed after it was", () =>
    Effect.gen(function* () {
      const { post, send } = yield* open()
      const codeOf = (headers: Readonly<Record<string, string>>) =>
        Effect.map(post("/payment/preauth", order(), headers), ({ errorCode }) => errorCode)
      assert.strictEqual(yield* codeOf({ authorization: "" }), "1000")
      assert.strictEqual(yield* codeOf({ "x-iyzi-rnd": "another" }), "1000")
      const forged = btoa(`apiKey:${apiKey}&randomKey:a random key&signature:${"0".repeat(64)}`)
      assert.strictEqual(yield* codeOf({ authorization: `IYZWSv2 ${forged}` }), "1000")
      const stranger = btoa(`apiKey:sandbox-other&randomKey:a random key&signature:${"0".repeat(64)}`)
      assert.strictEqual(yield* codeOf({ authorization: `IYZWSv2 ${stranger}` }), "1001")
      const { fields } = yield* send("/payment/preauth", "no JSON")
      assert.strictEqual(fields.errorCode, "11")
    })
  )

  it.effect("and knows no other addresses", () =>
    Effect.gen(function* () {
      const { send } = yield* open()
      assert.strictEqual((yield* send("/payment/other", "{}")).status, 404)
      assert.strictEqual((yield* send("/payment/detail", undefined)).status, 404)
    })
  )
})

const { paymentCard: _card, ...withoutCard } = order()
const { buyer: _buyer, ...withoutBuyer } = order()
const { shippingAddress: _shipping, ...withoutShipping } = order()
const faults: ReadonlyArray<readonly [string, Fields, string]> = [
  ["without a card", withoutCard, "5013"],
  ["without a buyer", withoutBuyer, "24"],
  ["without an address to ship to", withoutShipping, "24"],
  ["without an identity number", order({ buyer: { ...buyer, identityNumber: "1" } }), "8"],
  ["without an e-mail address", order({ buyer: { ...buyer, email: "" } }), "3"],
  ["without an IP address", order({ buyer: { ...buyer, ip: "" } }), "24"],
  ["with a basket of another sum", order({ price: "11.0" }), "5062"],
  ["with an amount that is none", order({ paidPrice: "ten" }), "5004"],
  ["with nothing to pay", order({ paidPrice: "0" }), "5004"],
  ["in a currency that it does not have", order({ currency: "AED" }), "11"],
  ["in four installments", order({ installment: 4 }), "10222"],
  ["in installments of another currency", order({ currency: "EUR", installment: 3 }), "10222"],
  ["with a wrong check digit", order({ paymentCard: { ...card, cardNumber: "5528790000000009" } }), "12"],
  ["with a card that is over", order({ paymentCard: { ...card, expireYear: "2025" } }), "10229"],
  ["with half a security code", order({ paymentCard: { ...card, cvc: "1" } }), "10206"]
]

describe("a payment", () => {
  for (const [name, content, code] of faults) {
    it.effect(`${name} is refused with ${code}`, () =>
      Effect.gen(function* () {
        const { post } = yield* open()
        const fields = yield* post("/payment/preauth", content)
        assert.deepStrictEqual([fields.status, fields.errorCode, fields.conversationId], ["failure", code, "order-1"])
      })
    )
  }

  it.effect("is answered with a signature and with amounts in eight decimals", () =>
    Effect.gen(function* () {
      const { send } = yield* open()
      const { fields, text } = yield* send("/payment/preauth", JSON.stringify(order()))
      assert.include(text, '"paidPrice":10.00000000')
      assert.deepStrictEqual([fields.phase, fields.fraudStatus, fields.lastFourDigits], ["PRE_AUTH", 1, "0008"])
      const about = [textAt(fields, "paymentId"), "TRY", "basket-1", "order-1", "10", "10"]
      assert.strictEqual(fields.signature, hexOf(about.join(":"), secret))
    })
  )

  it.effect("is a sale where one is asked for", () =>
    Effect.gen(function* () {
      const { post } = yield* open()
      const { paymentId, phase } = yield* post("/payment/auth", order())
      assert.strictEqual(phase, "AUTH")
      assert.strictEqual((yield* post("/payment/postauth", { paymentId, paidPrice: "1.0" })).errorCode, "10012")
    })
  )

  it.effect("under a conversation that was used before is a system error, also of two at once", () =>
    Effect.gen(function* () {
      const { post } = yield* open()
      const both = yield* Effect.all([post("/payment/preauth", order()), post("/payment/preauth", order())], {
        concurrency: 2
      })
      assert.deepStrictEqual(both.map(({ errorCode, status }) => errorCode ?? status).sort(), ["1", "success"])
    })
  )

  it.effect("leaves neither the card's number nor its security code in the book", () =>
    Effect.gen(function* () {
      const book = MemoryOrderBook.make()
      const saved: Array<string> = []
      const spy: OrderBook = {
        ...book,
        add: (provider, key, one) =>
          Effect.tap(book.add(provider, key, one), () => Effect.sync(() => saved.push(JSON.stringify(one)))),
        save: (provider, key, one) =>
          Effect.tap(book.save(provider, key, one), () => Effect.sync(() => saved.push(JSON.stringify(one))))
      }
      const { post } = yield* open("instant", spy)
      yield* post("/payment/preauth", order({ paymentCard: { ...card, cvc: "987" } }))
      assert.isNotEmpty(saved)
      for (const text of saved) {
        assert.notInclude(text, "5528790000000008")
        assert.notMatch(text, /"987"/u)
      }
    })
  )
})

/** A hold of 10.00 TRY. */
const held = Effect.fnUntraced(function* (settlement?: "daily") {
  const shop = yield* open(settlement)
  const { itemTransactions, paymentId } = yield* shop.post("/payment/preauth", order())
  const [item]: ReadonlyArray<unknown> = Array.isArray(itemTransactions) ? itemTransactions : []
  return { ...shop, paymentId, paymentTransactionId: isFields(item) ? item.paymentTransactionId : undefined }
})

describe("a hold", () => {
  it.effect("is captured once, for no more than it holds", () =>
    Effect.gen(function* () {
      const { paymentId, post } = yield* held()
      const capture = (paidPrice: string) => post("/payment/postauth", { conversationId: "c", paymentId, paidPrice })
      assert.strictEqual((yield* capture("10.01")).errorCode, "10232")
      assert.strictEqual((yield* capture("-1")).errorCode, "5004")
      const { paidPrice, phase } = yield* capture("4")
      assert.deepStrictEqual([paidPrice, phase], [4, "POST_AUTH"])
      assert.strictEqual((yield* capture("4")).errorCode, "10012")
    })
  )

  it.effect("is cancelled once, after which nothing can be captured", () =>
    Effect.gen(function* () {
      const { get, paymentId, post } = yield* held()
      assert.strictEqual((yield* post("/payment/cancel", { paymentId })).status, "success")
      assert.strictEqual((yield* post("/payment/cancel", { paymentId })).errorCode, "10012")
      assert.strictEqual((yield* post("/payment/postauth", { paymentId, paidPrice: "1" })).errorCode, "10012")
      // The detail does not show it; the report does.
      assert.strictEqual((yield* post("/payment/detail", { paymentId })).paymentStatus, "SUCCESS")
      const { payments } = yield* get(`/v2/reporting/payment/details?paymentId=${paymentId}`)
      const [one]: ReadonlyArray<unknown> = Array.isArray(payments) ? payments : []
      assert.lengthOf(isFields(one) && Array.isArray(one.cancels) ? one.cancels : [], 1)
    })
  )

  it.effect("has nothing to refund", () =>
    Effect.gen(function* () {
      const { paymentId, post } = yield* held()
      assert.strictEqual((yield* post("/v2/payment/refund", { paymentId, price: "1" })).errorCode, "5093")
    })
  )
})

describe("a capture", () => {
  it.effect("is refunded by its payment and by its item, and no further than it goes", () =>
    Effect.gen(function* () {
      const { paymentId, paymentTransactionId, post } = yield* held()
      yield* post("/payment/postauth", { paymentId, paidPrice: "10" })
      const byPayment = yield* post("/v2/payment/refund", { conversationId: "c", paymentId, price: "4.50" })
      assert.strictEqual(byPayment.signature, hexOf(`${paymentId}:4.5:TRY:c`, secret))
      const byItem = yield* post("/payment/refund", { conversationId: "c", paymentTransactionId, price: "5" })
      assert.deepStrictEqual([byItem.status, byItem.paymentId], ["success", paymentId])
      assert.strictEqual((yield* post("/payment/refund", { paymentTransactionId, price: "0.51" })).errorCode, "5093")
      assert.strictEqual((yield* post("/payment/refund", { paymentTransactionId, price: "0.50" })).status, "success")
    })
  )

  it.effect("is taken back by a cancellation until its day is over", () =>
    Effect.gen(function* () {
      const early = yield* held("daily")
      yield* early.post("/payment/postauth", { paymentId: early.paymentId, paidPrice: "10" })
      assert.strictEqual((yield* early.post("/payment/cancel", { paymentId: early.paymentId })).status, "success")
      const late = yield* held("daily")
      yield* late.post("/payment/postauth", { paymentId: late.paymentId, paidPrice: "10" })
      yield* TestClock.adjust(Duration.hours(15))
      assert.strictEqual((yield* late.post("/payment/cancel", { paymentId: late.paymentId })).errorCode, "10012")
    })
  )

  it.effect("of a payment that it does not know is refused, like everything else of it", () =>
    Effect.gen(function* () {
      const { get, post } = yield* open()
      for (const path of ["/payment/postauth", "/payment/cancel", "/v2/payment/refund", "/payment/detail"]) {
        assert.strictEqual((yield* post(path, { paymentId: "1", paidPrice: "1", price: "1" })).errorCode, "5086", path)
      }
      assert.strictEqual((yield* post("/payment/postauth", { paidPrice: "1" })).errorCode, "5002")
      assert.strictEqual((yield* post("/payment/refund", { price: "1" })).errorCode, "5092")
      const path = "/v2/reporting/payment/details?conversationId=c&paymentConversationId=nobody"
      assert.deepStrictEqual((yield* get(path)).payments, [])
    })
  )
})

const start = "/payment/mock/init3ds"
const confirm = "/payment/mock/confirm3ds"

/** A payment whose buyer is at the issuer. */
const challenged = Effect.fnUntraced(function* (cardNumber = "4000000000003220") {
  const shop = yield* open()
  const callbackUrl = "https://gateway.test/return"
  const content = order({ paymentCard: { ...card, cardNumber }, callbackUrl })
  const fields = yield* shop.post("/payment/3dsecure/initialize/preauth", content)
  const { paymentId } = fields
  assert.strictEqual(fields.signature, hexOf(`${paymentId}:order-1`, secret))
  const html = Buffer.from(textAt(fields, "threeDSHtmlContent"), "base64").toString()
  assert.include(html, `action="${pagesUrl}${start}" method="post"`)
  const [, PaReq = ""] = /name="PaReq" value="(\w+)"/u.exec(html) ?? []
  const complete = (changes: Fields = {}) =>
    shop.post("/payment/v2/3dsecure/auth", {
      paymentId,
      paidPrice: "10",
      basketId: "basket-1",
      currency: "TRY",
      ...changes
    })
  return { ...shop, paymentId, PaReq, complete }
})

const valueOf = (html: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`, "u").exec(html)?.[1]

describe("an authentication", () => {
  it.effect("is asked for on a page, and comes back signed", () =>
    Effect.gen(function* () {
      const { PaReq, browse, complete, paymentId, post } = yield* challenged()
      assert.strictEqual((yield* complete()).errorCode, "10211")
      const shown = yield* browse(start, { PaReq }, "GET")
      assert.include(shown.html, "•••• 3220")
      assert.include(shown.html, "10.00 TRY")
      const { html } = yield* browse(confirm, { PaReq, code: "123456" })
      assert.include(html, 'action="https://gateway.test/return"')
      const names = ["conversationData", "conversationId", "mdStatus", "paymentId", "status"]
      const values = names.map((name) => valueOf(html, name) ?? "?")
      assert.deepStrictEqual(values, ["", "order-1", "1", `${paymentId}`, "success"])
      assert.strictEqual(valueOf(html, "signature"), hexOf(values.join(":"), secret))
      assert.strictEqual((yield* post("/payment/detail", { paymentId })).paymentStatus, "CALLBACK_THREEDS")
    })
  )

  it.effect("is used once", () =>
    Effect.gen(function* () {
      const { PaReq, browse } = yield* challenged()
      assert.strictEqual((yield* browse(confirm, { PaReq, code: "123456" })).status, 200)
      assert.strictEqual((yield* browse(confirm, { PaReq, code: "123456" })).status, 410)
      assert.strictEqual((yield* browse(start, { PaReq })).status, 410)
      assert.strictEqual((yield* browse(start, { PaReq: "another" })).status, 410)
    })
  )

  it.effect("ends after three wrong codes, and when the buyer gives up", () =>
    Effect.gen(function* () {
      const { PaReq, browse, complete } = yield* challenged()
      for (const tries of [1, 2]) {
        const { html } = yield* browse(confirm, { PaReq, code: "000000" })
        assert.include(html, "not right", `${tries}`)
      }
      const { html } = yield* browse(confirm, { PaReq, code: "000000" })
      assert.deepStrictEqual([valueOf(html, "mdStatus"), valueOf(html, "status")], ["0", "failure"])
      assert.strictEqual((yield* complete()).errorCode, "10211")
      const other = yield* challenged()
      const back = yield* other.browse(confirm, { PaReq: other.PaReq, cancel: "1" })
      assert.strictEqual(valueOf(back.html, "mdStatus"), "0")
    })
  )

  it.effect("is completed once, with what it was begun with", () =>
    Effect.gen(function* () {
      const { PaReq, browse, complete } = yield* challenged()
      yield* browse(confirm, { PaReq, code: "123456" })
      assert.strictEqual((yield* complete({ paidPrice: "9" })).errorCode, "11")
      assert.strictEqual((yield* complete({ basketId: "other" })).errorCode, "11")
      const { mdStatus, phase } = yield* complete()
      assert.deepStrictEqual([mdStatus, phase], [1, "PRE_AUTH"])
      assert.strictEqual((yield* complete()).errorCode, "1")
    })
  )

  it.effect("needs an address to come back to", () =>
    Effect.gen(function* () {
      const { post } = yield* open()
      assert.strictEqual((yield* post("/payment/3dsecure/initialize/preauth", order())).errorCode, "23")
    })
  )
})

describe("notifications", () => {
  it.effect("are posted for what iyzico tells of, signed and under a code of their own", () =>
    Effect.gen(function* () {
      const { PaReq, browse, complete, paymentId, posted } = yield* challenged()
      yield* browse(confirm, { PaReq, code: "123456" })
      yield* complete()
      yield* complete()
      const events = posted.map(({ body, headers }) => {
        const message: unknown = JSON.parse(new TextDecoder().decode(body))
        assert(isFields(message))
        const { iyziEventType, status } = message
        const text = `${secret}${iyziEventType}${paymentId}order-1${status}`
        assert.strictEqual(headers["x-iyz-signature-v3"], hexOf(text, secret))
        return message
      })
      assert.deepStrictEqual(
        events.map(({ iyziEventType, status }) => `${iyziEventType} ${status}`),
        ["THREE_DS_CALLBACK CALLBACK_THREEDS", "THREE_DS_AUTH SUCCESS"]
      )
      assert.strictEqual(new Set(events.map(({ iyziReferenceCode }) => iyziReferenceCode)).size, 2)
    })
  )

  it.effect("are posted for a payment that was declined too", () =>
    Effect.gen(function* () {
      const { post, posted } = yield* open()
      yield* post("/payment/preauth", order({ paymentCard: { ...card, cardNumber: "4000000000009995" } }))
      assert.lengthOf(posted, 1)
      assert.include(new TextDecoder().decode(posted[0]?.body), '"status":"FAILURE"')
    })
  )
})
