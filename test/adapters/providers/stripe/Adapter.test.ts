import { assert, describe, it } from "@effect/vitest"
import { ConnectFailed, NoAnswer, type ProviderResponse } from "@sarraf/adapters/providers/ProviderTransport"
import { make } from "@sarraf/adapters/providers/stripe/Adapter"
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
  captured,
  errorOf,
  formOf,
  intent,
  intentId,
  operationCall,
  reference,
  refund
} from "./Sample.ts"

const authorizeWith = (status: number, json: unknown) =>
  accountAnswering(...Array.from({ length: 2 }, () => Effect.succeed(answer(status, json)))).stripe.authorize(
    authorizeCall()
  )

/** Provider sheet, section 5. */
const declineTable = [
  ...codes("insufficient_funds", "INSUFFICIENT_FUNDS"),
  ...codes("generic_decline do_not_honor call_issuer approve_with_id no_action_taken not_permitted", "CARD_DECLINED"),
  ...codes("transaction_not_allowed service_not_allowed security_violation card_velocity_exceeded", "CARD_DECLINED"),
  ...codes("withdrawal_count_limit_exceeded restricted_card stop_payment_order invalid_amount", "CARD_DECLINED"),
  ...codes("revocation_of_authorization revocation_of_all_authorizations pin_try_exceeded", "CARD_DECLINED"),
  ...codes("new_account_information_available duplicate_transaction try_again_later", "CARD_DECLINED"),
  ...codes("do_not_try_again merchant_blacklist fraudulent lost_card stolen_card pickup_card", "CARD_DECLINED"),
  ...codes("incorrect_number invalid_number invalid_account expired_card invalid_expiry_month", "INVALID_CARD"),
  ...codes("invalid_expiry_year incorrect_cvc invalid_cvc incorrect_pin invalid_pin incorrect_zip", "INVALID_CARD"),
  ...codes("card_not_supported currency_not_supported", "CARD_DECLINED →"),
  ...codes("authentication_required payment_intent_authentication_failure", "3DS_FAILED"),
  ...codes("issuer_not_available processing_error reenter_transaction", "PROVIDER_ERROR →"),
  ...codes("testmode_decline", "PROVIDER_ERROR"),
  ...codes("a_code_of_tomorrow constructor", "CARD_DECLINED")
]
const requestTable: ReadonlyArray<readonly [number, object, string]> = [
  [402, { code: undefined }, "CARD_DECLINED"],
  [402, { message: "This payment requires an authentication action." }, "3DS_FAILED"],
  [400, { type: "invalid_request_error", code: "validation_error" }, "PROVIDER_ERROR →"],
  [401, { type: "invalid_request_error" }, "PROVIDER_ERROR →"],
  [401, { type: "authentication_error" }, "PROVIDER_ERROR →"],
  [403, { type: "invalid_request_error" }, "PROVIDER_ERROR →"],
  [404, { type: "invalid_request_error", code: "resource_missing" }, "PROVIDER_ERROR"],
  [400, { type: "invalid_request_error", code: "payment_intent_unexpected_state" }, "PROVIDER_ERROR"],
  [400, { type: "invalid_request_error", code: "parameter_unknown" }, "PROVIDER_ERROR"],
  [400, { type: "invalid_request_error", code: "amount_too_small" }, "PROVIDER_ERROR"],
  [429, { type: "invalid_request_error", code: "rate_limit" }, "PROVIDER_ERROR →"],
  [429, { type: "rate_limit_error" }, "PROVIDER_ERROR →"],
  // Nothing is certain of what is no definite error.
  [400, { type: "idempotency_error" }, "Unknown"],
  [400, { type: "an_error_of_tomorrow" }, "Unknown"],
  [400, { type: "api_error" }, "Unknown"],
  [401, { type: "api_error" }, "Unknown"],
  [429, { type: "idempotency_error" }, "Unknown"],
  [424, { type: "invalid_request_error" }, "Unknown"],
  [500, { type: "api_error" }, "Unknown"],
  [503, { type: "card_error", code: "card_declined" }, "Unknown"],
  [200, { type: "card_error", code: "card_declined" }, "Unknown"]
]

