import { assert, describe, it } from "@effect/vitest"
import { ConnectFailed, NoAnswer } from "@sarraf/adapters/providers/ProviderTransport"
import { noAnswer, type Outcome } from "@sarraf/domain/payments/Outcome"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { codes, inShort } from "../inShort.ts"
import { answerWith, authorizeCall, captureCall, operationCall, reference, shopAnswering } from "./Sample.ts"

type Elements = Parameters<typeof answerWith>[0]

const authorizeWith = (elements: Elements, installment = 1) =>
  shopAnswering(Effect.succeed(answerWith(elements))).shop.authorize(authorizeCall({ installment }))

const refundWith = (elements: Elements) =>
  shopAnswering(Effect.succeed(answerWith(elements))).shop.refund(operationCall(100n))

const gatewayRefusal = (code: string): Elements => ({
  OrderId: reference,
  Response: "Error",
  ProcReturnCode: "99",
  TransId: "26015ABCD00000001",
  ErrMsg: "İşlem yapılamadı.",
  Extra: { ERRORCODE: code }
})

const issuerRefusal = (code: string): Elements => ({
  OrderId: reference,
  Response: "Declined",
  ProcReturnCode: code,
  TransId: "26015ABCD00000001",
  Extra: { ERRORCODE: `ISO8583-${code}` }
})

/** Provider sheet, section 5. */
const issuerTable = [
  ...codes("51", "INSUFFICIENT_FUNDS"),
  ...codes("61 65 01 02 05 15 57 62 63 75 YK GK 04 07 34 41 43 59 12 13", "CARD_DECLINED"),
  ...codes("14 33 54 82 84", "INVALID_CARD"),
  ...codes("91 96 58", "PROVIDER_ERROR →"),
  ...codes("93", "PROVIDER_ERROR"),
  ...codes("92 99", "Unknown"),
  // Not in the sheet: an issuer's other "no" is final, and what reads like an approval settles nothing.
  ...codes("06 85 SF", "CARD_DECLINED"),
  ...codes("08 10 11 16 17", "Unknown")
]
const gatewayTable = [
  ...codes("CORE-2010 CORE-2011 CORE-2012 CORE-2015 CORE-2208 CORE-2515 HPP-1001", "INVALID_CARD"),
  ...codes("CORE-2121 CORE-2127", "3DS_FAILED"),
  ...codes("CORE-2105 CORE-2106 CORE-2115 CORE-2116 CORE-2117 CORE-2118 CORE-2119 CORE-2120", "PROVIDER_ERROR →"),
  ...codes("CORE-2122 CORE-2123 CORE-2126 CORE-2254 CORE-2311 CORE-2314 3D-1004 3D-1007", "PROVIDER_ERROR →"),
  ...codes("CORE-2201 CORE-2202", "PROVIDER_ERROR →"),
  ...codes("CORE-2124 CORE-2204 CORE-2603 CORE-2517", "PROVIDER_ERROR"),
  ...codes("CORE-2250 CORE-2251 CORE-2253", "CARD_DECLINED"),
  ...codes("CORE-2302 CORE-2507", "Unknown"),
  ...codes("CORE-2016 CORE-2304", "Pending"),
  ...codes("CORE-2002 CORE-2003 CORE-2008 CORE-2133 CORE-2503 CORE-2504 CORE-2505 CORE-2508", "PROVIDER_ERROR"),
  ...codes("CORE-2509 CORE-2511 CORE-2512 CORE-2513 215001 215021", "PROVIDER_ERROR"),
  ...codes("2100 CORE-1000 CORE-1005 CORE-2500 CORE-2700 CORE-2800 CORE-2900 CORE-3000", "Unknown"),
  ...codes("CORE-9999 BM-9103 51x ISO8583-99 constructor", "Unknown")
]

describe("codes", () => {
  for (const [code, expected] of issuerTable) {
    it.effect(`${code} from the issuer is ${expected}`, () =>
      Effect.gen(function* () {
        assert.strictEqual(inShort(yield* authorizeWith(issuerRefusal(code))), expected)
        const { Extra: _, ...bare } = issuerRefusal(code)
        assert.strictEqual(inShort(yield* authorizeWith(bare)), expected)
      })
    )
  }
  for (const [code, expected] of gatewayTable) {
    it.effect(`${code} from the gateway is ${expected}`, () =>
      Effect.gen(function* () {
        assert.strictEqual(inShort(yield* authorizeWith(gatewayRefusal(code))), expected)
        const { Extra: _, ...newer } = gatewayRefusal(code)
        assert.strictEqual(inShort(yield* authorizeWith({ ...newer, Response: "Declined", ERRORCODE: code })), expected)
      })
    )
  }

  it.effect("about installments allow another provider where there were installments", () =>
    Effect.gen(function* () {
      for (const code of ["CORE-2124", "CORE-2204", "CORE-2603", "CORE-2517"]) {
        assert.strictEqual(inShort(yield* authorizeWith(gatewayRefusal(code), 3)), "PROVIDER_ERROR →")
      }
    })
  )

  it.effect("never allow another provider after the authorization", () =>
    Effect.gen(function* () {
      for (const [code] of [...issuerTable, ...gatewayTable]) {
        const outcome = yield* refundWith(gatewayRefusal(code))
        assert(outcome._tag !== "Refused" || !outcome.mayTryAnother)
      }
    })
  )

  it.effect("tell a void from a refund as the way that serves", () =>
    Effect.gen(function* () {
      const reasonOf = (outcome: Outcome) => (outcome._tag === "Refused" ? outcome.reason : outcome._tag)
      assert.strictEqual(reasonOf(yield* refundWith(gatewayRefusal("CORE-2508"))), "notSettled")
      assert.strictEqual(reasonOf(yield* refundWith(gatewayRefusal("CORE-2511"))), "alreadySettled")
      assert.strictEqual(reasonOf(yield* refundWith(gatewayRefusal("CORE-2503"))), undefined)
    })
  )

  it.effect("of an ongoing transaction have it asked about for a day", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(DateTime.makeUnsafe("2026-01-15T09:00:00Z").epochMilliseconds)
      const outcome = yield* authorizeWith(gatewayRefusal("CORE-2304"))
      assert(outcome._tag === "Pending")
      assert.deepStrictEqual(
        [outcome.learnBy, DateTime.formatIso(outcome.until)],
        ["query", "2026-01-16T09:00:00.000Z"]
      )
    })
  )
})

