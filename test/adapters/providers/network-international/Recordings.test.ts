import { assert, describe } from "@effect/vitest"
import { make } from "@sarraf/adapters/providers/network-international/Adapter"
import { capabilities } from "@sarraf/adapters/providers/network-international/Capabilities"
import { Money } from "@sarraf/domain/money/Money"
import { CardNumber } from "@sarraf/domain/payments/CardNumber"
import type { RefusalCode } from "@sarraf/domain/payments/Outcome"
import { Effect, Redacted, Result, Schema } from "effect"
import { jsonOf } from "../answers.ts"
import { inShort } from "../inShort.ts"
import { recordingsOf } from "../recordings.ts"
import {
  answer,
  authorization,
  authorizeCall,
  awaiting,
  captureCall,
  captured,
  credentials,
  movement,
  operationCall,
  order,
  outletAnswering,
  outletSaying,
  payment,
  returnUrl,
  started
} from "./Sample.ts"

const { index, read, readBytes, recorded } = recordingsOf("network-international")

const Payment = Schema.Struct({
  outletId: Schema.String,
  orderReference: Schema.String,
  amount: Schema.Struct({ currencyCode: Schema.String, value: Schema.Number })
})
const payments = index.filter(
  ({ expect, kind, operation }) =>
    kind === "response" &&
    expect.providerReference !== undefined &&
    !(operation === "authorize" && expect.outcome === "pending")
)
const stages: Readonly<Record<string, string>> = {
  approved: "CAPTURED",
  requires_3ds: "ACTION_REQUIRED",
  error: "DECLINED"
}

/** Asks for the recorded payment by the order that it belongs to, whatever that order's other members were. */
const ask = (file: string, paymentId: string) => {
  const { orderReference } = Schema.decodeUnknownSync(Payment)(read(file))
  const { provider } = outletSaying({ reference: orderReference, _embedded: { payment: [read(file)] } })
  return provider.query(authorization({ notes: { orderReference, paymentId } }))
}

describe("a recorded payment", () => {
  for (const { expect, file } of payments) {
    recorded(`${file} is found as ${stages[expect.outcome ?? ""]}`, () =>
      Effect.gen(function* () {
        const { providerReference = "" } = expect
        const finding = yield* ask(file, providerReference)
        assert(finding._tag === "Found", finding._tag)
        assert.strictEqual(finding.stage, stages[expect.outcome ?? ""])
        assert.strictEqual(finding.providerReference, providerReference)
        assert.strictEqual(finding.code, expect.errorCode as RefusalCode | undefined)
        if (expect.responseCode !== undefined) assert.strictEqual(finding.answer.responseCode, expect.responseCode)
        assert.strictEqual(finding.answer.fields["authResponse.authorizationCode"], expect.authCode)
        const { amount } = Schema.decodeUnknownSync(Payment)(read(file))
        assert.strictEqual(finding.echo.minor, BigInt(amount.value))
        assert.strictEqual(finding.echo.currency, amount.currencyCode)
        assert.match(finding.echo.last4 ?? "", /^\d{4}$/u)
      })
    )
  }

  recorded("sale-one-stage-captured.response.json tells its capture, as an answer to a capture does", () =>
    Effect.gen(function* () {
      const file = "sale-one-stage-captured.response.json"
      const paymentId = "a1e188fc-064c-4b27-96e8-dbeb563e83b1"
      const finding = yield* ask(file, paymentId)
      assert(finding._tag === "Found")
      assert.deepStrictEqual([finding.capturedMinor, finding.refundedMinor], [1000n, 0n])
      const { orderReference } = Schema.decodeUnknownSync(Payment)(read(file))
      const { provider } = outletAnswering([Effect.succeed(answer(201, readBytes(file)))])
      const call = { ...captureCall(1000n), authorization: authorization({ notes: { orderReference, paymentId } }) }
      const outcome = yield* provider.capture(call)
      assert(outcome._tag === "Accepted")
      assert.strictEqual(outcome.providerReference, "6cfee772-fa4f-41e6-8153-e1fb01d02fa1")
      assert.strictEqual(outcome.echo.minor, 1000n)
    })
  )

  recorded(
    "is no approval of an authorization where it was sold at once, and a demand for 3-D Secure is a refusal",
    () =>
      Effect.gen(function* () {
        const expected: Readonly<Record<string, string>> = {
          approved: "Unknown",
          requires_3ds: "3DS_FAILED",
          error: "INSUFFICIENT_FUNDS"
        }
        for (const { expect, file } of payments) {
          const { amount, orderReference, outletId } = Schema.decodeUnknownSync(Payment)(read(file))
          const paymentUrl = `https://x.test/transactions/outlets/${outletId}/orders/${orderReference}/payments/${expect.providerReference}`
          const ours = {
            _id: `urn:payment:${expect.providerReference}`,
            orderReference,
            amount: { currencyCode: "AED", value: 1000 },
            _links: { "payment:card": { href: `${paymentUrl}/card` } }
          }
          const created = order(started(ours), { reference: orderReference, outletId })
          const { provider } = outletAnswering(
            [created, read(file)].map((json) => Effect.succeed(answer(200, json))),
            { credentials: { ...credentials, outletReference: outletId } }
          )
          assert.strictEqual(inShort(yield* provider.authorize(authorizeCall())), expected[expect.outcome ?? ""], file)
          assert.isAbove(amount.value, 0)
        }
      })
  )
})