describe("an error", () => {
  for (const [code, expected] of declineTable) {
    it.effect(`${code} is ${expected}, as the issuer's code and as Stripe's own`, () =>
      Effect.gen(function* () {
        const byIssuer = errorOf({ code: "card_declined", decline_code: code })
        assert.strictEqual(inShort(yield* authorizeWith(402, byIssuer)), expected)
        assert.strictEqual(inShort(yield* authorizeWith(402, errorOf({ code }))), expected)
        const failed = intent({ status: "requires_payment_method", last_payment_error: { code } })
        const later = inShort(yield* authorizeWith(200, failed))
        if (!["a_code_of_tomorrow", "constructor"].includes(code)) assert.strictEqual(later, expected)
        assert.notStrictEqual(later, "Accepted")
      })
    )
  }
  for (const [status, error, expected] of requestTable) {
    it.effect(`${JSON.stringify(error)} with status ${status} is ${expected}`, () =>
      Effect.gen(function* () {
        assert.strictEqual(inShort(yield* authorizeWith(status, errorOf(error))), expected)
      })
    )
  }

  it.effect("shows codes and nothing of the buyer, the card or the payment's secret", () =>
    Effect.gen(function* () {
      const error = {
        code: "card_declined",
        decline_code: "generic_decline",
        message: "Card 4111111111111111 was declined.",
        param: "4111111111111111",
        payment_intent: intent({ status: "requires_payment_method" })
      }
      const outcome = yield* authorizeWith(402, errorOf(error))
      assert(outcome._tag === "Refused")
      assert.deepStrictEqual(outcome.answer, {
        responseCode: "card_declined",
        fields: {
          "error.type": "card_error",
          "error.code": "card_declined",
          "error.decline_code": "generic_decline",
          "error.payment_intent.id": intentId,
          "error.payment_intent.status": "requires_payment_method",
          "request-id": "req_of_theirs"
        }
      })
      assert.strictEqual(outcome.providerReference, intentId)
      assert.deepStrictEqual(outcome.echo, { reference, minor: 1000n, currency: "USD", last4: "1111" })
    })
  )

  it.effect("that shows the payment as taken contradicts itself", () =>
    Effect.gen(function* () {
      for (const status of ["requires_capture", "succeeded", "processing"]) {
        const error = errorOf({ code: "card_declined", payment_intent: intent({ status }) })
        assert.strictEqual((yield* authorizeWith(402, error))._tag, "Unknown")
      }
    })
  )

  it.effect("never allows another provider after the authorization, and its amount is not the step's", () =>
    Effect.gen(function* () {
      const error = errorOf({ code: "processing_error", payment_intent: intent() })
      const { stripe } = accountAnswering(Effect.succeed(answer(402, error)))
      const outcome = yield* stripe.capture(captureCall(400n))
      assert(outcome._tag === "Refused")
      assert.isFalse(outcome.mayTryAnother)
      assert.notProperty(outcome.echo, "minor")
    })
  )
})

