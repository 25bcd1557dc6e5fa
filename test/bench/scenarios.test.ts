import { createHmac } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { describe } from "vitest"
import { capture } from "../../bench/scenarios/capture.ts"
import { list } from "../../bench/scenarios/list.ts"
import { dayOrder, mix } from "../../bench/scenarios/mix.ts"
import { read } from "../../bench/scenarios/read.ts"
import { refund } from "../../bench/scenarios/refund.ts"
import { paymentOf } from "../../bench/scenarios/Scenario.ts"

const run = { currency: "TRY", token: "bench-1", payments: ["txn_a", "txn_b"] }

const split = (request = "") => {
  const [head = "", body = ""] = request.split("\r\n\r\n")
  const [line = "", ...fields] = head.split("\r\n")
  return { line, headers: new Map(fields.map((field) => field.split(": ") as [string, string])), body }
}

const assertSigned = (request: string | undefined) => {
  const { body, headers } = split(request)
  const expected = createHmac("sha256", "sandbox_secret")
    .update(`${headers.get("x-timestamp")}${body}`)
    .digest("hex")
  assert.strictEqual(headers.get("x-signature"), expected)
}

describe("captures and refunds", () => {
  for (const [name, scenario] of Object.entries({ capture, refund })) {
    it(`${name} each payment once, signed, and then end`, () => {
      const next = scenario.subject(run)
      const texts = [next()?.text, next()?.text]
      assert.deepStrictEqual(
        texts.map((text) => split(text).line),
        run.payments.map((payment) => `POST /pf/v1/payments/${payment}/${name} HTTP/1.1`)
      )
      texts.forEach(assertSigned)
      assert.isUndefined(next())
    })
    it(`${name} with a body of its own for each payment: two in one millisecond have two signatures`, () => {
      const next = scenario.subject(run)
      assert.notStrictEqual(split(next()?.text).body, split(next()?.text).body)
    })
    it(`${name} the same at the baseline, without a signature`, () => {
      const { body, headers, line } = split(scenario.baseline(run)()?.text)
      assert.strictEqual(line, `POST /payments/txn_a/${name} HTTP/1.1`)
      assert.strictEqual(body, split(scenario.subject(run)()?.text).body)
      assert.isFalse(headers.has("x-signature"))
    })
  }
})

describe("reads", () => {
  it("ask for one payment after another, from the beginning again", () => {
    const next = read.subject(run)
    const lines = [1, 2, 3].map(() => split(next()?.text).line.split(" ")[1])
    assert.deepStrictEqual(lines, ["/pf/v1/payments/txn_a", "/pf/v1/payments/txn_b", "/pf/v1/payments/txn_a"])
  })
  it("are signed over the timestamp alone", () => {
    assertSigned(read.subject(run)()?.text)
    assertSigned(list.subject(run)()?.text)
  })
})

describe("the mix of a day", () => {
  const counted = (values: ReadonlyArray<string>) =>
    Object.fromEntries(Object.entries(Object.groupBy(values, (value) => value)).map(([key, all]) => [key, all?.length]))

  it("is 70 % reads, 20 % new payments, 8 % captures and 2 % refunds", () =>
    assert.deepStrictEqual(counted(dayOrder()), { read: 35, authorize: 10, capture: 4, refund: 1 }))
  it("spreads each kind: no ten in a row are without a new payment", () => {
    const order = [...dayOrder(), ...dayOrder()].join(" ")
    assert.notMatch(order, /(?:read |capture |refund ){10}/)
  })
  it("captures what was authorized, and refunds what was captured, never anything twice", () => {
    const next = mix.subject({ ...run, payments: ["txn_0"] })
    let count = 0
    const captured: Array<string> = []
    const refunded: Array<string> = []
    for (let index = 0; index < 500; index++) {
      const { answered, text } = next() ?? {}
      const path = split(text).line.split(" ")[1]?.split("/") ?? []
      if (path[5] === "capture") captured.push(path[4] ?? "")
      if (path[5] === "refund") refunded.push(path[4] ?? "")
      answered?.(JSON.stringify({ transactionId: path[4] === "authorize" ? `txn_${++count}` : path[4] }))
    }
    assert.strictEqual(captured.length, 40)
    assert.isAtLeast(refunded.length, 9)
    assert.strictEqual(new Set(captured).size, captured.length)
    assert.strictEqual(new Set(refunded).size, refunded.length)
    assert.isTrue(refunded.every((payment) => captured.includes(payment)))
  })
})

describe("an answer", () => {
  it("names its payment", () => assert.strictEqual(paymentOf('{"transactionId":"txn_1","status":"X"}'), "txn_1"))
  it("without one is about none", () => assert.isUndefined(paymentOf('{"code":"X"}')))
})
