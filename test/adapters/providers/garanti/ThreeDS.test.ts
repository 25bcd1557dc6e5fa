import { hash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { ConnectFailed } from "@sarraf/adapters/providers/ProviderTransport"
import { Unavailable } from "@sarraf/domain/errors/Unavailable"
import type { PaymentProvider, ThreeDSReturn } from "@sarraf/domain/payments/PaymentProvider"
import { Effect, Redacted } from "effect"
import type { Answer } from "../answers.ts"
import { inShort } from "../inShort.ts"
import {
  answered,
  approved,
  authorization,
  authorizeCall,
  lira,
  postedElements,
  reference,
  refusedWith,
  returnCall,
  returnUrl,
  terminalAnswering
} from "./Sample.ts"

type Fields = Readonly<Record<string, string>>

const sha512 = (text: string) => hash("sha512", text, "hex").toUpperCase()
const signedNames = [
  "clientid",
  "oid",
  "authcode",
  "procreturncode",
  "response",
  "mdstatus",
  "cavv",
  "eci",
  "md",
  "rnd"
]

const signed = (fields: Fields, hashparams = `${signedNames.join(":")}:`): Fields => {
  const names = hashparams.split(":").filter((name) => name !== "")
  return { ...fields, hashparams, hash: sha512(`${names.map((name) => fields[name] ?? "").join("")}12345678`) }
}

const unsigned: Fields = {
  mdstatus: "1",
  clientid: "30691298",
  terminalid: "30691298",
  oid: reference,
  orderid: reference,
  txnamount: "1001",
  txncurrencycode: "949",
  txntype: "preauth",
  cavv: "xgRlQDz4AAAAAAAAAAAAAAAAAAA=",
  eci: "02",
  xid: "f3ec4783-f48c-475c-a59c-ab25f3170ec5",
  md: "aW5kZXg6MDJ6LjAI5iAcKf/ilXjY+sSxhFQ==",
  rnd: "kW094tPzNEhqORzzCsLB",
  authcode: "",
  procreturncode: "",
  response: "",
  MaskedPan: "42822090****8015",
  customeripaddress: "198.51.100.9"
}
const genuine = signed(unsigned)
const gateFailed: Fields = {
  mdstatus: "7",
  mderrormessage: "Sistem Hatasi",
  clientid: "30691298",
  oid: reference,
  response: "Error",
  procreturncode: "99",
  txnamount: "1001",
  txncurrencycode: "949"
}

const threeDSOf = ({ threeDS }: PaymentProvider) => {
  assert(threeDS !== undefined)
  return threeDS
}
const { terminal: silent } = terminalAnswering()
const isGenuine = (returned: Fields, changes: Partial<ThreeDSReturn> = {}) =>
  threeDSOf(silent).isGenuine(returnCall(returned, changes))

const complete = Effect.fnUntraced(function* (
  returned: Fields,
  answers: ReadonlyArray<Answer>,
  changes: Partial<ThreeDSReturn> = {}
) {
  const { requests, terminal } = terminalAnswering(...answers)
  return { outcome: yield* threeDSOf(terminal).complete(returnCall(returned, changes)), requests }
})

describe("the form", () => {
  it.effect("has the fields of the sheet's section 4, and asks nobody", () =>
    Effect.gen(function* () {
      const { requests, terminal } = terminalAnswering()
      const outcome = yield* terminal.authorize(authorizeCall({ installment: 2, threeDS: { returnUrl } }))
      assert(outcome._tag === "ActionRequired" && outcome.step.type === "form")
      assert.strictEqual(outcome.step.action, "https://sanalposprov.garanti.com.tr/servlet/gt3dengine")
      const expected = {
        secure3dsecuritylevel: "3D",
        mode: "TEST",
        apiversion: "512",
        terminalprovuserid: "PROVAUT",
        terminaluserid: "PROVAUT",
        terminalmerchantid: "7000679",
        terminalid: "30691298",
        txntype: "preauth",
        txnamount: "1001",
        txncurrencycode: "949",
        txninstallmentcount: "2",
        orderid: reference,
        successurl: returnUrl,
        errorurl: returnUrl,
        customeripaddress: "203.0.113.7",
        customeremailaddress: "ayse+1@example.com",
        cardnumber: "4282209004348015",
        cardexpiredatemonth: "03",
        cardexpiredateyear: "30",
        cardcvv2: "737"
      }
      const signedText = `30691298${reference}1001949${returnUrl}${returnUrl}preauth2`
      const secure3dhash = sha512(`${signedText}123456781639636D00AB5EF0B3CE073BB222BFAAC2C2C38D`)
      assert.deepStrictEqual(Redacted.value(outcome.step.fields), { ...expected, secure3dhash })
      assert.strictEqual(requests.length, 0)
      assert.notInclude(JSON.stringify(outcome), "4282209004348015")
    })
  )

  it.effect("leaves the number of installments empty for a single payment", () =>
    Effect.gen(function* () {
      const outcome = yield* silent.authorize(authorizeCall({ threeDS: { returnUrl } }))
      assert(outcome._tag === "ActionRequired" && outcome.step.type === "form")
      assert.strictEqual(Redacted.value(outcome.step.fields).txninstallmentcount, "")
    })
  )
})

describe("a return", () => {
  it("is genuine with the bank's hash, its digits in either case", () => {
    assert.isTrue(isGenuine(genuine))
    assert.isTrue(isGenuine({ ...genuine, hash: `${genuine.hash?.toLowerCase()}` }))
    assert.isTrue(isGenuine(signed({ ...unsigned, extra: "x" }, `${signedNames.join(":")}:extra`)))
    for (const mdstatus of ["0", "2", "3", "4", "5", "6", "7", "8", "9", ""]) {
      assert.isTrue(isGenuine(signed({ ...unsigned, mdstatus })))
    }
  })

  it("is forged when any signed value is altered or left out", () => {
    for (const name of [...signedNames, "hash", "hashparams"]) {
      const { [name]: value = "", ...without } = genuine
      assert.isFalse(isGenuine({ ...genuine, [name]: `1${value}` }), name)
      if (value !== "") assert.isFalse(isGenuine(without), name)
    }
    assert.isFalse(isGenuine(unsigned))
    assert.isFalse(isGenuine({}))
  })

  it("is forged when it is another payment's, by order, amount, currency or terminal", () => {
    const other = authorization({ reference: "SRF00000000000000002" })
    assert.isFalse(isGenuine(genuine, { authorization: other }))
    assert.isFalse(isGenuine(genuine, { authorization: authorization({ money: lira(1002n) }) }))
    for (const changes of [
      { txnamount: "1" },
      { txncurrencycode: "840" },
      { oid: "OTHER" },
      { clientid: "30691297" }
    ]) {
      assert.isFalse(isGenuine(signed({ ...unsigned, ...changes })))
    }
  })

  it("is forged when the buyer reads a failure's values under other names", () => {
    const failed = signed({ ...unsigned, mdstatus: "0", cavv: "", eci: "", md: "a1b", rnd: "r" })
    assert.isTrue(isGenuine(failed))
    // The same text, `…0a1br`, with the 1 out of the middle as mdstatus.
    const shifted = { ...failed, authcode: "0a", mdstatus: "1", cavv: "b", md: "r", rnd: "" }
    assert.isFalse(isGenuine(shifted))
    const names = "clientid:oid:x:mdstatus:cavv:authcode:procreturncode:response:eci:md:rnd"
    assert.isFalse(isGenuine({ ...failed, x: "0a", mdstatus: "1", cavv: "b", md: "r", rnd: "", hashparams: names }))
  })

  it("is genuine without a hash only where the gate could not begin", () => {
    assert.isTrue(isGenuine(gateFailed))
    assert.isFalse(isGenuine({ ...gateFailed, mdstatus: "1" }))
    assert.isFalse(isGenuine({ ...gateFailed, oid: "OTHER" }))
    assert.isFalse(isGenuine({ ...gateFailed, hash: "0".repeat(128) }))
  })
})

describe("the completion", () => {
  it.effect("sends the proof unchanged, without a card, after it was noted", () =>
    Effect.gen(function* () {
      const steps: Array<string> = []
      const note: ThreeDSReturn["note"] = (facts) => Effect.sync(() => void steps.push(...Object.keys(facts)))
      const { outcome, requests } = yield* complete(genuine, [answered(approved)], { installment: 3, note })
      assert(outcome._tag === "Accepted")
      assert.strictEqual(outcome.providerReference, "400609699313")
      assert.deepStrictEqual(steps, ["completionSentAt"])
      const [request] = requests
      assert(request !== undefined)
      const { Card, Customer, Order, Terminal, Transaction } = Object(postedElements(request))
      assert.deepStrictEqual(Transaction, {
        Type: "preauth",
        InstallmentCnt: "3",
        Amount: "1001",
        CurrencyCode: "949",
        CardholderPresentCode: "13",
        MotoInd: "N",
        Secure3D: {
          AuthenticationCode: "xgRlQDz4AAAAAAAAAAAAAAAAAAA=",
          SecurityLevel: "02",
          TxnID: "f3ec4783-f48c-475c-a59c-ab25f3170ec5",
          Md: "aW5kZXg6MDJ6LjAI5iAcKf/ilXjY+sSxhFQ=="
        }
      })
      assert.strictEqual(Card, undefined)
      assert.deepStrictEqual(Customer, { IPAddress: "198.51.100.9" })
      assert.deepStrictEqual(Order, { OrderID: reference })
      const text = `${reference}306912981001949`
      assert.strictEqual(Terminal.HashData, sha512(`${text}1639636D00AB5EF0B3CE073BB222BFAAC2C2C38D`))
    })
  )

  it.effect("is not sent when it cannot be noted, nor for a forged return", () =>
    Effect.gen(function* () {
      const note = () => Effect.fail(new Unavailable())
      const unnoted = yield* complete(genuine, [], { note })
      const forged = yield* complete({ ...genuine, hash: "" }, [])
      assert.deepStrictEqual([inShort(unnoted.outcome), unnoted.requests.length], ["NotSent", 0])
      assert.deepStrictEqual([inShort(forged.outcome), forged.requests.length], ["Unknown", 0])
    })
  )

  it.effect("refuses without a call where the buyer was not, or only by half, authenticated", () =>
    Effect.gen(function* () {
      for (const mdstatus of ["0", "2", "3", "4", "5", "6", "8", "9", ""]) {
        const { outcome } = yield* complete(signed({ ...unsigned, mdstatus }), [])
        assert.strictEqual(inShort(outcome), "3DS_FAILED")
        assert(outcome._tag === "Refused")
        assert.deepStrictEqual(outcome.echo, { reference, last4: "8015" })
        assert.strictEqual(outcome.answer.responseCode, mdstatus || null)
      }
      const { outcome } = yield* complete(signed({ ...unsigned, mdstatus: "7", procreturncode: "99" }), [])
      assert.strictEqual(inShort(outcome), "PROVIDER_ERROR")
      assert(outcome._tag === "Refused")
      assert.strictEqual(outcome.answer.responseCode, "99")
    })
  )

  it.effect("asks the bank's record before it believes that the gate could not begin", () =>
    Effect.gen(function* () {
      const none = answered(refusedWith("0110"), { RetrefNum: "" })
      const absent = yield* complete(gateFailed, [none])
      assert.strictEqual(inShort(absent.outcome), "PROVIDER_ERROR")
      assert.strictEqual(Object(postedElements(absent.requests[0] ?? assert.fail())).Transaction.Type, "orderinq")
      const unknown = yield* complete(gateFailed, [answered(refusedWith("0651"))])
      assert.strictEqual(inShort(unknown.outcome), "Unknown")
    })
  )

  it.effect("takes no return for a refusal once it was sent, and a repetition for a duplicate", () =>
    Effect.gen(function* () {
      const notes = { completionSentAt: "1768467600000" }
      const sent = { authorization: authorization({ providerReference: null, notes }) }
      for (const returned of [signed({ ...unsigned, mdstatus: "0" }), gateFailed]) {
        const { outcome, requests } = yield* complete(returned, [], sent)
        assert.deepStrictEqual([inShort(outcome), requests.length], ["Unknown", 0])
      }
      const again = yield* complete(genuine, [answered(refusedWith("0104"))], sent)
      assert.strictEqual(inShort(again.outcome), "Unknown")
    })
  )

  it.effect("goes to no other provider, whatever the bank says", () =>
    Effect.gen(function* () {
      const declined = { Source: "HOST", Code: "91", ReasonCode: "91", Message: "Declined" }
      const table = [
        [declined, "PROVIDER_ERROR"],
        [{ ...declined, Code: "51" }, "INSUFFICIENT_FUNDS"],
        [refusedWith("0753"), "PROVIDER_ERROR"],
        [refusedWith("0804"), "3DS_FAILED"],
        [refusedWith("0763"), "3DS_FAILED"]
      ] as const
      for (const [response, expected] of table) {
        const { outcome } = yield* complete(genuine, [answered(response)])
        assert.strictEqual(inShort(outcome), expected)
      }
      const refusedConnection = yield* complete(genuine, [Effect.fail(new ConnectFailed({ reason: "refused" }))])
      assert.strictEqual(inShort(refusedConnection.outcome), "NotSent")
    })
  )

  it.effect("names the buyer's address from the form, else the browser's, else the merchant's", () =>
    Effect.gen(function* () {
      const { customeripaddress: _, ...without } = unsigned
      const addressOf = (returned: Fields, buyerIp: string) =>
        Effect.map(complete(signed(returned), [answered(approved)], { buyerIp }), ({ requests: [request] }) =>
          request === undefined ? undefined : Object(postedElements(request)).Customer.IPAddress
        )
      assert.strictEqual(yield* addressOf(unsigned, "203.0.113.7"), "198.51.100.9")
      assert.strictEqual(yield* addressOf(without, "203.0.113.7"), "203.0.113.7")
      assert.strictEqual(yield* addressOf(without, "2001:db8::1"), "127.0.0.1")
    })
  )
})
