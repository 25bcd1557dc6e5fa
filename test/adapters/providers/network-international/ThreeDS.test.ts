import { assert, describe, it } from "@effect/vitest"
import { ConnectFailed, NoAnswer } from "@sarraf/adapters/providers/ProviderTransport"
import type { Outcome } from "@sarraf/domain/payments/Outcome"
import type { ThreeDSReturn } from "@sarraf/domain/payments/PaymentProvider"
import { Effect, Redacted } from "effect"
import { inShort } from "../inShort.ts"
import {
  answer,
  authorization,
  authorizeCall,
  awaiting,
  errorOf,
  failed,
  order,
  orderReference,
  otherId,
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

const ok = (json: unknown) => Effect.succeed(answer(200, json))
const challenge = (changes: object = {}) => ({
  ...awaiting(),
  "3ds2": { transStatus: "C", base64EncodedCReq: "Y3JlcQ", acsURL: "https://acs.test/challenge", ...changes }
})
const creation = ok(order(started()))
const begin = (...answers: Parameters<typeof outletAnswering>[0]) => {
  const outlet = outletAnswering([creation, ...answers])
  return { ...outlet, outcome: outlet.provider.authorize(authorizeCall({ threeDS: { returnUrl } })) }
}

const stepOf = (outcome: Outcome) => {
  assert(outcome._tag === "ActionRequired", outcome._tag)
  const { step } = outcome
  assert(step.type === "form")
  return { action: step.action, fields: Redacted.value(step.fields) }
}

describe("the buyer is sent to the issuer", () => {
  it.effect("with the challenge's request, and what completion needs is noted", () =>
    Effect.gen(function* () {
      const outcome = yield* begin(ok(awaiting()), ok(challenge())).outcome
      assert.deepStrictEqual(stepOf(outcome), { action: "https://acs.test/challenge", fields: { creq: "Y3JlcQ" } })
      assert(outcome._tag === "ActionRequired")
      assert.strictEqual(outcome.providerReference, paymentId)
      assert.deepStrictEqual(outcome.echo, { reference, minor: 1000n, currency: "AED", last4: "1111" })
      assert.deepStrictEqual(outcome.notes, {
        orderReference,
        paymentId,
        acsURL: "https://acs.test/challenge",
        creq: "Y3JlcQ",
        threeDSServerTransID: otherId
      })
    })
  )

  it.effect("by version 1 where the gateway offers no other", () =>
    Effect.gen(function* () {
      const request = { acsUrl: "https://acs.test/v1", acsPaReq: "cGFyZXE", acsMd: "md-1" }
      const outcome = yield* begin(ok(awaiting({ "3ds": request, "3ds2": undefined }))).outcome
      assert.deepStrictEqual(stepOf(outcome), {
        action: "https://acs.test/v1",
        fields: { PaReq: "cGFyZXE", MD: "md-1", TermUrl: `${paymentUrl}/card/3ds` }
      })
    })
  )

  it.effect("and not at all where the gateway names no page", () =>
    Effect.gen(function* () {
      const unusable = awaiting({ "3ds": { acsUrl: "2.1.0", acsPaReq: "", acsMd: "" }, "3ds2": undefined })
      assert.strictEqual(inShort(yield* begin(ok(unusable)).outcome), "3DS_FAILED")
      for (const changes of [{ acsURL: "javascript:alert(1)" }, { acsURL: undefined }, { base64EncodedCReq: "" }]) {
        assert.strictEqual((yield* begin(ok(awaiting()), ok(challenge(changes))).outcome)._tag, "Unknown")
      }
    })
  )

  it.effect("and the device is said to have had no hidden form where the issuer has none", () =>
    Effect.gen(function* () {
      const { outcome, requests } = begin(ok(awaiting({ "3ds2": { threeDSServerTransID: otherId } })), ok(challenge()))
      yield* outcome
      assert.include(new TextDecoder().decode(requests[2]?.body), '"threeDSCompInd":"U"')
    })
  )

  const decided: ReadonlyArray<readonly [string, object, string]> = [
    ["lets the buyer pass", payment(), "Accepted"],
    ["lets the buyer pass and declines then", failed("51"), "INSUFFICIENT_FUNDS"],
    [
      "turns the buyer away",
      payment({ state: "FAILED", authResponse: undefined, "3ds": { status: "FAILURE" } }),
      "3DS_FAILED"
    ],
    ["has not decided", awaiting(), "Unknown"]
  ]
  for (const transStatus of ["Y", "A", "N", "R", "U"]) {
    for (const [name, json, expected] of decided) {
      it.effect(`and not after ${transStatus}, where the order says that the issuer ${name}`, () =>
        Effect.gen(function* () {
          const { outcome } = begin(ok(awaiting()), ok({ state: "?", "3ds2": { transStatus } }), ok(order(json)))
          assert.strictEqual(inShort(yield* outcome), expected)
        })
      )
    }
  }

  it.effect("and nothing is certain of an answer that is lost, broken or another's", () =>
    Effect.gen(function* () {
      const lost = Effect.fail(new NoAnswer({ reason: "reset" }))
      assert.strictEqual((yield* begin(ok(awaiting()), lost).outcome)._tag, "Unknown")
      const another = ok({ ...challenge(), _id: `urn:payment:${otherId}` })
      assert.strictEqual((yield* begin(ok(awaiting()), another).outcome)._tag, "Unknown")
      const unasked = ok({ ...challenge(), "3ds2": { transStatus: "Y" } })
      assert.strictEqual((yield* begin(ok(awaiting()), unasked, lost).outcome)._tag, "Unknown")
      // Without the device data no issuer is asked.
      const refused = Effect.fail(new ConnectFailed({ reason: "refused" }))
      assert.strictEqual((yield* begin(ok(awaiting()), refused).outcome)._tag, "NotSent")
      const rejected = Effect.succeed(answer(422, errorOf("browserInfo")))
      assert.strictEqual(inShort(yield* begin(ok(awaiting()), rejected).outcome), "PROVIDER_ERROR →")
      // The authentication has gone on before: the order says how far.
      const further = Effect.succeed(answer(409, errorOf("invalidState")))
      assert.strictEqual((yield* begin(ok(awaiting()), further).outcome)._tag, "Unknown")
    })
  )
})

const cresOf = (threeDSServerTransID: string) =>
  Buffer.from(JSON.stringify({ threeDSServerTransID, messageType: "CRes", transStatus: "Y" })).toString("base64url")
const notes = {
  orderReference,
  paymentId,
  acsURL: "https://acs.test/challenge",
  creq: "Y3JlcQ",
  threeDSServerTransID: otherId
}
const back = (returned: Readonly<Record<string, string>>): ThreeDSReturn =>
  returnCall(returned, { authorization: authorization({ notes }) })

const complete = (returned: Readonly<Record<string, string>>, ...answers: Parameters<typeof outletAnswering>[0]) => {
  const { provider, requests } = outletAnswering(answers)
  assert(provider.threeDS !== undefined)
  return { requests, outcome: provider.threeDS.complete(back(returned)) }
}

describe("a return", () => {
  it("is not genuine with another payment's end of a challenge, or with none that can be read", () => {
    const { threeDS } = outletSaying().provider
    const isGenuine = (returned: Readonly<Record<string, string>>) => threeDS?.isGenuine(back(returned))
    assert.isTrue(isGenuine({ cres: cresOf(otherId) }))
    assert.isTrue(isGenuine({ cres: Buffer.from(cresOf(otherId), "base64url").toString("base64") }))
    // Nothing is believed of these: the gateway is asked.
    assert.isTrue(isGenuine({}))
    assert.isTrue(isGenuine({ ref: orderReference }))
    for (const cres of [cresOf(paymentId), "", "%", "bnVsbA", "e30"]) assert.isFalse(isGenuine({ cres }))
    assert.isFalse(threeDS?.isGenuine(returnCall({}, { authorization: authorization({ notes: {} }) })))
  })

  const ends: ReadonlyArray<readonly [string, object, string]> = [
    ["authorised", payment(), "Accepted"],
    [
      "failed authentication",
      payment({ state: "FAILED", authResponse: undefined, "3ds": { status: "FAILURE" } }),
      "3DS_FAILED"
    ],
    ["cancelled", payment({ state: "CANCELLED", authResponse: undefined }), "3DS_FAILED"],
    ["declined", failed("05"), "CARD_DECLINED"],
    ["not set up", failed("03"), "PROVIDER_ERROR"],
    ["issuer away", failed("91"), "PROVIDER_ERROR"],
    ["pending", payment({ state: "PENDING", authResponse: undefined }), "Pending"],
    ["captured", payment({ state: "CAPTURED" }), "Unknown"]
  ]
  for (const [name, json, expected] of ends) {
    it.effect(`is completed by what the order says after it: ${name}`, () =>
      Effect.gen(function* () {
        const cres = cresOf(otherId)
        const { outcome, requests } = complete({ cres }, ok(order(awaiting())), ok(payment()), ok(order(json)))
        assert.strictEqual(inShort(yield* outcome), expected)
        assert.lengthOf(requests, 3)
      })
    )
    it.effect(`that is repeated sends nothing on and says the same: ${name}`, () =>
      Effect.gen(function* () {
        const { outcome, requests } = complete({ cres: cresOf(otherId) }, ok(order(json)))
        assert.strictEqual(inShort(yield* outcome), expected)
        assert.deepStrictEqual(
          requests.map(({ method }) => method),
          ["GET"]
        )
      })
    )
  }

  it.effect("without an end of the challenge sends the buyer to the issuer again", () =>
    Effect.gen(function* () {
      const { outcome, requests } = complete({ status: "success" }, ok(order(awaiting())))
      assert.deepStrictEqual(stepOf(yield* outcome), {
        action: "https://acs.test/challenge",
        fields: { creq: "Y3JlcQ" }
      })
      assert.lengthOf(requests, 1)
    })
  )

  it.effect("that the gateway refuses sends the buyer to the issuer again", () =>
    Effect.gen(function* () {
      const refused = Effect.succeed(answer(409, errorOf("invalidState")))
      const { outcome } = complete({ cres: cresOf(otherId) }, ok(order(awaiting())), refused, ok(order(awaiting())))
      assert.strictEqual((yield* outcome)._tag, "ActionRequired")
    })
  )

  it.effect("whose answer is lost is settled by the order, or by nothing", () =>
    Effect.gen(function* () {
      const lost = Effect.fail(new NoAnswer({ reason: "reset" }))
      const cres = cresOf(otherId)
      const waiting = ok(order(awaiting()))
      assert.strictEqual((yield* complete({ cres }, waiting, lost, ok(order(payment()))).outcome)._tag, "Accepted")
      assert.strictEqual((yield* complete({ cres }, waiting, lost, waiting).outcome)._tag, "Unknown")
      assert.strictEqual((yield* complete({ cres }, waiting, lost, lost).outcome)._tag, "Unknown")
      assert.strictEqual((yield* complete({ cres }, lost).outcome)._tag, "Unknown")
    })
  )
})
