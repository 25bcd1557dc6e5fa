import { assert, describe, it } from "@effect/vitest"
import { ConnectFailed, NoAnswer } from "@sarraf/adapters/providers/ProviderTransport"
import { Unavailable } from "@sarraf/domain/errors/Unavailable"
import { Money } from "@sarraf/domain/money/Money"
import { Effect } from "effect"
import { codes, inShort } from "../inShort.ts"
import { unreadableAnswers } from "../unreadableAnswers.ts"
import {
  answer,
  authorizeCall,
  awaiting,
  errorOf,
  failed,
  link,
  order,
  orderReference,
  otherId,
  outletAnswering,
  outletSaying,
  payment,
  paymentId,
  paymentUrl,
  reference,
  started
} from "./Sample.ts"

const created = Effect.succeed(answer(201, order(started())))

/** An authorization whose card is answered so, and confirmed by the order where that is asked for. */
const pay = (status: number, json: unknown, confirmation: unknown = order(payment())) =>
  outletAnswering([
    created,
    Effect.succeed(answer(status, json)),
    Effect.succeed(answer(200, confirmation)),
    Effect.succeed(answer(200, confirmation))
  ])

const authorize = (status: number, json: unknown, confirmation?: unknown) =>
  Effect.map(pay(status, json, confirmation).provider.authorize(authorizeCall()), inShort)

describe("before the card is sent", () => {
  it.effect("the order is committed, and nothing is sent where it cannot be", () =>
    Effect.gen(function* () {
      const { provider, requests } = pay(200, payment())
      const noted: Array<unknown> = []
      const note = (facts: unknown) => Effect.sync(() => void noted.push([facts, requests.length]))
      yield* provider.authorize(authorizeCall({ note }))
      assert.deepStrictEqual(noted, [[{ orderReference, paymentId }, 1]])
      const unnoted = pay(200, payment())
      const outcome = yield* unnoted.provider.authorize(authorizeCall({ note: () => Effect.fail(new Unavailable()) }))
      assert.strictEqual(outcome._tag, "NotSent")
      assert.lengthOf(unnoted.requests, 1)
    })
  )

  it.effect("an order that is lost or refused has taken nothing", () =>
    Effect.gen(function* () {
      const lost = [new NoAnswer({ reason: "reset" }), new ConnectFailed({ reason: "refused" })]
      for (const fault of lost) {
        const { provider, requests } = outletAnswering([
          Effect.fail(fault),
          created,
          Effect.succeed(answer(200, payment()))
        ])
        assert.strictEqual((yield* provider.authorize(authorizeCall()))._tag, "NotSent")
        assert.lengthOf(requests, 1)
        assert.strictEqual((yield* provider.authorize(authorizeCall()))._tag, "Accepted")
      }
      const statuses: ReadonlyArray<readonly [number, string]> = [
        [400, "PROVIDER_ERROR →"],
        [422, "PROVIDER_ERROR →"],
        [403, "PROVIDER_ERROR →"],
        [404, "PROVIDER_ERROR"],
        [500, "NotSent"],
        [503, "NotSent"],
        [429, "NotSent"]
      ]
      for (const [status, expected] of statuses) {
        const { provider } = outletAnswering([Effect.succeed(answer(status, errorOf("x")))])
        assert.strictEqual(inShort(yield* provider.authorize(authorizeCall())), expected, `${status}`)
      }
    })
  )

  for (const [fault, spoil] of Object.entries(unreadableAnswers)) {
    it.effect(`no card goes out after ${fault}`, () =>
      Effect.gen(function* () {
        const { provider, requests } = outletAnswering([Effect.map(created, spoil)])
        assert.strictEqual((yield* provider.authorize(authorizeCall()))._tag, "NotSent")
        assert.lengthOf(requests, 1)
      })
    )
  }

  it.effect("an order of something else is none", () =>
    Effect.gen(function* () {
      const others = [
        order(started(), { merchantOrderReference: "srf000000000000000000009" }),
        order(started(), { outletId: otherId }),
        order(started({ amount: { currencyCode: "AED", value: 999 } })),
        order(started({ amount: { currencyCode: "USD", value: 1000 } })),
        order(started({ orderReference: otherId })),
        order(started({ state: "AUTHORISED" })),
        order(started(), { _embedded: { payment: [] } })
      ]
      for (const other of others) {
        const { provider, requests } = outletSaying(other)
        assert.strictEqual((yield* provider.authorize(authorizeCall()))._tag, "NotSent")
        assert.lengthOf(requests, 1)
      }
    })
  )

  it.effect("what the gateway cannot do is not tried", () =>
    Effect.gen(function* () {
      const { exchanges, provider } = outletAnswering([])
      const lira = authorizeCall({ money: new Money({ currency: "TRY", minor: 1000n }) })
      assert.strictEqual((yield* provider.authorize(lira))._tag, "NotSent")
      assert.strictEqual((yield* provider.authorize(authorizeCall({ installment: 3 })))._tag, "NotSent")
      assert.isEmpty(exchanges)
    })
  )

  it.effect("a reference that a card was sent for is not used again", () =>
    Effect.gen(function* () {
      const { provider, requests } = outletAnswering([created, Effect.fail(new NoAnswer({ reason: "reset" }))])
      assert.strictEqual((yield* provider.authorize(authorizeCall()))._tag, "Unknown")
      assert.strictEqual((yield* provider.authorize(authorizeCall()))._tag, "Unknown")
      assert.lengthOf(requests, 2)
    })
  )
})

