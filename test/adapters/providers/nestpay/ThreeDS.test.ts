import { assert, describe, it } from "@effect/vitest"
import { sandboxCredentials } from "@sarraf/adapters/providers/nestpay/Simulator"
import { ConnectFailed, NoAnswer } from "@sarraf/adapters/providers/ProviderTransport"
import { noAnswer } from "@sarraf/domain/payments/Outcome"
import { Effect, Redacted } from "effect"
import { back, complete, md, proof, returnOf, returnUrl, type Shop, without } from "./Returned.ts"
import {
  answerWith,
  authorizeCall,
  pagesUrl,
  postedElements,
  reference,
  shopAnswering,
  shopWith,
  signed,
  version3
} from "./Sample.ts"

const threeDS = { returnUrl }

const approval = answerWith({
  OrderId: reference,
  Response: "Approved",
  ProcReturnCode: "00",
  TransId: "26015ABCD00000001",
  Extra: { ERRORCODE: "" }
})

const formOf = Effect.fnUntraced(function* (shop: Shop, changes: Parameters<typeof authorizeCall>[0] = {}) {
  const outcome = yield* shop.authorize(authorizeCall({ threeDS, ...changes }))
  assert(outcome._tag === "ActionRequired")
  assert(outcome.step.type === "form")
  const { action, fields } = outcome.step
  return { outcome, action, fields: Redacted.value(fields) }
})

describe("the form", () => {
  it.effect("has the fields of the sheet's section 4 and their hash, and nothing goes to the bank before it", () =>
    Effect.gen(function* () {
      const { shop, requests } = shopAnswering()
      const { action, fields, outcome } = yield* formOf(shop, { installment: 3 })
      assert.strictEqual(action, "http://sandbox.test:8080/sandbox/isbank/fim/est3Dgate")
      const { hash, rnd, ...rest } = fields
      assert.deepStrictEqual(rest, {
        clientid: "700655000999",
        storetype: "3d",
        amount: "10.01",
        oid: "SRF00000000000000001",
        okUrl: returnUrl,
        failUrl: returnUrl,
        lang: "tr",
        currency: "949",
        taksit: "3",
        TranType: "PreAuth",
        hashAlgorithm: "ver3",
        pan: "4355084355084358",
        Ecom_Payment_Card_ExpDate_Month: "03",
        Ecom_Payment_Card_ExpDate_Year: "30",
        cv2: "737"
      })
      assert.match(rnd ?? "", /^[0-9a-f]{24}$/u)
      assert.strictEqual(hash, version3(fields))
      assert.deepStrictEqual([outcome.notes, outcome.answer, outcome.echo], [{ rnd, lang: "tr" }, noAnswer, {}])
      assert.strictEqual(requests.length, 0)
    })
  )

  it.effect("is another one every time, in English for a buyer abroad, and without Taksit for a single payment", () =>
    Effect.gen(function* () {
      const { shop } = shopAnswering()
      const { billingAddress } = authorizeCall()
      const one = yield* formOf(shop)
      const other = yield* formOf(shop, { billingAddress: { ...billingAddress, country: "DE" } })
      assert.notStrictEqual(one.fields.rnd, other.fields.rnd)
      assert.deepStrictEqual([one.fields.lang, other.fields.lang, one.fields.taksit], ["tr", "en", ""])
    })
  )

  it.effect(
    "goes to the bank's own gate, and the payment to its own address, where the credentials name no other",
    () =>
      Effect.gen(function* () {
        const { threeDGateUrl: _, ...live } = sandboxCredentials(pagesUrl)
        const { action } = yield* formOf(shopWith(live, []).shop)
        assert.strictEqual(action, "https://sanalpos.isbank.com.tr/fim/est3Dgate")
        const answers = [Effect.succeed(approval)]
        const { requests, shop } = shopWith({ ...live, apiUrl: "https://istest.asseco-see.com.tr/fim/api" }, answers)
        yield* complete(shop, returnOf(signed(back)))
        assert.strictEqual(requests[0]?.url, "https://istest.asseco-see.com.tr/fim/api")
      })
  )
})

