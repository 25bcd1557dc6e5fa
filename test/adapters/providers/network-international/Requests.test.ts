import { assert, describe, it } from "@effect/vitest"
import type { ProviderRequest } from "@sarraf/adapters/providers/ProviderTransport"
import { Effect } from "effect"
import { jsonOf } from "../answers.ts"
import {
  authorization,
  authorizeCall,
  awaiting,
  captureCall,
  captured,
  captureId,
  credentials,
  link,
  movement,
  operationCall,
  order,
  orderUrl,
  otherId,
  outlet,
  outletAnswering,
  outletSaying,
  payment,
  paymentId,
  paymentUrl,
  reference,
  returnCall,
  returnUrl,
  started
} from "./Sample.ts"

const mediaType = "application/vnd.ni-payment.v2+json"
const inFull = ({ headers, method, url, ...request }: ProviderRequest) => ({
  method,
  url,
  headers,
  json: jsonOf({ headers, method, url, ...request })
})
const nth = (requests: ReadonlyArray<ProviderRequest>, index: number) => {
  const request = requests[index]
  assert(request !== undefined, `no request ${index}`)
  assert.strictEqual(request.provider, "network-international")
  return inFull(request)
}
const headers = { authorization: "Bearer token-1", accept: mediaType }
const withBody = { ...headers, "content-type": mediaType }

