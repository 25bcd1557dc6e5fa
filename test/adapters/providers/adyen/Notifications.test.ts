import { assert, describe, it } from "@effect/vitest"
import { decodeItems } from "@sarraf/adapters/providers/adyen/Messages"
import { sign } from "@sarraf/adapters/providers/adyen/Signature"
import { Option } from "effect"
import { accountSaying, hmacKey, pspReference, reference } from "./Sample.ts"
import { type Item, item, messageOf, signatureOf, signed, webhookOf } from "./Webhook.ts"

const { adyen } = accountSaying(200)

const read = (json: unknown) => {
  const reading = adyen.readNotification?.(messageOf(json))
  assert(reading !== undefined)
  return reading
}

const itemsOf = (...items: ReadonlyArray<Item>) => {
  const reading = read(webhookOf(...items.map(signed)))
  assert(reading._tag === "Verified")
  return reading.items
}

const wordOf = (changes: Partial<Item>) => {
  const [found, ...others] = itemsOf(item(changes))
  assert.lengthOf(others, 0)
  return found?.word
}

/** Provider sheet, section 3. */
const vectors: ReadonlyArray<readonly [string, string]> = [
  [
    "pspReference:originalReference:merchantAccount:reference:1000:EUR:EVENT:true",
    "ipnxGCaUZ4l8TUW75a71/ghd2Fe5ffvX0pV4TLTntIc="
  ],
  [
    "pspReference:originalReference:merchantAccount:reference:1000:EUR:REPORT_AVAILABLE:true",
    "ZNBPtI+oDyyRrLyD1XirkKnQgIAlFc07Vj27TeHsDRE="
  ],
  [
    "7914073381342284::TestMerchant:TestPayment-1407325143704:1130:EUR:AUTHORISATION:true",
    "Ny9gS2veKo5E4w8/OL6xz1/wvT/hYkAXy1xNc/QvO4I="
  ]
]

describe("the signature of a notification's item", () => {
  for (const [text, expected] of vectors) {
    it(`of ${text} is Adyen's own`, () => {
      const [
        psp = "",
        original = "",
        account = "",
        ours = "",
        value = "",
        currency = "",
        eventCode = "",
        success = ""
      ] = text.split(":")
      const fields = {
        pspReference: psp,
        ...(original === "" ? {} : { originalReference: original }),
        merchantAccountCode: account,
        merchantReference: ours,
        amount: { value: Number(value), currency },
        eventCode,
        success
      }
      const [decoded] = Option.getOrThrow(decodeItems(webhookOf(fields)))
      assert(decoded !== undefined)
      assert.strictEqual(sign(decoded, hmacKey), expected)
      assert.strictEqual(signatureOf(fields), expected)
    })
  }

  it("that is genuine is believed", () => {
    assert.strictEqual(read(webhookOf(signed(item())))._tag, "Verified")
  })

  const changes: ReadonlyArray<Partial<Item>> = [
    { pspReference: "KHQC5N7G84BLNK44" },
    { originalReference: "NC6HT9CRT65ZGN83" },
    { merchantAccountCode: "OtherECOM" },
    { merchantReference: "srf000000000000000000002" },
    { amount: { value: 401, currency: "EUR" } },
    { amount: { value: 400, currency: "USD" } },
    { eventCode: "REFUND" },
    { success: "false" }
  ]
  for (const changed of changes) {
    it(`does not cover ${JSON.stringify(changed)}`, () => {
      const { additionalData = {} } = signed(item())
      assert.strictEqual(read(webhookOf({ ...item(changed), additionalData }))._tag, "Forged")
    })
  }

  it("is none where a byte of it was altered, where it is short, and where it is missing", () => {
    const right = signatureOf(item())
    const altered = (right.startsWith("A") ? "B" : "A") + right.slice(1)
    // Base64 has letters whose last bits nobody reads.
    const alike = `${right.slice(0, -2)}${right.at(-2) === "A" ? "B" : "A"}=`
    for (const hmacSignature of [altered, alike, right.slice(0, -1), `${right} `, "", "123123"]) {
      assert.strictEqual(read(webhookOf({ ...item(), additionalData: { hmacSignature } }))._tag, "Forged")
    }
    assert.strictEqual(read(webhookOf(item()))._tag, "Forged")
    assert.strictEqual(read(webhookOf({ ...item(), additionalData: null }))._tag, "Forged")
  })

  it("of one item says nothing for another of the same message", () => {
    assert.strictEqual(read(webhookOf(signed(item()), item({ pspReference: "JLCMPCQ8HXSKGK82" })))._tag, "Forged")
  })

  it("is not looked for in what is no notification", () => {
    for (const json of [
      null,
      [],
      {},
      webhookOf(),
      { notificationItems: [{}] },
      webhookOf({ ...signed(item()), success: true })
    ]) {
      assert.strictEqual(read(json)._tag, "Forged")
    }
  })
})