const approval = {
  OrderId: reference,
  GroupId: reference,
  Response: "Approved",
  AuthCode: "P12345",
  HostRefNum: "601512345678",
  ProcReturnCode: "00",
  TransId: "26015ABCD00000001",
  ErrMsg: "",
  Extra: {
    ERRORCODE: "",
    NUMCODE: "00",
    CARDHOLDERNAME: "AY**",
    HOSTMSG: "ONAY 4355084355084358",
    PAN: "4355 08** **** 4358"
  }
}

describe("approvals", () => {
  it.effect("name the transaction and the order, and show no text and nothing of the buyer", () =>
    Effect.gen(function* () {
      const outcome = yield* authorizeWith(approval)
      assert(outcome._tag === "Accepted")
      assert.strictEqual(outcome.providerReference, "26015ABCD00000001")
      assert.deepStrictEqual(outcome.echo, { reference })
      assert.deepStrictEqual(outcome.answer, {
        responseCode: "00",
        fields: {
          Response: "Approved",
          ProcReturnCode: "00",
          OrderId: reference,
          TransId: "26015ABCD00000001",
          AuthCode: "P12345",
          HostRefNum: "601512345678",
          NUMCODE: "00"
        }
      })
    })
  )

  it.effect("tell another order's reference for the use case to compare", () =>
    Effect.gen(function* () {
      const outcome = yield* authorizeWith({ ...approval, OrderId: "OTHER" })
      assert(outcome._tag === "Accepted")
      assert.strictEqual(outcome.echo.reference, "OTHER")
    })
  )

  const contradictions: Readonly<Record<string, Elements>> = {
    "another code": { ...approval, ProcReturnCode: "05" },
    "no code": { ...approval, ProcReturnCode: "" },
    "an error code": { ...approval, Extra: { ERRORCODE: "CORE-2507" } },
    "an error code at the top": { ...approval, ERRORCODE: "CORE-2507" },
    "no transaction": { ...approval, TransId: "" },
    "no order": { ...approval, OrderId: "" },
    "another spelling": { ...approval, Response: "approved" },
    "an unknown word": { ...approval, Response: "Processing" },
    "no word": { ProcReturnCode: "00", OrderId: reference, TransId: "26015ABCD00000001" },
    "nothing at all": {},
    "a decline with code 00": { ...approval, Response: "Declined" },
    "an error with code 00 and an error code": { ...approval, Response: "Error", Extra: { ERRORCODE: "CORE-2012" } },
    "a decline without any code": { OrderId: reference, Response: "Declined" },
    "an error without any code": { OrderId: reference, Response: "Error", ProcReturnCode: "" }
  }
  for (const [name, elements] of Object.entries(contradictions)) {
    it.effect(`are none with ${name}, and neither is that a refusal`, () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* authorizeWith(elements))._tag, "Unknown")
        assert.strictEqual((yield* refundWith(elements))._tag, "Unknown")
      })
    )
  }
})

describe("the way to the bank", () => {
  it.effect("tells a connection that was refused from an answer that never came, at every step", () =>
    Effect.gen(function* () {
      const tags = (failure: ConnectFailed | NoAnswer) => {
        const { shop } = shopAnswering(...Array.from({ length: 6 }, () => Effect.fail(failure)))
        const steps: ReadonlyArray<Effect.Effect<{ readonly _tag: string }>> = [
          shop.authorize(authorizeCall()),
          shop.capture(captureCall(1n)),
          shop.refund(operationCall(1n)),
          shop.cancel(operationCall(1n)),
          shop.voidCapture?.(operationCall(1n)) ?? Effect.succeed({ _tag: "absent" }),
          shop.query(captureCall(1n).authorization)
        ]
        return Effect.map(Effect.all(steps), (outcomes) => outcomes.map(({ _tag }) => _tag))
      }
      const five = <A>(tag: A) => [tag, tag, tag, tag, tag, "Unanswered"]
      assert.deepStrictEqual(yield* tags(new ConnectFailed({ reason: "refused" })), five("NotSent"))
      assert.deepStrictEqual(yield* tags(new NoAnswer({ reason: "reset" })), five("Unknown"))
    })
  )

  it.effect("gives no answer to show where none could be read", () =>
    Effect.gen(function* () {
      const { shop } = shopAnswering(Effect.fail(new NoAnswer({ reason: "reset" })))
      const outcome = yield* shop.authorize(authorizeCall())
      assert(outcome._tag === "Unknown")
      assert.strictEqual(outcome.answer ?? noAnswer, noAnswer)
    })
  )
})
