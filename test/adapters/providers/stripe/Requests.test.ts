import { assert, describe, it } from "@effect/vitest"
import type { ProviderRequest } from "@sarraf/adapters/providers/ProviderTransport"
import { make } from "@sarraf/adapters/providers/stripe/Adapter"
import { Money } from "@sarraf/domain/money/Money"
import { Effect, Redacted } from "effect"
import {
  accountSaying,
  answer,
  authorization,
  authorizeCall,
  captureCall,
  captured,
  formOf,
  intent,
  intentId,
  list,
  operationCall,
  reference,
  refund,
  returnCall
} from "./Sample.ts"

const only = (requests: ReadonlyArray<ProviderRequest>) => {
  assert.lengthOf(requests, 1)
  const [request] = requests
  assert(request !== undefined)
  return request
}

const commonHeaders = {
  accept: "application/json",
  authorization: "Bearer sk_test_sarrafsandbox",
  "stripe-version": "2022-11-15"
}
const postHeaders = (key: string) => ({
  ...commonHeaders,
  "content-type": "application/x-www-form-urlencoded",
  "idempotency-key": key,
  "x-request-id": "req-of-ours"
})

/** Provider sheet, section 4, field by field. */
describe("a request of Stripe", () => {
  it.effect("authorizes with manual capture, under the attempt's reference as key", () =>
    Effect.gen(function* () {
      const { stripe, requests } = accountSaying(intent())
      const { buyer, billingAddress } = authorizeCall()
      yield* stripe.authorize(
        authorizeCall({
          description: "Order 17",
          buyer: { ...buyer, phone: "+905321234567" },
          billingAddress: { ...billingAddress, state: "İzmir" }
        })
      )
      const request = only(requests)
      assert.deepStrictEqual(
        [request.provider, request.method, request.url],
        ["stripe", "POST", "https://api.stripe.com/v1/payment_intents"]
      )
      assert.deepStrictEqual(request.headers, postHeaders(reference))
      assert.deepStrictEqual(formOf(request), {
        amount: "1000",
        currency: "usd",
        capture_method: "manual",
        confirm: "true",
        "payment_method_types[0]": "card",
        "payment_method_data[type]": "card",
        "payment_method_data[card][number]": "4111111111111111",
        "payment_method_data[card][exp_month]": "03",
        "payment_method_data[card][exp_year]": "2030",
        "payment_method_data[card][cvc]": "737",
        "payment_method_data[billing_details][name]": "Ayşe Yılmaz",
        "payment_method_data[billing_details][email]": "ayse+1@example.com",
        "payment_method_data[billing_details][phone]": "+905321234567",
        "payment_method_data[billing_details][address][line1]": "Çiçek Sokağı 5 & 7",
        "payment_method_data[billing_details][address][city]": "İzmir",
        "payment_method_data[billing_details][address][state]": "İzmir",
        "payment_method_data[billing_details][address][postal_code]": "35000",
        "payment_method_data[billing_details][address][country]": "TR",
        "metadata[order_id]": reference,
        description: "Order 17",
        "expand[0]": "latest_charge"
      })
    })
  )

  it.effect("leaves out what the caller did not give, and sends text that has no UTF-8 form", () =>
    Effect.gen(function* () {
      const { stripe, requests } = accountSaying(intent())
      yield* stripe.authorize(authorizeCall({ description: "broken \uD800 text" }))
      const form = formOf(only(requests))
      assert.notProperty(form, "payment_method_data[billing_details][phone]")
      assert.notProperty(form, "payment_method_data[billing_details][address][state]")
      assert.strictEqual(form.description, "broken \uFFFD text")
    })
  )

  it.effect("asks for 3-D Secure where the buyer is to be authenticated, and says nothing of it elsewhere", () =>
    Effect.gen(function* () {
      const threeDS = { returnUrl: "https://gateway.example/pf/v1/3ds/token/return" }
      const { stripe, requests } = accountSaying(intent(), intent())
      yield* stripe.authorize(authorizeCall())
      yield* stripe.authorize(authorizeCall({ threeDS }))
      const [plain, authenticating] = requests.map(formOf)
      assert(plain !== undefined)
      assert.deepStrictEqual(authenticating, {
        ...plain,
        "payment_method_options[card][request_three_d_secure]": "any",
        return_url: "https://gateway.example/pf/v1/3ds/token/return"
      })
      assert.notProperty(plain, "return_url")
    })
  )

  it.effect("reads a payment whose buyer came back, and confirms it only where Stripe left that to us", () =>
    Effect.gen(function* () {
      const { stripe, requests } = accountSaying(intent({ status: "requires_confirmation" }), intent())
      yield* stripe.threeDS?.complete(returnCall({ payment_intent: intentId })) ?? Effect.void
      const [read, confirming] = requests
      assert(read !== undefined && confirming !== undefined)
      assert.strictEqual(read.method, "GET")
      assert.strictEqual(
        decodeURIComponent(read.url),
        `https://api.stripe.com/v1/payment_intents/${intentId}?expand[0]=latest_charge`
      )
      assert.strictEqual(confirming.url, `https://api.stripe.com/v1/payment_intents/${intentId}/confirm`)
      assert.deepStrictEqual(confirming.headers, postHeaders(`${reference}-confirm`))
      assert.deepStrictEqual(formOf(confirming), { "expand[0]": "latest_charge" })
    })
  )

  it.effect("captures an amount, under the operation's id as key", () =>
    Effect.gen(function* () {
      const { stripe, requests } = accountSaying(captured({ amount_received: 400 }))
      yield* stripe.capture(captureCall(400n))
      const request = only(requests)
      assert.strictEqual(request.url, `https://api.stripe.com/v1/payment_intents/${intentId}/capture`)
      assert.deepStrictEqual(request.headers, postHeaders("op_1"))
      assert.deepStrictEqual(formOf(request), { amount_to_capture: "400", "expand[0]": "latest_charge" })
    })
  )

  it.effect("cancels for the merchant, and refunds with the payment's reference", () =>
    Effect.gen(function* () {
      const { stripe, requests } = accountSaying(intent({ status: "canceled" }), refund())
      yield* stripe.cancel(operationCall(1000n))
      yield* stripe.refund(operationCall(400n))
      const [cancelling, refunding] = requests
      assert(cancelling !== undefined && refunding !== undefined)
      assert.strictEqual(cancelling.url, `https://api.stripe.com/v1/payment_intents/${intentId}/cancel`)
      assert.deepStrictEqual(formOf(cancelling), {
        cancellation_reason: "requested_by_customer",
        "expand[0]": "latest_charge"
      })
      assert.strictEqual(refunding.url, "https://api.stripe.com/v1/refunds")
      assert.deepStrictEqual(refunding.headers, postHeaders("op_1"))
      assert.deepStrictEqual(formOf(refunding), {
        payment_intent: intentId,
        amount: "400",
        "metadata[order_id]": reference,
        "metadata[operation]": "srf000000000000000000002"
      })
    })
  )

  it.effect("asks for a payment by its identifier, and for its refunds where it may have any", () =>
    Effect.gen(function* () {
      const { stripe, requests } = accountSaying(captured({ latest_charge: "ch_3sample" }), list(refund()))
      yield* stripe.query(authorization())
      assert.deepStrictEqual(
        requests.map(({ method, url }) => `${method} ${decodeURIComponent(url)}`),
        [
          `GET https://api.stripe.com/v1/payment_intents/${intentId}?expand[0]=latest_charge`,
          `GET https://api.stripe.com/v1/refunds?payment_intent=${intentId}&limit=100`
        ]
      )
      assert.deepStrictEqual(requests[0]?.headers, commonHeaders)
      assert.isUndefined(requests[0]?.body)
    })
  )

  it.effect("searches by our reference first where the identifier is not known", () =>
    Effect.gen(function* () {
      const found = list({ id: intentId, metadata: { order_id: reference } })
      const { stripe, requests } = accountSaying(found, captured())
      yield* stripe.capture(captureCall(1000n, { authorization: authorization({ providerReference: null }) }))
      assert.deepStrictEqual(
        requests.map(({ url }) => decodeURIComponent(url).slice("https://api.stripe.com/v1/".length)),
        [`payment_intents/search?query=metadata['order_id']:'${reference}'`, `payment_intents/${intentId}/capture`]
      )
    })
  )

  it.effect("goes to another address, and for a connected account, where the options say so", () =>
    Effect.gen(function* () {
      const requests: Array<ProviderRequest> = []
      const stripe = make({
        baseUrl: "http://127.0.0.1:9090",
        credentials: { secretKey: Redacted.make("rk_test_1"), accountId: "acct_1" },
        transport: {
          send: (request) =>
            Effect.sync(() => {
              requests.push(request)
              return answer(200, intent())
            })
        }
      })
      yield* stripe.authorize(authorizeCall())
      const request = only(requests)
      assert.strictEqual(request.url, "http://127.0.0.1:9090/v1/payment_intents")
      assert.strictEqual(request.headers.authorization, "Bearer rk_test_1")
      assert.strictEqual(request.headers["stripe-account"], "acct_1")
    })
  )

  it.effect("is not sent for installments, nor for other currencies", () =>
    Effect.gen(function* () {
      const { stripe, requests } = accountSaying()
      assert.strictEqual((yield* stripe.authorize(authorizeCall({ installment: 3 })))._tag, "NotSent")
      const money = new Money({ currency: "JPY", minor: 1000n })
      assert.strictEqual((yield* stripe.authorize(authorizeCall({ money })))._tag, "NotSent")
      assert.isEmpty(requests)
    })
  )
})
