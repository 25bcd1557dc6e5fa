import { assert, describe, it } from "vitest"
import type { Operation } from "./support/answers.ts"
import { atOnce, authorized, cents, operationOf, problemOf, transactionOf } from "./support/answers.ts"
import type { Answer } from "./support/Client.ts"
import { authorizePath, makeClient, pathOf } from "./support/Client.ts"
import { order, places } from "./support/orders.ts"
import { useService } from "./support/Service.ts"
import { sendAndHangUp } from "./support/wire.ts"

const service = useService()
const client = makeClient(service)

const sumOf = (operations: ReadonlyArray<Operation>, type: string) =>
  operations
    .filter((operation) => operation.type.toLowerCase() === type && operation.status === "SUCCEEDED")
    .reduce((sum, { amount }) => sum + cents(amount), 0)

/** The payment's sums are those of its operations, of which each success was answered to somebody. */
const settledWith = async (id: string, answers: ReadonlyArray<Answer>) => {
  const payment = transactionOf(await client.find(id))
  const operations = payment.operations ?? []
  assert.strictEqual(payment.pendingAmount, 0)
  assert.strictEqual(sumOf(operations, "capture"), cents(payment.capturedAmount))
  assert.strictEqual(sumOf(operations, "refund"), cents(payment.refundedAmount))
  const answered = answers.filter(({ status }) => status === 200).map((answer) => operationOf(answer).operationId)
  const succeeded = operations.filter(({ status }) => status === "SUCCEEDED").map(({ operationId }) => operationId)
  assert.deepStrictEqual([...answered].sort(), [...succeeded].sort())
  return payment
}

const refusedAnswers = (answers: ReadonlyArray<Answer>) => answers.filter(({ status }) => status !== 200)

for (const [provider, where] of places) {
  describe(`At once, at ${provider}`, () => {
    it("64 refunds of 1.00 take exactly the 20.00 that there are", async () => {
      const { transactionId } = await authorized(client, { amount: 20, ...where })
      const capture = await client.capture(transactionId)
      const answers = await atOnce(64, (index) =>
        client.refund(transactionId, { amount: 1, reference: `return-${index}` })
      )
      assert.strictEqual(answers.filter(({ status }) => status === 200).length, 20)
      for (const answer of refusedAnswers(answers)) problemOf(answer, 409, "INVALID_STATE")
      const payment = await settledWith(transactionId, [capture, ...answers])
      assert.deepInclude(payment, { status: "REFUNDED", refundedAmount: 20, refundableAmount: 0 })
    })

    it("16 captures of everything take it once", async () => {
      const { transactionId } = await authorized(client, { amount: 20, ...where })
      const answers = await atOnce(16, () => client.capture(transactionId))
      assert.strictEqual(answers.filter(({ status }) => status === 200).length, 1)
      for (const answer of refusedAnswers(answers)) problemOf(answer, 409, "INVALID_STATE")
      assert.deepInclude(await settledWith(transactionId, answers), { status: "CAPTURED", capturedAmount: 20 })
    })

    it("a capture and a void never both succeed with the same money", async () => {
      for (let round = 0; round < 12; round++) {
        const { transactionId } = await authorized(client, { amount: 20, ...where })
        const first = () => client.capture(transactionId)
        const second = () => client.cancel(transactionId)
        const order = round % 2 === 0 ? [first, second] : [second, first]
        const answers = await Promise.all(order.map((send) => send()))
        assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 409])
        const { status } = await settledWith(transactionId, answers)
        assert.include(["CAPTURED", "VOIDED"], status)
      }
    })

    it("captures, voids and refunds in any order keep the sums", async () => {
      const races = await atOnce(8, async () => {
        const { transactionId } = await authorized(client, { amount: 30, ...where })
        const answers = await Promise.all([
          client.capture(transactionId, { amount: 10 }),
          client.refund(transactionId, { amount: 4 }),
          client.capture(transactionId, { amount: 12.5 }),
          client.refund(transactionId, { amount: 7.77 }),
          client.cancel(transactionId),
          client.refund(transactionId),
          client.capture(transactionId),
          client.refund(transactionId, { amount: 0.01 })
        ])
        return { transactionId, answers }
      })
      for (const { answers, transactionId } of races) {
        assert.isNotEmpty(answers.filter(({ status }) => status === 200))
        for (const answer of refusedAnswers(answers)) problemOf(answer, 409, "INVALID_STATE")
        await settledWith(transactionId, answers)
      }
    })
  })
}

/** Asks until there is an answer, which is at most some ten questions away. */
const untilAnswered = async (ask: () => Promise<Answer>) => {
  const deadline = performance.now() + 15_000
  for (;;) {
    const answer = await ask()
    if (answer.status !== 409 || performance.now() > deadline) return answer
    assert.include(["OPERATION_IN_PROGRESS", "IDEMPOTENCY_IN_PROGRESS"], (answer.json as { code: string }).code)
  }
}

describe("A client that hangs up", () => {
  const delays = [0, 0, 0, 1, 1, 2, 3, 5, 8, 13]

  it("leaves one settled authorization, which its next try finds", async () => {
    let found = 0
    for (const [index, delay] of delays.entries()) {
      const body = order({ amount: 40 + index })
      const key = { idempotencyKey: `hung-up-authorize-${index}` }
      await sendAndHangUp(service().url, client.sign("POST", authorizePath, body, key), delay)
      const answer = await untilAnswered(() => client.authorize(body, key))
      const { status, transactionId } = transactionOf(answer)
      assert.strictEqual(status, "AUTHORIZED")
      if (answer.headers.get("idempotent-replayed") === "true") found++
      const list = (await client.list(`?merchantReference=${body.merchantReference}`)).json as {
        data: Array<{ transactionId: string; status: string }>
      }
      assert.deepStrictEqual(
        list.data.map(({ transactionId }) => transactionId),
        [transactionId]
      )
    }
    assert.isAbove(found, 0, "at least one request had been taken when its client was gone")
  })

  it("leaves one settled capture and one settled refund", async () => {
    for (const [index, delay] of delays.entries()) {
      const { transactionId } = await authorized(client, { amount: 40 })
      const capture = { idempotencyKey: `hung-up-capture-${index}` }
      await sendAndHangUp(service().url, client.sign("POST", pathOf(transactionId, "capture"), {}, capture), delay)
      const taken = await untilAnswered(() => client.capture(transactionId, {}, capture))
      assert.strictEqual(transactionOf(taken).capturedAmount, 40)

      const refund = { idempotencyKey: `hung-up-refund-${index}` }
      const part = { amount: 10 }
      await sendAndHangUp(service().url, client.sign("POST", pathOf(transactionId, "refund"), part, refund), delay)
      const back = await untilAnswered(() => client.refund(transactionId, part, refund))
      assert.strictEqual(transactionOf(back).refundedAmount, 10)
      const { operations } = transactionOf(await client.find(transactionId))
      assert.strictEqual(operations?.length, 2)
    }
  })
})
