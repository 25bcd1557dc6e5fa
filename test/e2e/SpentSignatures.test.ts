import { assert, describe, it } from "vitest"
import {
  atOnce,
  authorized,
  captured,
  operationOf,
  problemOf,
  replayed,
  type Transaction,
  transactionOf
} from "./support/answers.ts"
import { authorizePath, makeClient, nextTimestamp, otherSandbox, pathOf, withHeaders } from "./support/Client.ts"
import { order } from "./support/orders.ts"
import { useService } from "./support/Service.ts"

const service = useService()
const client = makeClient(service)

const listed = async (query: string) => (await client.list(query)).json as { readonly data: ReadonlyArray<unknown> }

describe("The same signed bytes again", () => {
  it("are a retry of an authorization: the same payment, and no second one", async () => {
    const body = order()
    const request = client.sign("POST", authorizePath, body)
    const first = await client.send(request)
    assert.isFalse(replayed(first))
    for (const answer of [await client.send(request), await client.send(request)]) {
      assert.isTrue(replayed(answer))
      assert.deepStrictEqual(transactionOf(answer), transactionOf(first))
    }
    assert.strictEqual((await listed(`?merchantReference=${body.merchantReference}`)).data.length, 1)
  })

  it("are answered as the first time, whatever happened to the payment since", async () => {
    const request = client.sign("POST", authorizePath, order())
    const { transactionId } = transactionOf(await client.send(request))
    transactionOf(await client.capture(transactionId))
    const again = await client.send(request)
    assert.isTrue(replayed(again))
    assert.deepInclude(transactionOf(again), { transactionId, status: "AUTHORIZED" })
    assert.strictEqual(transactionOf(await client.find(transactionId)).status, "CAPTURED")
  })

  it("are a retry of a capture and of a refund: the same operation, and nothing moves twice", async () => {
    const { transactionId } = await authorized(client, { amount: 100 })
    const capture = client.sign("POST", pathOf(transactionId, "capture"))
    const refund = client.sign("POST", pathOf(transactionId, "refund"), { amount: 10 })
    for (const request of [capture, refund]) {
      const [first, again] = [await client.send(request), await client.send(request)]
      assert.isTrue(replayed(again))
      assert.strictEqual(operationOf(again).operationId, operationOf(first).operationId)
    }
    assert.deepInclude(transactionOf(await client.find(transactionId)), { capturedAmount: 100, refundedAmount: 10 })
  })

  it("are one payment when they arrive 32 times at once", async () => {
    const body = order()
    const request = client.sign("POST", authorizePath, body)
    const answers = await atOnce(32, () => client.send(request))
    const ids = new Set<string>()
    for (const answer of answers) {
      if (answer.status === 200) ids.add(transactionOf(answer).transactionId)
      else assert.strictEqual(answer.status, 409, answer.text)
    }
    assert.strictEqual(ids.size, 1)
    assert.strictEqual(answers.filter((answer) => answer.status === 200 && !replayed(answer)).length, 1)
    assert.strictEqual((await listed(`?merchantReference=${body.merchantReference}`)).data.length, 1)
  })

  it("are one refund when they arrive 32 times at once", async () => {
    const { transactionId } = await captured(client, { amount: 100 })
    const request = client.sign("POST", pathOf(transactionId, "refund"), { amount: 1 })
    const answers = await atOnce(32, () => client.send(request))
    const taken = answers.filter(({ status }) => status === 200)
    assert.strictEqual(new Set(taken.map((answer) => operationOf(answer).operationId)).size, 1)
    assert.strictEqual(transactionOf(await client.find(transactionId)).refundedAmount, 1)
  })

  it("are refused under another Idempotency-Key", async () => {
    const { transactionId } = await captured(client, { amount: 100 })
    const bare = client.sign("POST", pathOf(transactionId, "refund"), { amount: 10 })
    transactionOf(await client.send(bare))
    problemOf(await client.send(withHeaders(bare, { "idempotency-key": "a-new-key" })), 409, "SIGNATURE_REUSED")
    const keyed = client.sign("POST", pathOf(transactionId, "refund"), { amount: 20 }, { idempotencyKey: "first-key" })
    transactionOf(await client.send(keyed))
    problemOf(await client.send(withHeaders(keyed, { "idempotency-key": "second-key" })), 409, "SIGNATURE_REUSED")
    assert.isTrue(replayed(await client.send(keyed)))
    assert.strictEqual(transactionOf(await client.find(transactionId)).refundedAmount, 30)
  })

  it("are a retry without the Idempotency-Key that they had at first, which is not signed", async () => {
    const { transactionId } = await captured(client, { amount: 100 })
    const keyed = client.sign("POST", pathOf(transactionId, "refund"), { amount: 20 }, { idempotencyKey: "stripped" })
    const first = operationOf(await client.send(keyed))
    const again = await client.send(withHeaders(keyed, { "idempotency-key": undefined }))
    assert.isTrue(replayed(again))
    assert.strictEqual(operationOf(again).operationId, first.operationId)
    assert.strictEqual(transactionOf(await client.find(transactionId)).refundedAmount, 20)
  })

  const spellings: Readonly<Record<string, (path: string) => string>> = {
    "in capitals": (path) => path.replace("/pf/v1", "/PF/V1"),
    "with one capital": (path) => path.replace("/payments/", "/Payments/"),
    "with an encoded letter of the id": (path) => path.replace("/txn_", "/%74xn_"),
    "with an encoded letter": (path) => path.replace("/payments/", "/%70ayments/"),
    "with two slashes": (path) => path.replace("/payments/", "//payments/"),
    "with a slash at its end": (path) => `${path}/`,
    "with the operation in capitals": (path) => path.replace("/refund", "/REFUND"),
    "with an encoded operation": (path) => path.replace("/refund", "/%72efund"),
    "with a query": (path) => `${path}?again=1`,
    "with an empty query": (path) => `${path}?`
  }
  for (const [spelling, spell] of Object.entries(spellings)) {
    it(`move nothing again when their path is written ${spelling}`, async () => {
      const { transactionId } = await captured(client, { amount: 100 })
      const request = client.sign("POST", pathOf(transactionId, "refund"), { amount: 10 })
      transactionOf(await client.send(request))
      const again = await client.send({ ...request, path: spell(request.path) })
      assert.isTrue(replayed(again) || again.status >= 400, again.text)
      assert.strictEqual(transactionOf(await client.find(transactionId)).refundedAmount, 10)
    })
  }

  it("are not refused under the key they were sent with, nor a new signature under another key", async () => {
    const { transactionId } = await captured(client, { amount: 100 })
    for (const idempotencyKey of ["part-1", "part-2"]) {
      const answer = await client.refund(transactionId, { amount: 10 }, { idempotencyKey })
      assert.isFalse(replayed(answer))
      transactionOf(answer)
    }
    assert.strictEqual(transactionOf(await client.find(transactionId)).refundedAmount, 20)
  })
})

