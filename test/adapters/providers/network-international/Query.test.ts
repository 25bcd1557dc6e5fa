import { assert, describe, it } from "@effect/vitest"
import { ConnectFailed, NoAnswer } from "@sarraf/adapters/providers/ProviderTransport"
import type { Finding } from "@sarraf/domain/payments/PaymentProvider"
import { Effect } from "effect"
import {
  answer,
  authorization,
  awaiting,
  captureId,
  errorOf,
  failed,
  movement,
  order,
  orderReference,
  otherId,
  outletAnswering,
  outletSaying,
  payment,
  paymentId,
  reference,
  started
} from "./Sample.ts"

const inShort = (finding: Finding): string =>
  finding._tag === "Found"
    ? `${finding.stage} ${finding.capturedMinor} ${finding.refundedMinor}${finding.code === undefined ? "" : ` ${finding.code}`}`
    : finding._tag

const moved = (state: string, captures: ReadonlyArray<unknown>, refunds?: ReadonlyArray<unknown>) =>
  payment({
    state,
    _embedded: { "cnp:capture": captures, ...(refunds === undefined ? {} : { "cnp:refund": refunds }) }
  })
const two = [movement(captureId, 300), movement(otherId, 200), movement(otherId, 100, "FAILED")]
const unasked = { authResponse: undefined }

/** Provider sheet, section 5. */
const states: ReadonlyArray<readonly [string, object, string]> = [
  ["an authorization", payment(), "AUTHORIZED 0 0"],
  ["a capture", moved("CAPTURED", [movement(captureId, 1000)]), "CAPTURED 1000 0"],
  ["captures in part", moved("PARTIALLY_CAPTURED", two), "CAPTURED 500 0"],
  [
    "refunds in part",
    moved("PARTIALLY_REFUNDED", two, [movement(otherId, 50), movement(otherId, 60, "REQUESTED")]),
    "CAPTURED 500 110"
  ],
  ["a refund of all", moved("REFUNDED", [movement(captureId, 1000)], [movement(otherId, 1000)]), "CAPTURED 1000 1000"],
  [
    "a refund that failed",
    moved("CAPTURED", [movement(captureId, 1000)], [movement(otherId, 50, "FAILED")]),
    "CAPTURED 1000 0"
  ],
  [
    "a capture that is not decided while the rest is held",
    moved("AUTHORISED", [movement(captureId, 300, "PENDING")]),
    "Unanswered"
  ],
  [
    "a capture that failed, with all still held",
    moved("AUTHORISED", [movement(captureId, 300, "FAILED")]),
    "AUTHORIZED 0 0"
  ],
  [
    "captures of which one is not decided",
    moved("PARTIALLY_CAPTURED", [...two, movement(otherId, 100, "PENDING")]),
    "CAPTURED null 0"
  ],
  [
    "a refund that is not decided",
    moved("CAPTURED", [movement(captureId, 1000)], [movement(otherId, 50), movement(otherId, 60, "PENDING")]),
    "CAPTURED 1000 null"
  ],
  ["a capture whose sums are not told", payment({ state: "CAPTURED" }), "CAPTURED null 0"],
  ["a refund whose sums are not told", payment({ state: "PARTIALLY_REFUNDED" }), "CAPTURED null null"],
  ["a purchase", payment({ state: "PURCHASED" }), "CAPTURED null 0"],
  ["a reversal", payment({ state: "REVERSED" }), "VOIDED 0 0"],
  ["a void", payment({ state: "VOIDED" }), "VOIDED 0 0"],
  ["a cancelled authorization", payment({ state: "CANCELLED" }), "VOIDED 0 0"],
  ["a buyer who gave up", payment({ state: "CANCELLED", ...unasked }), "DECLINED 0 0 3DS_FAILED"],
  ["a decline", failed("51"), "DECLINED 0 0 INSUFFICIENT_FUNDS"],
  ["an issuer that was away", failed("68"), "DECLINED 0 0 PROVIDER_ERROR"],
  [
    "a failed authentication",
    payment({ state: "FAILED", ...unasked, "3ds": { status: "FAILURE" } }),
    "DECLINED 0 0 3DS_FAILED"
  ],
  [
    "a partial approval that was declined",
    payment({ state: "PARTIAL_AUTH_DECLINED" }),
    "DECLINED 0 0 INSUFFICIENT_FUNDS"
  ],
  ["a partial approval", payment({ state: "AWAITING_PARTIAL_AUTH_APPROVAL" }), "PENDING 0 0"],
  ["a payment under way", payment({ state: "PENDING", ...unasked }), "PENDING 0 0"],
  ["a buyer who is with the issuer", awaiting(), "ACTION_REQUIRED 0 0"],
  ["an order that has seen no card", started(), "Absent"],
  ["an approval that says it is none", payment({ authResponse: { success: false, resultCode: "05" } }), "Unanswered"],
  [
    "a decline that says it is none",
    payment({ state: "FAILED", authResponse: { success: true, resultCode: "00" } }),
    "Unanswered"
  ],
  ["a state of tomorrow", payment({ state: "POST_AUTH_REVIEW" }), "Unanswered"],
  ["a state that is a word of JavaScript", payment({ state: "constructor" }), "Unanswered"]
]

