import { createHmac } from "node:crypto"
import { assert, describe, it } from "vitest"
import { currencies } from "./support/orders.ts"
import { useService } from "./support/Service.ts"

/**
 * A client that knows nothing but the specification: its fields, its four headers, a JSON body where it asks for one.
 * It deliberately reads neither the contract nor what the other tests share.
 */

const service = useService()

interface Transaction {
  readonly transactionId: string
  readonly status: string
  readonly amount: number
  readonly currency: string
  readonly provider: string
  readonly pspResponseCode: string
}

const call = async (method: "GET" | "POST", path: string, json?: unknown) => {
  const body = json === undefined ? "" : JSON.stringify(json)
  const timestamp = String(Date.now())
  const response = await fetch(`${service().url}${path}`, {
    method,
    headers: {
      "x-client-id": "sandbox_client",
      "x-signature": createHmac("sha256", "sandbox_secret")
        .update(timestamp + body)
        .digest("hex"),
      "x-timestamp": timestamp,
      "Content-Type": "application/json"
    },
    ...(json === undefined ? {} : { body })
  })
  const transaction = (await response.json()) as Transaction & Record<string, unknown>
  assert.strictEqual(response.status, 200, JSON.stringify(transaction))
  for (const field of ["transactionId", "status", "currency", "provider", "pspResponseCode"] as const) {
    assert.isString(transaction[field], field)
    assert.isNotEmpty(transaction[field], field)
  }
  assert.isNumber(transaction.amount)
  return transaction
}

const request = (merchantReference: string, currency: string) => ({
  amount: 250.5,
  currency,
  merchantReference,
  cardNumber: "4111111111111111",
  cardExpMonth: "12",
  cardExpYear: "2035",
  cardCvc: "123",
  is3DS: false,
  returnUrl: "https://shop.example.com/return",
  installment: 1,
  buyer: { firstName: "Jane", lastName: "Doe", email: "jane@example.com" },
  billingAddress: { address: "1 Main Street", city: "London", country: "GB" }
})

const authorize = (merchantReference: string, currency = "USD") =>
  call("POST", "/pf/v1/payments/authorize", request(merchantReference, currency))

describe("A client written from the specification alone", () => {
  for (const currency of currencies) {
    it(`authorizes, reads, captures and refunds in ${currency}`, async () => {
      const payment = await authorize(`whole-life-${currency}`, currency)
      assert.deepInclude(payment, { amount: 250.5, currency, status: "AUTHORIZED" })
      const path = `/pf/v1/payments/${payment.transactionId}`

      const found = await call("GET", path)
      assert.deepInclude(found, { transactionId: payment.transactionId, status: "AUTHORIZED", amount: 250.5, currency })
      assert.isNotNull(found.providerResponse)
      assert.isObject(found.metadata)

      const taken = await call("POST", `${path}/capture`, { transactionId: payment.transactionId })
      assert.deepInclude(taken, { transactionId: payment.transactionId, status: "CAPTURED", amount: 250.5 })
      const part = await call("POST", `${path}/refund`, { amount: 100.25 })
      assert.deepInclude(part, { transactionId: payment.transactionId, status: "PARTIALLY_REFUNDED", amount: 250.5 })
      const rest = await call("POST", `${path}/refund`, {})
      assert.deepInclude(rest, { transactionId: payment.transactionId, status: "REFUNDED", amount: 250.5 })
      assert.deepInclude(await call("GET", path), { status: "REFUNDED", amount: 250.5, currency })
    })
  }

  it("voids what it authorized", async () => {
    const payment = await authorize("to-be-voided")
    const path = `/pf/v1/payments/${payment.transactionId}`
    assert.deepInclude(await call("POST", `${path}/void`, {}), { status: "VOIDED", amount: 250.5, currency: "USD" })
    assert.deepInclude(await call("GET", path), { transactionId: payment.transactionId, status: "VOIDED" })
  })

  it("may leave out every field that the specification does not require", async () => {
    const { installment: _, is3DS: __, returnUrl: ___, ...required } = request("required-only", "EUR")
    const payment = await call("POST", "/pf/v1/payments/authorize", required)
    assert.deepInclude(payment, { status: "AUTHORIZED", amount: 250.5, currency: "EUR" })
  })

  it("captures with a body that names the transaction, and without one", async () => {
    const [named, bare] = [await authorize("capture-named"), await authorize("capture-bare")]
    const taken = await call("POST", `/pf/v1/payments/${named.transactionId}/capture`, {
      transactionId: named.transactionId
    })
    assert.strictEqual(taken.status, "CAPTURED")
    assert.strictEqual((await call("POST", `/pf/v1/payments/${bare.transactionId}/capture`)).status, "CAPTURED")
  })
})
