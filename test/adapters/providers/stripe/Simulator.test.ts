import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { good, manual, open, purchase } from "./SimulatedStripe.ts"

const secondsOf = (text: string) => DateTime.makeUnsafe(text).epochMilliseconds / 1000

describe("the simulated Stripe takes a payment", () => {
  it.effect("in the wire's words", () =>
    Effect.gen(function* () {
      const { post } = yield* open()
      const made = yield* post("payment_intents", good, "key-1")
      assert.strictEqual(made.status, 200)
      assert.match(`${made.at("id")}`, /^pi_3\w{23}$/u)
      assert.match(`${made.headers["request-id"]}`, /^req_\w{14}$/u)
      assert.strictEqual(made.headers["idempotency-key"], "key-1")
      const expected: ReadonlyArray<readonly [ReadonlyArray<string>, unknown]> = [
        [["object"], "payment_intent"],
        [["status"], "requires_capture"],
        [["amount"], 2000],
        [["amount_capturable"], 2000],
        [["amount_received"], 0],
        [["currency"], "usd"],
        [["livemode"], false],
        [["metadata", "order_id"], "A-1"],
        [["latest_charge", "payment_method_details", "card", "last4"], "4242"],
        [["latest_charge", "payment_method_details", "card", "brand"], "visa"],
        [["latest_charge", "payment_method_details", "card", "capture_before"], secondsOf("2026-11-28T09:00:00Z")],
        [["latest_charge", "captured"], false]
      ]
      for (const [path, value] of expected) assert.deepStrictEqual(made.at(...path), value, path.join("."))
    })
  )

  it.effect("with encoded names and plus signs as with bare ones", () =>
    Effect.gen(function* () {
      const { post } = yield* open()
      const encoded = purchase("4242424242424242", "&description=two+words%20more").replaceAll("[", "%5B")
      const made = yield* post("payment_intents", encoded)
      assert.strictEqual(made.at("description"), "two words more")
      assert.strictEqual(made.at("status"), "succeeded")
      assert.strictEqual(made.at("latest_charge"), `ch_${`${made.at("id")}`.slice(3)}`)
    })
  )

  it.effect("created first and confirmed later, once", () =>
    Effect.gen(function* () {
      const { post } = yield* open()
      const made = yield* post("payment_intents", good.replace("confirm=true", "confirm=false"))
      assert.strictEqual(made.at("status"), "requires_confirmation")
      const path = `payment_intents/${made.at("id")}/confirm`
      assert.strictEqual((yield* post(path, "")).at("status"), "requires_capture")
      assert.strictEqual((yield* post(path, "")).at("error", "code"), "payment_intent_unexpected_state")
    })
  )

  it.effect("and waits for the buyer only where 3-D Secure was asked for", () =>
    Effect.gen(function* () {
      const { post } = yield* open()
      for (const number of ["4000000000003220", "4000000000003063", "4000008400001629"]) {
        assert.strictEqual((yield* post("payment_intents", purchase(number))).at("status"), "succeeded")
      }
      const wish = "&payment_method_options[card][request_three_d_secure]=any"
      const hosted = yield* post("payment_intents", purchase("4000000000003220", `${wish}&return_url=https://x.test/`))
      assert.strictEqual(hosted.at("status"), "requires_action")
      assert.strictEqual(hosted.at("next_action", "redirect_to_url", "return_url"), "https://x.test/")
      const bare = yield* post("payment_intents", purchase("4000000000003220", wish))
      assert.strictEqual(bare.at("next_action", "type"), "use_stripe_sdk")
    })
  )

  const declines: ReadonlyArray<readonly [string, string, string]> = [
    ["4000000000000002", "card_declined", "generic_decline"],
    ["4000000000009995", "card_declined", "insufficient_funds"],
    ["4000000000000069", "expired_card", "expired_card"],
    ["4000000000000119", "processing_error", "processing_error"],
    ["9792030000000000", "card_declined", "card_not_supported"]
  ]
  for (const [number, code, declineCode] of declines) {
    it.effect(`or declines ${number} with ${declineCode} and the payment beside it`, () =>
      Effect.gen(function* () {
        const { get, post } = yield* open()
        const refused = yield* post("payment_intents", purchase(number, manual))
        assert.strictEqual(refused.status, 402)
        assert.strictEqual(refused.at("error", "type"), "card_error")
        assert.strictEqual(refused.at("error", "code"), code)
        assert.strictEqual(refused.at("error", "decline_code"), declineCode)
        assert.strictEqual(refused.at("error", "payment_intent", "status"), "requires_payment_method")
        assert.strictEqual(refused.at("error", "payment_intent", "latest_charge", "paid"), false)
        const found = yield* get(`payment_intents/${refused.at("error", "payment_intent", "id")}`)
        assert.strictEqual(found.at("last_payment_error", "code"), code)
      })
    )
  }
})

