import { assert, describe, it } from "vitest"
import { attemptsOf, authorized, checkTransaction, problemOf, transactionOf } from "./support/answers.ts"
import { makeClient, otherSandbox } from "./support/Client.ts"
import { cards, order } from "./support/orders.ts"
import { useService } from "./support/Service.ts"

const service = useService()
const client = makeClient(service)

describe("A decline", () => {
  for (const [code, status, cardNumber] of [
    ["INSUFFICIENT_FUNDS", 402, cards.insufficientFunds],
    ["CARD_DECLINED", 402, cards.declined],
    ["INVALID_CARD", 422, cards.expired]
  ] as const) {
    for (const [provider, currency] of [
      ["network-international", "AED"],
      ["isbank", "TRY"]
    ] as const) {
      it(`is ${code} with ${status} and the payment, at ${provider}`, async () => {
        const body = order({ cardNumber, currency, amount: 42.5 })
        const answer = await client.authorize(body)
        const problem = problemOf(answer, status, code)
        assert.strictEqual(problem.provider, provider)
        assert.isString(problem.pspResponseCode)
        assert.deepInclude(checkTransaction(problem.transaction), {
          status: "DECLINED",
          amount: 42.5,
          currency,
          provider,
          merchantReference: body.merchantReference,
          authorizedAmount: 0,
          capturedAmount: 0,
          capturableAmount: 0
        })
        assert.notInclude(answer.text, cardNumber)

        const found = transactionOf(await client.find(String(problem.transactionId)))
        assert.deepInclude(found, { status: "DECLINED", provider })
        assert.strictEqual(found.pspResponseCode, problem.pspResponseCode)
        assert.strictEqual(found.error?.code, code)
      })
    }
  }

  it("by the issuer is final: no other provider is asked", async () => {
    const problem = problemOf(await client.authorize(order({ cardNumber: cards.declined })), 402, "CARD_DECLINED")
    const found = transactionOf(await client.find(String(problem.transactionId)))
    assert.lengthOf(attemptsOf(found), 1)
  })
})

describe("A provider that fails", () => {
  for (const currency of ["USD", "TRY", "AED"]) {
    it(`is PROVIDER_ERROR with 502 and the failed payment, in ${currency}`, async () => {
      const answer = await client.authorize(order({ cardNumber: cards.providerError, currency }))
      const problem = problemOf(answer, 502, "PROVIDER_ERROR")
      assert.strictEqual(problem.transaction?.status, "FAILED")
      assert.notInclude(answer.text, cards.providerError)
      const found = transactionOf(await client.find(String(problem.transactionId)))
      assert.deepInclude(found, { status: "FAILED", authorizedAmount: 0 })
      assert.strictEqual(found.error?.code, "PROVIDER_ERROR")
    })
  }

  it("is followed by the next one where it is certain that it took nothing", async () => {
    const answer = await client.authorize(order({ cardNumber: cards.providerError, currency: "USD" }))
    const found = transactionOf(await client.find(String(problemOf(answer, 502, "PROVIDER_ERROR").transactionId)))
    const tried = attemptsOf(found).map(({ provider }) => provider)
    assert.includeMembers(tried, ["isbank", "stripe", "adyen"])
    assert.strictEqual(new Set(tried).size, tried.length)
  })

  it("is PROVIDER_ERROR as well when none takes the card, and says why each was left out", async () => {
    const troy = order({ cardNumber: cards.troy, currency: "AED" })
    const problem = problemOf(await client.authorize(troy), 502, "PROVIDER_ERROR")
    for (const provider of ["stripe", "isbank"]) assert.include(problem.detail, provider)
  })
})

describe("Another organization's payment", () => {
  it("is not found, by whatever it is asked for, and does not move", async () => {
    const other = makeClient(service, otherSandbox)
    const { transactionId } = await authorized(client)
    problemOf(await other.find(transactionId), 404, "NOT_FOUND")
    problemOf(await other.capture(transactionId), 404, "NOT_FOUND")
    problemOf(await other.cancel(transactionId, {}), 404, "NOT_FOUND")
    assert.strictEqual(transactionOf(await client.find(transactionId)).status, "AUTHORIZED")
    transactionOf(await client.capture(transactionId))
    problemOf(await other.refund(transactionId, { amount: 1 }), 404, "NOT_FOUND")
    assert.strictEqual(transactionOf(await client.find(transactionId)).status, "CAPTURED")
  })

  it("looks like one that does not exist", async () => {
    const other = makeClient(service, otherSandbox)
    const { transactionId } = await authorized(client)
    const unknown = transactionId.slice(0, -4) + (transactionId.endsWith("0000") ? "1111" : "0000")
    const [theirs, nobodys] = [
      problemOf(await other.find(transactionId), 404, "NOT_FOUND"),
      problemOf(await other.find(unknown), 404, "NOT_FOUND")
    ]
    assert.deepStrictEqual([theirs.title, theirs.type], [nobodys.title, nobodys.type])
    assert.strictEqual(theirs.detail.replace(transactionId, ""), nobodys.detail.replace(unknown, ""))
  })
})