describe("a notification", () => {
  it("of an approval is a yes with the payment as Adyen has it", () => {
    const word = wordOf({
      eventCode: "AUTHORISATION",
      pspReference,
      amount: { value: 1000, currency: "EUR" },
      reason: "010800:1111:03/2030",
      additionalData: { cardSummary: "1111", authCode: "010800" }
    })
    assert(word?._tag === "Authorization" && word.outcome._tag === "Accepted")
    assert.strictEqual(word.outcome.providerReference, pspReference)
    assert.deepStrictEqual(word.outcome.echo, { reference, minor: 1000n, currency: "EUR", last4: "1111" })
    assert.deepStrictEqual(word.outcome.answer, {
      responseCode: "AUTHORISATION",
      fields: { "amount.value": "1000", "amount.currency": "EUR", eventCode: "AUTHORISATION", success: "true" }
    })
  })

  const refusals = [
    ["Refused", undefined, "CARD_DECLINED"],
    ["Refused", "51 : Insufficient funds", "INSUFFICIENT_FUNDS"],
    ["Not enough balance", undefined, "INSUFFICIENT_FUNDS"],
    ["Expired Card", undefined, "INVALID_CARD"],
    ["3D Not Authenticated", undefined, "3DS_FAILED"],
    ["Shopper Cancelled", undefined, "3DS_FAILED"],
    ["Acquirer Error", undefined, "PROVIDER_ERROR"],
    ["", undefined, "CARD_DECLINED"]
  ] as const
  for (const [reason, refusalReasonRaw, code] of refusals) {
    it(`of a refusal for "${reason}" (${refusalReasonRaw ?? "no raw code"}) is ${code}`, () => {
      const additionalData = refusalReasonRaw === undefined ? {} : { refusalReasonRaw }
      const word = wordOf({ eventCode: "AUTHORISATION", success: "false", pspReference, reason, additionalData })
      assert(word?._tag === "Authorization" && word.outcome._tag === "Refused")
      assert.strictEqual(word.outcome.code, code)
      assert.isFalse(word.outcome.mayTryAnother)
      assert.strictEqual(word.outcome.answer.responseCode, reason === "" ? "AUTHORISATION" : reason)
    })
  }

  const operations = [
    ["CAPTURE", "true", "CAPTURE", "SUCCEEDED"],
    ["CAPTURE", "false", "CAPTURE", "FAILED"],
    ["CAPTURE_FAILED", "true", "CAPTURE", "FAILED"],
    ["REFUND", "true", "REFUND", "SUCCEEDED"],
    ["REFUND", "false", "REFUND", "FAILED"],
    ["REFUND_FAILED", "true", "REFUND", "FAILED"],
    ["REFUNDED_REVERSED", "true", "REFUND", "FAILED"],
    ["CANCELLATION", "true", "VOID", "SUCCEEDED"],
    ["CANCELLATION", "false", "VOID", "FAILED"],
    ["TECHNICAL_CANCEL", "true", "VOID", "SUCCEEDED"],
    ["TECHNICAL_CANCEL", "false", "VOID", "FAILED"]
  ] as const
  for (const [eventCode, success, type, status] of operations) {
    it(`${eventCode} with success ${success} is ${type} ${status}`, () => {
      const word = wordOf({ eventCode, success })
      assert(word?._tag === "Operation")
      assert.deepStrictEqual([word.type, word.status], [type, status])
      assert.strictEqual(word.providerReference, "KHQC5N7G84BLNK43")
      assert.deepStrictEqual([word.minor, word.currency], [400n, "EUR"])
      assert.strictEqual(word.answer.responseCode, eventCode)
    })
  }

  const disputes = [
    ["NOTIFICATION_OF_CHARGEBACK", 400n],
    ["CHARGEBACK", 400n],
    ["SECOND_CHARGEBACK", 400n],
    ["CHARGEBACK_REVERSED", 0n],
    ["PREARBITRATION_WON", 0n]
  ] as const
  for (const [eventCode, minor] of disputes) {
    it(`${eventCode} leaves ${minor} in dispute`, () => {
      const word = wordOf({ eventCode, pspReference: "QFQTPCQ8HXSKGK82" })
      assert(word?._tag === "Dispute")
      assert.deepStrictEqual([word.minor, word.currency], [minor, "EUR"])
      assert.isUndefined(wordOf({ eventCode, success: "false" }))
    })
  }

  it("CANCEL_OR_REFUND says nothing that is signed, and asks", () => {
    const additionalData = { "modification.action": "refund" }
    assert.deepStrictEqual(wordOf({ eventCode: "CANCEL_OR_REFUND", additionalData }), { _tag: "Ask" })
  })

  it("about something else, another account, or no payment has no items", () => {
    assert.lengthOf(itemsOf(item({ eventCode: "REPORT_AVAILABLE" })), 0)
    assert.lengthOf(itemsOf(item({ merchantAccountCode: "OtherECOM" })), 0)
    assert.lengthOf(itemsOf(item({ merchantReference: "" })), 0)
  })

  it("has an identifier that its repetitions share and other events do not", () => {
    const [first] = itemsOf(item())
    const [again] = itemsOf({ ...item(), reason: "sent again" })
    const [failed] = itemsOf(item({ success: "false" }))
    const [later] = itemsOf(item({ eventCode: "CAPTURE_FAILED" }))
    const [other] = itemsOf(item({ pspReference: "JLCMPCQ8HXSKGK82" }))
    assert(first !== undefined)
    assert.strictEqual(first.id, again?.id)
    assert.strictEqual(first.reference, reference)
    assert.strictEqual(new Set([first.id, failed?.id, later?.id, other?.id]).size, 4)
  })

  it("of several items is read as several", () => {
    const events = itemsOf(item({ eventCode: "AUTHORISATION" }), item({ eventCode: "REPORT_AVAILABLE" }), item())
    assert.deepStrictEqual(
      events.map(({ word }) => word._tag),
      ["Authorization", "Operation"]
    )
  })
})
