import { createHmac } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import type { ProviderRequest } from "@sarraf/adapters/providers/ProviderTransport"
import { Money } from "@sarraf/domain/money/Money"
import { Effect, Redacted } from "effect"
import { jsonAnswer, jsonOf } from "../answers.ts"
import {
  accountAnswering,
  accountSaying,
  authorization,
  authorizeCall,
  cancellation,
  captureCall,
  captured,
  credentials,
  detail,
  operationCall,
  payment,
  paymentId,
  reference,
  refund,
  report,
  returnCall,
  returned,
  secret
} from "./Sample.ts"

const only = (requests: ReadonlyArray<ProviderRequest>): ProviderRequest => {
  const [request, ...others] = requests
  assert(request !== undefined && others.length === 0)
  return request
}

const address = {
  contactName: "Ayşe Yılmaz",
  city: "İzmir",
  country: "TR",
  address: "Çiçek Sokağı 5 & 7",
  zipCode: "35000"
}

const paymentContent = {
  locale: "en",
  conversationId: reference,
  price: "10.50",
  paidPrice: "10.50",
  installment: 1,
  paymentChannel: "WEB",
  basketId: reference,
  paymentGroup: "PRODUCT",
  paymentCard: {
    cardHolderName: "Ayşe Yılmaz",
    cardNumber: "5528790000000008",
    expireYear: "2030",
    expireMonth: "03",
    cvc: "737",
    registerCard: 0
  },
  buyer: {
    id: reference,
    name: "Ayşe",
    surname: "Yılmaz",
    identityNumber: "11111111111",
    email: "ayse+1@example.com",
    registrationAddress: "Çiçek Sokağı 5 & 7",
    city: "İzmir",
    country: "TR",
    zipCode: "35000",
    ip: "203.0.113.7"
  },
  shippingAddress: address,
  billingAddress: address,
  basketItems: [{ id: "1", name: "Order", category1: "General", itemType: "PHYSICAL", price: "10.50" }],
  currency: "TRY"
}

describe("an authorization goes out", () => {
  it.effect("as a pre-authorization, in the order of the vendor's libraries", () =>
    Effect.gen(function* () {
      const { iyzico, requests } = accountSaying(payment())
      yield* iyzico.authorize(authorizeCall())
      const request = only(requests)
      assert.deepStrictEqual(
        [request.provider, request.method, request.url],
        ["iyzico", "POST", "https://api.iyzipay.com/payment/preauth"]
      )
      assert.strictEqual(new TextDecoder().decode(request.body), JSON.stringify(paymentContent))
    })
  )

  it.effect("with phone, description and installments where they are given, and without a postal code", () =>
    Effect.gen(function* () {
      const { iyzico, requests } = accountSaying(payment())
      const { postalCode: _, ...billingAddress } = authorizeCall().billingAddress
      const buyer = { ...authorizeCall().buyer, phone: "+905350000000" }
      yield* iyzico.authorize(authorizeCall({ billingAddress, buyer, description: "Order 17", installment: 6 }))
      const { zipCode: _zipCode, ...withoutCode } = address
      const { zipCode: _buyers, ...ourBuyer } = paymentContent.buyer
      assert.deepStrictEqual(jsonOf(only(requests)), {
        ...paymentContent,
        installment: 6,
        buyer: { ...ourBuyer, gsmNumber: "+905350000000" },
        shippingAddress: withoutCode,
        billingAddress: withoutCode,
        basketItems: [{ id: "1", name: "Order 17", category1: "General", itemType: "PHYSICAL", price: "10.50" }]
      })
    })
  )

  it.effect("to the start of 3-D Secure with the address that the browser comes back to", () =>
    Effect.gen(function* () {
      const { iyzico, requests } = accountSaying(payment())
      const returnUrl = "https://gateway.test/pf/v1/3ds/token/return"
      yield* iyzico.authorize(authorizeCall({ threeDS: { returnUrl } }))
      const request = only(requests)
      assert.strictEqual(request.url, "https://api.iyzipay.com/payment/3dsecure/initialize/preauth")
      assert.deepStrictEqual(jsonOf(request), { ...paymentContent, callbackUrl: returnUrl })
    })
  )

  it.effect("to the address that the credentials name", () =>
    Effect.gen(function* () {
      const apiUrl = "https://sandbox-api.iyzipay.com"
      const account = { ...credentials, apiUrl }
      const { iyzico, requests } = accountAnswering([Effect.succeed(jsonAnswer(200, payment()))], account)
      yield* iyzico.authorize(authorizeCall({ money: new Money({ currency: "USD", minor: 7n }) }))
      const request = only(requests)
      assert.strictEqual(request.url, `${apiUrl}/payment/preauth`)
      assert.propertyVal(jsonOf(request), "paidPrice", "0.07")
      assert.propertyVal(jsonOf(request), "currency", "USD")
    })
  )
})

