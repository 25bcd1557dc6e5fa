import { assert, describe, it } from "vitest"
import { captured, instant, operationOf, problemOf, transactionOf } from "./support/answers.ts"
import { makeClient } from "./support/Client.ts"
import { useService } from "./support/Service.ts"

/** Providers that settle once a day, as they do in life. */
const service = useService({ SARRAF_SIMULATOR_SETTLEMENT: "daily" })
const client = makeClient(service)

describe("A refund before the day's settlement, at isbank", () => {
  const fresh = async () => (await captured(client, { amount: 100, currency: "TRY" })).transactionId

  it("is taken at once where it is all of the capture, by voiding that capture", async () => {
    const id = await fresh()
    const answer = await client.refund(id)
    assert.deepInclude(operationOf(answer), { amount: 100, status: "SUCCEEDED" })
    assert.deepInclude(transactionOf(answer), { status: "REFUNDED", refundedAmount: 100, pendingAmount: 0 })
  })

  it("is taken at once where all of the capture is written as an amount", async () => {
    const answer = await client.refund(await fresh(), { amount: 100 })
    assert.deepInclude(transactionOf(answer), { status: "REFUNDED", refundedAmount: 100 })
  })

  it("is pending where it is a part, with the time from which it can be sent", async () => {
    const id = await fresh()
    const operation = operationOf(await client.refund(id, { amount: 30 }), 202)
    assert.deepInclude(operation, { amount: 30, status: "PENDING" })
    assert.match(String(operation.availableFrom), instant)
    assert.isAbove(Date.parse(String(operation.availableFrom)), Date.now())
    const found = transactionOf(await client.find(id))
    assert.deepInclude(found, { status: "CAPTURED", refundedAmount: 0, pendingAmount: 30, refundableAmount: 70 })
    const listed = found.operations?.find(({ operationId }) => operationId === operation.operationId)
    assert.deepStrictEqual(listed, operation)
  })

  it("reserves what is pending", async () => {
    const id = await fresh()
    operationOf(await client.refund(id, { amount: 30 }), 202)
    problemOf(await client.refund(id, { amount: 70.01 }), 409, "INVALID_STATE")
    operationOf(await client.refund(id, { amount: 70 }), 202)
    problemOf(await client.refund(id, { amount: 0.01 }), 409, "INVALID_STATE")
    assert.deepInclude(transactionOf(await client.find(id)), { pendingAmount: 100, refundableAmount: 0 })
  })

  it("stays the same one when its request is repeated", async () => {
    const id = await fresh()
    const key = { idempotencyKey: "pending-refund" }
    const first = operationOf(await client.refund(id, { amount: 30 }, key), 202)
    const again = await client.refund(id, { amount: 30 }, key)
    assert.strictEqual(operationOf(again, 202).operationId, first.operationId)
    assert.strictEqual(transactionOf(await client.find(id)).pendingAmount, 30)
  })
})

describe("A refund before the day's settlement, at stripe", () => {
  it("is taken at once, in parts and whole", async () => {
    const { transactionId } = await captured(client, { amount: 100, currency: "AED" })
    assert.deepInclude(transactionOf(await client.refund(transactionId, { amount: 30 })), {
      status: "PARTIALLY_REFUNDED",
      refundedAmount: 30,
      pendingAmount: 0
    })
    assert.strictEqual(transactionOf(await client.refund(transactionId)).status, "REFUNDED")
  })
})
