import { createHash } from "node:crypto"
import { assert, describe, it } from "vitest"
import type { Transaction } from "./support/answers.ts"
import {
  authorized,
  captured,
  checkTransaction,
  instant,
  operationOf,
  problemOf,
  transactionOf
} from "./support/answers.ts"
import { type Answer, makeClient, otherSandbox } from "./support/Client.ts"
import { cards, order, places } from "./support/orders.ts"
import { useService } from "./support/Service.ts"

/** Each reading of a payment checks the sums rule too: see `checkTransaction`. */

const service = useService()
const client = makeClient(service)

const sumsOf = (payment: Transaction) => ({
  authorized: payment.authorizedAmount,
  captured: payment.capturedAmount,
  capturable: payment.capturableAmount,
  released: payment.releasedAmount,
  refunded: payment.refundedAmount,
  refundable: payment.refundableAmount,
  pending: payment.pendingAmount,
  disputed: payment.disputedAmount
})
const none = {
  authorized: 0,
  captured: 0,
  capturable: 0,
  released: 0,
  refunded: 0,
  refundable: 0,
  pending: 0,
  disputed: 0
}

const assertSums = (payment: Transaction, expected: Partial<typeof none>) =>
  assert.deepStrictEqual(sumsOf(payment), { ...none, ...expected })

describe("An authorized payment", () => {
  it("is answered with every field of the contract", async () => {
    const request = order({ amount: 30, currency: "TRY" })
    const payment = transactionOf(await client.authorize(request))
    assert.deepInclude(payment, {
      status: "AUTHORIZED",
      amount: 30,
      currency: "TRY",
      provider: "isbank",
      merchantReference: request.merchantReference,
      installment: 1,
      is3DS: false,
      livemode: false
    })
    assert.isString(payment.pspResponseCode)
    assert.deepInclude(payment.card, { first6: "411111", last4: "1111" })
    assert.match(String(payment.expiresAt), instant)
    assert.isAbove(Date.parse(String(payment.expiresAt)), Date.now())
    assert.isNull(payment.nextAction ?? null)
    assert.isNull(payment.error ?? null)
    assertSums(payment, { authorized: 30, capturable: 30 })
  })

  it("is read back with the provider's response, its attempts and its routing", async () => {
    const { transactionId } = await authorized(client, { currency: "TRY" })
    const found = transactionOf(await client.find(transactionId))
    assert.isObject(found.providerResponse)
    assert.isNotEmpty(Object.keys(found.providerResponse as object))
    assert.deepStrictEqual(found.operations, [])
    const { attempts, routing } = found.metadata as { attempts: Array<Record<string, unknown>>; routing: object }
    assert.strictEqual(attempts.length, 1)
    assert.strictEqual(attempts[0]?.provider, "isbank")
    assert.isString(attempts[0]?.outcome)
    assert.isNotEmpty(Object.keys(routing))
  })

  it("names a card by a fingerprint that belongs to the organization and is no plain hash", async () => {
    const [first, second, another] = [
      await authorized(client),
      await authorized(client),
      await authorized(client, { cardNumber: cards.mastercard })
    ]
    const elsewhere = await authorized(makeClient(service, otherSandbox))
    assert.strictEqual(first.card.fingerprint, second.card.fingerprint)
    assert.notStrictEqual(first.card.fingerprint, another.card.fingerprint)
    assert.notStrictEqual(first.card.fingerprint, elsewhere.card.fingerprint)
    for (const algorithm of ["md5", "sha1", "sha256", "sha512"]) {
      const digest = createHash(algorithm).update(cards.visa)
      for (const encoding of ["hex", "base64", "base64url"] as const) {
        assert.notInclude(first.card.fingerprint, digest.copy().digest(encoding).slice(0, 16))
      }
    }
  })
})

