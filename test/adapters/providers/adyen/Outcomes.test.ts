import { assert, describe, it } from "@effect/vitest"
import { capabilities } from "@sarraf/adapters/providers/adyen/Capabilities"
import { ConnectFailed, NoAnswer } from "@sarraf/adapters/providers/ProviderTransport"
import { DateTime, Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { codes, inShort } from "../inShort.ts"
import {
  accountAnswering,
  accountSaying,
  answer,
  authorization,
  authorizeCall,
  captureCall,
  errorOf,
  modification,
  operationCall,
  payment,
  pspReference,
  redirect,
  reference,
  returnCall,
  returnUrl
} from "./Sample.ts"

const authorizeWith = (status: number, json: unknown, isThreeDS = false) =>
  // The same answer again: what is not definite is asked for twice.
  accountSaying(status, json, json).adyen.authorize(authorizeCall(isThreeDS ? { threeDS: { returnUrl } } : {}))

const completeWith = (status: number, json: unknown, notes: Readonly<Record<string, string>> = {}) =>
  accountSaying(status, json, json).adyen.threeDS?.complete(
    returnCall({ redirectResult: "X6Xt!" }, { authorization: authorization({ notes }) })
  ) ?? Effect.die(new Error("no 3-D Secure"))

/** Provider sheet, section 5. */
const refusals = [
  ...codes("2 3 5 25 31 22 20 14 28 29 15 16 17 18 19 33 36 23 26 27 32 34 35 37 40 41 46", "CARD_DECLINED"),
  ...codes("4 9 21", "PROVIDER_ERROR →"),
  ...codes("7", "PROVIDER_ERROR"),
  ...codes("6 8 24", "INVALID_CARD"),
  ...codes("10", "CARD_DECLINED →"),
  ...codes("11 42 38 39", "3DS_FAILED"),
  ...codes("12", "INSUFFICIENT_FUNDS"),
  ...codes("0 99 constructor", "CARD_DECLINED")
]
const texts = [
  ["Expired Card", "INVALID_CARD"],
  ["3D Not Authenticated", "3DS_FAILED"],
  ["Not enough balance", "INSUFFICIENT_FUNDS"],
  ["CVC Declined", "INVALID_CARD"],
  ["Invalid Card Number", "INVALID_CARD"],
  ["Refused", "CARD_DECLINED"],
  ["A reason of the merchant's own", "CARD_DECLINED"]
] as const

describe("a refusal", () => {
  for (const [refusalReasonCode, expected] of refusals) {
    it.effect(`with code ${refusalReasonCode} is ${expected}`, () =>
      Effect.gen(function* () {
        const refused = payment({ resultCode: "Refused", refusalReason: "Custom words", refusalReasonCode })
        const outcome = yield* authorizeWith(200, refused)
        assert.strictEqual(inShort(outcome), expected)
        assert(outcome._tag === "Refused")
        assert.strictEqual(outcome.answer.responseCode, refusalReasonCode === "0" ? "Custom words" : refusalReasonCode)
        assert.deepStrictEqual(outcome.echo, { reference, minor: 1000n, currency: "EUR", last4: "1111" })
        assert.strictEqual(outcome.providerReference, pspReference)
        const after = yield* completeWith(200, refused)
        const isCancelled = refusalReasonCode === "15" || refusalReasonCode === "16"
        assert.strictEqual(inShort(after), isCancelled ? "3DS_FAILED" : expected.replace(" →", ""))
      })
    )
  }

  for (const [refusalReason, expected] of texts) {
    it.effect(`with the words "${refusalReason}" alone is ${expected}`, () =>
      Effect.gen(function* () {
        assert.strictEqual(
          inShort(yield* authorizeWith(200, payment({ resultCode: "Refused", refusalReason }))),
          expected
        )
      })
    )
  }

  it.effect("of a plain kind is for want of funds where the issuer's own code is 51", () =>
    Effect.gen(function* () {
      const additionalData = { refusalReasonRaw: "51 : Not sufficient funds" }
      const refused = { resultCode: "Refused", refusalReason: "Refused", additionalData }
      assert.strictEqual(inShort(yield* authorizeWith(200, payment(refused))), "INSUFFICIENT_FUNDS")
      const plain = payment({ ...refused, refusalReasonCode: "2" })
      assert.strictEqual(inShort(yield* authorizeWith(200, plain)), "INSUFFICIENT_FUNDS")
      const blocked = payment({ ...refused, refusalReasonCode: "5" })
      assert.strictEqual(inShort(yield* authorizeWith(200, blocked)), "CARD_DECLINED")
      const other = { ...plain, additionalData: { refusalReasonRaw: "151 : Fraud" } }
      assert.strictEqual(inShort(yield* authorizeWith(200, other)), "CARD_DECLINED")
    })
  )

  const results = [
    ["Error", "PROVIDER_ERROR", "PROVIDER_ERROR"],
    ["Cancelled", "CARD_DECLINED", "3DS_FAILED"],
    ["Refused", "CARD_DECLINED", "CARD_DECLINED"]
  ] as const
  for (const [resultCode, before, after] of results) {
    it.effect(`without a reason is ${before} by its result ${resultCode}, and ${after} after a challenge`, () =>
      Effect.gen(function* () {
        assert.strictEqual(inShort(yield* authorizeWith(200, payment({ resultCode }))), before)
        assert.strictEqual(inShort(yield* completeWith(200, payment({ resultCode }))), after)
      })
    )
  }
})

/** Provider sheet, section 5: status, errorCode, errorType. */
const errors: ReadonlyArray<readonly [number, string, string, string]> = [
  ...["101", "103"].map((code) => [422, code, "validation", "INVALID_CARD"] as const),
  ...["104", "131", "132", "133", "134", "135", "130", "100", "14_030", "14_018", "172", "167"].map(
    (code) => [422, code, "validation", "PROVIDER_ERROR"] as const
  ),
  [400, "702", "validation", "PROVIDER_ERROR"],
  [401, "000", "security", "PROVIDER_ERROR →"],
  [403, "901", "security", "PROVIDER_ERROR →"],
  [403, "10", "security", "PROVIDER_ERROR →"],
  [403, "010", "security", "PROVIDER_ERROR →"],
  [500, "905", "configuration", "Unknown"],
  [422, "905", "configuration", "PROVIDER_ERROR →"],
  [422, "138", "validation", "PROVIDER_ERROR →"],
  [422, "a_code_of_tomorrow", "validation", "PROVIDER_ERROR"],
  // Nothing is certain of what is no definite error.
  [422, "704", "validation", "Unknown"],
  [409, "704", "validation", "Unknown"],
  [422, "0", "internal", "Unknown"],
  [422, "0", "validation", "Unknown"],
  [422, "703", "validation", "Unknown"],
  [500, "703", "internal", "Unknown"],
  [422, "101", "internal", "Unknown"],
  [422, "101", "a_type_of_tomorrow", "Unknown"],
  [503, "101", "validation", "Unknown"],
  [200, "101", "validation", "Unknown"],
  [201, "101", "validation", "Unknown"],
  [429, "101", "validation", "Unknown"]
]

describe("an error", () => {
  for (const [status, code, type, expected] of errors) {
    it.effect(`${code} of type ${type} with status ${status} is ${expected}`, () =>
      Effect.gen(function* () {
        const outcome = yield* authorizeWith(status, errorOf(code, type, status))
        assert.strictEqual(inShort(outcome), expected)
        if (outcome._tag !== "Refused") return
        assert.deepStrictEqual(outcome.answer, {
          responseCode: code,
          fields: { status: `${status}`, errorCode: code, errorType: type }
        })
        const { adyen } = accountSaying(status, errorOf(code, type, status))
        assert.strictEqual(inShort(yield* adyen.capture(captureCall(400n))), expected.replace(" →", ""))
      })
    )
  }

  it.effect("of the gateway before the service is a matter of the account", () =>
    Effect.gen(function* () {
      const json = { error: { code: 403, message: "Forbidden", "requested URI": "/v71/payments" } }
      assert.strictEqual(inShort(yield* authorizeWith(403, json)), "PROVIDER_ERROR →")
      assert.strictEqual(inShort(yield* authorizeWith(400, json)), "Unknown")
    })
  )

  it.effect("of a buyer's result settles nothing, and leaves who made it up where they were", () =>
    Effect.gen(function* () {
      assert.strictEqual(inShort(yield* completeWith(422, errorOf("14_018"))), "Unknown")
      assert.strictEqual(inShort(yield* completeWith(401, errorOf("000", "security", 401))), "Unknown")
      const url = "https://checkoutshopper.example/threeDS/1"
      const outcome = yield* completeWith(422, errorOf("14_018"), { redirectUrl: url })
      assert(outcome._tag === "ActionRequired")
      assert.deepStrictEqual(outcome.step, { type: "redirect", url })
      const refused = yield* completeWith(401, errorOf("000", "security", 401), { redirectUrl: url })
      assert.strictEqual(inShort(refused), "Unknown")
    })
  )
})

describe("a result", () => {
  it.effect("Authorised is a yes with the payment as Adyen has it, and shows no person", () =>
    Effect.gen(function* () {
      const outcome = yield* authorizeWith(200, payment())
      assert(outcome._tag === "Accepted")
      assert.strictEqual(outcome.providerReference, pspReference)
      assert.deepStrictEqual(outcome.echo, { reference, minor: 1000n, currency: "EUR", last4: "1111" })
      assert.deepStrictEqual(outcome.answer, {
        responseCode: "Authorised",
        fields: {
          resultCode: "Authorised",
          "amount.value": "1000",
          "amount.currency": "EUR",
          "additionalData.authCode": "010800"
        }
      })
    })
  )

  it.effect("PartiallyAuthorised is a yes to the amount that it names, and none to one that it does not", () =>
    Effect.gen(function* () {
      const part = payment({ resultCode: "PartiallyAuthorised", amount: { currency: "EUR", value: 600 } })
      const outcome = yield* authorizeWith(200, part)
      assert(outcome._tag === "Accepted")
      assert.strictEqual(outcome.echo.minor, 600n)
      assert.strictEqual(inShort(yield* authorizeWith(200, { ...part, amount: undefined })), "Unknown")
    })
  )

  for (const resultCode of [
    "Pending",
    "Received",
    "PresentToShopper",
    "AuthenticationFinished",
    "AuthenticationNotRequired"
  ]) {
    it.effect(`${resultCode} is decided later, and told by notification`, () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(DateTime.makeUnsafe("2026-11-21T09:00:00Z").epochMilliseconds)
        const outcome = yield* authorizeWith(200, payment({ resultCode }))
        assert(outcome._tag === "Pending")
        assert.strictEqual(outcome.learnBy, "notification")
        assert.strictEqual(DateTime.formatIso(outcome.until), "2026-11-24T09:00:00.000Z")
        assert.strictEqual(outcome.providerReference, pspReference)
      })
    )
  }

  for (const [name, changes] of [
    ["of tomorrow", { resultCode: "Approved" }],
    ["in other letters", { resultCode: "authorised" }],
    ["without a reference", { pspReference: undefined }],
    ["with a reference that is none", { pspReference: "../cancels" }],
    ["with an amount that is none", { amount: { currency: "EUR", value: 10.5 } }]
  ] as const) {
    it.effect(`${name} is unknown`, () =>
      Effect.gen(function* () {
        assert.strictEqual(inShort(yield* authorizeWith(200, payment(changes))), "Unknown")
      })
    )
  }

  it.effect("RedirectShopper sends the buyer away where that was asked for, by a redirect or by a form", () =>
    Effect.gen(function* () {
      const get = yield* authorizeWith(200, redirect(), true)
      assert(get._tag === "ActionRequired")
      const url = "https://checkoutshopper.example/threeDS/1"
      assert.deepStrictEqual(get.step, { type: "redirect", url })
      assert.deepStrictEqual(get.notes, { redirectUrl: url })
      assert.strictEqual(get.providerReference, pspReference)
      const data = { PaReq: "BQABAg", MD: "M2RzMi4", TermUrl: null }
      const post = yield* authorizeWith(200, redirect({ method: "POST", data, paymentData: "Ab02b4c0!" }), true)
      assert(post._tag === "ActionRequired" && post.step.type === "form")
      assert.strictEqual(post.step.action, url)
      assert.deepStrictEqual(Redacted.value(post.step.fields), { PaReq: "BQABAg", MD: "M2RzMi4" })
      assert.deepStrictEqual(post.notes, { paymentData: "Ab02b4c0!" })
    })
  )

  it.effect("RedirectShopper is a demand for 3-D Secure where nobody asked for it", () =>
    Effect.gen(function* () {
      const outcome = yield* authorizeWith(200, redirect())
      assert(outcome._tag === "Refused")
      assert.strictEqual(inShort(outcome), "3DS_FAILED")
      assert.include(outcome.detail, "is3DS true")
      const soft = yield* authorizeWith(200, payment({ resultCode: "Refused", refusalReasonCode: "38" }))
      assert(soft._tag === "Refused")
      assert.include(soft.detail, "is3DS true")
    })
  )

  for (const changes of [{ url: undefined }, { url: "javascript:alert(1)" }, { url: "/threeDS" }, { type: "sdk" }]) {
    it.effect(`RedirectShopper with ${JSON.stringify(changes)} sends nobody anywhere`, () =>
      Effect.gen(function* () {
        assert.strictEqual(inShort(yield* authorizeWith(200, redirect(changes), true)), "Unknown")
      })
    )
  }
})