describe("the simulated Stripe refuses", () => {
  const requests: ReadonlyArray<readonly [string, string, number, string]> = [
    ["a wrong check digit", purchase("4242424242424241"), 402, "incorrect_number"],
    ["letters in the number", purchase("4242x"), 402, "incorrect_number"],
    ["a month that is none", good.replace("=03", "=13"), 402, "invalid_expiry_month"],
    ["a month that is over", good.replace("=03", "=10").replace("2030", "2026"), 402, "invalid_expiry_month"],
    ["a year that is over", good.replace("2030", "2025"), 402, "invalid_expiry_year"],
    ["a year of two digits", good.replace("2030", "30"), 402, "invalid_expiry_year"],
    ["a short security code", good.replace("737", "73"), 402, "invalid_cvc"],
    ["a card that is missing", "amount=2000&currency=usd", 400, "parameter_missing"],
    ["no amount", good.replace("amount=2000&", ""), 400, "parameter_missing"],
    ["an amount with a point", good.replace("2000", "20.00"), 400, "parameter_invalid_integer"],
    ["nothing", good.replace("2000", "0"), 400, "parameter_invalid_integer"],
    ["too little", good.replace("2000", "49"), 400, "amount_too_small"],
    ["too much", good.replace("2000", "100000000"), 400, "amount_too_large"],
    ["a field that it does not know", `${good}&payment_method_data[card][holder]=x`, 400, "parameter_unknown"]
  ]
  for (const [name, form, status, code] of requests) {
    it.effect(`${name} before anything is on record`, () =>
      Effect.gen(function* () {
        const { get, post } = yield* open()
        const refused = yield* post("payment_intents", form, "key-1")
        assert.deepStrictEqual([refused.status, refused.at("error", "code")], [status, code])
        const search = yield* get(`payment_intents/search?query=${encodeURIComponent("metadata['order_id']:'A-1'")}`)
        assert.deepStrictEqual(search.at("data"), [])
        assert.strictEqual((yield* post("payment_intents", good, "key-1")).status, 200)
      })
    )
  }

  it.effect("other currencies, types, booleans and forms that are none", () =>
    Effect.gen(function* () {
      const { post } = yield* open()
      const forms = [
        good.replace("usd", "xxx"),
        good.replace("capture_method=manual", "capture_method=later"),
        good.replace("confirm=true", "confirm=yes"),
        good.replace("types[0]=card", "types[0]=sofort"),
        "amount=%zz",
        "amount"
      ]
      for (const form of forms) {
        const refused = yield* post("payment_intents", form)
        assert.deepStrictEqual([refused.status, refused.at("error", "type")], [400, "invalid_request_error"])
      }
    })
  )

  it.effect("callers without its key, addresses that it does not have, and bodies that are no form", () =>
    Effect.gen(function* () {
      const { ask } = yield* open()
      const basic = { authorization: `Basic ${btoa("sk_test_sarrafsandbox:")}` }
      assert.strictEqual((yield* ask("POST", "payment_intents", good, basic)).status, 200)
      for (const authorization of ["", "Bearer sk_test_other", "Basic c2s6", "bearer sk_test_sarrafsandbox"]) {
        assert.strictEqual((yield* ask("POST", "payment_intents", good, { authorization })).status, 401)
      }
      assert.strictEqual((yield* ask("GET", "charges")).status, 404)
      assert.strictEqual((yield* ask("POST", "payment_intents/pi_1", "")).status, 404)
      const json = { "content-type": "application/json" }
      assert.strictEqual((yield* ask("POST", "payment_intents", "{}", json)).status, 400)
      assert.strictEqual((yield* ask("POST", "payment_intents", good, { "stripe-version": "v1" })).status, 400)
      const key = { "idempotency-key": "k".repeat(256) }
      assert.strictEqual((yield* ask("POST", "payment_intents", good, key)).status, 400)
    })
  )

  it.effect("payments and refunds that it does not know", () =>
    Effect.gen(function* () {
      const { get, post } = yield* open()
      for (const answer of [
        yield* get("payment_intents/pi_unknown"),
        yield* get("refunds/re_3000000000000000000000001"),
        yield* post("payment_intents/pi_unknown/capture", ""),
        yield* post("refunds", "payment_intent=pi_unknown")
      ]) {
        assert.deepStrictEqual([answer.status, answer.at("error", "code")], [404, "resource_missing"])
      }
      assert.strictEqual((yield* post("refunds", "amount=5")).at("error", "code"), "parameter_missing")
    })
  )
})