recorded("order-created-started.response.json is an order that waits for its card", () =>
  Effect.gen(function* () {
    const outlet = "9463e990-1719-4155-9d9c-69db503a3289"
    const orderReference = "a4224a2e-8e64-498e-bdde-d764981b95ed"
    const paymentId = "d0bedb49-2525-424b-918a-ed3a3f85c30d"
    const approved = {
      ...payment({ orderReference, amount: { currencyCode: "AED", value: 300012 } }),
      _id: `urn:payment:${paymentId}`
    }
    const { provider, requests } = outletAnswering(
      [
        Effect.succeed(answer(201, readBytes("order-created-started.response.json"))),
        Effect.succeed(answer(200, approved))
      ],
      { credentials: { ...credentials, outletReference: outlet } }
    )
    const outcome = yield* provider.authorize(authorizeCall({ money: new Money({ currency: "AED", minor: 300_012n }) }))
    assert.strictEqual(outcome._tag, "Accepted")
    assert.isTrue(requests[1]?.url.endsWith(`/orders/${orderReference}/payments/${paymentId}/card`))
    const asked = outletAnswering([Effect.succeed(answer(200, readBytes("order-created-started.response.json")))])
    const finding = yield* asked.provider.query(authorization({ notes: { orderReference, paymentId } }))
    assert.strictEqual(finding._tag, "Absent")
  })
)

recorded("access-token-success.response.json opens the gateway", () =>
  Effect.gen(function* () {
    const token = Effect.succeed(answer(200, readBytes("access-token-success.response.json")))
    const { provider, requests } = outletAnswering([Effect.succeed(answer(200, order()))], { token })
    assert.strictEqual((yield* provider.query(authorization()))._tag, "Found")
    assert.strictEqual(requests[0]?.headers.authorization, "Bearer access_token")
  })
)

recorded("visa-installments-eligibility.response.json is no payment, and no instalments are offered", () =>
  Effect.gen(function* () {
    const plans = read("visa-installments-eligibility.response.json")
    const numbers = Schema.decodeUnknownSync(
      Schema.Struct({ matchedPlans: Schema.Array(Schema.Struct({ numberOfInstallments: Schema.Number })) })
    )(plans)
    assert.deepStrictEqual(
      numbers.matchedPlans.map(({ numberOfInstallments }) => numberOfInstallments),
      [3, 6, 12]
    )
    assert.notProperty(capabilities, "installments")
    assert.strictEqual(
      (yield* outletSaying(order(started()), plans).provider.authorize(authorizeCall()))._tag,
      "Unknown"
    )
  })
)

recorded("webhook-declined.request.json asks us to look at the payment", () =>
  Effect.sync(() => {
    const provider = make({
      credentials: { ...credentials, outletReference: "24b40817-ef43-44f2-8c6c-f341f12498b6" },
      transport: { send: () => Effect.die(new Error("Nothing is sent.")) }
    })
    const body = readBytes("webhook-declined.request.json")
    assert.deepStrictEqual(provider.readNotification?.({ headers: {}, query: {}, body }), {
      _tag: "Unsigned",
      items: [
        {
          id: "71151ab9-2c06-4015-917e-efd0c220a0fd",
          reference: "E-8b27c6f3c93682d5a292f527812b1d50",
          word: { _tag: "Ask" }
        }
      ]
    })
  })
)

