import { assert, describe, it } from "@effect/vitest"
import { NoAnswer } from "@sarraf/adapters/providers/ProviderTransport"
import type { Outcome } from "@sarraf/domain/payments/Outcome"
import { Effect } from "effect"
import { jsonOf } from "../answers.ts"
import { inShort } from "../inShort.ts"
import {
  answer,
  authorization,
  capture,
  captureCall,
  captured,
  captureId,
  errorOf,
  link,
  movement,
  operationCall,
  order,
  otherId,
  outletAnswering,
  outletSaying,
  payment,
  paymentId,
  paymentUrl,
  reference
} from "./Sample.ts"

const withRefund = (...refunds: ReadonlyArray<unknown>) =>
  payment({
    state: "PARTIALLY_REFUNDED",
    _embedded: { "cnp:capture": [movement(captureId, 1000)], "cnp:refund": refunds }
  })

const told = (outcome: Outcome) => {
  assert(outcome._tag === "Accepted")
  return [outcome.providerReference, outcome.answer.responseCode, outcome.echo]
}

const echo = (minor: bigint) => ({ reference, minor, currency: "AED", last4: "1111" })

describe("a capture", () => {
  it.effect("is the last of those that the payment shows", () =>
    Effect.gen(function* () {
      const captures = [movement(otherId, 600), movement(captureId, 400)]
      const { provider } = outletSaying(payment({ state: "CAPTURED", _embedded: { "cnp:capture": captures } }))
      assert.deepStrictEqual(told(yield* provider.capture(captureCall(400n))), [captureId, "SUCCESS", echo(400n)])
    })
  )

  it.effect("is not the one before it, which the answer shows as the last", () =>
    Effect.gen(function* () {
      const one = payment({ state: "PARTIALLY_CAPTURED", _embedded: { "cnp:capture": [movement(otherId, 400)] } })
      const call = captureCall(400n, { captures: [capture(otherId, 400n)] })
      assert.strictEqual((yield* outletSaying(one).provider.capture(call))._tag, "Unknown")
    })
  )

  it.effect("is known by its refund's link where it has none of its own", () =>
    Effect.gen(function* () {
      const only = {
        ...movement(captureId, 1000),
        _links: { "cnp:refund": link(`${paymentUrl}/captures/${captureId}/refund`) }
      }
      const { provider } = outletSaying(payment({ state: "CAPTURED", _embedded: { "cnp:capture": [only] } }))
      assert.deepStrictEqual(told(yield* provider.capture(captureCall(1000n)))[0], captureId)
    })
  )

  const answers: ReadonlyArray<readonly [string, number, unknown, string]> = [
    ["without a capture in it", 200, payment(), "Unknown"],
    ["of another payment", 200, { ...captured(), _id: `urn:payment:${otherId}` }, "Unknown"],
    [
      "with a failed capture",
      200,
      payment({ _embedded: { "cnp:capture": [movement(captureId, 1000, "FAILED")] } }),
      "PROVIDER_ERROR"
    ],
    [
      "with a capture under way",
      200,
      payment({ _embedded: { "cnp:capture": [movement(captureId, 1000, "PENDING")] } }),
      "Unknown"
    ],
    [
      "that only a refund may have",
      200,
      payment({ _embedded: { "cnp:capture": [movement(captureId, 1000, "REQUESTED")] } }),
      "Unknown"
    ],
    ["with status 400", 400, errorOf("pan"), "PROVIDER_ERROR"],
    ["with status 422", 422, errorOf("amount"), "PROVIDER_ERROR"],
    ["with status 403", 403, errorOf("forbidden"), "PROVIDER_ERROR"],
    ["with status 404", 404, errorOf("notFound"), "PROVIDER_ERROR"],
    ["with status 409", 409, errorOf("state"), "PROVIDER_ERROR"],
    ["with status 500", 500, errorOf("internal"), "Unknown"]
  ]
  for (const [name, status, json, expected] of answers) {
    it.effect(`is ${expected} by an answer ${name}, and no other provider's`, () =>
      Effect.gen(function* () {
        const { provider } = outletAnswering([Effect.succeed(answer(status, json))])
        assert.strictEqual(inShort(yield* provider.capture(captureCall(1000n))), expected)
      })
    )
  }
})