describe("a question", () => {
  for (const [name, json, expected] of states) {
    it.effect(`finds ${name} as ${expected}`, () =>
      Effect.gen(function* () {
        assert.strictEqual(inShort(yield* outletSaying(order(json)).provider.query(authorization())), expected)
      })
    )
  }

  it.effect("is asked by the noted order after a lost answer, and finds what later steps need", () =>
    Effect.gen(function* () {
      const lost = authorization({ providerReference: null })
      const finding = yield* outletSaying(order(payment())).provider.query(lost)
      assert(finding._tag === "Found")
      assert.strictEqual(finding.providerReference, paymentId)
      assert.deepStrictEqual(finding.notes, { orderReference, paymentId })
      assert.deepStrictEqual(finding.echo, { reference, minor: 1000n, currency: "AED", last4: "1111" })
      assert.strictEqual(finding.answer.responseCode, "00")
    })
  )

  it.effect("takes the reference from the order where the payment has none", () =>
    Effect.gen(function* () {
      const finding = yield* outletSaying(order(payment({ merchantOrderReference: undefined }))).provider.query(
        authorization()
      )
      assert(finding._tag === "Found")
      assert.strictEqual(finding.echo.reference, reference)
    })
  )

  it.effect("needs no answer where no order was noted: no card was sent", () =>
    Effect.gen(function* () {
      const { provider } = outletAnswering([])
      const never = authorization({ notes: {}, providerReference: null })
      assert.strictEqual((yield* provider.query(never))._tag, "Absent")
      // Paid, by its identifier, and yet without the order that it was paid by.
      assert.strictEqual((yield* provider.query(authorization({ notes: {} })))._tag, "Unanswered")
    })
  )

  it.effect("finds the payment among others of its order", () =>
    Effect.gen(function* () {
      const other = { ...failed("05"), _id: `urn:payment:${otherId}` }
      const { provider } = outletSaying(order({}, { _embedded: { payment: ["?", other, payment()] } }))
      assert.strictEqual(inShort(yield* provider.query(authorization())), "AUTHORIZED 0 0")
    })
  )

  it.effect("is not answered by another order, by another payment or by an order that is not known", () =>
    Effect.gen(function* () {
      const others = [
        order(payment(), { reference: otherId }),
        order({ ...payment(), _id: `urn:payment:${otherId}` }),
        order(payment({ orderReference: otherId })),
        order({}, { _embedded: {} })
      ]
      for (const other of others) {
        assert.strictEqual((yield* outletSaying(other).provider.query(authorization()))._tag, "Unanswered")
      }
      for (const status of [400, 403, 404, 409, 429, 500]) {
        const { provider } = outletAnswering([Effect.succeed(answer(status, errorOf("x")))])
        assert.strictEqual((yield* provider.query(authorization()))._tag, "Unanswered", `${status}`)
      }
      for (const fault of [new NoAnswer({ reason: "reset" }), new ConnectFailed({ reason: "refused" })]) {
        const { provider } = outletAnswering([Effect.fail(fault)])
        assert.strictEqual((yield* provider.query(authorization()))._tag, "Unanswered")
      }
    })
  )
})
