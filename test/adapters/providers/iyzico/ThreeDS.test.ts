import { assert, describe, it } from "@effect/vitest"
import { NoAnswer } from "@sarraf/adapters/providers/ProviderTransport"
import type { ThreeDSReturn } from "@sarraf/domain/payments/PaymentProvider"
import { Effect, Redacted } from "effect"
import { jsonAnswer } from "../answers.ts"
import {
  accountAnswering,
  accountSaying,
  authorization,
  authorizeCall,
  detail,
  failure,
  hexOf,
  payment,
  paymentId,
  reference,
  returnCall,
  returned
} from "./Sample.ts"

const page = (action = "https://bank.example/acs") =>
  btoa(`<form action="${action}" method="post"><input name="PaReq" value="0b6d9ec1"></form><script>x()</script>`)

const begun = (changes: object = {}) => ({
  status: "success",
  conversationId: reference,
  paymentId,
  threeDSHtmlContent: page(),
  signature: hexOf(`${paymentId}:${reference}`),
  ...changes
})

const start = (body: object) =>
  accountSaying(body).iyzico.authorize(authorizeCall({ threeDS: { returnUrl: "https://gateway.test/return" } }))

describe("a start of 3-D Secure", () => {
  it.effect("sends the buyer to the form of iyzico's page", () =>
    Effect.gen(function* () {
      const outcome = yield* start(begun())
      assert(outcome._tag === "ActionRequired")
      assert(outcome.step.type === "form")
      assert.strictEqual(outcome.step.action, "https://bank.example/acs")
      assert.deepStrictEqual(Redacted.value(outcome.step.fields), { PaReq: "0b6d9ec1" })
      assert.deepStrictEqual([outcome.providerReference, outcome.echo], [paymentId, { reference }])
      assert.notInclude(JSON.stringify(outcome), "0b6d9ec1")
    })
  )

  it.effect("takes the address beside a page that has no form", () =>
    Effect.gen(function* () {
      const outcome = yield* start(begun({ threeDSHtmlContent: "", threeDsRedirectionUrl: "https://bank.example/go" }))
      assert(outcome._tag === "ActionRequired")
      assert.deepStrictEqual(outcome.step, { type: "redirect", url: "https://bank.example/go" })
    })
  )

  it.effect("is not known to have begun without a page, or with a wrong signature", () =>
    Effect.gen(function* () {
      for (const changes of [
        { threeDSHtmlContent: null },
        { threeDSHtmlContent: btoa("<html></html>") },
        { threeDSHtmlContent: page("javascript:x()") },
        { signature: hexOf("other") }
      ]) {
        assert.strictEqual((yield* start(begun(changes)))._tag, "Unknown")
      }
    })
  )

  it.effect("may be refused like any authorization, and tried elsewhere, since the buyer is still here", () =>
    Effect.gen(function* () {
      const outcome = yield* start(failure("10214"))
      assert(outcome._tag === "Refused")
      assert.isTrue(outcome.mayTryAnother)
    })
  )
})

const isGenuine = (call: ThreeDSReturn) => accountSaying().iyzico.threeDS?.isGenuine(call)

describe("a return", () => {
  it("is genuine with iyzico's signature, whatever it says", () => {
    assert.isTrue(isGenuine(returnCall(returned())))
    assert.isTrue(isGenuine(returnCall(returned({ mdStatus: "0", status: "failure" }))))
    assert.isTrue(isGenuine(returnCall(returned({ conversationData: "abc" }))))
    assert.isTrue(isGenuine(returnCall(returned(), { authorization: authorization({ providerReference: null }) })))
  })

  it("is forged where one of its fields was changed after it was signed", () => {
    const failed = returned({ mdStatus: "0", status: "failure" })
    assert.isFalse(isGenuine(returnCall({ ...failed, mdStatus: "1" })))
    assert.isFalse(isGenuine(returnCall({ ...failed, status: "success" })))
    assert.isFalse(isGenuine(returnCall({ ...returned(), conversationData: "x" })))
    assert.isFalse(isGenuine(returnCall({ ...returned(), signature: hexOf("other") })))
    const { signature: _, ...unsigned } = returned()
    assert.isFalse(isGenuine(returnCall(unsigned)))
    assert.isFalse(isGenuine(returnCall({})))
  })

  it("is another payment's where it names another, though it is signed", () => {
    assert.isFalse(isGenuine(returnCall(returned({ conversationId: "another" }))))
    assert.isFalse(isGenuine(returnCall(returned({ conversationId: "" }))))
    assert.isFalse(isGenuine(returnCall(returned({ paymentId: "1" }))))
    assert.isFalse(
      isGenuine(returnCall(returned({ paymentId: "" }), { authorization: authorization({ providerReference: null }) }))
    )
  })
})

