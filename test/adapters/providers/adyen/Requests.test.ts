import { assert, describe, it } from "@effect/vitest"
import type { ProviderRequest } from "@sarraf/adapters/providers/ProviderTransport"
import { Effect } from "effect"
import { jsonOf } from "../answers.ts"
import {
  accountSaying,
  authorization,
  authorizeCall,
  captureCall,
  errorOf,
  modification,
  operationCall,
  payment,
  pspReference,
  redirect,
  reference,
  returnCall,
  returnUrl
} from "./Sample.ts"

const api = "https://0a1b-Ours-checkout-live.adyenpayments.com/checkout/v71"

const only = (requests: ReadonlyArray<ProviderRequest>) => {
  assert.lengthOf(requests, 1)
  const [request] = requests
  assert(request !== undefined)
  return request
}

/** Adyen's reference of the payment is not known. */
const unnamed = { authorization: authorization({ providerReference: null }) }

const headers = (key: string) => ({
  accept: "application/json",
  "content-type": "application/json; charset=utf-8",
  "idempotency-key": key,
  "x-api-key": "AQE-of-ours"
})

/** Provider sheet, section 4, field by field. */
const plainPayment = {
  merchantAccount: "OursECOM",
  amount: { value: 1000, currency: "EUR" },
  reference,
  returnUrl: "https://example.com/return",
  paymentMethod: {
    type: "scheme",
    number: "4111111111111111",
    expiryMonth: "03",
    expiryYear: "2030",
    cvc: "737",
    holderName: "Ayşe Yılmaz"
  },
  shopperInteraction: "Ecommerce",
  shopperEmail: "ayse+1@example.com",
  shopperIP: "203.0.113.7",
  billingAddress: {
    street: "Çiçek Sokağı",
    houseNumberOrName: "5/7",
    city: "İzmir",
    postalCode: "35000",
    country: "TR"
  },
  authenticationData: { attemptAuthentication: "never" },
  additionalData: { manualCapture: "true" }
}

const sent = Effect.fnUntraced(function* (changes: Parameters<typeof authorizeCall>[0]) {
  const { adyen, requests } = accountSaying(200, payment())
  yield* adyen.authorize(authorizeCall(changes))
  return jsonOf(only(requests))
})