/** Provider sheet, sections 2 to 4, field by field. */
describe("a request of N-Genius", () => {
  it.effect("exchanges the key for a token", () =>
    Effect.gen(function* () {
      const { exchanges, provider } = outletSaying(order())
      yield* provider.query(authorization())
      const identity = "application/vnd.ni-identity.v1+json"
      const expected = {
        method: "POST" as const,
        url: "https://api-gateway.sandbox.ngenius-payments.com/identity/auth/access-token",
        headers: { authorization: "Basic aWQ6c2VjcmV0", "content-type": identity, accept: identity },
        json: undefined
      }
      assert.deepStrictEqual(nth(exchanges, 0), expected)
      const inRealm = outletAnswering([], { credentials: { ...credentials, realm: "ni" } })
      yield* Effect.exit(inRealm.provider.query(authorization()))
      assert.deepStrictEqual(nth(inRealm.exchanges, 0).json, { realmName: "ni" })
    })
  )

  it.effect("goes to the live gateway unless told otherwise", () =>
    Effect.gen(function* () {
      const { apiUrl: _, ...live } = credentials
      const { exchanges, provider, requests } = outletAnswering([], { credentials: live })
      yield* Effect.exit(provider.query(authorization()))
      const gateway = "https://api-gateway.ngenius-payments.com"
      assert.strictEqual(exchanges[0]?.url, `${gateway}/identity/auth/access-token`)
      assert.isTrue(requests[0]?.url.startsWith(`${gateway}/transactions/outlets/${outlet}/orders/`))
    })
  )

  it.effect("makes an order first and pays it with the card then", () =>
    Effect.gen(function* () {
      const { provider, requests } = outletSaying(order(started()), payment())
      yield* provider.authorize(authorizeCall())
      assert.lengthOf(requests, 2)
      assert.deepStrictEqual(nth(requests, 0), {
        method: "POST",
        url: `https://api-gateway.sandbox.ngenius-payments.com/transactions/outlets/${outlet}/orders`,
        headers: withBody,
        json: {
          action: "AUTH",
          amount: { currencyCode: "AED", value: 1000 },
          emailAddress: "ayse+1@example.com",
          language: "en",
          merchantOrderReference: reference,
          billingAddress: {
            firstName: "Ayşe",
            lastName: "Yılmaz",
            address1: "Çiçek Sokağı 5 & 7",
            city: "İzmir",
            countryCode: "TR"
          },
          merchantAttributes: { skip3DS: true, skipConfirmationPage: true }
        }
      })
      assert.deepStrictEqual(nth(requests, 1), {
        method: "PUT",
        url: `${paymentUrl}/card`,
        headers: withBody,
        json: {
          pan: "4111111111111111",
          expiry: "2030-03",
          cvv: "737",
          cardholderName: "Ayşe Yılmaz",
          payerIp: "203.0.113.7"
        }
      })
    })
  )

  it.effect("follows a link to the payment at the address that we know, and to nothing else", () =>
    Effect.gen(function* () {
      const inside = paymentUrl.replace(/^https:\/\/[^/]+/u, "http://transaction-service")
      const links = { "payment:card": link(`${inside}/card-v2`) }
      const { provider, requests } = outletSaying(order(started({ _links: links })), payment())
      yield* provider.authorize(authorizeCall())
      assert.strictEqual(requests[1]?.url, `${paymentUrl}/card-v2`)
      for (const href of ["https://evil.test/card", `${orderUrl}/payments/${otherId}/card`, "card", ""]) {
        const stray = outletSaying(order(started({ _links: { "payment:card": link(href) } })))
        assert.strictEqual((yield* stray.provider.authorize(authorizeCall()))._tag, "NotSent")
        assert.lengthOf(stray.requests, 1)
      }
    })
  )

  it.effect("lets the browser come back to us where the buyer is authenticated, and tells of the device", () =>
    Effect.gen(function* () {
      const { provider, requests } = outletSaying(order(started()), awaiting(), {
        state: "AWAIT_3DS",
        "3ds2": { transStatus: "C", base64EncodedCReq: "Y3JlcQ", acsURL: "https://acs.test/challenge" }
      })
      yield* provider.authorize(authorizeCall({ threeDS: { returnUrl } }))
      const { json } = nth(requests, 0)
      assert.deepInclude(json, {
        merchantAttributes: { redirectUrl: returnUrl, cancelUrl: returnUrl, skipConfirmationPage: true }
      })
      assert.deepStrictEqual(nth(requests, 2), {
        method: "POST",
        url: `${paymentUrl}/card/3ds2/authentications`,
        headers: withBody,
        json: {
          deviceChannel: "BRW",
          threeDSCompInd: "N",
          notificationURL: returnUrl,
          browserInfo: {
            browserLanguage: "en",
            browserJavaEnabled: false,
            browserColorDepth: "24",
            browserScreenHeight: "1080",
            browserScreenWidth: "1920",
            browserTZ: "0",
            browserUserAgent: "Mozilla/5.0",
            browserAcceptHeader: "text/html",
            browserJavascriptEnabled: true,
            challengeWindowSize: "05",
            browserIP: "203.0.113.7"
          }
        }
      })
    })
  )

  it.effect("hands the challenge's end on", () =>
    Effect.gen(function* () {
      const { provider, requests } = outletSaying(order(awaiting()), payment(), order())
      yield* provider.threeDS?.complete(returnCall({ cres: "Y3Jlcw" })) ?? Effect.void
      assert.deepStrictEqual(nth(requests, 1), {
        method: "POST",
        url: `${paymentUrl}/card/3ds2/challenge-response`,
        headers: withBody,
        json: { base64EncodedCRes: "Y3Jlcw" }
      })
      assert.deepStrictEqual([nth(requests, 0).url, nth(requests, 2).url], [orderUrl, orderUrl])
    })
  )

  it.effect("captures, refunds a capture, releases and asks", () =>
    Effect.gen(function* () {
      const refunded = payment({ _embedded: { "cnp:refund": [movement(otherId, 400)] } })
      const { provider, requests } = outletSaying(captured(), refunded, payment({ state: "REVERSED" }), order())
      yield* provider.capture(captureCall(1000n))
      yield* provider.refund(operationCall(400n))
      yield* provider.cancel(operationCall(1000n, { captures: [] }))
      yield* provider.query(operationCall(1n).authorization)
      const amount = (value: number) => ({ amount: { currencyCode: "AED", value } })
      assert.deepStrictEqual(
        [0, 1, 2, 3].map((index) => nth(requests, index)),
        [
          { method: "POST", url: `${paymentUrl}/captures`, headers: withBody, json: amount(1000) },
          { method: "POST", url: `${paymentUrl}/captures/${captureId}/refund`, headers: withBody, json: amount(400) },
          { method: "PUT", url: `${paymentUrl}/cancel`, headers, json: undefined },
          { method: "GET", url: orderUrl, headers, json: undefined }
        ]
      )
      assert.isTrue(requests.every(({ url }) => url.includes(paymentId) || url === orderUrl))
    })
  )
})
