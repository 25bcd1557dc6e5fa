import { assert, beforeAll, describe, it } from "vitest"
import { problemOf, type Transaction, transactionOf } from "./support/answers.ts"
import { visit } from "./support/browser.ts"
import { makeClient } from "./support/Client.ts"
import { order } from "./support/orders.ts"
import { useService } from "./support/Service.ts"

const service = useService()
const client = makeClient(service)

/** Sends all payments to one provider, and gives its own answer. */
const routeTo = (provider: string) =>
  fetch(new URL("/api/routing-policy", service().url), {
    method: "PUT",
    headers: { authorization: "Bearer key_test_sandbox", "content-type": "application/json" },
    body: JSON.stringify({ rules: [{ name: "one", when: {}, action: { type: "only", providers: [provider] } }] })
  })

const read = async ({ transactionId }: Pick<Transaction, "transactionId">) =>
  transactionOf(await client.find(transactionId))

/** Looks until it holds; a notification takes a moment. */
const until = async (payment: Transaction, holds: (now: Transaction) => boolean) => {
  for (let looks = 0; looks < 100; looks++) {
    const now = await read(payment)
    if (holds(now)) return now
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`It never came to hold: ${JSON.stringify(await read(payment))}`)
}

const statusOf = ({ operations = [] }: Transaction, type: string) =>
  operations.filter((one) => one.type === type).map(({ status }) => status)

const authorized = async (amount: number) => transactionOf(await client.authorize(order({ amount, currency: "EUR" })))

describe("A provider that decides later", () => {
  beforeAll(async () => assert.strictEqual((await routeTo("adyen")).status, 200))

  it("is waited for: the capture succeeds by its notification", async () => {
    const payment = await authorized(149.9)
    assert.deepStrictEqual([payment.provider, payment.status], ["adyen", "AUTHORIZED"])
    const answer = await client.capture(payment.transactionId)
    assert.include([200, 202], answer.status, answer.text)
    const captured = await until(payment, ({ status }) => status === "CAPTURED")
    assert.deepInclude(captured, { capturedAmount: 149.9, pendingAmount: 0 })
    assert.deepStrictEqual(statusOf(captured, "CAPTURE"), ["SUCCEEDED"])
  })

  it("takes a refund back: it succeeded, and failed by a later word", async () => {
    const payment = await authorized(100)
    await client.capture(payment.transactionId)
    await until(payment, ({ status }) => status === "CAPTURED")
    await client.refund(payment.transactionId, { amount: 20.77 })
    const refunded = await until(payment, ({ operations = [] }) => operations.length === 2)
    assert.strictEqual(refunded.capturedAmount, 100)
    const after = await until(payment, (now) => statusOf(now, "REFUND").includes("FAILED"))
    assert.deepInclude(after, { status: "CAPTURED", refundedAmount: 0, pendingAmount: 0, refundableAmount: 100 })
  })

  it("releases an authorization", async () => {
    const payment = await authorized(80)
    const answer = await client.cancel(payment.transactionId, {})
    assert.include([200, 202], answer.status, answer.text)
    assert.deepInclude(await until(payment, ({ status }) => status === "VOIDED"), { releasedAmount: 80 })
  })

  it("tells of a dispute, which is no longer refundable", async () => {
    const payment = await authorized(10.13)
    await client.capture(payment.transactionId)
    const disputed = await until(payment, ({ disputedAmount }) => disputedAmount > 0)
    assert.deepInclude(disputed, { disputedAmount: 10.13, refundableAmount: 0 })
    problemOf(await client.refund(payment.transactionId, { amount: 1 }), 409, "INVALID_STATE")
  })

  it("settles a challenge whose buyer closed the browser on the way back", async () => {
    const body = order({ amount: 42, currency: "EUR", is3DS: true, returnUrl: "https://shop.example/back" })
    const payment = transactionOf(await client.authorize(body))
    assert.strictEqual(payment.status, "REQUIRES_ACTION")
    const { url } = payment.nextAction as { url: string }
    assert.strictEqual((await visit(url, "right")).url.searchParams.get("status"), "AUTHORIZED")
    assert.strictEqual((await read(payment)).status, "AUTHORIZED")
  })
})

describe("A dispute at a provider that names the payment by its own identifier", () => {
  beforeAll(async () => assert.strictEqual((await routeTo("stripe")).status, 200))

  it("is found by asking", async () => {
    const payment = await authorized(10.13)
    assert.strictEqual(payment.provider, "stripe")
    await client.capture(payment.transactionId)
    assert.deepInclude(await until(payment, ({ disputedAmount }) => disputedAmount > 0), { disputedAmount: 10.13 })
  })
})

describe("A notification", () => {
  const post = (provider: string, body: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(new URL(`/pf/v1/providers/${provider}/notifications`, service().url), { method: "POST", body, headers })

  it("that is forged is refused and changes nothing", async () => {
    const payment = await authorized(55)
    const amount = { value: 5500, currency: "EUR" }
    const NotificationRequestItem = {
      amount,
      eventCode: "CAPTURE",
      eventDate: new Date().toISOString(),
      merchantAccountCode: "SarrafSandbox",
      merchantReference: "x",
      originalReference: "x",
      pspReference: "x",
      success: "true",
      additionalData: { hmacSignature: "AAAA" }
    }
    const forged = await post(
      "adyen",
      JSON.stringify({ live: "false", notificationItems: [{ NotificationRequestItem }] })
    )
    assert.strictEqual(forged.status, 401)
    assert.strictEqual(((await forged.json()) as { code: string }).code, "INVALID_SIGNATURE")
    const event = JSON.stringify({ id: "evt_1", type: "charge.captured", data: { object: {} } })
    assert.strictEqual((await post("stripe", event, { "stripe-signature": "t=1,v1=00" })).status, 401)
    assert.strictEqual((await read(payment)).status, "AUTHORIZED")
  })

  it("of a provider that posts none, or that nobody knows, is not found", async () => {
    assert.strictEqual((await post("isbank", "{}")).status, 404)
    assert.strictEqual((await post("nobody", "{}")).status, 404)
  })

  it("is too large above 256 KiB", async () => {
    assert.strictEqual((await post("adyen", "x".repeat(262_145))).status, 413)
  })
})
