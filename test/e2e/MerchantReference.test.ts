import { assert, describe, it } from "vitest"
import { atOnce, problemOf, replayed, transactionOf } from "./support/answers.ts"
import { makeClient, otherSandbox } from "./support/Client.ts"
import { cards, order } from "./support/orders.ts"
import { useService } from "./support/Service.ts"

const service = useService()
const client = makeClient(service)

const listed = async (merchantReference: string) => {
  const { data } = (await client.list(`?merchantReference=${merchantReference}`)).json as {
    data: Array<{ status: string }>
  }
  return data.map(({ status }) => status)
}

describe("A merchantReference", () => {
  it("with the same content again is the first payment", async () => {
    const body = order()
    const first = transactionOf(await client.authorize(body))
    const again = await client.authorize(body)
    assert.isTrue(replayed(again))
    assert.strictEqual(transactionOf(again).transactionId, first.transactionId)
    assert.deepStrictEqual(await listed(body.merchantReference), ["AUTHORIZED"])
  })

  it("with the same content again shows the payment as it is by then", async () => {
    const body = order()
    const { transactionId } = transactionOf(await client.authorize(body))
    transactionOf(await client.capture(transactionId))
    const again = await client.authorize(body)
    assert.isTrue(replayed(again))
    assert.deepInclude(transactionOf(again), { transactionId, status: "CAPTURED" })
  })

  it("with other content is refused, and changes nothing", async () => {
    const body = order()
    transactionOf(await client.authorize(body))
    for (const other of [
      { ...body, amount: 150 },
      { ...body, currency: "EUR" },
      { ...body, cardNumber: cards.mastercard },
      { ...body, buyer: { ...body.buyer, email: "someone@example.com" } }
    ]) {
      problemOf(await client.authorize(other), 409, "DUPLICATE_REFERENCE")
    }
    assert.deepStrictEqual(await listed(body.merchantReference), ["AUTHORIZED"])
  })

  it("with other content is refused under a new Idempotency-Key as well", async () => {
    const body = order()
    transactionOf(await client.authorize(body, { idempotencyKey: "reference-1" }))
    const other = { ...body, amount: 150 }
    problemOf(await client.authorize(other, { idempotencyKey: "reference-2" }), 409, "DUPLICATE_REFERENCE")
  })

  it("is free again after a decline, a failure and a void", async () => {
    const body = order()
    const declined = { ...body, cardNumber: cards.declined }
    const failing = { ...body, cardNumber: cards.providerError }
    problemOf(await client.authorize(declined), 402, "CARD_DECLINED")
    problemOf(await client.authorize(declined), 402, "CARD_DECLINED")
    problemOf(await client.authorize(failing), 502, "PROVIDER_ERROR")
    const first = transactionOf(await client.authorize(body))
    transactionOf(await client.cancel(first.transactionId))
    const second = await client.authorize(body)
    assert.isFalse(replayed(second))
    assert.notStrictEqual(transactionOf(second).transactionId, first.transactionId)
    assert.deepStrictEqual(await listed(body.merchantReference), [
      "AUTHORIZED",
      "VOIDED",
      "FAILED",
      "DECLINED",
      "DECLINED"
    ])
  })

  it("stays taken after a refund", async () => {
    const body = order()
    const { transactionId } = transactionOf(await client.authorize(body))
    transactionOf(await client.capture(transactionId))
    transactionOf(await client.refund(transactionId))
    problemOf(await client.authorize({ ...body, amount: 1 }), 409, "DUPLICATE_REFERENCE")
    assert.deepInclude(transactionOf(await client.authorize(body)), { transactionId, status: "REFUNDED" })
  })

  it("belongs to its client", async () => {
    const body = order()
    const mine = transactionOf(await client.authorize(body))
    const theirs = transactionOf(await makeClient(service, otherSandbox).authorize({ ...body, amount: 7 }))
    assert.notStrictEqual(theirs.transactionId, mine.transactionId)
  })

  it("makes one payment of 32 requests at once, each signed for itself", async () => {
    const body = order()
    const answers = await atOnce(32, () => client.authorize(body))
    const ids = answers.map((answer) =>
      answer.status === 200
        ? transactionOf(answer).transactionId
        : problemOf(answer, 409, "OPERATION_IN_PROGRESS").transactionId
    )
    assert.strictEqual(new Set(ids).size, 1)
    assert.strictEqual(answers.filter((answer) => answer.status === 200 && !replayed(answer)).length, 1)
    assert.deepStrictEqual(await listed(body.merchantReference), ["AUTHORIZED"])
  })

  it("lets one of two different requests in when both come at once", async () => {
    for (let round = 0; round < 10; round++) {
      const body = order()
      const answers = await atOnce(2, (index) => client.authorize({ ...body, amount: 10 + index }))
      const statuses = answers.map(({ status }) => status).sort()
      assert.deepStrictEqual(statuses, [200, 409], answers.map(({ text }) => text).join("\n"))
      const refused = answers.find(({ status }) => status === 409)
      if (refused !== undefined) problemOf(refused, 409, "DUPLICATE_REFERENCE")
      assert.deepStrictEqual(await listed(body.merchantReference), ["AUTHORIZED"])
    }
  })
})