/** Provider sheet, section 5. */
const results = [
  ...codes("51", "INSUFFICIENT_FUNDS"),
  ...codes("14 54 15 82 N7", "INVALID_CARD"),
  ...codes("01 02 05 57 61 62 63 65 70 75 78 85 93 04 07 34 36 41 43 59 99 ZZ constructor", "CARD_DECLINED"),
  ...codes("1A", "3DS_FAILED"),
  ...codes("03 12 13 30 58", "PROVIDER_ERROR →"),
  ...codes("68 91 92 96", "PROVIDER_ERROR →")
]
const states: ReadonlyArray<readonly [string, object, string]> = [
  ["an approval", payment(), "Accepted"],
  ["an approval without the issuer's answer", payment({ authResponse: undefined }), "Accepted"],
  ["an approval that says it is none", payment({ authResponse: { success: false, resultCode: "00" } }), "Unknown"],
  ["a decline that says it is none", payment({ state: "FAILED" }), "Unknown"],
  ["a decline without a reason", payment({ state: "FAILED", authResponse: undefined }), "CARD_DECLINED"],
  [
    "a failed authentication",
    payment({ state: "FAILED", authResponse: undefined, "3ds": { status: "FAILURE" } }),
    "3DS_FAILED"
  ],
  ...["N", "R", "U"].map(
    (transStatus) =>
      [
        `an authentication with ${transStatus}`,
        payment({ state: "FAILED", authResponse: undefined, "3ds2": { transStatus } }),
        "3DS_FAILED"
      ] as const
  ),
  ["a demand for 3-D Secure that nobody asked for", awaiting(), "3DS_FAILED"],
  ["the same in the plugin's spelling", awaiting({ state: "AWAIT3DS" }), "3DS_FAILED"],
  ["a payment that was given up", payment({ state: "CANCELLED", authResponse: undefined }), "3DS_FAILED"],
  ["one that has not started", payment({ state: "STARTED", authResponse: undefined }), "Pending"],
  ["one that is under way", payment({ state: "PENDING", authResponse: undefined }), "Pending"],
  ["one that was captured at once", payment({ state: "CAPTURED" }), "Unknown"],
  ["one that was bought at once", payment({ state: "PURCHASED" }), "Unknown"],
  ["one that was released", payment({ state: "REVERSED" }), "Unknown"],
  ["a state of tomorrow", payment({ state: "POST_AUTH_REVIEW" }), "Unknown"],
  ["a state that is a word of JavaScript", payment({ state: "constructor" }), "Unknown"],
  ["another payment", payment({ _id: `urn:payment:${otherId}` }), "Unknown"],
  ["a payment of another order", payment({ orderReference: otherId }), "Unknown"]
]
const requests: ReadonlyArray<readonly [number, object, string]> = [
  [400, errorOf("invalidField"), "PROVIDER_ERROR →"],
  [422, errorOf("invalidField", "Company is not valid."), "PROVIDER_ERROR →"],
  [422, errorOf("invalid-pan"), "INVALID_CARD"],
  [400, errorOf("invalidField", "payment.cvv must have three digits"), "INVALID_CARD"],
  [422, errorOf("invalidField", "expiry is in the past"), "INVALID_CARD"],
  [401, errorOf("unauthorized"), "PROVIDER_ERROR →"],
  [403, errorOf("forbidden"), "PROVIDER_ERROR →"],
  [404, errorOf("notFound"), "PROVIDER_ERROR"],
  [409, errorOf("invalidState"), "Unknown"],
  [429, errorOf("tooMany"), "Unknown"],
  [500, errorOf("internal"), "Unknown"],
  [400, { result: "no" }, "Unknown"],
  [200, errorOf("invalidField"), "Unknown"]
]