for (const [provider, where] of places) {
  describe(`A payment at ${provider}`, () => {
    const open = async (amount: number) => {
      const payment = await authorized(client, { amount, ...where })
      assert.strictEqual(payment.provider, provider)
      return payment.transactionId
    }

    it("is captured whole, refunded in part, and then the rest", async () => {
      const id = await open(30)
      const taken = transactionOf(await client.capture(id))
      assert.strictEqual(taken.status, "CAPTURED")
      assertSums(taken, { authorized: 30, captured: 30, refundable: 30 })
      const part = transactionOf(await client.refund(id, { amount: 10.01 }))
      assert.strictEqual(part.status, "PARTIALLY_REFUNDED")
      assertSums(part, { authorized: 30, captured: 30, refunded: 10.01, refundable: 19.99 })
      const rest = transactionOf(await client.refund(id))
      assert.strictEqual(rest.status, "REFUNDED")
      assertSums(rest, { authorized: 30, captured: 30, refunded: 30 })
      const found = transactionOf(await client.find(id))
      assert.deepStrictEqual(sumsOf(found), sumsOf(rest))
      assert.deepStrictEqual(
        found.operations?.map(({ amount, status, type }) => [type.toLowerCase(), amount, status]).sort(),
        [
          ["capture", 30, "SUCCEEDED"],
          ["refund", 10.01, "SUCCEEDED"],
          ["refund", 19.99, "SUCCEEDED"]
        ]
      )
    })

    it("is voided, which releases all of it", async () => {
      const id = await open(30)
      const answer = await client.cancel(id)
      assert.deepInclude(operationOf(answer), { amount: 30, status: "SUCCEEDED" })
      assert.strictEqual(transactionOf(answer).status, "VOIDED")
      assertSums(transactionOf(answer), { authorized: 30, released: 30 })
    })

    it("is captured in part, after which the rest is either still to be had, and can be voided, or released", async () => {
      const id = await open(30)
      const part = transactionOf(await client.capture(id, { amount: 12.34 }))
      assert.strictEqual(part.status, "PARTIALLY_CAPTURED")
      if (part.capturableAmount > 0) {
        assertSums(part, { authorized: 30, captured: 12.34, capturable: 17.66, refundable: 12.34 })
        assert.strictEqual(transactionOf(await client.cancel(id)).status, "PARTIALLY_CAPTURED")
      } else {
        problemOf(await client.cancel(id), 409, "INVALID_STATE")
      }
      const found = transactionOf(await client.find(id))
      assertSums(found, { authorized: 30, captured: 12.34, released: 17.66, refundable: 12.34 })
      problemOf(await client.capture(id, { amount: 1 }), 409, "INVALID_STATE")
      const back = transactionOf(await client.refund(id))
      assert.strictEqual(back.status, "REFUNDED")
      assertSums(back, { authorized: 30, captured: 12.34, released: 17.66, refunded: 12.34 })
    })

    it("releases what a final capture leaves", async () => {
      const id = await open(30)
      const last = transactionOf(await client.capture(id, { amount: 10, finalCapture: true }))
      assert.strictEqual(last.status, "PARTIALLY_CAPTURED")
      assertSums(last, { authorized: 30, captured: 10, released: 20, refundable: 10 })
      problemOf(await client.capture(id, { amount: 1 }), 409, "INVALID_STATE")
    })
  })
}