describe("A signature on another payment", () => {
  /** One body and one millisecond, so that the captures of three payments are signed alike. */
  const signedAlike = async () => {
    const payments = await Promise.all([authorized(client), authorized(client), authorized(client)])
    const timestamp = nextTimestamp()
    const captureOf = ({ transactionId }: Transaction) => {
      const request = client.sign("POST", pathOf(transactionId, "capture"), {}, { timestamp })
      return { transactionId, signature: request.headers["x-signature"], send: () => client.send(request) }
    }
    const captures = [captureOf(payments[0]), captureOf(payments[1]), captureOf(payments[2])] as const
    assert.strictEqual(new Set(captures.map(({ signature }) => signature)).size, 1)
    return captures
  }

  it("is accepted for the same operation at once, since honest clients sign two alike in one millisecond", async () => {
    const [first, second, third] = await signedAlike()
    const answers = [await first.send(), await second.send(), await third.send()]
    for (const answer of answers) {
      assert.isFalse(replayed(answer))
      assert.strictEqual(transactionOf(answer).status, "CAPTURED")
    }
    assert.strictEqual(new Set(answers.map((answer) => operationOf(answer).operationId)).size, 3)
  })

  it("is refused after two seconds, while what was accepted before may be retried", async () => {
    const [first, second, third] = await signedAlike()
    const accepted = [operationOf(await first.send()), operationOf(await second.send())]
    // The rule is about time that passes at the server, which cannot be asked for it: so this one test waits.
    await new Promise((resolve) => setTimeout(resolve, 2_100))
    problemOf(await third.send(), 401, "SIGNATURE_REUSED")
    assert.strictEqual(transactionOf(await client.find(third.transactionId)).status, "AUTHORIZED")
    const retries = [await first.send(), await second.send()]
    for (const retry of retries) assert.isTrue(replayed(retry))
    assert.deepStrictEqual(
      retries.map((retry) => operationOf(retry)),
      accepted
    )
  })

  it("is refused for another operation", async () => {
    const [open, taken] = [await authorized(client), await captured(client)]
    const capture = client.sign("POST", pathOf(open.transactionId, "capture"), { amount: 1 })
    transactionOf(await client.send(capture))
    problemOf(await client.send({ ...capture, path: pathOf(taken.transactionId, "refund") }), 401, "SIGNATURE_REUSED")
    problemOf(await client.send({ ...capture, path: pathOf(open.transactionId, "refund") }), 401, "SIGNATURE_REUSED")
    assert.strictEqual(transactionOf(await client.find(taken.transactionId)).refundedAmount, 0)
    assert.strictEqual(transactionOf(await client.find(open.transactionId)).refundedAmount, 0)
  })

  it("is refused for a reading later than a second after", async () => {
    const { transactionId } = await authorized(client)
    const voiding = client.sign("POST", pathOf(transactionId, "void"))
    transactionOf(await client.send(voiding))
    // A client that voids and reads in one millisecond signs both alike and is believed within a second.
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    for (const path of [pathOf(transactionId), "/pf/v1/payments"]) {
      problemOf(await client.send({ ...voiding, method: "GET", path }), 401, "SIGNATURE_REUSED")
    }
  })

  it("is refused for a void after it was used for a capture", async () => {
    const [open, other] = [await authorized(client), await authorized(client)]
    const capture = client.sign("POST", pathOf(open.transactionId, "capture"))
    transactionOf(await client.send(capture))
    problemOf(await client.send({ ...capture, path: pathOf(other.transactionId, "void") }), 401, "SIGNATURE_REUSED")
    assert.strictEqual(transactionOf(await client.find(other.transactionId)).status, "AUTHORIZED")
  })
})

