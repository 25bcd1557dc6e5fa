import { assert, describe, it } from "@effect/vitest"
import { ConnectFailed, NoAnswer } from "@sarraf/adapters/providers/ProviderTransport"
import type { PaymentProvider, ThreeDSReturn } from "@sarraf/domain/payments/PaymentProvider"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { inShort } from "../inShort.ts"
import { open, returnUrl } from "../ProviderSession.ts"
import {
  accountAnswering,
  accountSaying,
  answer,
  authorization,
  authorizeCall,
  errorOf,
  formOf,
  intent,
  intentId,
  list,
  reference,
  returnCall
} from "./Sample.ts"
import { subject } from "./Subject.ts"

const threeDS = { returnUrl }
const issuer = "https://hooks.stripe.com/redirect/authenticate/src_1?client_secret=x"

/** A payment that waits for its buyer. */
const waiting = (changes: object = {}) =>
  intent({
    status: "requires_action",
    amount_capturable: 0,
    latest_charge: null,
    next_action: { type: "redirect_to_url", redirect_to_url: { url: issuer, return_url: threeDS.returnUrl } },
    ...changes
  })
const failed = (error: object) =>
  intent({ status: "requires_payment_method", amount_capturable: 0, last_payment_error: error })
const notAuthenticated = failed({ type: "invalid_request_error", code: "payment_intent_authentication_failure" })
const cancelled = intent({ status: "canceled", amount_capturable: 0 })

const complete = ({ threeDS }: PaymentProvider, call: ThreeDSReturn = returnCall({ payment_intent: intentId })) =>
  threeDS?.complete(call) ?? Effect.die("no 3-D Secure")
const isGenuine = (call: ThreeDSReturn) => accountSaying().stripe.threeDS?.isGenuine(call)

describe("an authorization with 3-D Secure", () => {
  it.effect("sends the buyer to the issuer, and nothing else", () =>
    Effect.gen(function* () {
      const { stripe, requests } = accountSaying(waiting())
      const outcome = yield* stripe.authorize(authorizeCall({ threeDS }))
      assert(outcome._tag === "ActionRequired")
      assert.deepStrictEqual(outcome.step, { type: "redirect", url: issuer })
      assert.strictEqual(outcome.providerReference, intentId)
      assert.deepStrictEqual(outcome.echo, { reference, minor: 1000n, currency: "USD" })
      assert.strictEqual(outcome.answer.responseCode, "requires_action")
      assert.isUndefined(outcome.notes)
      assert.lengthOf(requests, 1)
    })
  )

  it.effect("is accepted at once where the issuer wants nothing of the buyer", () =>
    Effect.gen(function* () {
      const outcome = yield* accountSaying(intent()).stripe.authorize(authorizeCall({ threeDS }))
      assert.strictEqual(outcome._tag, "Accepted")
    })
  )

  const nowhere: Readonly<Record<string, object | null>> = {
    "for Stripe's script": { type: "use_stripe_sdk", use_stripe_sdk: {} },
    "without an address": { type: "redirect_to_url", redirect_to_url: { url: null } },
    "that is no address of a page": { type: "redirect_to_url", redirect_to_url: { url: "javascript:alert(1)" } },
    missing: null
  }
  for (const [name, next_action] of Object.entries(nowhere)) {
    it.effect(`is an error with a next step ${name}, and the payment is cancelled`, () =>
      Effect.gen(function* () {
        const { stripe, requests } = accountSaying(waiting({ next_action }), cancelled)
        const outcome = yield* stripe.authorize(authorizeCall({ threeDS }))
        assert.strictEqual(inShort(outcome), "PROVIDER_ERROR")
        assert.match(requests[1]?.url ?? "", /\/cancel$/u)
      })
    )
  }

  for (const code of ["payment_intent_authentication_failure", "authentication_required"]) {
    it.effect(`fails with ${code}, without the advice to ask for what was asked for`, () =>
      Effect.gen(function* () {
        const refused = answer(402, errorOf({ code, payment_intent: failed({ code }) }))
        const { stripe, requests } = accountAnswering(Effect.succeed(refused), Effect.succeed(answer(200, cancelled)))
        const outcome = yield* stripe.authorize(authorizeCall({ threeDS }))
        assert(outcome._tag === "Refused")
        assert.strictEqual(inShort(outcome), "3DS_FAILED")
        assert.notInclude(outcome.detail, "is3DS")
        assert.lengthOf(requests, 2)
      })
    )
  }

  it.effect("that is declined before any challenge may go to another provider as without 3-D Secure", () =>
    Effect.gen(function* () {
      const refused = Effect.succeed(answer(402, errorOf({ code: "processing_error" })))
      const outcome = yield* accountAnswering(refused).stripe.authorize(authorizeCall({ threeDS }))
      assert.strictEqual(inShort(outcome), "PROVIDER_ERROR →")
    })
  )
})