describe("the completion", () => {
  it.effect("pays with the proof in place of the card, as the sheet's section 4 has it", () =>
    Effect.gen(function* () {
      const { shop, requests } = shopAnswering(Effect.succeed(approval))
      const outcome = yield* complete(shop, returnOf(signed({ ...back, taksit: "3" }), { installment: 3 }))
      assert(outcome._tag === "Accepted")
      assert.deepStrictEqual(
        [outcome.providerReference, outcome.echo],
        ["26015ABCD00000001", { reference, last4: "4358" }]
      )
      const [request] = requests
      assert(request !== undefined && requests.length === 1)
      assert.deepStrictEqual(postedElements(request), {
        Name: "SARRAFAPI",
        Password: "SANDBOX07",
        ClientId: "700655000999",
        Type: "PreAuth",
        IPAddress: "203.0.113.7",
        OrderId: "SRF00000000000000001",
        Total: "10.01",
        Currency: "949",
        Taksit: "3",
        Number: md,
        PayerTxnId: "XWOb78QRZ1Re8f7i8b2ZW85cLr8=",
        PayerSecurityLevel: "05",
        PayerAuthenticationCode: "ABABCSQDGQAAAABllJMDdUQAEJI=",
        Mode: "P"
      })
    })
  )

  it.effect("leaves the browser's address out where it is not known or no IPv4", () =>
    Effect.gen(function* () {
      const { buyerIp: _, ...unknown } = returnOf(signed(back))
      for (const call of [unknown, returnOf(signed(back), { buyerIp: "2001:db8::1" })]) {
        const { shop, requests } = shopAnswering(Effect.succeed(approval))
        yield* complete(shop, call)
        assert.notProperty(Object(requests[0] && postedElements(requests[0])), "IPAddress")
      }
    })
  )

  it.effect("tells of another card for the use case to compare, and of none where it is masked whole", () =>
    Effect.gen(function* () {
      const last4 = Effect.fnUntraced(function* (masks: Readonly<Record<string, string>>) {
        const { shop } = shopAnswering(Effect.succeed(approval))
        const outcome = yield* complete(shop, returnOf(signed({ ...back, ...masks })))
        return outcome._tag === "Accepted" ? outcome.echo.last4 : outcome._tag
      })
      assert.strictEqual(yield* last4({ MaskedPan: "454671***7894" }), "7894")
      assert.strictEqual(yield* last4({ MaskedPan: "", maskedCreditCard: "4355 08** **** 4358" }), "4358")
      assert.strictEqual(yield* last4({ MaskedPan: "**", maskedCreditCard: "***" }), undefined)
    })
  )

  const refusal = (code: string) => ({
    OrderId: reference,
    Response: code.startsWith("CORE-") ? "Error" : "Declined",
    ProcReturnCode: code.startsWith("CORE-") ? "99" : code,
    TransId: "26015ABCD00000001",
    Extra: { ERRORCODE: code.startsWith("CORE-") ? code : `ISO8583-${code}` }
  })
  const outcomes: Readonly<Record<string, string>> = {
    "51": "INSUFFICIENT_FUNDS",
    "05": "CARD_DECLINED",
    "82": "INVALID_CARD",
    "91": "PROVIDER_ERROR",
    "96": "PROVIDER_ERROR",
    "CORE-2105": "PROVIDER_ERROR",
    "CORE-2603": "PROVIDER_ERROR",
    "CORE-2121": "3DS_FAILED",
    "CORE-2127": "3DS_FAILED",
    "CORE-2304": "Pending",
    "CORE-2507": "Unknown",
    "92": "Unknown"
  }
  for (const [code, expected] of Object.entries(outcomes)) {
    it.effect(`refused with ${code} is ${expected}, and no other provider is tried`, () =>
      Effect.gen(function* () {
        const { shop } = shopAnswering(Effect.succeed(answerWith(refusal(code))))
        const outcome = yield* complete(shop, returnOf(signed(back), { installment: 1 }))
        assert.strictEqual(outcome._tag === "Refused" ? outcome.code : outcome._tag, expected)
        assert.isFalse(outcome._tag === "Refused" && outcome.mayTryAnother)
      })
    )
  }

  it.effect("tells a connection that was refused from an answer that never came", () =>
    Effect.gen(function* () {
      for (const [failure, tag] of [
        [new ConnectFailed({ reason: "refused" }), "NotSent"],
        [new NoAnswer({ reason: "reset" }), "Unknown"]
      ] as const) {
        const { shop } = shopAnswering(Effect.fail(failure))
        assert.strictEqual((yield* complete(shop, returnOf(signed(back))))._tag, tag)
      }
    })
  )
})