describe("an authorization", () => {
  it.effect("is accepted for what can be captured, until the date that Stripe gives", () =>
    Effect.gen(function* () {
      const charge = { payment_method_details: { card: { last4: "1111", capture_before: 1_795_000_000 } } }
      const { stripe } = accountSaying(intent({ amount_capturable: 900, latest_charge: charge }))
      const outcome = yield* stripe.authorize(authorizeCall())
      assert(outcome._tag === "Accepted")
      assert.deepStrictEqual(outcome.echo, { reference, minor: 900n, currency: "USD", last4: "1111" })
      assert(outcome.expiresAt !== undefined)
      assert.strictEqual(DateTime.formatIso(outcome.expiresAt), "2026-11-18T11:06:40.000Z")
      const never = { payment_method_details: { card: { capture_before: Number.MAX_SAFE_INTEGER } } }
      const open = yield* accountSaying(intent({ latest_charge: never })).stripe.authorize(authorizeCall())
      assert(open._tag === "Accepted")
      assert.notProperty(open, "expiresAt")
    })
  )

  it.effect("shows what is on the list", () =>
    Effect.gen(function* () {
      const outcome = yield* accountSaying(intent()).stripe.authorize(authorizeCall())
      assert(outcome._tag === "Accepted")
      assert.deepStrictEqual(outcome.answer, {
        responseCode: "requires_capture",
        fields: {
          id: intentId,
          status: "requires_capture",
          amount: "1000",
          amount_capturable: "1000",
          amount_received: "0",
          currency: "usd",
          livemode: "false",
          "latest_charge.id": "ch_3sample",
          "latest_charge.amount_captured": "0",
          "latest_charge.amount_refunded": "0",
          "latest_charge.outcome.network_status": "approved_by_network",
          "latest_charge.outcome.risk_level": "normal",
          "latest_charge.payment_method_details.card.authorization_code": "A12345",
          "latest_charge.payment_method_details.card.brand": "visa",
          "request-id": "req_of_theirs"
        }
      })
    })
  )

  const others: ReadonlyArray<readonly [object, string]> = [
    [{ status: "succeeded" }, "Unknown"],
    [{ status: "processing" }, "Pending"],
    [{ status: "requires_confirmation" }, "Pending"],
    [{ status: "canceled" }, "CARD_DECLINED"],
    [{ status: "requires_payment_method" }, "Unknown"],
    [{ status: "a_status_of_tomorrow" }, "Unknown"],
    [{ object: "setup_intent" }, "Unknown"],
    [{ id: "ch_3sample" }, "Unknown"],
    [{ amount: "1000" }, "Unknown"],
    [{ amount_capturable: -1 }, "Unknown"],
    [{ amount_capturable: 10.5 }, "Unknown"],
    [{ amount: 1e300 }, "Unknown"],
    [{ status: null }, "Unknown"]
  ]
  for (const [changes, expected] of others) {
    it.effect(`is ${expected} with ${JSON.stringify(changes)}`, () =>
      Effect.gen(function* () {
        assert.strictEqual(inShort(yield* authorizeWith(200, intent(changes))), expected)
      })
    )
  }

  it.effect("is unknown where a byte of its answer is of another character set", () =>
    Effect.gen(function* () {
      const latin1 = Buffer.from(JSON.stringify(intent({ description: "\u00fc" })), "latin1")
      assert.strictEqual((yield* authorizeWith(200, new Uint8Array(latin1)))._tag, "Unknown")
    })
  )

  const demands: ReadonlyArray<readonly [string, ProviderResponse]> = [
    ["a redirect", answer(200, intent({ status: "requires_action", amount_capturable: 0 }))],
    [
      "a decline",
      answer(
        402,
        errorOf({
          code: "authentication_required",
          payment_intent: intent({ status: "requires_payment_method", amount_capturable: 0 })
        })
      )
    ]
  ]
  for (const [name, demand] of demands) {
    it.effect(`is refused when the issuer demands 3-D Secure by ${name}, and the payment is cancelled`, () =>
      Effect.gen(function* () {
        for (const cancellation of [
          Effect.succeed(answer(200, intent({ status: "canceled" }))),
          Effect.fail(new ConnectFailed({ reason: "refused" })),
          Effect.succeed(answer(400, errorOf({ type: "invalid_request_error" })))
        ]) {
          const { stripe, requests } = accountAnswering(Effect.succeed(demand), cancellation)
          const outcome = yield* stripe.authorize(authorizeCall())
          assert(outcome._tag === "Refused")
          assert.strictEqual(outcome.code, "3DS_FAILED")
          assert.include(outcome.detail, "is3DS true")
          assert.isFalse(outcome.mayTryAnother)
          const [, cancelling] = requests
          assert(cancelling !== undefined)
          assert.match(cancelling.url, /\/payment_intents\/pi_3sample\/cancel$/u)
          assert.strictEqual(formOf(cancelling).cancellation_reason, "abandoned")
          assert.notStrictEqual(cancelling.headers["idempotency-key"], reference)
        }
      })
    )
  }

  it.effect("does not wait for a cancellation that does not come back", () =>
    Effect.gen(function* () {
      const demand = Effect.succeed(answer(200, intent({ status: "requires_action" })))
      const { stripe } = accountAnswering(demand, Effect.never)
      const fiber = yield* Effect.forkChild(stripe.authorize(authorizeCall()))
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(inShort(yield* Fiber.join(fiber)), "3DS_FAILED")
    })
  )
})

