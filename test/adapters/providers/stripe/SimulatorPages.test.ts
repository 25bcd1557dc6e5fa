import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { pagesUrl } from "./Sample.ts"
import { manual, open, purchase } from "./SimulatedStripe.ts"

const wish = "&payment_method_options[card][request_three_d_secure]=any&return_url=https://shop.test/back?order=1"

/** A payment of 20.00 USD that waits for its buyer. */
const challenged = Effect.fnUntraced(function* (number = "4000000000003220") {
  const stripe = yield* open()
  const made = yield* stripe.post("payment_intents", purchase(number, `${manual}${wish}`))
  assert.strictEqual(made.at("status"), "requires_action")
  return { ...stripe, id: `${made.at("id")}`, url: `${made.at("next_action", "redirect_to_url", "url")}` }
})

describe("the issuer's page of the simulated Stripe", () => {
  it.effect("asks for a code, and leads an authenticated buyer back to an authorized payment", () =>
    Effect.gen(function* () {
      const { browser, events, get, id, url } = yield* challenged()
      assert.strictEqual(url, `${pagesUrl}/issuer/${id}`)
      const page = yield* browser("GET", url)
      assert.strictEqual(page.status, 200)
      for (const word of ["20.00 USD", "3220"]) assert.include(page.text, word)
      assert.notInclude(page.text, "4000000000003220")
      const gone = yield* browser("POST", url, "code=123456")
      assert.strictEqual(gone.status, 303)
      const back = new URL(gone.headers.location ?? "")
      assert.strictEqual(back.origin + back.pathname, "https://shop.test/back")
      assert.deepStrictEqual(Object.fromEntries(back.searchParams), {
        order: "1",
        payment_intent: id,
        payment_intent_client_secret: `${id}_secret_simulated`
      })
      const after = yield* get(`payment_intents/${id}?expand[0]=latest_charge`)
      assert.strictEqual(after.at("status"), "requires_capture")
      assert.strictEqual(after.at("next_action"), null)
      const result = after.at("latest_charge", "payment_method_details", "card", "three_d_secure", "result")
      assert.strictEqual(result, "authenticated")
      assert.deepStrictEqual(
        events().map(({ at }) => at("type")),
        ["payment_intent.amount_capturable_updated"]
      )
    })
  )

  it.effect("is used once: afterwards it only leads back", () =>
    Effect.gen(function* () {
      const { browser, get, id, url } = yield* challenged()
      yield* browser("POST", url, "cancel=1")
      for (const again of [yield* browser("GET", url), yield* browser("POST", url, "code=123456")]) {
        assert.strictEqual(again.status, 303)
      }
      assert.strictEqual((yield* get(`payment_intents/${id}`)).at("status"), "requires_payment_method")
    })
  )

  for (const [name, forms] of [
    ["cancelled", ["cancel=1"]],
    ["wrong three times", ["code=1", "code=2", "code=3"]]
  ] as const) {
    it.effect(`fails a buyer whose answer is ${name}, and no money is asked for`, () =>
      Effect.gen(function* () {
        const { browser, events, get, id, url } = yield* challenged()
        for (const [place, form] of forms.entries()) {
          const { status, text } = yield* browser("POST", url, form)
          const isLast = place === forms.length - 1
          assert.strictEqual(status, isLast ? 303 : 200)
          if (!isLast) assert.include(text, "not right")
        }
        const after = yield* get(`payment_intents/${id}?expand[0]=latest_charge`)
        assert.strictEqual(after.at("status"), "requires_payment_method")
        assert.strictEqual(after.at("last_payment_error", "code"), "payment_intent_authentication_failure")
        assert.strictEqual(after.at("latest_charge"), null)
        assert.deepStrictEqual(
          events().map(({ at }) => at("type")),
          ["payment_intent.payment_failed"]
        )
      })
    )
  }

  it.effect("lets the issuer decline an authenticated buyer", () =>
    Effect.gen(function* () {
      const { browser, get, id, url } = yield* challenged("4000000000009995")
      yield* browser("POST", url, "code=123 456")
      const after = yield* get(`payment_intents/${id}?expand[0]=latest_charge`)
      assert.strictEqual(after.at("last_payment_error", "decline_code"), "insufficient_funds")
      assert.strictEqual(after.at("latest_charge", "paid"), false)
    })
  )

  it.effect("is over for a payment that was cancelled meanwhile", () =>
    Effect.gen(function* () {
      const { browser, get, id, post, url } = yield* challenged()
      assert.strictEqual((yield* post(`payment_intents/${id}/cancel`, "")).at("status"), "canceled")
      assert.strictEqual((yield* browser("POST", url, "code=123456")).status, 303)
      const after = yield* get(`payment_intents/${id}?expand[0]=latest_charge`)
      assert.deepStrictEqual([after.at("status"), after.at("latest_charge")], ["canceled", null])
    })
  )

  it.effect("is not there for payments that it does not know, nor at other addresses", () =>
    Effect.gen(function* () {
      const { browser } = yield* open()
      for (const path of ["issuer/pi_unknown", "issuer/", "issuer/pi_1/x", "v1/payment_intents"]) {
        assert.strictEqual((yield* browser("GET", `${pagesUrl}/${path}`)).status, 404)
      }
    })
  )
})

describe("an issuer that needs no page", () => {
  it.effect("lets a buyer through at once, or fails them", () =>
    Effect.gen(function* () {
      const { post } = yield* open()
      const through = yield* post("payment_intents", purchase("4000000000003063", `${manual}${wish}`))
      assert.strictEqual(through.at("status"), "requires_capture")
      const card = ["latest_charge", "payment_method_details", "card"]
      assert.strictEqual(through.at(...card, "three_d_secure", "authentication_flow"), "frictionless")
      const failed = yield* post("payment_intents", purchase("4000008400001629", `${manual}${wish}`))
      assert.deepStrictEqual(
        [failed.status, failed.at("error", "type"), failed.at("error", "code")],
        [402, "invalid_request_error", "payment_intent_authentication_failure"]
      )
      assert.strictEqual(failed.at("error", "payment_intent", "status"), "requires_payment_method")
    })
  )
})