describe("a request of Adyen", () => {
  it.effect("authorizes with manual capture, under the attempt's reference as key", () =>
    Effect.gen(function* () {
      const { adyen, requests } = accountSaying(200, payment())
      yield* adyen.authorize(authorizeCall())
      const request = only(requests)
      assert.deepStrictEqual([request.provider, request.method, request.url], ["adyen", "POST", `${api}/payments`])
      assert.deepStrictEqual(request.headers, headers(reference))
      assert.deepStrictEqual(jsonOf(request), plainPayment)
    })
  )

  it.effect("authorizes with 3-D Secure by redirect where the buyer is to be authenticated", () =>
    Effect.gen(function* () {
      const { adyen, requests } = accountSaying(200, redirect())
      yield* adyen.authorize(authorizeCall({ threeDS: { returnUrl } }))
      assert.deepStrictEqual(jsonOf(only(requests)), {
        ...plainPayment,
        returnUrl,
        authenticationData: { attemptAuthentication: "always" },
        channel: "Web",
        origin: "https://gateway.example",
        browserInfo: {
          userAgent:
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
          acceptHeader: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
          language: "en-US",
          colorDepth: 24,
          screenHeight: 1080,
          screenWidth: 1920,
          timeZoneOffset: 0,
          javaEnabled: false,
          javaScriptEnabled: true
        }
      })
    })
  )

  const addresses: ReadonlyArray<readonly [string, object, object | undefined]> = [
    [
      "with the number first",
      { address: "10 Downing Street", country: "GB" },
      { street: "Downing Street", houseNumberOrName: "10", country: "GB" }
    ],
    [
      "with a state's code",
      { address: "350 5th Ave", country: "US", state: "NY" },
      { street: "5th Ave", houseNumberOrName: "350", country: "US", stateOrProvince: "NY" }
    ],
    ["without a number not at all", { address: "Rose Cottage" }, undefined],
    ["without a postal code not at all", { postalCode: undefined }, undefined],
    ["of the United States without a state's code not at all", { country: "US", state: "New York" }, undefined]
  ]
  for (const [name, changes, expected] of addresses) {
    it.effect(`sends a billing address ${name}`, () =>
      Effect.gen(function* () {
        const given = { ...authorizeCall().billingAddress, ...changes }
        const { postalCode, ...rest } = given
        const billingAddress = postalCode === undefined ? rest : { ...rest, postalCode }
        const body = yield* sent({ billingAddress })
        const { billingAddress: _, ...others } = plainPayment
        assert.deepStrictEqual(
          body,
          expected === undefined
            ? others
            : { ...others, billingAddress: { city: "İzmir", postalCode: "35000", ...expected } }
        )
      })
    )
  }

  it.effect("leaves out what the caller did not give, and sends text that has no UTF-8 form", () =>
    Effect.gen(function* () {
      const { card } = authorizeCall()
      const body = yield* sent({
        buyer: { firstName: "A", lastName: "B", email: "a@example.com" },
        card: { ...card, holderName: "broken \uD800 name" }
      })
      const { shopperIP: _, ...others } = plainPayment
      const paymentMethod = { ...others.paymentMethod, holderName: "broken \uFFFD name" }
      assert.deepStrictEqual(body, { ...others, shopperEmail: "a@example.com", paymentMethod })
    })
  )

  it.effect("captures and refunds an amount under the operation's id, with the attempt's reference", () =>
    Effect.gen(function* () {
      const { adyen, requests } = accountSaying(201, modification(), modification())
      yield* adyen.capture(captureCall(400n))
      yield* adyen.refund(operationCall(400n))
      assert.deepStrictEqual(
        requests.map(({ url }) => url),
        [`${api}/payments/${pspReference}/captures`, `${api}/payments/${pspReference}/refunds`]
      )
      for (const request of requests) {
        assert.deepStrictEqual(request.headers, headers("op_1"))
        assert.deepStrictEqual(jsonOf(request), {
          merchantAccount: "OursECOM",
          amount: { value: 400, currency: "EUR" },
          reference
        })
      }
    })
  )

  it.effect("cancels by Adyen's reference, and by ours where that one was lost", () =>
    Effect.gen(function* () {
      const { adyen, requests } = accountSaying(201, modification(), modification())
      yield* adyen.cancel(operationCall(1000n))
      yield* adyen.cancel(operationCall(1000n, unnamed))
      const [known, lost] = requests
      assert(known !== undefined && lost !== undefined)
      assert.strictEqual(known.url, `${api}/payments/${pspReference}/cancels`)
      assert.deepStrictEqual(jsonOf(known), { merchantAccount: "OursECOM", reference })
      assert.strictEqual(lost.url, `${api}/cancels`)
      assert.deepStrictEqual(jsonOf(lost), { merchantAccount: "OursECOM", paymentReference: reference, reference })
      // Under the same key the second would be answered as the first, and cancel nothing.
      const keys = requests.map((request) => request.headers["idempotency-key"] ?? "")
      assert.notStrictEqual(keys[0], keys[1])
      for (const key of keys) assert.isAtMost(key.length, 64)
    })
  )

  it.effect("asks what a redirect's result means, under one key for each result", () =>
    Effect.gen(function* () {
      const { adyen, requests } = accountSaying(200, payment(), payment(), payment())
      for (const redirectResult of ["X6XtfGC3!Y1", "X6XtfGC3!Y1", "X6XtfGC3!Y2"]) {
        yield* adyen.threeDS?.complete(returnCall({ redirectResult, other: "ignored" })) ?? Effect.void
      }
      const keys = requests.map((request) => request.headers["idempotency-key"] ?? "")
      assert.strictEqual(keys[0], keys[1])
      assert.notStrictEqual(keys[1], keys[2])
      for (const key of keys) assert.isAtMost(key.length, 64)
      const [request] = requests
      assert(request !== undefined)
      assert.strictEqual(request.url, `${api}/payments/details`)
      assert.deepStrictEqual(jsonOf(request), { details: { redirectResult: "X6XtfGC3!Y1" } })
    })
  )

  it.effect("asks about the older form's pair with the data that the payment was given", () =>
    Effect.gen(function* () {
      const { adyen, requests } = accountSaying(200, payment())
      const back = returnCall(
        { MD: "md", PaRes: "pares" },
        { authorization: authorization({ notes: { paymentData: "Ab02b4c0!" } }) }
      )
      assert.isTrue(adyen.threeDS?.isGenuine(back))
      assert.isFalse(adyen.threeDS?.isGenuine(returnCall({ MD: "md", PaRes: "pares" })))
      yield* adyen.threeDS?.complete(back) ?? Effect.void
      assert.deepStrictEqual(jsonOf(only(requests)), {
        details: { MD: "md", PaRes: "pares" },
        paymentData: "Ab02b4c0!"
      })
    })
  )

  it.effect("is not sent for installments, nor where the payment's reference is not known", () =>
    Effect.gen(function* () {
      const { adyen, requests } = accountSaying(200)
      const outcomes = [
        yield* adyen.authorize(authorizeCall({ installment: 2 })),
        yield* adyen.capture(captureCall(400n, unnamed)),
        yield* adyen.refund(operationCall(400n, unnamed))
      ]
      assert.deepStrictEqual(
        outcomes.map(({ _tag }) => _tag),
        ["NotSent", "NotSent", "NotSent"]
      )
      assert.lengthOf(requests, 0)
    })
  )

  it.effect("is never a question: there is none", () =>
    Effect.gen(function* () {
      const { adyen, requests } = accountSaying(422, errorOf("101"))
      yield* adyen.authorize(authorizeCall())
      assert.strictEqual((yield* adyen.query(authorization()))._tag, "Unanswered")
      only(requests)
    })
  )
})
