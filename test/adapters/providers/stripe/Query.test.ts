import { assert, describe, it } from "@effect/vitest"
import type { Finding } from "@sarraf/domain/payments/PaymentProvider"
import { Effect } from "effect"
import {
  accountAnswering,
  accountSaying,
  answer,
  authorization,
  captured,
  errorOf,
  intent,
  intentId,
  list,
  reference,
  refund
} from "./Sample.ts"

const inShort = (finding: Finding): string => {
  if (finding._tag !== "Found") return finding._tag
  const { capturedMinor, code, echo, refundedMinor, stage } = finding
  return [stage, capturedMinor, refundedMinor, echo.minor, code].join(" ").trim()
}

const charge = (amount_refunded: number) => ({ amount_refunded })

/** The payment, its refunds where they are asked for, and what they make of it: captured, refunded, authorized. */
const table: ReadonlyArray<readonly [string, object, ReadonlyArray<object> | undefined, string]> = [
  ["authorized", intent(), undefined, "AUTHORIZED 0 0 1000"],
  ["authorized in part", intent({ amount_capturable: 900 }), undefined, "AUTHORIZED 0 0 900"],
  ["captured", captured(), undefined, "CAPTURED 1000 0 1000"],
  [
    "captured in part, the rest shown as refunded",
    captured({ amount_received: 400, latest_charge: charge(600) }),
    [refund({ amount: 600, metadata: {} })],
    "CAPTURED 400 0 1000"
  ],
  ["refunded", captured({ latest_charge: charge(400) }), [refund()], "CAPTURED 1000 400 1000"],
  [
    "refunded twice",
    captured({ latest_charge: charge(1000) }),
    [refund({ amount: 600 }), refund()],
    "CAPTURED 1000 1000 1000"
  ],
  // It may be the one whose answer was lost: a sum without it would show that one as never taken.
  ["under refund", captured({ latest_charge: charge(400) }), [refund({ status: "pending" })], "CAPTURED 1000  1000"],
  [
    "refunded once, and under another refund",
    captured({ latest_charge: charge(800) }),
    [refund({ status: "requires_action" }), refund()],
    "CAPTURED 1000  1000"
  ],
  [
    "refunded, and under refund by others",
    captured({ latest_charge: charge(405) }),
    [refund(), refund({ status: "pending", metadata: null })],
    "CAPTURED 1000 400 1000"
  ],
  [
    "failed to refund",
    captured({ latest_charge: charge(400) }),
    [refund({ status: "failed" })],
    "CAPTURED 1000 0 1000"
  ],
  ["refunded by others", captured({ latest_charge: charge(5) }), [refund({ metadata: null })], "CAPTURED 1000 0 1000"],
  ["captured, the charge not told", captured({ latest_charge: "ch_1" }), [], "CAPTURED 1000 0 1000"],
  ["captured, the sum not told", captured({ amount_received: null }), undefined, "CAPTURED  0 1000"],
  [
    "cancelled, shown as refunded",
    intent({ status: "canceled", latest_charge: charge(1000) }),
    undefined,
    "VOIDED 0 0 1000"
  ],
  ["expired", intent({ status: "canceled", cancellation_reason: "automatic" }), undefined, "VOIDED 0 0 1000"],
  [
    "cancelled by us for want of 3-D Secure",
    intent({ status: "canceled", cancellation_reason: "abandoned" }),
    undefined,
    "DECLINED 0 0 1000 3DS_FAILED"
  ],
  [
    "cancelled by us after a decline",
    intent({
      status: "canceled",
      cancellation_reason: "abandoned",
      last_payment_error: { code: "card_declined", decline_code: "insufficient_funds" }
    }),
    undefined,
    "DECLINED 0 0 1000 INSUFFICIENT_FUNDS"
  ],
  ["waiting for the buyer", intent({ status: "requires_action" }), undefined, "ACTION_REQUIRED 0 0 1000"],
  ["under way", intent({ status: "processing" }), undefined, "PENDING 0 0 1000"],
  ["not confirmed", intent({ status: "requires_confirmation" }), undefined, "PENDING 0 0 1000"],
  [
    "declined",
    intent({
      status: "requires_payment_method",
      last_payment_error: { type: "card_error", code: "card_declined", decline_code: "insufficient_funds" }
    }),
    undefined,
    "DECLINED 0 0 1000 INSUFFICIENT_FUNDS"
  ],
  ["without a word yet", intent({ status: "requires_payment_method" }), undefined, "PENDING 0 0 1000"],
  ["of an unknown status", intent({ status: "a_status_of_tomorrow" }), undefined, "Unanswered"],
  ["another one", intent({ id: "pi_3other" }), undefined, "Unanswered"],
  ["not one", refund(), undefined, "Unanswered"]
]