describe("a release", () => {
  /** Before anything was captured. */
  const releaseCall = operationCall(1000n, { captures: [] })
  for (const state of ["REVERSED", "CANCELLED", "VOIDED"]) {
    it.effect(`is done with ${state}`, () =>
      Effect.gen(function* () {
        const { provider } = outletSaying(payment({ state }))
        assert.deepStrictEqual(told(yield* provider.cancel(releaseCall)), [paymentId, state, echo(1000n)])
      })
    )
  }
  it.effect("is not known to be done with any other state", () =>
    Effect.gen(function* () {
      for (const state of ["AUTHORISED", "CAPTURED", "REFUNDED", "FAILED"]) {
        const { provider } = outletSaying(payment({ state }))
        assert.strictEqual((yield* provider.cancel(releaseCall))._tag, "Unknown")
      }
    })
  )
  it.effect("is not sent once something is captured, which it could take back", () =>
    Effect.gen(function* () {
      const { provider, requests } = outletSaying(payment({ state: "REVERSED" }))
      const outcome = yield* provider.cancel(operationCall(400n, { captures: [capture(captureId, 600n)] }))
      assert.strictEqual(inShort(outcome), "PROVIDER_ERROR")
      assert.lengthOf(requests, 0)
    })
  )
})

describe("a refund", () => {
  it.effect("is done, or taken over for China UnionPay", () =>
    Effect.gen(function* () {
      for (const state of ["SUCCESS", "REQUESTED"]) {
        const { provider } = outletSaying(withRefund(movement(captureId, 100), movement(otherId, 400, state)))
        assert.deepStrictEqual(told(yield* provider.refund(operationCall(400n))), [otherId, state, echo(400n)])
      }
    })
  )

  it.effect("is taken from the oldest capture first, and from the next where that is not enough", () =>
    Effect.gen(function* () {
      const { provider, requests } = outletSaying(
        withRefund(movement(otherId, 200)),
        withRefund(movement(otherId, 200), movement(paymentId, 300))
      )
      const captures = [
        capture(captureId, 600n, { refundedMinor: 400n }),
        capture(otherId, 500n, { operationId: "op_2" })
      ]
      const outcome = yield* provider.refund(operationCall(500n, { captures }))
      assert.deepStrictEqual(told(outcome), [paymentId, "SUCCESS", echo(500n)])
      assert.deepStrictEqual(
        requests.map((request) => [request.url, jsonOf(request)]),
        [
          [`${paymentUrl}/captures/${captureId}/refund`, { amount: { currencyCode: "AED", value: 200 } }],
          [`${paymentUrl}/captures/${otherId}/refund`, { amount: { currencyCode: "AED", value: 300 } }]
        ]
      )
    })
  )

  it.effect("of which a part went through is no refusal", () =>
    Effect.gen(function* () {
      const captures = [capture(captureId, 600n), capture(otherId, 500n)]
      const first = Effect.succeed(answer(201, withRefund(movement(otherId, 600))))
      const seconds = [Effect.succeed(answer(422, errorOf("amount"))), Effect.fail(new NoAnswer({ reason: "reset" }))]
      for (const second of seconds) {
        const { provider } = outletAnswering([first, second])
        assert.strictEqual((yield* provider.refund(operationCall(700n, { captures })))._tag, "Unknown")
      }
      const { provider } = outletSaying(withRefund(movement(otherId, 599)))
      assert.strictEqual((yield* provider.refund(operationCall(700n, { captures })))._tag, "Unknown")
    })
  )

  it.effect("asks the order for a capture whose own identifier was lost", () =>
    Effect.gen(function* () {
      for (const providerReference of [null, paymentId]) {
        const { provider, requests } = outletSaying(order(captured()), withRefund(movement(otherId, 400)))
        const captures = [capture(providerReference)]
        assert.strictEqual((yield* provider.refund(operationCall(400n, { captures })))._tag, "Accepted")
        assert.strictEqual(requests[1]?.url, `${paymentUrl}/captures/${captureId}/refund`)
        const other = outletSaying(order(captured(999)))
        assert.strictEqual((yield* other.provider.refund(operationCall(400n, { captures })))._tag, "NotSent")
      }
    })
  )

  it.effect("of more than was captured is refused without asking", () =>
    Effect.gen(function* () {
      const { provider } = outletAnswering([])
      assert.strictEqual(inShort(yield* provider.refund(operationCall(1001n))), "PROVIDER_ERROR")
      assert.strictEqual(inShort(yield* provider.refund(operationCall(1n, { captures: [] }))), "PROVIDER_ERROR")
    })
  )
})

it.effect("nothing is sent about a payment whose order was not noted", () =>
  Effect.gen(function* () {
    const { provider } = outletAnswering([])
    for (const notes of [{}, { orderReference: "../x", paymentId }, { orderReference: paymentId }]) {
      const call = operationCall(400n, { authorization: authorization({ notes }) })
      assert.strictEqual((yield* provider.capture({ ...call, final: true }))._tag, "NotSent")
      assert.strictEqual((yield* provider.cancel({ ...call, captures: [] }))._tag, "NotSent")
      assert.strictEqual((yield* provider.refund(call))._tag, "NotSent")
    }
  })
)