describe("a lost answer", () => {
  const lost = Effect.fail(new NoAnswer({ reason: "reset" }))
  const accepted = Effect.succeed(answer(200, intent()))

  it.effect("is asked for once more with the same bytes under the same key", () =>
    Effect.gen(function* () {
      const spoiled = [
        lost,
        Effect.succeed(answer(500, errorOf({ type: "api_error" }))),
        Effect.succeed(answer(502, new TextEncoder().encode("<html></html>"))),
        Effect.succeed(answer(200, new TextEncoder().encode('{"id":"pi_3sam')))
      ]
      for (const first of spoiled) {
        const { stripe, requests } = accountAnswering(first, accepted)
        assert.strictEqual((yield* stripe.authorize(authorizeCall()))._tag, "Accepted")
        assert.deepStrictEqual(requests[0], requests[1])
      }
    })
  )

  it.effect("is asked for half a second later while the first request is still under way", () =>
    Effect.gen(function* () {
      const inUse = answer(409, errorOf({ type: "idempotency_error", code: "idempotency_key_in_use" }))
      const { stripe, requests } = accountAnswering(Effect.succeed(inUse), accepted)
      const fiber = yield* Effect.forkChild(stripe.authorize(authorizeCall()))
      yield* TestClock.adjust("499 millis")
      assert.lengthOf(requests, 1)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "Accepted")
    })
  )

  it.effect("stays one where only the repetition was refused, or did not get through", () =>
    Effect.gen(function* () {
      const seconds = [
        lost,
        Effect.fail(new ConnectFailed({ reason: "refused" })),
        Effect.succeed(answer(429, errorOf({ type: "invalid_request_error", code: "rate_limit" }))),
        Effect.succeed(answer(401, errorOf({ type: "invalid_request_error" }))),
        Effect.succeed(answer(400, errorOf({ type: "invalid_request_error", code: "parameter_unknown" })))
      ]
      for (const second of seconds) {
        const { stripe } = accountAnswering(lost, second)
        assert.strictEqual((yield* stripe.authorize(authorizeCall()))._tag, "Unknown")
      }
    })
  )

  it.effect("is replaced by an issuer's word, and by a refusal that Stripe repeats from its record", () =>
    Effect.gen(function* () {
      const declined = Effect.succeed(answer(402, errorOf({ code: "card_declined" })))
      const { stripe } = accountAnswering(lost, declined)
      assert.strictEqual(inShort(yield* stripe.authorize(authorizeCall())), "CARD_DECLINED")
      const refused = errorOf({ type: "invalid_request_error", code: "payment_intent_unexpected_state" })
      const repeated = Effect.succeed(answer(400, refused, { "idempotent-replayed": "true" }))
      const again = accountAnswering(lost, repeated).stripe
      assert.strictEqual(inShort(yield* again.capture(captureCall(1n))), "PROVIDER_ERROR")
    })
  )

  it.effect("is not asked for again where Stripe advises against it, or the key has served for another request", () =>
    Effect.gen(function* () {
      const firsts = [
        answer(500, errorOf({ type: "api_error" }), { "stripe-should-retry": "false" }),
        answer(400, errorOf({ type: "idempotency_error" }))
      ]
      for (const first of firsts) {
        const { stripe, requests } = accountAnswering(Effect.succeed(first))
        assert.strictEqual((yield* stripe.authorize(authorizeCall()))._tag, "Unknown")
        assert.lengthOf(requests, 1)
      }
    })
  )
})