describe("a payment", () => {
  for (const [name, payment, refunds, expected] of table) {
    it.effect(`that is ${name} is found as ${expected}`, () =>
      Effect.gen(function* () {
        const { stripe } = accountSaying(payment, ...(refunds === undefined ? [] : [list(...refunds)]))
        assert.strictEqual(inShort(yield* stripe.query(authorization())), expected)
      })
    )
  }

  it.effect("is found with reference, currency and the card's last four", () =>
    Effect.gen(function* () {
      const finding = yield* accountSaying(captured()).stripe.query(authorization())
      assert(finding._tag === "Found")
      assert.deepStrictEqual(finding.echo, { reference, minor: 1000n, currency: "USD", last4: "1111" })
      assert.strictEqual(finding.providerReference, intentId)
      assert.isNull(finding.settled)
    })
  )

  it.effect("has no known sum of refunds where the list goes on, and no answer where it cannot be had", () =>
    Effect.gen(function* () {
      const some = captured({ latest_charge: charge(400) })
      const more = yield* accountSaying(some, { ...list(refund()), has_more: true }).stripe.query(authorization())
      assert.strictEqual(inShort(more), "CAPTURED 1000  1000")
      assert.strictEqual(inShort(yield* accountSaying(some, intent()).stripe.query(authorization())), "Unanswered")
      const refused = answer(429, errorOf({ type: "invalid_request_error" }))
      const { stripe } = accountAnswering(Effect.succeed(answer(200, some)), Effect.succeed(refused))
      assert.strictEqual(inShort(yield* stripe.query(authorization())), "Unanswered")
    })
  )

  it.effect("that Stripe once named and does not know now is no proof of absence", () =>
    Effect.gen(function* () {
      const missing = answer(404, errorOf({ type: "invalid_request_error", code: "resource_missing" }))
      const { stripe } = accountAnswering(Effect.succeed(missing))
      assert.strictEqual(inShort(yield* stripe.query(authorization())), "Unanswered")
    })
  )
})

describe("a search by our reference", () => {
  const asked = authorization({ providerReference: null })
  const match = { id: intentId, metadata: { order_id: reference } }

  it.effect("leads to the payment itself, since what it shows may be out of date", () =>
    Effect.gen(function* () {
      const stale = { ...intent({ status: "processing" }), ...match }
      const finding = yield* accountSaying(list(stale), captured()).stripe.query(asked)
      assert.strictEqual(inShort(finding), "CAPTURED 1000 0 1000")
    })
  )

  it.effect("that finds nothing is an absence", () =>
    Effect.gen(function* () {
      assert.strictEqual(inShort(yield* accountSaying(list()).stripe.query(asked)), "Absent")
    })
  )

  const others: Readonly<Record<string, unknown>> = {
    "two payments": list(match, { ...match, id: "pi_3other" }),
    "another reference": list({ id: intentId, metadata: { order_id: `${reference}0` } }),
    "no reference": list({ id: intentId, metadata: {} }),
    "more on other pages": { ...list(match), has_more: true },
    "nothing on this page, and more": { ...list(), has_more: true },
    "no list": { object: "search_result" },
    "another kind of thing": list({ id: "ch_1", metadata: { order_id: reference } })
  }
  for (const [name, found] of Object.entries(others)) {
    it.effect(`that finds ${name} is no answer`, () =>
      Effect.gen(function* () {
        assert.strictEqual(inShort(yield* accountSaying(found).stripe.query(asked)), "Unanswered")
      })
    )
  }

  it.effect("that is refused is no answer", () =>
    Effect.gen(function* () {
      for (const status of [401, 403, 404, 429, 500]) {
        const refused = Effect.succeed(answer(status, errorOf({ type: "invalid_request_error" })))
        assert.strictEqual(inShort(yield* accountAnswering(refused).stripe.query(asked)), "Unanswered")
      }
    })
  )
})