const waiting = detail({ paymentStatus: "CALLBACK_THREEDS" })

const complete = (fields: Readonly<Record<string, string>>, ...bodies: ReadonlyArray<unknown>) => {
  const { iyzico, requests } = accountSaying(...bodies)
  const { threeDS } = iyzico
  assert(threeDS !== undefined)
  return Effect.map(threeDS.complete(returnCall(fields)), (outcome) => ({ outcome, requests }))
}

describe("a completion", () => {
  it.effect("takes the payment of a buyer who was authenticated", () =>
    Effect.gen(function* () {
      const { outcome, requests } = yield* complete(returned(), waiting, payment({ mdStatus: 1 }))
      assert(outcome._tag === "Accepted")
      assert.deepStrictEqual(outcome.echo, { reference, minor: 1050n, currency: "TRY", last4: "0008" })
      assert.deepStrictEqual(outcome.notes, { paymentTransactionId: "24810001" })
      assert.lengthOf(requests, 2)
    })
  )

  for (const mdStatus of ["0", "2", "3", "4", "5", "6", "7", "8", "-1", "", "11"]) {
    it.effect(`takes nothing after mdStatus "${mdStatus}", and asks nobody`, () =>
      Effect.gen(function* () {
        const { outcome, requests } = yield* complete(returned({ mdStatus, status: "failure" }))
        assert(outcome._tag === "Refused")
        assert.deepStrictEqual([outcome.code, outcome.mayTryAnother], ["3DS_FAILED", false])
        assert.deepStrictEqual(outcome.echo, { reference })
        assert.isEmpty(requests)
      })
    )
  }

  it.effect("takes nothing where status and mdStatus contradict each other", () =>
    Effect.gen(function* () {
      for (const fields of [returned({ mdStatus: "0" }), returned({ status: "failure" })]) {
        const { outcome } = yield* complete(fields)
        assert(outcome._tag === "Refused")
      }
    })
  )

  it.effect("is not sent for a return that is not iyzico's", () =>
    Effect.gen(function* () {
      const { outcome, requests } = yield* complete({ ...returned(), signature: hexOf("other") })
      assert.strictEqual(outcome._tag, "Unknown")
      assert.isEmpty(requests)
    })
  )

  it.effect("is not sent again for a payment that was taken, rejected or is in review", () =>
    Effect.gen(function* () {
      for (const [changes, tag] of [
        [{}, "Accepted"],
        [{ fraudStatus: 0 }, "Pending"],
        [{ fraudStatus: -1 }, "Refused"],
        [{ paymentStatus: "FAILURE", errorCode: "10051" }, "Refused"],
        [{ phase: "AUTH" }, "Unknown"],
        [{ paymentStatus: "INIT_CREDIT" }, "Unknown"]
      ] as const) {
        const { outcome, requests } = yield* complete(returned(), detail(changes))
        assert.strictEqual(outcome._tag, tag, JSON.stringify(changes))
        assert.lengthOf(requests, 1)
      }
    })
  )

  it.effect("is not sent while iyzico does not say how the payment stands", () =>
    Effect.gen(function* () {
      for (const first of [failure("5086"), detail({ paymentId: "1" }), { status: "success" }, "text"]) {
        const { outcome, requests } = yield* complete(returned(), first)
        assert.strictEqual(outcome._tag, "Unknown")
        assert.lengthOf(requests, 1)
      }
    })
  )

  it.effect("passes on the issuer's no, and never leads to another provider", () =>
    Effect.gen(function* () {
      for (const [errorCode, code] of [
        ["10051", "INSUFFICIENT_FUNDS"],
        ["10210", "3DS_FAILED"],
        ["10214", "PROVIDER_ERROR"]
      ] as const) {
        const { outcome } = yield* complete(returned(), waiting, failure(errorCode))
        assert(outcome._tag === "Refused")
        assert.deepStrictEqual([outcome.code, outcome.mayTryAnother], [code, false])
      }
    })
  )

  it.effect("is not known after a lost answer, a timeout at the bank or a wrong signature", () =>
    Effect.gen(function* () {
      const { iyzico } = accountAnswering([
        Effect.succeed(jsonAnswer(200, waiting)),
        Effect.fail(new NoAnswer({ reason: "ECONNRESET" }))
      ])
      assert(iyzico.threeDS !== undefined)
      assert.strictEqual((yield* iyzico.threeDS.complete(returnCall(returned())))._tag, "Unknown")
      for (const second of [failure("10219"), payment({ signature: hexOf("other") }), payment({ phase: "AUTH" })]) {
        assert.strictEqual((yield* complete(returned(), waiting, second)).outcome._tag, "Unknown")
      }
    })
  )
})