describe("The signature of a reading", () => {
  for (const operation of ["void", "capture"]) {
    it(`does not allow a ${operation}`, async () => {
      const { transactionId } = await authorized(client)
      const find = client.sign("GET", pathOf(transactionId))
      transactionOf(await client.send(find))
      const path = pathOf(transactionId, operation)
      problemOf(await client.send({ ...find, method: "POST", path }), 401, "SIGNATURE_REUSED")
      assert.strictEqual(transactionOf(await client.find(transactionId)).status, "AUTHORIZED")
    })
  }

  it("does not allow a void of another payment, nor after a list", async () => {
    const [read, other] = [await authorized(client), await authorized(client)]
    for (const path of [pathOf(read.transactionId), "/pf/v1/payments", "/pf/v1/capabilities"]) {
      const reading = client.sign("GET", path)
      assert.strictEqual((await client.send(reading)).status, 200)
      const voiding = { ...reading, method: "POST", path: pathOf(other.transactionId, "void") }
      problemOf(await client.send(voiding), 401, "SIGNATURE_REUSED")
    }
    assert.strictEqual(transactionOf(await client.find(other.transactionId)).status, "AUTHORIZED")
  })

  it("is shared by readings at the same moment", async () => {
    const payments = await atOnce(8, () => authorized(client))
    const timestamp = nextTimestamp()
    const answers = await atOnce(64, (index) => {
      const { transactionId = "" } = payments[index % payments.length] ?? {}
      return client.send(client.sign("GET", pathOf(transactionId), undefined, { timestamp }))
    })
    for (const answer of answers) assert.strictEqual(transactionOf(answer).status, "AUTHORIZED")
  })
})

describe("Honest requests of one millisecond", () => {
  const many = 200

  it("are all accepted: 200 authorizations, and the captures, refunds and voids of their payments", async () => {
    const at = () => ({ timestamp: nextTimestamp() })
    const signedAt = at()
    const opened = await atOnce(many, () => client.authorize(order({ amount: 20 }), signedAt))
    const ids = opened.map((answer) => transactionOf(answer).transactionId)
    assert.strictEqual(new Set(ids).size, many)
    const [kept, dropped] = [ids.slice(0, many / 2), ids.slice(many / 2)]

    const captureAt = at()
    const captures = await Promise.all(kept.map((id) => client.capture(id, {}, captureAt)))
    for (const answer of captures) assert.strictEqual(transactionOf(answer).status, "CAPTURED")
    const voidAt = at()
    const voids = await Promise.all(dropped.map((id) => client.cancel(id, undefined, voidAt)))
    for (const answer of voids) assert.strictEqual(transactionOf(answer).status, "VOIDED")
    const refundAt = at()
    const refunds = await Promise.all(kept.map((id) => client.refund(id, { amount: 5 }, refundAt)))
    for (const answer of refunds) assert.strictEqual(transactionOf(answer).refundedAmount, 5)
    const operations = [...captures, ...voids, ...refunds].map((answer) => operationOf(answer).operationId)
    assert.strictEqual(new Set(operations).size, many * 1.5)
  })
})

describe("Another client", () => {
  it("does not meet the first one's signatures", async () => {
    const timestamp = nextTimestamp()
    const body = order()
    const [mine, theirs] = [
      transactionOf(await client.authorize(body, { timestamp })),
      transactionOf(await makeClient(service, otherSandbox).authorize(body, { timestamp }))
    ]
    assert.notStrictEqual(mine.transactionId, theirs.transactionId)
  })
})
