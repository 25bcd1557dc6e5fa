import { createHmac } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { make } from "@sarraf/adapters/providers/stripe/Adapter"
import type { NotificationReading, NotifiedWord } from "@sarraf/domain/payments/Notification"
import { DateTime, Effect, Redacted } from "effect"
import { inShort } from "../inShort.ts"
import { captured, intent, intentId, reference, refund } from "./Sample.ts"

const secret = "whsec_of_ours"
const accountWith = (webhookSecret?: string) =>
  make({
    credentials: {
      secretKey: Redacted.make("sk_test_1"),
      ...(webhookSecret === undefined ? {} : { webhookSecret: Redacted.make(webhookSecret) })
    },
    transport: { send: () => Effect.die("Reading a notification sends nothing.") }
  })
const stripe = accountWith(secret)

const utf8 = new TextEncoder()
const hmac = (key: string, text: string) => createHmac("sha256", key).update(text).digest("hex")
/** Provider sheet, section 3. */
const signed = (text: string, key = secret, t = "1795000000") => `t=${t},v1=${hmac(key, `${t}.${text}`)}`

const readRaw = (text: string, header: string | undefined, provider = stripe): NotificationReading => {
  const headers = header === undefined ? {} : { "stripe-signature": header }
  const reading = provider.readNotification?.({ headers, query: {}, body: utf8.encode(text) })
  assert(reading !== undefined)
  return reading
}

const eventOf = (type: string, object: unknown, changes: object = {}) =>
  JSON.stringify({
    id: "evt_3sample",
    object: "event",
    api_version: "2022-11-15",
    created: 1_795_000_000,
    data: { object },
    livemode: false,
    pending_webhooks: 1,
    request: { id: "req_of_theirs", idempotency_key: reference },
    type,
    ...changes
  })

const read = (type: string, object: unknown, changes: object = {}) => {
  const text = eventOf(type, object, changes)
  return readRaw(text, signed(text))
}

const itemsOf = (reading: NotificationReading) => {
  assert.strictEqual(reading._tag, "Verified")
  return "items" in reading ? reading.items : []
}

const charge = (changes: object = {}) => ({
  id: "ch_3sample",
  object: "charge",
  amount: 1000,
  amount_captured: 0,
  captured: false,
  currency: "usd",
  metadata: { order_id: reference },
  payment_intent: intentId,
  payment_method_details: { card: { last4: "1111", capture_before: 1_795_604_800 } },
  status: "succeeded",
  ...changes
})
const dispute = (changes: object = {}) => ({
  id: "dp_3sample",
  object: "dispute",
  amount: 1013,
  charge: "ch_3sample",
  currency: "usd",
  metadata: {},
  payment_intent: intentId,
  reason: "fraudulent",
  status: "needs_response",
  ...changes
})

describe("a signature", () => {
  const text = eventOf("payment_intent.succeeded", captured())
  const good = signed(text)

  it("of Stripe's is taken, also beside others, in any order, and whatever the time", () => {
    const [, v1 = ""] = good.split(",")
    for (const header of [
      good,
      `t=1795000000,v1=${"0".repeat(64)},${v1}`,
      `t=1795000000,${v1},v0=${"0".repeat(64)}`,
      `${v1},t=1795000000`,
      `t=1795000000, ${v1}`,
      signed(text, secret, "1")
    ]) {
      assert.strictEqual(readRaw(text, header)._tag, "Verified", header)
    }
  })

  it("holds for a vector computed apart from the adapter", () => {
    // printf '1795000000.{}' | openssl dgst -sha256 -hmac whsec_of_ours
    const header = "t=1795000000,v1=4a647b9d8d14239e91c39a2228371ac176cd489c1d73328d8c59cdea81dabf61"
    assert.deepStrictEqual(readRaw("{}", header), { _tag: "Verified", items: [] })
  })

  const forged: Readonly<Record<string, string | undefined>> = {
    "that is missing": undefined,
    "that is empty": "",
    "without a timestamp": `v1=${hmac(secret, `.${text}`)}`,
    "with two timestamps": `t=1795000000,${good}`,
    "with a timestamp that is no number": signed(text, secret, "now"),
    "of another time": good.replace("t=1795000000", "t=1795000001"),
    "of another secret": signed(text, "whsec_of_theirs"),
    "of the body alone": `t=1795000000,v1=${hmac(secret, text)}`,
    "in capital letters": good.replace(/v1=.*/u, (value) => `v1=${value.slice(3).toUpperCase()}`),
    "that is cut short": good.slice(0, -2),
    "of the fake scheme alone": good.replace("v1=", "v0="),
    "that is no hexadecimal": `t=1795000000,v1=${"z".repeat(64)}`
  }
  for (const [name, header] of Object.entries(forged)) {
    it(`${name} is forged`, () => {
      assert.strictEqual(readRaw(text, header)._tag, "Forged")
    })
  }

  it("does not cover an altered byte", () => {
    assert.strictEqual(readRaw(text.replace("1000", "1001"), good)._tag, "Forged")
    assert.strictEqual(readRaw(`${text} `, good)._tag, "Forged")
  })

  it("counts for nothing where the account has no secret", () => {
    assert.strictEqual(readRaw(text, good, accountWith())._tag, "Forged")
    assert.strictEqual(readRaw(text, signed(text, ""), accountWith())._tag, "Forged")
  })
})

