import { assert, describe, it } from "vitest"
import { authorized, captured, faultPaths, transactionOf } from "./support/answers.ts"
import { makeClient } from "./support/Client.ts"
import { currencies, order, orderText } from "./support/orders.ts"
import { useService } from "./support/Service.ts"

const service = useService()
const client = makeClient(service)

const wrong = [
  ...["0", "0.00", "-0", "-1", "-0.01", "0.001", "149.905", "100.000000000000001", "1.0000000000000000001"],
  ...["1e-3", "100000000", "99999999.999", "100000000.00", "1e9", "1e400", "9007199254740993.01"],
  ...['"10.00"', '""', "true", "null", "[10]", '{"value":10}']
]

describe("The amount of a payment", () => {
  for (const currency of currencies) {
    // Only stripe takes dirhams for now, and its sheet has bounds of its own.
    const [smallest, largest] = currency === "AED" ? [2, 999_999.99] : [0.01, 99_999_999.99]
    it(`is anything from ${smallest} to ${largest} in ${currency}`, async () => {
      for (const amount of [smallest, 10.1, 1_999.99, largest]) {
        const payment = transactionOf(await client.authorize(order({ amount, currency })))
        assert.deepStrictEqual(
          [payment.amount, payment.authorizedAmount, payment.status],
          [amount, amount, "AUTHORIZED"]
        )
        const taken = transactionOf(await client.capture(payment.transactionId))
        assert.strictEqual(taken.capturedAmount, amount)
      }
    })
  }

  it("may be less or more than a provider takes, which leaves that one out and is no fault of the request", async () => {
    const small = transactionOf(await client.authorize(order({ amount: 0.01, currency: "AED" })))
    assert.strictEqual(small.status, "AUTHORIZED")
    const { metadata } = transactionOf(await client.find(small.transactionId))
    const { reasons } = (metadata as { routing: { reasons: Readonly<Record<string, string>> } }).routing
    assert.strictEqual(reasons.stripe, "the amount is below its smallest")
  })

  for (const amount of wrong) {
    it(`is not ${amount}`, async () => {
      assert.deepStrictEqual(faultPaths(await client.authorize(orderText(amount))), ["amount"])
    })
  }

  it("may be written in every way that JSON has for the same number", async () => {
    for (const amount of ["100", "100.0", "100.00", "1e2", "1E+2", "1000e-1"]) {
      const payment = transactionOf(await client.authorize(orderText(amount)))
      assert.strictEqual(payment.amount, 100, amount)
    }
  })
})

describe("The amount of a capture or refund", () => {
  const body = (amount: string) => `{"amount":${amount}}`
  const wrongParts = wrong.filter((amount) => amount !== "null")

  it("is neither zero nor negative, nor too exact, nor a text", async () => {
    const [open, taken] = [await authorized(client), await captured(client)]
    for (const amount of wrongParts) {
      const [capture, refund] = [
        await client.capture(open.transactionId, body(amount)),
        await client.refund(taken.transactionId, body(amount))
      ]
      assert.deepStrictEqual([capture.status, refund.status], [400, 400], `${amount}: ${capture.text} ${refund.text}`)
      assert.deepStrictEqual([faultPaths(capture), faultPaths(refund)], [["amount"], ["amount"]], amount)
    }
    assert.strictEqual(transactionOf(await client.find(open.transactionId)).status, "AUTHORIZED")
    assert.strictEqual(transactionOf(await client.find(taken.transactionId)).status, "CAPTURED")
  })

  it("may be a single cent", async () => {
    const { transactionId } = await authorized(client, { amount: 1 })
    assert.strictEqual(transactionOf(await client.capture(transactionId, { amount: 0.02 })).capturedAmount, 0.02)
    assert.strictEqual(transactionOf(await client.refund(transactionId, { amount: 0.01 })).refundedAmount, 0.01)
  })

  it("is exact where binary fractions are not", async () => {
    const { transactionId } = await captured(client, { amount: 0.3 })
    transactionOf(await client.refund(transactionId, { amount: 0.1 }))
    const after = transactionOf(await client.refund(transactionId, { amount: 0.2 }))
    assert.deepStrictEqual([after.refundedAmount, after.refundableAmount, after.status], [0.3, 0, "REFUNDED"])
  })
})

describe("A number that JSON does not have", () => {
  for (const amount of ["NaN", "Infinity", "0x10", "01", "1.", ".5", "+1"]) {
    it(`is refused: ${amount}`, async () => {
      const answer = await client.authorize(orderText(amount))
      faultPaths(answer)
    })
  }
})