describe("An operation", () => {
  it("is answered with its own id, amount and reference, and is listed with the payment", async () => {
    const { transactionId } = await authorized(client, { amount: 50 })
    const taken = operationOf(await client.capture(transactionId, { reference: "shipment-1" }))
    const back = operationOf(await client.refund(transactionId, { amount: 5, reference: "return-1" }))
    assert.deepInclude(taken, { amount: 50, status: "SUCCEEDED", reference: "shipment-1" })
    assert.deepInclude(back, { amount: 5, status: "SUCCEEDED", reference: "return-1" })
    const { operations = [] } = transactionOf(await client.find(transactionId))
    const ids = operations.map(({ operationId }) => operationId)
    assert.deepStrictEqual(ids.sort(), [taken.operationId, back.operationId].sort())
  })

  it("may not take the reference of another operation on the payment", async () => {
    const { transactionId } = await captured(client, { amount: 50 })
    transactionOf(await client.refund(transactionId, { amount: 5, reference: "return-1" }))
    problemOf(await client.refund(transactionId, { amount: 6, reference: "return-1" }), 409, "DUPLICATE_REFERENCE")
    assert.strictEqual(transactionOf(await client.find(transactionId)).refundedAmount, 5)
    const elsewhere = await captured(client, { amount: 50 })
    transactionOf(await client.refund(elsewhere.transactionId, { amount: 5, reference: "return-1" }))
  })

  it("moves updatedAt", async () => {
    const before = await authorized(client)
    const after = transactionOf(await client.capture(before.transactionId))
    assert.strictEqual(after.createdAt, before.createdAt)
    assert.isAbove(Date.parse(after.updatedAt), Date.parse(before.updatedAt))
  })
})

describe("A state that does not allow an operation", () => {
  const refused = async (answer: Promise<Answer>, status: string) => {
    const problem = problemOf(await answer, 409, "INVALID_STATE")
    assert.include(problem.detail, status)
    return problem
  }

  it("comes with the payment as it is", async () => {
    const { transactionId } = await authorized(client)
    const { transaction } = await refused(client.refund(transactionId), "AUTHORIZED")
    assert.deepInclude(checkTransaction(transaction), { transactionId, status: "AUTHORIZED" })
  })

  it("is named with what it allows and the amount that is left, for a capture of too much", async () => {
    const { transactionId } = await authorized(client, { amount: 30 })
    const { detail } = await refused(client.capture(transactionId, { amount: 30.01 }), "AUTHORIZED")
    for (const word of [/capture/i, /void/i, /30(\.00)?\b/]) assert.match(detail, word)
    assertSums(transactionOf(await client.find(transactionId)), { authorized: 30, capturable: 30 })
  })

  it("is named with what it allows and the amount that is left, for a refund of too much", async () => {
    const { transactionId } = await captured(client, { amount: 30 })
    transactionOf(await client.refund(transactionId, { amount: 9.5 }))
    const { detail } = await refused(client.refund(transactionId, { amount: 20.51 }), "PARTIALLY_REFUNDED")
    for (const word of [/refund/i, /20\.50?\b/]) assert.match(detail, word)
    assert.strictEqual(transactionOf(await client.find(transactionId)).refundedAmount, 9.5)
  })

  it("refuses a refund of what was not captured", async () => {
    const { transactionId } = await authorized(client)
    await refused(client.refund(transactionId), "AUTHORIZED")
    await refused(client.refund(transactionId, { amount: 1 }), "AUTHORIZED")
  })

  it("refuses a second capture and a void of what was captured", async () => {
    const { transactionId } = await captured(client)
    await refused(client.capture(transactionId), "CAPTURED")
    await refused(client.cancel(transactionId), "CAPTURED")
  })

  it("refuses everything once the payment is voided", async () => {
    const { transactionId } = await authorized(client)
    transactionOf(await client.cancel(transactionId))
    await refused(client.capture(transactionId), "VOIDED")
    await refused(client.refund(transactionId), "VOIDED")
    await refused(client.cancel(transactionId), "VOIDED")
  })

  it("refuses everything once all was refunded", async () => {
    const { transactionId } = await captured(client)
    transactionOf(await client.refund(transactionId))
    await refused(client.refund(transactionId), "REFUNDED")
    await refused(client.capture(transactionId), "REFUNDED")
    await refused(client.cancel(transactionId), "REFUNDED")
  })

  it("refuses everything on a declined payment", async () => {
    const declined = problemOf(await client.authorize(order({ cardNumber: cards.declined })), 402, "CARD_DECLINED")
    const id = String(declined.transactionId)
    await refused(client.capture(id), "DECLINED")
    await refused(client.refund(id), "DECLINED")
    await refused(client.cancel(id), "DECLINED")
  })
})
