import { assert, describe, it } from "@effect/vitest"
import type { ThreeDSReturn } from "@sarraf/domain/payments/PaymentProvider"
import { Effect } from "effect"
import { accountSaying, authorization, payment, pspReference, redirect, reference, returnCall } from "./Sample.ts"

const back = (changes: Parameters<typeof returnCall>[1] = {}) => returnCall({ redirectResult: "X6XtfGC3!Y1" }, changes)

const complete = (json: unknown, call: ThreeDSReturn = back()) => {
  const { threeDS } = accountSaying(200, json, json).adyen
  assert(threeDS !== undefined)
  return threeDS.complete(call)
}

describe("a buyer who came back from Adyen's redirect", () => {
  it("has brought a result, whatever else came along", () => {
    const { threeDS } = accountSaying(200).adyen
    assert.isTrue(threeDS?.isGenuine(back()))
    for (const fields of [{}, { redirectResult: "" }, { payload: "X6XtfGC3!Y1" }, { resultCode: "Authorised" }]) {
      assert.isFalse(threeDS?.isGenuine(returnCall(fields)))
    }
  })

  it.effect("is authorized by Adyen's word, with the reference that it has now", () =>
    Effect.gen(function* () {
      const outcome = yield* complete(payment({ pspReference: "V4HZ4RBFJGXXGN82" }))
      assert(outcome._tag === "Accepted")
      assert.strictEqual(outcome.providerReference, "V4HZ4RBFJGXXGN82")
      assert.deepStrictEqual(outcome.echo, { reference, minor: 1000n, currency: "EUR", last4: "1111" })
    })
  )

  it.effect("is authorized without our reference in the answer only where Adyen's is the one that it gave before", () =>
    Effect.gen(function* () {
      const bare = { resultCode: "Authorised", pspReference }
      assert.strictEqual((yield* complete(bare))._tag, "Accepted")
      assert.strictEqual((yield* complete({ ...bare, pspReference: "V4HZ4RBFJGXXGN82" }))._tag, "Unknown")
      assert.strictEqual(
        (yield* complete(bare, back({ authorization: authorization({ providerReference: null }) })))._tag,
        "Unknown"
      )
    })
  )

  for (const resultCode of ["Authorised", "Refused", "Cancelled", "Error", "RedirectShopper"]) {
    it.effect(`changes nothing with another payment's result, ${resultCode}`, () =>
      Effect.gen(function* () {
        const other = { ...redirect(), resultCode, merchantReference: "srf000000000000000000009" }
        assert.strictEqual((yield* complete(other))._tag, "Unknown")
        // Not even where Adyen's reference is this payment's.
        const { merchantReference, ...rest } = other
        assert.strictEqual((yield* complete({ ...rest, additionalData: { merchantReference } }))._tag, "Unknown")
      })
    )
  }

  it.effect("is sent on where Adyen says that it is not over", () =>
    Effect.gen(function* () {
      const outcome = yield* complete(redirect({ url: "https://checkoutshopper.example/threeDS/2" }))
      assert(outcome._tag === "ActionRequired")
      assert.deepStrictEqual(outcome.step, { type: "redirect", url: "https://checkoutshopper.example/threeDS/2" })
    })
  )

  for (const [resultCode, refusalReasonCode] of [
    ["Refused", "11"],
    ["Refused", "39"],
    ["Refused", "42"],
    ["Cancelled", "16"],
    ["Refused", "15"]
  ]) {
    it.effect(`has failed to authenticate by ${resultCode} ${refusalReasonCode}`, () =>
      Effect.gen(function* () {
        const outcome = yield* complete(payment({ resultCode, refusalReasonCode }))
        assert(outcome._tag === "Refused")
        assert.strictEqual(outcome.code, "3DS_FAILED")
        assert.isFalse(outcome.mayTryAnother)
      })
    )
  }

  it.effect("is never passed on to another provider", () =>
    Effect.gen(function* () {
      const outcome = yield* complete(payment({ resultCode: "Error", refusalReasonCode: "4" }))
      assert(outcome._tag === "Refused")
      assert.strictEqual(outcome.code, "PROVIDER_ERROR")
      assert.isFalse(outcome.mayTryAnother)
    })
  )
})