/** A genuine return without a proof: `3DS_FAILED` and so on; nothing is sent to the bank. */
const verdictOf = Effect.fnUntraced(function* (fields: Readonly<Record<string, string>>) {
  const { shop, requests } = shopAnswering()
  const call = returnOf(signed(fields))
  assert.isTrue(shop.threeDS?.isGenuine(call))
  const outcome = yield* complete(shop, call)
  assert.strictEqual(requests.length, 0)
  if (outcome._tag === "Refused") assert.isFalse(outcome.mayTryAnother)
  return outcome
})

describe("a buyer who was not authenticated", () => {
  const failed = without(back, "cavv", "eci")

  for (const mdStatus of ["0", "2", "3", "4", "5", "6", "8", "9", "01", "1 ", ""]) {
    it.effect(`is refused with 3DS_FAILED at mdStatus "${mdStatus}"`, () =>
      Effect.gen(function* () {
        const outcome = yield* verdictOf({ ...back, mdStatus })
        assert(outcome._tag === "Refused")
        assert.deepStrictEqual([outcome.code, outcome.answer.responseCode], ["3DS_FAILED", mdStatus || null])
      })
    )
  }

  it.effect("is refused with 3DS_FAILED whatever code stands beside the mdStatus", () =>
    Effect.gen(function* () {
      const outcome = yield* verdictOf({ ...failed, mdStatus: "0", Response: "Error", ErrorCode: "CORE-2507" })
      assert.strictEqual(outcome._tag === "Refused" && outcome.code, "3DS_FAILED")
    })
  )

  it.effect("is refused with PROVIDER_ERROR at mdStatus 7, the bank's own failure", () =>
    Effect.gen(function* () {
      const outcome = yield* verdictOf({ ...failed, mdStatus: "7" })
      assert.strictEqual(outcome._tag === "Refused" && outcome.code, "PROVIDER_ERROR")
    })
  )

  for (const name of Object.keys(proof)) {
    it.effect(`is refused with 3DS_FAILED where the proof has no ${name}`, () =>
      Effect.gen(function* () {
        for (const fields of [without(back, name), { ...back, [name]: "" }]) {
          const outcome = yield* verdictOf(fields)
          assert.strictEqual(outcome._tag === "Refused" && outcome.code, "3DS_FAILED")
        }
      })
    )
  }

  it.effect("is told of in the bank's codes alone, and compared", () =>
    Effect.gen(function* () {
      const outcome = yield* verdictOf({ ...back, mdStatus: "0", txstatus: "N", ErrMsg: "Ayşe Yılmaz" })
      assert(outcome._tag === "Refused")
      assert.deepStrictEqual(outcome.answer, {
        responseCode: "0",
        fields: { mdStatus: "0", txstatus: "N", eci: "05", oid: reference }
      })
      assert.deepStrictEqual(outcome.echo, { reference, minor: 1001n, currency: "TRY", last4: "4358" })
    })
  )

  const gateCodes: Readonly<Record<string, string>> = {
    "HPP-1001": "INVALID_CARD",
    "CORE-2010": "INVALID_CARD",
    "3D-1004": "PROVIDER_ERROR",
    "3D-1007": "PROVIDER_ERROR",
    "CORE-2105": "PROVIDER_ERROR",
    "CORE-2124": "PROVIDER_ERROR",
    "CORE-2250": "CARD_DECLINED",
    "CORE-2304": "Pending",
    "CORE-2507": "Unknown",
    "HPP-9999": "Unknown"
  }
  for (const [ErrorCode, expected] of Object.entries(gateCodes)) {
    it.effect(`is ${expected} where the gate refused with ${ErrorCode}`, () =>
      Effect.gen(function* () {
        const gate = { ...without(failed, "mdStatus", "txstatus", "xid", "md"), Response: "Error", ErrorCode }
        const outcome = yield* verdictOf(gate)
        assert.strictEqual(outcome._tag === "Refused" ? outcome.code : outcome._tag, expected)
        if (outcome._tag === "Refused") assert.strictEqual(outcome.answer.responseCode, ErrorCode)
      })
    )
  }
})
