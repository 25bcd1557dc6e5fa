import { assert, describe, it } from "vitest"
import {
  atOnce,
  authorized,
  captured,
  faultPaths,
  operationOf,
  problemOf,
  replayed,
  transactionOf
} from "./support/answers.ts"
import { authorizePath, makeClient, otherSandbox, pathOf, withHeaders } from "./support/Client.ts"
import { cards, order } from "./support/orders.ts"
import { useService } from "./support/Service.ts"

const service = useService()
const client = makeClient(service)

let keys = 0
const newKey = () => ({ idempotencyKey: `key-${++keys}` })

describe("The same request under the same key", () => {
  it("is answered from memory", async () => {
    const [key, body] = [newKey(), order()]
    const [first, again] = [await client.authorize(body, key), await client.authorize(body, key)]
    assert.deepStrictEqual([replayed(first), replayed(again)], [false, true])
    assert.deepStrictEqual(transactionOf(again), transactionOf(first))
  })

  it("is the answer of then, not of now", async () => {
    const [key, body] = [newKey(), order()]
    const { transactionId } = transactionOf(await client.authorize(body, key))
    transactionOf(await client.capture(transactionId))
    const again = await client.authorize(body, key)
    assert.isTrue(replayed(again))
    assert.deepInclude(transactionOf(again), { transactionId, status: "AUTHORIZED", capturedAmount: 0 })
  })

  it("repeats a decline without asking the provider again", async () => {
    for (const [code, status, cardNumber] of [
      ["CARD_DECLINED", 402, cards.declined],
      ["INSUFFICIENT_FUNDS", 402, cards.insufficientFunds],
      ["INVALID_CARD", 422, cards.expired],
      ["PROVIDER_ERROR", 502, cards.providerError]
    ] as const) {
      const [key, body] = [newKey(), order({ cardNumber })]
      const first = problemOf(await client.authorize(body, key), status, code)
      const answer = await client.authorize(body, key)
      assert.isTrue(replayed(answer), code)
      const again = problemOf(answer, status, code)
      assert.strictEqual(again.transactionId, first.transactionId)
      assert.deepStrictEqual(again.transaction, first.transaction)
    }
  })

  it("repeats a refusal by the payment's state", async () => {
    const { transactionId } = await authorized(client)
    const key = newKey()
    const answer = await client.refund(transactionId, { amount: 1 }, key)
    problemOf(answer, 409, "INVALID_STATE")
    transactionOf(await client.capture(transactionId))
    const again = await client.refund(transactionId, { amount: 1 }, key)
    // A refusal begins no operation, so the key is not spent and the refund is now taken.
    assert.isFalse(replayed(again))
    assert.strictEqual(transactionOf(again).refundedAmount, 1)
  })

  it("moves money once for captures, refunds and voids", async () => {
    const [open, taken] = [await authorized(client), await captured(client, { amount: 100 })]
    for (const send of [
      (key: ReturnType<typeof newKey>) => client.refund(taken.transactionId, { amount: 10 }, key),
      (key: ReturnType<typeof newKey>) => client.cancel(open.transactionId, undefined, key)
    ]) {
      const key = newKey()
      const [first, again] = [await send(key), await send(key)]
      assert.deepStrictEqual([replayed(first), replayed(again)], [false, true])
      assert.strictEqual(operationOf(again).operationId, operationOf(first).operationId)
      assert.deepStrictEqual(again.json, first.json)
    }
    assert.strictEqual(transactionOf(await client.find(taken.transactionId)).refundedAmount, 10)
  })

  it("is the same in any layout and order of its JSON, and with any CVC", async () => {
    const [key, body] = [newKey(), order()]
    const { transactionId } = transactionOf(await client.authorize(body, key))
    const { billingAddress, buyer, ...rest } = body
    const reversed = (value: object) => Object.fromEntries(Object.entries(value).reverse())
    for (const same of [
      JSON.stringify(body, null, 2),
      reversed(body),
      { ...rest, buyer: reversed(buyer), billingAddress: reversed(billingAddress) },
      JSON.stringify(body).replace("149.9", "149.90"),
      { ...body, cardCvc: "321" }
    ]) {
      const answer = await client.authorize(same, key)
      assert.isTrue(replayed(answer), answer.text)
      assert.strictEqual(transactionOf(answer).transactionId, transactionId)
    }
  })
})

describe("Another request under the same key", () => {
  it("is a conflict, whatever is different", async () => {
    const [key, body] = [newKey(), order()]
    const { transactionId } = transactionOf(await client.authorize(body, key))
    const others = [
      order(),
      { ...body, amount: 149.91 },
      { ...body, currency: "EUR" },
      { ...body, cardNumber: cards.mastercard }
    ]
    for (const other of others) problemOf(await client.authorize(other, key), 422, "IDEMPOTENCY_CONFLICT")
    problemOf(await client.capture(transactionId, {}, key), 422, "IDEMPOTENCY_CONFLICT")
    assert.strictEqual(transactionOf(await client.find(transactionId)).status, "AUTHORIZED")
  })

  it("is a conflict on another payment too", async () => {
    const [first, second] = [await captured(client), await captured(client)]
    const key = newKey()
    transactionOf(await client.refund(first.transactionId, { amount: 1 }, key))
    problemOf(await client.refund(second.transactionId, { amount: 1 }, key), 422, "IDEMPOTENCY_CONFLICT")
    assert.strictEqual(transactionOf(await client.find(second.transactionId)).refundedAmount, 0)
  })

  it("is a conflict before its content is looked at", async () => {
    const key = newKey()
    transactionOf(await client.authorize(order(), key))
    problemOf(await client.authorize({ amount: -1 }, key), 422, "IDEMPOTENCY_CONFLICT")
  })
})