const AnyObject = Schema.Record(Schema.String, Schema.Unknown)
const objectOf = (value: unknown) => Schema.decodeUnknownSync(AnyObject)(value)

describe("a recorded request", () => {
  const { billingAddress, buyer, card } = authorizeCall()

  recorded("order-create.request.json has our members", () =>
    Effect.gen(function* () {
      const { provider, requests } = outletSaying(order(started()), payment())
      yield* provider.authorize(
        authorizeCall({
          reference: "ord-1",
          buyer: { ...buyer, email: "customer@example.com", firstName: "Test", lastName: "User" },
          billingAddress: { ...billingAddress, address: "1 Street", city: "Dubai", country: "AE" },
          threeDS: { returnUrl }
        })
      )
      const [request] = requests
      assert(request !== undefined)
      const theirs = objectOf(read("order-create.request.json"))
      const ours = objectOf(jsonOf(request))
      const attributes = { redirectUrl: returnUrl, cancelUrl: returnUrl, skipConfirmationPage: true }
      assert.deepStrictEqual(ours, { ...theirs, merchantAttributes: attributes })
      assert.sameMembers(Object.keys(objectOf(theirs.merchantAttributes)), Object.keys(attributes))
    })
  )

  recorded("card-payment.request.json is ours, byte for byte of its members", () =>
    Effect.gen(function* () {
      const { ip: _, ...unknownBuyer } = buyer
      const { provider, requests } = outletSaying(order(started()), payment())
      yield* provider.authorize(
        authorizeCall({
          buyer: unknownBuyer,
          card: {
            ...card,
            number: Result.getOrThrow(CardNumber.parse("4093191766216474")),
            expMonth: 9,
            cvc: Redacted.make("123"),
            holderName: "Longbob Longsen"
          }
        })
      )
      const [, request] = requests
      assert(request !== undefined)
      assert.deepStrictEqual(jsonOf(request), read("card-payment.request.json"))
    })
  )

  recorded("sale-one-stage.request.json has the same card and order members", () =>
    Effect.gen(function* () {
      const { order: theirOrder, payment: theirCard, ...rest } = objectOf(read("sale-one-stage.request.json"))
      const { provider, requests } = outletSaying(order(started()), payment())
      yield* provider.authorize(authorizeCall())
      const [orderRequest, cardRequest] = requests
      assert(orderRequest !== undefined && cardRequest !== undefined)
      assert.containsAllKeys(objectOf(jsonOf(cardRequest)), Object.keys(objectOf(theirCard)))
      assert.containsAllKeys(objectOf(jsonOf(orderRequest)), [
        ...Object.keys(objectOf(theirOrder)),
        ...Object.keys(rest)
      ])
    })
  )

  recorded("capture.request.json and refund.request.json are ours", () =>
    Effect.gen(function* () {
      const refunded = payment({ _embedded: { "cnp:refund": [movement("x", 400)] } })
      const { provider, requests } = outletSaying(captured(), refunded)
      yield* provider.capture(captureCall(1000n))
      yield* provider.refund(operationCall(400n))
      assert.deepStrictEqual(requests.map(jsonOf), [read("capture.request.json"), read("refund.request.json")])
    })
  )

  recorded("3ds2-authentication.request.json has our members", () =>
    Effect.gen(function* () {
      const { provider, requests } = outletSaying(
        order(started()),
        awaiting(),
        { state: "AWAIT_3DS" },
        order(awaiting())
      )
      yield* provider.authorize(authorizeCall({ threeDS: { returnUrl } }))
      const request = requests[2]
      assert(request !== undefined)
      const theirs = objectOf(read("3ds2-authentication.request.json"))
      const ours = objectOf(jsonOf(request))
      assert.sameMembers(Object.keys(ours), Object.keys(theirs))
      const kinds = (value: unknown) =>
        Object.fromEntries(Object.entries(objectOf(value)).map(([name, one]) => [name, typeof one]))
      assert.deepStrictEqual(kinds(ours.browserInfo), kinds(theirs.browserInfo))
    })
  )
})