describe("a modification", () => {
  it.effect("that is received is told by notification, under its own reference, for three days", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(DateTime.makeUnsafe("2026-11-21T09:00:00Z").epochMilliseconds)
      for (const step of ["capture", "refund", "cancel"] as const) {
        const { adyen } = accountSaying(201, modification())
        const outcome = yield* adyen[step](captureCall(400n))
        assert(outcome._tag === "Pending")
        assert.strictEqual(outcome.learnBy, "notification")
        assert.strictEqual(outcome.providerReference, "KHQC5N7G84BLNK43")
        assert.strictEqual(outcome.answer.responseCode, "received")
        assert.deepStrictEqual(outcome.echo, { reference, minor: 400n, currency: "EUR" })
        assert.strictEqual(DateTime.formatIso(outcome.until), "2026-11-24T09:00:00.000Z")
      }
    })
  )

  const strange: ReadonlyArray<readonly [string, number, object]> = [
    ["with status 200", 200, modification()],
    ["of another payment", 201, modification({ paymentPspReference: "JLCMPCQ8HXSKGK82" })],
    ["of no payment", 201, modification({ paymentPspReference: undefined })],
    ["in a state of tomorrow", 201, modification({ status: "done" })],
    ["without a reference", 201, modification({ pspReference: undefined })]
  ]
  for (const [name, status, json] of strange) {
    it.effect(`${name} is unknown`, () =>
      Effect.gen(function* () {
        const { adyen } = accountSaying(status, json, json)
        assert.strictEqual((yield* adyen.refund(operationCall(400n)))._tag, "Unknown")
      })
    )
  }

  it.effect("by our reference has to be about it", () =>
    Effect.gen(function* () {
      const lost = operationCall(1000n, { authorization: authorization({ providerReference: null }) })
      const own = accountSaying(201, modification({ paymentPspReference: undefined, paymentReference: reference }))
      assert.strictEqual((yield* own.adyen.cancel(lost))._tag, "Pending")
      const other = accountSaying(201, modification({ paymentReference: "srf000000000000000000009" }))
      assert.strictEqual((yield* other.adyen.cancel(lost))._tag, "Unknown")
    })
  )
})