describe("the answer to a card", () => {
  for (const [code, expected] of results) {
    it.effect(`with the result ${code} is ${expected}`, () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* authorize(200, failed(code), order(failed(code))), expected)
      })
    )
  }
  for (const [name, json, expected] of states) {
    it.effect(`is ${expected} where it is ${name}`, () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* authorize(200, json), expected)
      })
    )
  }
  for (const [status, json, expected] of requests) {
    it.effect(`with status ${status} and ${JSON.stringify(json).slice(0, 110)} is ${expected}`, () =>
      Effect.gen(function* () {
        const refused = Effect.succeed(answer(status, json))
        const { provider } = outletAnswering([created, refused, refused])
        assert.strictEqual(inShort(yield* provider.authorize(authorizeCall())), expected)
      })
    )
  }

  it.effect("that says nobody was reached is believed only when the order repeats it", () =>
    Effect.gen(function* () {
      for (const code of ["68", "91", "92", "96"]) {
        assert.strictEqual(yield* authorize(200, failed(code), order(payment())), "Unknown")
        assert.strictEqual(yield* authorize(200, failed(code), { no: "order" }), "Unknown")
      }
    })
  )

  it.effect("tells of the payment, and of card and buyer nothing but the last four", () =>
    Effect.gen(function* () {
      const json = payment({ reference: "4111111111111111", paymentMethod: { name: "VISA", pan: "411111******1111" } })
      const outcome = yield* pay(200, json).provider.authorize(authorizeCall())
      assert(outcome._tag === "Accepted")
      assert.deepStrictEqual(outcome, {
        _tag: "Accepted",
        providerReference: paymentId,
        notes: { orderReference, paymentId },
        echo: { reference, minor: 1000n, currency: "AED", last4: "1111" },
        answer: {
          responseCode: "00",
          fields: {
            state: "AUTHORISED",
            orderReference,
            merchantOrderReference: reference,
            "amount.currencyCode": "AED",
            "amount.value": "1000",
            "paymentMethod.name": "VISA",
            "authResponse.authorizationCode": "128120",
            "authResponse.success": "true",
            "authResponse.resultCode": "00"
          }
        }
      })
    })
  )

  it.effect("that approves a part is declined at the gateway, by its link or by a release", () =>
    Effect.gen(function* () {
      const declineUrl = `${paymentUrl}/card/partial-auth-decline`
      const partial = { state: "AWAITING_PARTIAL_AUTH_APPROVAL" }
      const linked = payment({ ...partial, _links: { "payment:partial-auth-decline": link(declineUrl) } })
      const ends: ReadonlyArray<readonly [object, string, string, string]> = [
        [linked, declineUrl, "PARTIAL_AUTH_DECLINED", "INSUFFICIENT_FUNDS"],
        [payment(partial), `${paymentUrl}/cancel`, "REVERSED", "INSUFFICIENT_FUNDS"],
        [payment(partial), `${paymentUrl}/cancel`, "AWAITING_PARTIAL_AUTH_APPROVAL", "Pending"]
      ]
      for (const [json, url, state, expected] of ends) {
        const answers = [order(started()), json, payment({ state }), order(payment({ state }))]
        const { provider, requests } = outletSaying(...answers)
        assert.strictEqual(inShort(yield* provider.authorize(authorizeCall())), expected)
        assert.deepStrictEqual([requests[2]?.method, requests[2]?.url], ["PUT", url])
      }
    })
  )
})