describe("the simulated Stripe keeps the sums", () => {
  const refusalOf = (answer: { readonly at: (...path: ReadonlyArray<string>) => unknown }) =>
    answer.at("error", "code") ?? answer.at("error", "param")

  it.effect("of one capture, up to the authorization, and shows the rest as refunded", () =>
    Effect.gen(function* () {
      const { create, get, post } = yield* open()
      const id = yield* create
      assert.strictEqual(
        refusalOf(yield* post(`payment_intents/${id}/capture`, "amount_to_capture=2001")),
        "amount_to_capture"
      )
      assert.strictEqual(
        refusalOf(yield* post(`payment_intents/${id}/capture`, "final_capture=false")),
        "parameter_invalid_integer"
      )
      const part = yield* post(`payment_intents/${id}/capture`, "amount_to_capture=1500&expand[0]=latest_charge")
      assert.deepStrictEqual(
        [part.at("status"), part.at("amount_received"), part.at("amount_capturable")],
        ["succeeded", 1500, 0]
      )
      assert.strictEqual(part.at("latest_charge", "amount_refunded"), 500)
      for (const step of ["capture", "cancel"]) {
        assert.strictEqual(
          refusalOf(yield* post(`payment_intents/${id}/${step}`, "")),
          "payment_intent_unexpected_state"
        )
      }
      assert.strictEqual((yield* get(`payment_intents/${id}`)).at("amount_received"), 1500)
    })
  )

  it.effect("of refunds, up to the capture, each of which it can be asked for", () =>
    Effect.gen(function* () {
      const { create, get, post } = yield* open()
      const id = yield* create
      const refund = (more: string) => post("refunds", `payment_intent=${id}${more}`)
      assert.strictEqual(refusalOf(yield* refund("")), "payment_intent_unexpected_state")
      yield* post(`payment_intents/${id}/capture`, "amount_to_capture=1500")
      assert.strictEqual(refusalOf(yield* refund("&amount=0")), "parameter_invalid_integer")
      assert.strictEqual(refusalOf(yield* refund("&amount=1501")), "amount")
      const first = yield* refund("&amount=600&reason=duplicate&metadata[order_id]=A-1")
      assert.deepStrictEqual([first.at("object"), first.at("amount"), first.at("status")], ["refund", 600, "succeeded"])
      assert.strictEqual(refusalOf(yield* refund("&amount=901")), "amount")
      assert.strictEqual((yield* refund("")).at("amount"), 900)
      assert.strictEqual(refusalOf(yield* refund("")), "charge_already_refunded")
      assert.strictEqual((yield* get(`refunds/${first.at("id")}`)).at("metadata", "order_id"), "A-1")
      const list = yield* get(`refunds?payment_intent=${id}&limit=2`)
      assert.deepStrictEqual([list.at("data", 0, "amount"), list.at("data", 1, "amount")], [900, 600])
      assert.strictEqual(list.at("has_more"), true)
    })
  )

  it.effect("of a cancellation, which it shows as refunded, and after which nothing is captured or refunded", () =>
    Effect.gen(function* () {
      const { create, get, post } = yield* open()
      const id = yield* create
      assert.strictEqual(
        refusalOf(yield* post(`payment_intents/${id}/cancel`, "cancellation_reason=x")),
        "cancellation_reason"
      )
      const gone = yield* post(`payment_intents/${id}/cancel`, "cancellation_reason=requested_by_customer")
      assert.deepStrictEqual([gone.at("status"), gone.at("amount_capturable")], ["canceled", 0])
      const shown = yield* get(`payment_intents/${id}?expand[0]=latest_charge`)
      assert.strictEqual(shown.at("latest_charge", "amount_refunded"), 2000)
      for (const path of [`payment_intents/${id}/capture`, `payment_intents/${id}/cancel`]) {
        assert.strictEqual(refusalOf(yield* post(path, "")), "payment_intent_unexpected_state")
      }
      assert.strictEqual(refusalOf(yield* post("refunds", `payment_intent=${id}`)), "payment_intent_unexpected_state")
    })
  )

  it.effect("of an authorization for seven days", () =>
    Effect.gen(function* () {
      const { create, get, post } = yield* open()
      const id = yield* create
      yield* TestClock.adjust("604799 seconds")
      assert.strictEqual((yield* get(`payment_intents/${id}`)).at("status"), "requires_capture")
      yield* TestClock.adjust("1 seconds")
      const late = yield* post(`payment_intents/${id}/capture`, "")
      assert.strictEqual(late.at("error", "code"), "payment_intent_unexpected_state")
      assert.strictEqual((yield* get(`payment_intents/${id}`)).at("cancellation_reason"), "automatic")
    })
  )
})