const lost = Effect.fail(new NoAnswer({ reason: "ECONNRESET" }))
const said = (status: number, json: unknown, headers = {}) => Effect.succeed(answer(status, json, headers))

describe("a lost answer", () => {
  it.effect("is asked for once more, with the same bytes under the same key", () =>
    Effect.gen(function* () {
      const { adyen, requests } = accountAnswering(lost, said(200, payment()))
      assert.strictEqual((yield* adyen.authorize(authorizeCall()))._tag, "Accepted")
      assert.deepStrictEqual(requests[0], requests[1])
    })
  )

  const seconds: ReadonlyArray<readonly [string, typeof lost | ReturnType<typeof said>]> = [
    ["is lost too", lost],
    ["is an error that the first may not have met", said(422, errorOf("101"))],
    ["says that the account is unknown", said(401, errorOf("000", "security", 401))]
  ]
  for (const [name, second] of seconds) {
    it.effect(`stays unknown where the second ${name}`, () =>
      Effect.gen(function* () {
        const { adyen } = accountAnswering(lost, second)
        assert.strictEqual((yield* adyen.authorize(authorizeCall()))._tag, "Unknown")
      })
    )
  }

  it.effect("stays unknown where the connection is refused the second time", () =>
    Effect.gen(function* () {
      const { adyen } = accountAnswering(lost, Effect.fail(new ConnectFailed({ reason: "ECONNREFUSED" })))
      assert.strictEqual((yield* adyen.authorize(authorizeCall()))._tag, "Unknown")
    })
  )

  it.effect("is waited for where the key is in use", () =>
    Effect.gen(function* () {
      const busy = said(422, errorOf("704"), { "transient-error": "true" })
      const { adyen, requests } = accountAnswering(busy, said(200, payment()))
      const fiber = yield* Effect.forkChild(adyen.authorize(authorizeCall()))
      yield* TestClock.adjust("499 millis")
      assert.lengthOf(requests, 1)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "Accepted")
    })
  )
})

describe("the capabilities of Adyen", () => {
  it("keep a reference within Adyen's 80 letters and a key within its 64", () => {
    assert.isAtMost(capabilities.reference.length, 64)
    assert.isUndefined(capabilities.query.absenceProvenAfter)
    assert.isFalse(capabilities.query.byReference)
    assert.strictEqual(capabilities.notifications?.acknowledgement.body, "[accepted]")
  })
})
