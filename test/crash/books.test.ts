import { assert, describe, it } from "@effect/vitest"
import { type BookRow, ordersOf } from "../../crash/books.ts"

const read = (value: object, provider = "any") => ordersOf([{ provider, key: "order", value }])

const sums = (value: object) => {
  const [order] = read(value)
  return order === undefined ? undefined : [order.reference, order.held, order.captured, order.refunded]
}

describe("orders as the simulators keep them", () => {
  it("of NestPay: a capture takes the place of its authorization, a credit stands beside it", () => {
    const entry = (side: string, stat: string, original: number, captured: number | null) => ({
      side,
      stat,
      original,
      captured
    })
    const nestPay = (...entries: ReadonlyArray<object>) => sums({ orderId: "R1", entries })
    assert.deepStrictEqual(nestPay(entry("S", "A", 900, null)), ["R1", 900, 0, 0])
    assert.deepStrictEqual(nestPay(entry("C", "C", 100, 100), entry("S", "C", 900, 600)), ["R1", 0, 600, 100])
    assert.deepStrictEqual(nestPay(entry("S", "V", 900, null), entry("S", "D", 900, null)), ["R1", 0, 0, 0])
  })

  it("of Garanti: every step is an entry, and a void takes one of them back", () => {
    const entry = (type: string, amount: number, changes = {}) => ({
      type,
      amount,
      returnCode: "00",
      voidedAt: null,
      ...changes
    })
    const garanti = (...entries: ReadonlyArray<object>) => sums({ orderId: "R1", entries })
    assert.deepStrictEqual(garanti(entry("preauth", 900)), ["R1", 900, 0, 0])
    assert.deepStrictEqual(garanti(entry("preauth", 900, { voidedAt: 5 }), entry("void", 900)), ["R1", 0, 0, 0])
    assert.deepStrictEqual(garanti(entry("preauth", 900, { returnCode: "51" })), ["R1", 0, 0, 0])
    const captured = [entry("preauth", 900), entry("postauth", 600)]
    assert.deepStrictEqual(garanti(...captured, entry("refund", 100)), ["R1", 0, 600, 100])
    assert.deepStrictEqual(garanti(...captured, entry("refund", 700, { returnCode: "92" })), ["R1", 0, 600, 0])
  })

  it("of Stripe: what a capture leaves is on the list of refunds, too", () => {
    const stripe = (state: object, ...refunds: ReadonlyArray<object>) =>
      sums({ amount: 900, metadata: { order_id: "R1" }, state, refunds })
    const released = { amount: 300, status: "succeeded" }
    const taken = { status: "succeeded", capturable: 0, received: 600 }
    assert.deepStrictEqual(stripe({ status: "requires_capture", capturable: 900, received: 0 }), ["R1", 900, 0, 0])
    assert.deepStrictEqual(stripe(taken, released), ["R1", 0, 600, 0])
    assert.deepStrictEqual(stripe(taken, released, { amount: 100, status: "succeeded" }), ["R1", 0, 600, 100])
    assert.deepStrictEqual(stripe(taken, released, { amount: 100, status: "failed" }), ["R1", 0, 600, 0])
    assert.deepStrictEqual(stripe({ status: "canceled", capturable: 0, received: 0 }, { ...released, amount: 900 }), [
      "R1",
      0,
      0,
      0
    ])
  })

  it("of Adyen", () => {
    const adyen = (changes: object) =>
      sums({
        pspReference: "P",
        reference: "R1",
        value: 900,
        state: "authorised",
        captured: 0,
        refunds: [],
        ...changes
      })
    assert.deepStrictEqual(adyen({}), ["R1", 900, 0, 0])
    const refunds = [
      { value: 100, failsAt: null },
      { value: 50, failsAt: 7 }
    ]
    assert.deepStrictEqual(adyen({ captured: 600, refunds }), ["R1", 0, 600, 100])
    for (const state of ["refused", "cancelled", "challenged"])
      assert.deepStrictEqual(adyen({ state }), ["R1", 0, 0, 0])
  })

  it("of iyzico", () => {
    const iyzico = (changes: object) =>
      sums({
        conversationId: "R1",
        paymentId: "1",
        paidPrice: 900,
        phase: "PRE_AUTH",
        status: "SUCCESS",
        refunds: [],
        cancels: [],
        ...changes
      })
    assert.deepStrictEqual(iyzico({}), ["R1", 900, 0, 0])
    assert.deepStrictEqual(iyzico({ phase: "POST_AUTH", paidPrice: 600, refunds: [{ minor: 100 }] }), [
      "R1",
      0,
      600,
      100
    ])
    assert.deepStrictEqual(iyzico({ cancels: [{ minor: 900 }] }), ["R1", 0, 0, 0])
    assert.deepStrictEqual(iyzico({ status: "INIT_THREEDS" }), ["R1", 0, 0, 0])
  })

  it("of Network International: what several captures have left is not told", () => {
    const network = (changes: object) =>
      sums({
        merchantOrderReference: "R1",
        outlet: "o",
        value: 900,
        state: "AUTHORISED",
        captures: [],
        refunds: [],
        ...changes
      })
    assert.deepStrictEqual(network({}), ["R1", 900, 0, 0])
    const captures = [{ value: 400 }, { value: 200 }]
    assert.deepStrictEqual(network({ state: "PARTIALLY_REFUNDED", captures, refunds: [{ value: 100 }] }), [
      "R1",
      null,
      600,
      100
    ])
    assert.deepStrictEqual(network({ state: "REVERSED" }), ["R1", 0, 0, 0])
  })

  it("and nothing of rows that are no orders", () => {
    const rows: ReadonlyArray<BookRow> = [
      { provider: "isbank", key: "transaction:1", value: { orderId: "R1" } },
      { provider: "network", key: "down:9", value: { provider: "isbank", at: 1, times: 1 } },
      { provider: "adyen", key: "reference:R1", value: ["P"] }
    ]
    assert.deepStrictEqual(ordersOf(rows), [])
  })
})