describe("A key", () => {
  it("makes one payment of 64 requests at once", async () => {
    // Several rounds, since which of them meet where is up to chance.
    for (let round = 0; round < 8; round++) {
      const [key, body] = [newKey(), order()]
      const answers = await atOnce(64, () => client.authorize(body, key))
      const taken = answers.filter(({ status }) => status === 200)
      const ids = taken.map((answer) => transactionOf(answer).transactionId)
      assert.strictEqual(new Set(ids).size, 1)
      assert.lengthOf(
        taken.filter((answer) => !replayed(answer)),
        1
      )
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        problemOf(answer, 409, "IDEMPOTENCY_IN_PROGRESS")
        assert.match(answer.headers.get("retry-after") ?? "", /^\d+$/)
      }
      const list = (await client.list(`?merchantReference=${body.merchantReference}`)).json as { data: Array<unknown> }
      assert.lengthOf(list.data, 1)
    }
  })

  it("makes one refund of 32 requests at once", async () => {
    const { transactionId } = await captured(client, { amount: 100 })
    const key = newKey()
    const answers = await atOnce(32, () => client.refund(transactionId, { amount: 3 }, key))
    const ids = new Set(answers.filter(({ status }) => status === 200).map((answer) => operationOf(answer).operationId))
    assert.strictEqual(ids.size, 1)
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      problemOf(answer, 409, "IDEMPOTENCY_IN_PROGRESS")
    }
    assert.strictEqual(transactionOf(await client.find(transactionId)).refundedAmount, 3)
  })

  for (const operation of ["capture", "refund", "void"] as const) {
    it(`tells the second of two equal ${operation}s at once that the first is at work, or its answer`, async () => {
      for (let round = 0; round < 10; round++) {
        const { transactionId } = operation === "refund" ? await captured(client) : await authorized(client)
        const key = newKey()
        const path = pathOf(transactionId, operation)
        const answers = await atOnce(2, () => client.request("POST", path, {}, key))
        for (const answer of answers) {
          if (answer.status !== 200) problemOf(answer, 409, "IDEMPOTENCY_IN_PROGRESS")
        }
        assert.lengthOf(
          answers.filter((answer) => answer.status === 200 && !replayed(answer)),
          1
        )
      }
    })

    it(`tells the same of the same signed bytes of a ${operation}, twice at once`, async () => {
      for (let round = 0; round < 10; round++) {
        const { transactionId } = operation === "refund" ? await captured(client) : await authorized(client)
        const request = client.sign("POST", pathOf(transactionId, operation), {})
        const answers = await atOnce(2, () => client.send(request))
        for (const { json, status } of answers) {
          if (status !== 200) assert.match((json as { code: string }).code, /^(OPERATION|IDEMPOTENCY)_IN_PROGRESS$/)
        }
        assert.lengthOf(
          answers.filter((answer) => answer.status === 200 && !replayed(answer)),
          1
        )
      }
    })
  }

  it("is not spent by a request that was invalid", async () => {
    const key = newKey()
    faultPaths(await client.authorize({ amount: 1 }, key))
    problemOf(await client.authorize(order({ cardCvc: "12" }), key), 422, "INVALID_CARD")
    const answer = await client.authorize(order(), key)
    assert.isFalse(replayed(answer))
    assert.strictEqual(transactionOf(answer).status, "AUTHORIZED")
  })

  it("is not spent by a request that was not authenticated", async () => {
    const key = newKey()
    const forged = withHeaders(client.sign("POST", authorizePath, order(), key), { "x-signature": "0".repeat(64) })
    problemOf(await client.send(forged), 401, "INVALID_SIGNATURE")
    const answer = await client.authorize(order(), key)
    assert.isFalse(replayed(answer))
    assert.strictEqual(transactionOf(answer).status, "AUTHORIZED")
  })

  it("has 1 to 255 characters", async () => {
    const longest = await client.authorize(order(), { idempotencyKey: "k".repeat(255) })
    assert.strictEqual(transactionOf(longest).status, "AUTHORIZED")
    for (const idempotencyKey of ["k".repeat(256), ""]) {
      problemOf(await client.authorize(order(), { idempotencyKey }), 400, "INVALID_REQUEST")
    }
  })

  it("belongs to its client", async () => {
    const [key, body] = [newKey(), order()]
    const mine = transactionOf(await client.authorize(body, key))
    const answer = await makeClient(service, otherSandbox).authorize(body, key)
    assert.isFalse(replayed(answer))
    assert.notStrictEqual(transactionOf(answer).transactionId, mine.transactionId)
  })

  it("means nothing on a reading", async () => {
    const { transactionId } = await authorized(client)
    const key = newKey()
    for (const path of [`/pf/v1/payments/${transactionId}`, "/pf/v1/payments"]) {
      const answer = await client.request("GET", path, undefined, key)
      assert.deepStrictEqual([answer.status, replayed(answer)], [200, false])
    }
  })
})