describe("a follow-up goes out", () => {
  const common = { locale: "en", conversationId: reference }

  it.effect("as a capture", () =>
    Effect.gen(function* () {
      const { iyzico, requests } = accountSaying(captured())
      yield* iyzico.capture(captureCall(400n))
      const request = only(requests)
      assert.strictEqual(new URL(request.url).pathname, "/payment/postauth")
      assert.deepStrictEqual(jsonOf(request), { ...common, paymentId, paidPrice: "4.00", currency: "TRY" })
    })
  )

  it.effect("as a refund of the item that the approval named", () =>
    Effect.gen(function* () {
      const { iyzico, requests } = accountSaying(refund())
      yield* iyzico.refund(
        operationCall(400n, { authorization: authorization({ notes: { paymentTransactionId: "24810001" } }) })
      )
      const request = only(requests)
      assert.strictEqual(new URL(request.url).pathname, "/payment/refund")
      assert.deepStrictEqual(jsonOf(request), {
        ...common,
        paymentTransactionId: "24810001",
        price: "4.00",
        currency: "TRY"
      })
    })
  )

  it.effect("as a refund of the payment where no item is known", () =>
    Effect.gen(function* () {
      const { iyzico, requests } = accountSaying(refund())
      yield* iyzico.refund(operationCall(400n))
      const request = only(requests)
      assert.strictEqual(new URL(request.url).pathname, "/v2/payment/refund")
      assert.deepStrictEqual(jsonOf(request), { ...common, paymentId, price: "4.00", currency: "TRY" })
    })
  )

  it.effect("as a cancellation", () =>
    Effect.gen(function* () {
      const { iyzico, requests } = accountSaying(cancellation())
      yield* iyzico.cancel(operationCall(1050n))
      const request = only(requests)
      assert.strictEqual(new URL(request.url).pathname, "/payment/cancel")
      assert.deepStrictEqual(jsonOf(request), { ...common, paymentId })
    })
  )

  it.effect("as the completion of 3-D Secure, equal to its start", () =>
    Effect.gen(function* () {
      const { iyzico, requests } = accountSaying(detail({ paymentStatus: "CALLBACK_THREEDS" }), payment())
      yield* iyzico.threeDS?.complete(returnCall(returned())) ?? Effect.void
      const [first, second] = requests
      assert(first !== undefined && second !== undefined)
      assert.deepStrictEqual(jsonOf(first), { ...common, paymentId })
      assert.strictEqual(new URL(second.url).pathname, "/payment/v2/3dsecure/auth")
      assert.deepStrictEqual(jsonOf(second), {
        ...common,
        paymentId,
        paidPrice: "10.50",
        basketId: reference,
        currency: "TRY"
      })
    })
  )

  it.effect("as two questions: by iyzico's identifier, or by our reference where that is not known", () =>
    Effect.gen(function* () {
      const { iyzico, requests } = accountSaying(detail(), report())
      yield* iyzico.query(authorization())
      const [first, second] = requests
      assert(first !== undefined && second !== undefined)
      assert.strictEqual(new URL(first.url).pathname, "/payment/detail")
      assert.deepStrictEqual(jsonOf(first), { ...common, paymentId })
      assert.deepStrictEqual([second.method, second.body], ["GET", undefined])
      assert.strictEqual(
        second.url,
        `https://api.iyzipay.com/v2/reporting/payment/details?locale=en&conversationId=${reference}&paymentId=${paymentId}`
      )
      const unknown = accountSaying({ status: "failure", errorCode: "5086" }, report())
      yield* unknown.iyzico.query(authorization({ providerReference: null }))
      const [asked, reported] = unknown.requests
      assert(asked !== undefined && reported !== undefined)
      assert.deepStrictEqual(jsonOf(asked), { ...common, paymentConversationId: reference })
      assert.strictEqual(new URL(reported.url).searchParams.get("paymentConversationId"), reference)
    })
  )
})

describe("every request", () => {
  /** Provider sheet, section 3, worked out by hand. */
  const assertSigned = ({ body, headers, url }: ProviderRequest) => {
    const random = headers["x-iyzi-rnd"] ?? ""
    const hmac = createHmac("sha256", secret).update(random + new URL(url).pathname)
    const signature = hmac.update(body ?? "").digest("hex")
    const text = `apiKey:sandbox-key&randomKey:${random}&signature:${signature}`
    assert.isNotEmpty(random)
    assert.strictEqual(headers.authorization, `IYZWSv2 ${btoa(text)}`)
  }

  it.effect("is signed over path and bytes, with a key that is used once", () =>
    Effect.gen(function* () {
      const { iyzico, requests } = accountSaying(payment(), captured(), detail(), report())
      yield* iyzico.authorize(authorizeCall())
      yield* iyzico.capture(captureCall(400n))
      yield* iyzico.query(authorization())
      assert.lengthOf(requests, 4)
      for (const request of requests) assertSigned(request)
      assert.strictEqual(new Set(requests.map(({ headers }) => headers["x-iyzi-rnd"])).size, 4)
    })
  )

  it.effect("says what it carries and takes, and nothing of the secret", () =>
    Effect.gen(function* () {
      const { iyzico, requests } = accountSaying(payment())
      yield* iyzico.authorize(authorizeCall())
      const { headers } = only(requests)
      const { "content-type": type, "x-iyzi-client-version": version, accept } = headers
      assert.deepStrictEqual([type, accept], ["application/json", "application/json"])
      assert.match(version ?? "", /^[\w-]+$/u)
      assert.notInclude(JSON.stringify(headers), Redacted.value(credentials.secretKey))
    })
  )
})