describe("an operation", () => {
  it.effect("that captures is accepted for what was received", () =>
    Effect.gen(function* () {
      const outcome = yield* accountSaying(captured({ amount_received: 400 })).stripe.capture(captureCall(400n))
      assert(outcome._tag === "Accepted")
      assert.deepStrictEqual(outcome.echo, { reference, minor: 400n, currency: "USD", last4: "1111" })
    })
  )

  it.effect("settles nothing while its answer shows another state", () =>
    Effect.gen(function* () {
      for (const status of ["requires_capture", "canceled", "requires_action", "a_status_of_tomorrow"]) {
        const { stripe } = accountSaying(intent({ status }))
        assert.strictEqual((yield* stripe.capture(captureCall(1n)))._tag, "Unknown")
      }
      for (const status of ["requires_capture", "succeeded", "processing", "a_status_of_tomorrow"]) {
        const { stripe } = accountSaying(intent({ status }))
        assert.strictEqual((yield* stripe.cancel(operationCall(1000n)))._tag, "Unknown")
      }
      const processing = yield* accountSaying(intent({ status: "processing" })).stripe.capture(captureCall(1n))
      assert.strictEqual(processing._tag, "Pending")
    })
  )

  it.effect("settles nothing where the answer is about another payment or another kind of thing", () =>
    Effect.gen(function* () {
      const other = { id: "pi_3other" }
      assert.strictEqual((yield* accountSaying(captured(other)).stripe.capture(captureCall(1n)))._tag, "Unknown")
      const refunded = accountSaying(refund({ payment_intent: "pi_3other" })).stripe
      assert.strictEqual((yield* refunded.refund(operationCall(400n)))._tag, "Unknown")
      assert.strictEqual((yield* accountSaying(refund()).stripe.capture(captureCall(1n)))._tag, "Unknown")
      assert.strictEqual((yield* accountSaying(captured()).stripe.refund(operationCall(1n)))._tag, "Unknown")
    })
  )

  const refunds: ReadonlyArray<readonly [unknown, string]> = [
    ["succeeded", "Accepted"],
    [null, "Accepted"],
    ["pending", "Pending"],
    ["requires_action", "Pending"],
    ["failed", "PROVIDER_ERROR"],
    ["canceled", "PROVIDER_ERROR"],
    ["a_status_of_tomorrow", "Unknown"]
  ]
  for (const [status, expected] of refunds) {
    it.effect(`that refunds is ${expected} with status ${status}`, () =>
      Effect.gen(function* () {
        const outcome = yield* accountSaying(refund({ status })).stripe.refund(operationCall(400n))
        assert.strictEqual(inShort(outcome), expected)
        if (outcome._tag === "Accepted") assert.strictEqual(outcome.providerReference, "re_3sample1")
        if (outcome._tag === "Pending") assert.strictEqual(outcome.learnBy, "notification")
        if ("echo" in outcome) assert.deepStrictEqual(outcome.echo, { reference, minor: 400n, currency: "USD" })
      })
    )
  }

  it.effect("that refunds is asked about where no notification can be believed", () =>
    Effect.gen(function* () {
      const stripe = make({
        credentials: { secretKey: Redacted.make("sk_test_1") },
        transport: { send: () => Effect.succeed(answer(200, refund({ status: "pending" }))) }
      })
      const outcome = yield* stripe.refund(operationCall(400n))
      assert(outcome._tag === "Pending")
      assert.strictEqual(outcome.learnBy, "query")
    })
  )

  it.effect("is not sent while Stripe's identifier is not known", () =>
    Effect.gen(function* () {
      const searches = [
        { object: "search_result", data: [], has_more: false },
        { object: "search_result", data: [{ id: "pi_3other", metadata: { order_id: "other" } }], has_more: false }
      ]
      for (const found of searches) {
        const { stripe, requests } = accountSaying(found)
        const call = operationCall(1000n, { authorization: authorization({ providerReference: null }) })
        assert.strictEqual((yield* stripe.cancel(call))._tag, "NotSent")
        assert.lengthOf(requests, 1)
      }
    })
  )
})