describe("a return", () => {
  it("is genuine unless it names another payment", () => {
    assert.isTrue(isGenuine(returnCall({ payment_intent: intentId })))
    assert.isTrue(isGenuine(returnCall({})))
    assert.isTrue(
      isGenuine(returnCall({ payment_intent: "pi_any" }, { authorization: authorization({ providerReference: null }) }))
    )
    assert.isFalse(isGenuine(returnCall({ payment_intent: "pi_3other" })))
    assert.isFalse(isGenuine(returnCall({ payment_intent: "" })))
  })

  it.effect("says nothing itself: what Stripe has decides", () =>
    Effect.gen(function* () {
      const claims = { payment_intent: intentId, redirect_status: "succeeded", status: "requires_capture" }
      const { stripe, requests } = accountSaying(waiting())
      const outcome = yield* complete(stripe, returnCall(claims))
      assert(outcome._tag === "ActionRequired")
      assert.deepStrictEqual(outcome.step, { type: "redirect", url: issuer })
      assert.lengthOf(requests, 1)
      const denials = { payment_intent: intentId, redirect_status: "failed" }
      assert.strictEqual((yield* complete(accountSaying(intent()).stripe, returnCall(denials)))._tag, "Accepted")
    })
  )

  const table: ReadonlyArray<readonly [string, object, string]> = [
    ["is authorized", intent(), "Accepted"],
    ["is under way", intent({ status: "processing" }), "Pending"],
    ["waits for the buyer", waiting(), "ActionRequired"],
    ["waits, nobody knows where", waiting({ next_action: null }), "Unknown"],
    ["was not authenticated", notAuthenticated, "3DS_FAILED"],
    ["was declined", failed({ type: "card_error", code: "card_declined" }), "CARD_DECLINED"],
    ["wants authentication again", failed({ type: "card_error", code: "authentication_required" }), "3DS_FAILED"],
    [
      "has not enough funds",
      failed({ code: "card_declined", decline_code: "insufficient_funds" }),
      "INSUFFICIENT_FUNDS"
    ],
    ["was not processed", failed({ type: "card_error", code: "processing_error" }), "PROVIDER_ERROR"],
    ["has no card and no error", intent({ status: "requires_payment_method" }), "Unknown"],
    ["was abandoned by us", intent({ status: "canceled", cancellation_reason: "abandoned" }), "3DS_FAILED"],
    ["was cancelled", cancelled, "CARD_DECLINED"],
    ["was captured", intent({ status: "succeeded" }), "Unknown"],
    ["is of an unknown status", intent({ status: "a_status_of_tomorrow" }), "Unknown"],
    ["is another one", intent({ id: "pi_3other" }), "Unknown"]
  ]
  for (const [name, payment, expected] of table) {
    it.effect(`to a payment that ${name} is ${expected}, and never one for another provider`, () =>
      Effect.gen(function* () {
        const { stripe, requests } = accountSaying(payment, cancelled)
        assert.strictEqual(inShort(yield* complete(stripe)), expected)
        const isLeftOpen = "status" in payment && payment.status === "requires_payment_method" && expected !== "Unknown"
        assert.lengthOf(requests, isLeftOpen ? 2 : 1)
        if (!isLeftOpen) return
        const [, cancelling] = requests
        assert(cancelling !== undefined)
        assert.strictEqual(formOf(cancelling).cancellation_reason, "abandoned")
      })
    )
  }

  it.effect("leaves the outcome open where Stripe cannot be asked", () =>
    Effect.gen(function* () {
      const replies = [
        Effect.fail(new NoAnswer({ reason: "reset" })),
        Effect.fail(new ConnectFailed({ reason: "refused" })),
        ...[401, 404, 429, 500].map((status) =>
          Effect.succeed(answer(status, errorOf({ type: "invalid_request_error" })))
        )
      ]
      for (const reply of replies) {
        assert.strictEqual((yield* complete(accountAnswering(reply).stripe))._tag, "Unknown")
      }
      const search = accountSaying(list())
      assert.strictEqual(
        (yield* complete(search.stripe, returnCall({}, { authorization: authorization({ providerReference: null }) })))
          ._tag,
        "Unknown"
      )
    })
  )

  it.effect("is finished by a confirmation where Stripe left that to us", () =>
    Effect.gen(function* () {
      const open = Effect.succeed(answer(200, intent({ status: "requires_confirmation" })))
      const declined = answer(402, errorOf({ code: "processing_error", payment_intent: notAuthenticated }))
      const confirmations = [
        [Effect.succeed(answer(200, intent())), "Accepted"],
        [Effect.succeed(answer(200, waiting())), "ActionRequired"],
        [Effect.fail(new ConnectFailed({ reason: "refused" })), "Unknown"],
        [Effect.succeed(declined), "PROVIDER_ERROR"]
      ] as const
      for (const [confirmation, expected] of confirmations) {
        const tidied = Effect.succeed(answer(200, cancelled))
        const { stripe } = accountAnswering(open, confirmation, tidied)
        assert.strictEqual(inShort(yield* complete(stripe)), expected)
      }
    })
  )

  it.effect("does not wait for the cancellation of what failed", () =>
    Effect.gen(function* () {
      const { stripe } = accountAnswering(Effect.succeed(answer(200, notAuthenticated)), Effect.never)
      const fiber = yield* Effect.forkChild(complete(stripe))
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(inShort(yield* Fiber.join(fiber)), "3DS_FAILED")
    })
  )
})