describe("an event", () => {
  it("has its own identifier, however often it comes, and the attempt's reference", () => {
    const [first] = itemsOf(read("payment_intent.succeeded", captured()))
    const [again] = itemsOf(read("payment_intent.succeeded", captured()))
    assert.deepStrictEqual(first, again)
    assert.strictEqual(first?.id, "evt_3sample")
    assert.strictEqual(first?.reference, reference)
  })

  const wordInShort = (word: NotifiedWord | undefined): string => {
    switch (word?._tag) {
      case "Authorization":
        return `Authorization ${inShort(word.outcome)}`
      case "Operation":
        return `${word.type} ${word.status} ${word.minor} ${word.currency} ${word.providerReference}`
      case "Dispute":
        return `Dispute ${word.minor} ${word.currency}`
      default:
        return word?._tag ?? "nothing"
    }
  }
  const failed = (code: string) =>
    intent({ status: "requires_payment_method", last_payment_error: { type: "card_error", code } })
  const cancelled = (cancellation_reason: string, changes: object = {}) =>
    intent({ status: "canceled", amount_capturable: 0, cancellation_reason, ...changes })

  const table: ReadonlyArray<readonly [string, object, string]> = [
    ["payment_intent.created", intent({ status: "requires_payment_method" }), "nothing"],
    ["payment_intent.requires_action", intent({ status: "requires_action" }), "nothing"],
    ["payment_intent.processing", intent({ status: "processing" }), "nothing"],
    ["payment_intent.amount_capturable_updated", intent(), "Authorization Accepted"],
    ["payment_intent.amount_capturable_updated", captured(), "nothing"],
    ["payment_intent.payment_failed", failed("card_declined"), "Authorization CARD_DECLINED"],
    ["payment_intent.payment_failed", failed("processing_error"), "Authorization PROVIDER_ERROR"],
    ["payment_intent.payment_failed", failed("payment_intent_authentication_failure"), "Authorization 3DS_FAILED"],
    ["payment_intent.payment_failed", intent({ status: "requires_payment_method" }), "nothing"],
    ["payment_intent.canceled", cancelled("requested_by_customer"), `VOID SUCCEEDED 1000 USD ${intentId}`],
    ["payment_intent.canceled", cancelled("automatic"), `VOID SUCCEEDED 1000 USD ${intentId}`],
    ["payment_intent.canceled", cancelled("abandoned"), "Authorization 3DS_FAILED"],
    [
      "payment_intent.canceled",
      cancelled("abandoned", { last_payment_error: { code: "expired_card" } }),
      "Authorization INVALID_CARD"
    ],
    ["payment_intent.succeeded", captured({ amount_received: 400 }), `CAPTURE SUCCEEDED 400 USD ${intentId}`],
    ["payment_intent.of_tomorrow", intent(), "nothing"],
    ["charge.succeeded", charge(), "Authorization Accepted"],
    ["charge.succeeded", charge({ captured: true }), "nothing"],
    ["charge.captured", charge({ captured: true, amount_captured: 400 }), `CAPTURE SUCCEEDED 400 USD ${intentId}`],
    ["charge.captured", charge({ captured: true, payment_intent: null }), "nothing"],
    ["charge.refunded", charge({ captured: true }), "Ask"],
    ["charge.expired", charge(), "Ask"],
    ["charge.failed", charge({ status: "failed" }), "nothing"],
    ["refund.created", refund({ status: "pending" }), "nothing"],
    ["refund.created", refund(), "REFUND SUCCEEDED 400 USD re_3sample1"],
    ["refund.updated", refund(), "REFUND SUCCEEDED 400 USD re_3sample1"],
    ["refund.updated", refund({ status: "requires_action" }), "nothing"],
    ["refund.failed", refund({ status: "failed" }), "REFUND FAILED 400 USD re_3sample1"],
    ["charge.refund.updated", refund({ status: "failed" }), "REFUND FAILED 400 USD re_3sample1"],
    ["charge.refund.updated", refund({ status: "canceled" }), "REFUND FAILED 400 USD re_3sample1"],
    ["charge.refund.updated", refund({ status: null }), "REFUND SUCCEEDED 400 USD re_3sample1"],
    ["charge.refund.updated", refund({ status: "of_tomorrow" }), "nothing"],
    ["charge.dispute.created", dispute(), "Dispute 1013 USD"],
    ["charge.dispute.updated", dispute({ status: "under_review" }), "Dispute 1013 USD"],
    ["charge.dispute.funds_withdrawn", dispute(), "Dispute 1013 USD"],
    ["charge.dispute.closed", dispute({ status: "lost" }), "Dispute 1013 USD"],
    ["charge.dispute.closed", dispute({ status: "won" }), "Dispute 0 USD"],
    ["charge.dispute.funds_reinstated", dispute({ status: "won" }), "Dispute 0 USD"],
    ["charge.dispute.created", dispute({ status: "warning_needs_response" }), "nothing"],
    ["charge.dispute.closed", dispute({ status: "warning_closed" }), "nothing"],
    ["charge.dispute.created", dispute({ status: "constructor" }), "nothing"],
    ["charge.dispute.created", dispute({ payment_intent: null }), "nothing"],
    ["customer.created", { id: "cus_1", object: "customer" }, "nothing"],
    ["payment_intent.succeeded", refund(), "nothing"],
    ["refund.failed", intent(), "nothing"],
    ["charge.captured", intent(), "nothing"],
    ["charge.dispute.created", charge(), "nothing"]
  ]
  for (const [type, object, expected] of table) {
    it(`${type} with ${"status" in object ? object.status : "no status"} says ${expected}`, () => {
      const items = itemsOf(read(type, object))
      assert.isAtMost(items.length, 1)
      assert.strictEqual(wordInShort(items[0]?.word), expected)
    })
  }

  it("of an authorization tells what the answer to it tells", () => {
    const [item] = itemsOf(read("charge.succeeded", charge()))
    assert(item?.word._tag === "Authorization" && item.word.outcome._tag === "Accepted")
    const { echo, expiresAt, providerReference } = item.word.outcome
    assert.deepStrictEqual(echo, { reference, minor: 1000n, currency: "USD", last4: "1111" })
    assert.strictEqual(providerReference, intentId)
    assert(expiresAt !== undefined)
    assert.strictEqual(DateTime.toEpochMillis(expiresAt), 1_795_604_800_000)
    const [other] = itemsOf(read("payment_intent.amount_capturable_updated", intent({ latest_charge: "ch_3sample" })))
    assert(other?.word._tag === "Authorization" && other.word.outcome._tag === "Accepted")
    assert.deepStrictEqual(other.word.outcome.echo, { reference, minor: 1000n, currency: "USD" })
    assert.strictEqual(other.word.outcome.providerReference, intentId)
  })

  it("of a dispute has no reference of ours, by which Stripe is asked for it", () => {
    const [item] = itemsOf(read("charge.dispute.created", dispute()))
    assert(item?.word._tag === "Dispute")
    assert.deepStrictEqual([item.reference, item.providerReference], [null, intentId])
    assert.deepStrictEqual(item.word.answer, {
      responseCode: "needs_response",
      fields: {
        id: "dp_3sample",
        status: "needs_response",
        amount: "1013",
        currency: "usd",
        charge: "ch_3sample",
        payment_intent: intentId,
        reason: "fraudulent"
      }
    })
  })

  it("shows nothing of the buyer, the card or the payment's secret", () => {
    const text = JSON.stringify(itemsOf(read("payment_intent.succeeded", captured())), (_, value: unknown) =>
      typeof value === "bigint" ? `${value}` : value
    )
    for (const word of ["secret", "Ayşe", "example.com"]) assert.notInclude(text, word)
  })

  it("about payments of others in the same account has no items", () => {
    for (const metadata of [null, {}, { order_id: "184" }, { order_id: intentId }, { order_id: `${reference}0` }]) {
      assert.isEmpty(itemsOf(read("payment_intent.succeeded", captured({ metadata }))))
      assert.isEmpty(itemsOf(read("refund.failed", refund({ status: "failed", metadata }))))
    }
  })

  it("that is none has no items, whatever its bytes", () => {
    const texts = ["", "{}", "[]", "null", "\u0000", "<x/>", '"evt"', eventOf("charge.captured", charge()).slice(0, -1)]
    for (const text of texts) assert.isEmpty(itemsOf(readRaw(text, signed(text))))
    for (const changes of [{ id: "1" }, { object: "list" }, { type: null }, { data: null }]) {
      assert.isEmpty(itemsOf(read("payment_intent.succeeded", captured(), changes)))
    }
  })
})
