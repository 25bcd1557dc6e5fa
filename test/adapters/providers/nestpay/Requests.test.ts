import { assert, describe, it } from "@effect/vitest"
import type { ProviderRequest } from "@sarraf/adapters/providers/ProviderTransport"
import { Money } from "@sarraf/domain/money/Money"
import { Effect } from "effect"
import {
  authorization,
  authorizeCall,
  capture,
  captureCall,
  operationCall,
  postedDocument,
  postedElements,
  shopAnswering,
  xmlAnswer
} from "./Sample.ts"

const credentials = { Name: "SARRAFAPI", Password: "SANDBOX07", ClientId: "700655000999" }

type Shop = ReturnType<typeof shopAnswering>["shop"]

/** The one request that a step sends. */
const sent = (step: (shop: Shop) => Effect.Effect<unknown>): Effect.Effect<ProviderRequest> =>
  Effect.gen(function* () {
    const { shop, requests } = shopAnswering(Effect.succeed(xmlAnswer("")))
    yield* step(shop)
    const [request] = requests
    assert(request !== undefined)
    return request
  })

describe("requests", () => {
  it.effect("authorizes with a PreAuth that has the fields of the sheet's section 4", () =>
    Effect.gen(function* () {
      const request = yield* sent((shop) => shop.authorize(authorizeCall({ installment: 3 })))
      assert.deepStrictEqual(postedElements(request), {
        ...credentials,
        Type: "PreAuth",
        IPAddress: "203.0.113.7",
        Email: "ayse+1@example.com",
        OrderId: "SRF00000000000000001",
        Total: "10.01",
        Currency: "949",
        Taksit: "3",
        Number: "4355084355084358",
        Expires: "03/30",
        Cvv2Val: "737",
        Mode: "P",
        BillTo: { Name: "Ayşe Yılmaz", Street1: "Çiçek Sokağı 5 & 7", City: "İzmir", PostalCode: "35000" }
      })
    })
  )

  it.effect("posts one form field to the bank's address and says in which letters", () =>
    Effect.gen(function* () {
      const request = yield* sent((shop) => shop.authorize(authorizeCall()))
      assert.strictEqual(request.url, "https://sanalpos.isbank.com.tr/fim/api")
      assert.strictEqual(request.method, "POST")
      assert.strictEqual(request.provider, "isbank")
      assert.strictEqual(request.headers["content-type"], "application/x-www-form-urlencoded; charset=ISO-8859-9")
      assert.match(Buffer.from(request.body ?? []).toString("latin1"), /^DATA=%3C%3Fxml[A-Za-z0-9*._%-]+$/)
      assert.match(postedDocument(request), /^<\?xml version="1\.0" encoding="ISO-8859-9"\?><CC5Request><Name>/)
    })
  )

  it.effect("leaves Taksit empty for a single payment, and an IPv6 address out", () =>
    Effect.gen(function* () {
      const { buyer } = authorizeCall()
      const call = authorizeCall({ buyer: { ...buyer, ip: "2001:db8::1" } })
      const elements = Object(postedElements(yield* sent((shop) => shop.authorize(call))))
      assert.strictEqual(elements.Taksit, "")
      assert.notProperty(elements, "IPAddress")
    })
  )

  it.effect("captures, refunds and voids by the order id", () =>
    Effect.gen(function* () {
      const OrderId = "SRF00000000000000001"
      const elements = (step: (shop: Shop) => Effect.Effect<unknown>) => Effect.map(sent(step), postedElements)
      assert.deepStrictEqual(yield* elements((shop) => shop.capture(captureCall(90n))), {
        ...credentials,
        Type: "PostAuth",
        OrderId,
        Total: "0.90"
      })
      assert.deepStrictEqual(yield* elements((shop) => shop.refund(operationCall(1n))), {
        ...credentials,
        Type: "Credit",
        OrderId,
        Total: "0.01",
        Currency: "949"
      })
      const ofOrder = { ...credentials, Type: "Void", OrderId }
      assert.deepStrictEqual(yield* elements((shop) => shop.cancel(operationCall(1n))), ofOrder)
      const voidOf = (reference: string | null) => (shop: Shop) =>
        shop.voidCapture?.(operationCall(90n, { captures: [capture(reference, 90n)] })) ?? Effect.void
      assert.deepStrictEqual(yield* elements(voidOf(null)), ofOrder)
      const ofTransaction = { ...credentials, Type: "Void", TransId: "26015ABCD00000001" }
      assert.deepStrictEqual(yield* elements(voidOf("26015ABCD00000001")), ofTransaction)
    })
  )

  it.effect("asks for an order without a Type", () =>
    Effect.gen(function* () {
      const request = yield* sent((shop) => shop.query(authorization()))
      const Extra = { ORDERSTATUS: "QUERY" }
      assert.deepStrictEqual(postedElements(request), { ...credentials, OrderId: "SRF00000000000000001", Extra })
    })
  )

  it.effect("sends nothing for a currency that the platform has no number of, with 3-D Secure or without", () =>
    Effect.gen(function* () {
      const { shop, requests } = shopAnswering()
      const dirham1 = new Money({ currency: "AED", minor: 1n })
      const dirham = yield* shop.authorize(authorizeCall({ money: dirham1 }))
      const threeDS = yield* shop.authorize(
        authorizeCall({ money: dirham1, threeDS: { returnUrl: "https://shop.example/return" } })
      )
      assert.deepStrictEqual([dirham._tag, threeDS._tag, requests.length], ["NotSent", "NotSent", 0])
    })
  )

  it.effect("releases nothing by a void once the order is captured", () =>
    Effect.gen(function* () {
      const { shop, requests } = shopAnswering()
      const outcome = yield* shop.cancel(operationCall(1n, { captures: [capture("26015ABCD00000001", 90n)] }))
      assert.deepStrictEqual([outcome._tag, requests.length], ["Refused", 0])
    })
  )

  it.effect("lets no text of the buyer's become an element", () =>
    Effect.gen(function* () {
      const { card, billingAddress } = authorizeCall()
      const holderName = "<Total>1</Total> & ＜Total＞2＜/Total＞"
      const call = authorizeCall({
        card: { ...card, holderName },
        billingAddress: { ...billingAddress, city: "a\u0000b" }
      })
      const elements = Object(postedElements(yield* sent((shop) => shop.authorize(call))))
      assert.strictEqual(elements.Total, "10.01")
      assert.strictEqual(elements.BillTo.Name, "<Total>1</Total> & <Total>2</Total>")
      assert.strictEqual(elements.BillTo.City, "a b")
    })
  )
})