describe("a challenge at the simulated Stripe", () => {
  const challenged = Effect.fnUntraced(function* (card = "4000000000003220") {
    const session = yield* open(subject)
    const outcome = yield* session.authorize(card, { threeDS })
    assert(outcome._tag === "ActionRequired" && outcome.step.type === "redirect")
    const { url } = outcome.step
    return { session, url }
  })
  const standing = (session: Effect.Success<ReturnType<typeof challenged>>["session"]) =>
    Effect.map(session.query(), (finding) =>
      finding._tag === "Found" ? [finding.stage, finding.code].join(" ").trim() : finding._tag
    )

  it.effect("that nobody takes up is found as such, and ended by a cancellation", () =>
    Effect.gen(function* () {
      const { session } = yield* challenged()
      assert.strictEqual(yield* standing(session), "ACTION_REQUIRED")
      assert.strictEqual((yield* session.complete({}))?._tag, "ActionRequired")
      assert.strictEqual((yield* session.cancel())._tag, "Accepted")
      assert.strictEqual(yield* standing(session), "VOIDED")
      assert.notStrictEqual((yield* session.complete({}))?._tag, "Accepted")
    })
  )

  for (const [name, card, code] of [
    ["was cancelled by the buyer", "4000000000003220", "3DS_FAILED"],
    ["was passed and then declined", "4000000000009995", "INSUFFICIENT_FUNDS"]
  ] as const) {
    it.effect(`that ${name} stays refused with ${code}, and takes no other card`, () =>
      Effect.gen(function* () {
        const { session, url } = yield* challenged(card)
        const answer = code === "3DS_FAILED" ? "cancel" : "right"
        const { returned } = yield* session.browse({ type: "redirect", url }, answer)
        const outcome = yield* session.complete(returned)
        assert(outcome !== undefined)
        assert.strictEqual(inShort(outcome), code)
        assert.strictEqual(yield* standing(session), `DECLINED ${code}`)
        const words = session.notified().map(({ word }) => word)
        assert.deepStrictEqual(
          words.map((word) => (word._tag === "Authorization" ? inShort(word.outcome) : word._tag)),
          [code, code]
        )
      })
    )
  }
})
