import { assert, describe, it } from "@effect/vitest"
import { answerHash, secDataOf } from "@sarraf/adapters/providers/garanti/Signature"
import type { Outcome } from "@sarraf/domain/payments/Outcome"
import type { PaymentProvider } from "@sarraf/domain/payments/PaymentProvider"
import { Effect } from "effect"
import type { Elements } from "../xml.ts"
import {
  answered,
  answerWith,
  approved,
  authorizeCall,
  capture,
  credentials,
  operationCall,
  reference,
  refusedWith,
  terminalAnswering,
  xmlAnswer
} from "./Sample.ts"

type Step = (terminal: PaymentProvider) => Effect.Effect<Outcome>
const authorize: Step = (terminal) => terminal.authorize(authorizeCall())
const captured = { captures: [capture("400609700000")] }
const refund: Step = (terminal) => terminal.refund(operationCall(100n, captured))
const voidCapture: Step = (terminal) =>
  terminal.voidCapture?.(operationCall(1001n, captured)) ?? Effect.die(new Error("There is no void of a capture."))

const outcomeOf = (response: Elements, step = authorize) => step(terminalAnswering(answered(response)).terminal)

const inShort = (outcome: Outcome): string => {
  if (outcome._tag !== "Refused") return outcome._tag
  const { code, mayTryAnother, reason } = outcome
  return [code, ...(mayTryAnother ? ["another"] : []), ...(reason === undefined ? [] : [reason])].join(" ")
}

const host = (Code: string, SysErrMsg = ""): Elements => ({
  Source: "HOST",
  Code,
  ReasonCode: Code,
  Message: "Declined",
  SysErrMsg
})

/** Sheet, section 5: the host's codes. */
const hostTable: ReadonlyArray<readonly [codes: string, expected: string]> = [
  ["51", "INSUFFICIENT_FUNDS"],
  ["01 02 05 57 62 65 77 28", "CARD_DECLINED"],
  ["04 07 34 41 43 59", "CARD_DECLINED"],
  ["14 54 33", "INVALID_CARD"],
  ["12 13", "CARD_DECLINED"],
  ["09", "CARD_DECLINED"],
  ["96 91", "PROVIDER_ERROR another"],
  ["99", "Unknown"],
  // An unlisted code of the issuer is its final "no"; one that means an approval elsewhere settles nothing.
  ["61 93 N7", "CARD_DECLINED"],
  ["00 08 10 11 16", "Unknown"],
  ["9 123 x", "Unknown"]
]

/** Sheet, section 5: the bank's own reasons. */
const reasonTable: ReadonlyArray<readonly [reasons: string, expected: string]> = [
  ["0001 0002 0231", "PROVIDER_ERROR another"],
  ["0003", "INVALID_CARD"],
  ["0099 0651 0652 0653 0654", "PROVIDER_ERROR another"],
  ["0752 0753 0756 0759 0764 0769 0785", "PROVIDER_ERROR another"],
  ["0104 0111", "Unknown"],
  ["0101 0102 0103 0108 0109 0110 0113 0201 0203 0204", "PROVIDER_ERROR"],
  ["0202", "PROVIDER_ERROR"],
  ["0207 0208 0209 0210 0214 0217", "PROVIDER_ERROR"],
  ["0402 0405", "CARD_DECLINED"],
  ["0763 0804", "3DS_FAILED"],
  ["0122 0770 0771 0773", "Unknown"],
  ["9998 9999", "Unknown"],
  ["0500 1 x", "Unknown"]
]

describe("refusals by the sheet's tables", () => {
  for (const [codes, expected] of hostTable) {
    for (const code of codes.split(" ")) {
      it.effect(`reads code ${code} as ${expected}`, () =>
        Effect.gen(function* () {
          assert.strictEqual(inShort(yield* outcomeOf(host(code))), expected)
        })
      )
    }
  }

  for (const [reasons, expected] of reasonTable) {
    for (const reason of reasons.split(" ")) {
      it.effect(`reads 92 with ${reason} as ${expected}`, () =>
        Effect.gen(function* () {
          assert.strictEqual(inShort(yield* outcomeOf(refusedWith(reason))), expected)
        })
      )
    }
  }

  it.effect("reads 12 as a wrong security code where the bank names it", () =>
    Effect.gen(function* () {
      assert.strictEqual(inShort(yield* outcomeOf(host("12", "CVC2/4CSC HATALI"))), "INVALID_CARD")
      assert.strictEqual(inShort(yield* outcomeOf(host("12", "GECERSIZ ISLEM"))), "CARD_DECLINED")
    })
  )

  it.effect("settles nothing by 92 without a reason, nor by an unlisted code that is not the host's", () =>
    Effect.gen(function* () {
      const { ReasonCode: _, ...without } = refusedWith("0753")
      assert.strictEqual((yield* outcomeOf(without))._tag, "Unknown")
      assert.strictEqual((yield* outcomeOf({ ...host("61"), Source: "GVPS" }))._tag, "Unknown")
    })
  )

  it.effect("lets only an authorization go to another provider", () =>
    Effect.gen(function* () {
      for (const step of [refund, voidCapture]) {
        assert.strictEqual(inShort(yield* outcomeOf(refusedWith("0753"), step)), "PROVIDER_ERROR")
        assert.strictEqual(inShort(yield* outcomeOf(host("96"), step)), "PROVIDER_ERROR")
      }
    })
  )

  it.effect("names the batch as the reason where a refund or the void of a capture is not valid", () =>
    Effect.gen(function* () {
      assert.strictEqual(inShort(yield* outcomeOf(refusedWith("0208"), refund)), "PROVIDER_ERROR notSettled")
      assert.strictEqual(inShort(yield* outcomeOf(refusedWith("0210"), voidCapture)), "PROVIDER_ERROR alreadySettled")
      assert.strictEqual(inShort(yield* outcomeOf(refusedWith("0210"), refund)), "PROVIDER_ERROR")
      assert.strictEqual(inShort(yield* outcomeOf(refusedWith("0208"), voidCapture)), "PROVIDER_ERROR")
      const release: Step = (terminal) => terminal.cancel(operationCall(1001n))
      assert.strictEqual(inShort(yield* outcomeOf(refusedWith("0210"), release)), "PROVIDER_ERROR")
    })
  )
})

describe("an approval", () => {
  it.effect("names transaction, order and the card's last four, and shows fields of the allow-list alone", () =>
    Effect.gen(function* () {
      const transaction = {
        AuthCode: "539807",
        ProvDate: "20260115 12:00:01",
        CardHolderName: "AYŞE YILMAZ",
        CardType: "BONUS"
      }
      const response = { ...approved, ErrorMsg: "x", SysErrMsg: "y" }
      const { terminal } = terminalAnswering(answered(response, transaction))
      const outcome = yield* terminal.authorize(authorizeCall())
      assert(outcome._tag === "Accepted")
      assert.strictEqual(outcome.providerReference, "400609699313")
      assert.deepStrictEqual(outcome.echo, { reference, last4: "8015" })
      assert.deepStrictEqual(outcome.answer, {
        responseCode: "00",
        fields: {
          OrderID: reference,
          Source: "HOST",
          Code: "00",
          ReasonCode: "00",
          Message: "Approved",
          RetrefNum: "400609699313",
          AuthCode: "539807",
          ProvDate: "20260115 12:00:01",
          CardType: "BONUS"
        }
      })
    })
  )

  const contradictions: Readonly<Record<string, Elements>> = {
    "another code": { ...approved, Code: "05" },
    "no code": { ...approved, Code: "" },
    "another message": { ...approved, Message: "approved" },
    "no message": { ...approved, Message: "" },
    "a refusal's message": { ...approved, Message: "Declined" }
  }
  for (const [name, response] of Object.entries(contradictions)) {
    it.effect(`is none with ${name}`, () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* outcomeOf(response))._tag, "Unknown")
      })
    )
  }

  it.effect("is none without transaction or order", () =>
    Effect.gen(function* () {
      const nameless = [answered(approved, { RetrefNum: "" }), answered(approved, {}, { OrderID: "" })]
      for (const response of nameless) {
        assert.strictEqual((yield* authorize(terminalAnswering(response).terminal))._tag, "Unknown")
      }
    })
  )

  it.effect("gives no last four where the mask leaves fewer", () =>
    Effect.gen(function* () {
      for (const CardNumberMasked of ["37562400****036", "null", "", "4282209004348015"]) {
        const outcome = yield* authorize(terminalAnswering(answered(approved, { CardNumberMasked })).terminal)
        assert(outcome._tag === "Accepted")
        assert.deepStrictEqual(outcome.echo, { reference })
      }
    })
  )
})

describe("the hash of an answer", () => {
  const secData = secDataOf(credentials.password, credentials.terminalId)
  const parts = { code: "00", retrefNum: "400609699313", provDate: "20260115 12:00:01", orderId: reference }
  const signed = (authCode: string, changes: Elements = {}) =>
    answered(approved, {
      AuthCode: authCode,
      ProvDate: parts.provDate,
      HashData: answerHash({ ...parts, authCode }, secData),
      ...changes
    })
  const tagOf = (response: ReturnType<typeof signed>) =>
    Effect.map(authorize(terminalAnswering(response).terminal), (outcome) => outcome._tag)

  it.effect("is verified over each of its parts", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* tagOf(signed("539807")), "Accepted")
      for (const changes of [
        { RetrefNum: "400609699314" },
        { AuthCode: "539808" },
        { ProvDate: "20260115 12:00:02" }
      ]) {
        assert.strictEqual(yield* tagOf(signed("539807", changes)), "Unknown")
      }
      assert.strictEqual(yield* tagOf(signed("539807", { HashData: "0".repeat(128) })), "Unknown")
    })
  )

  it.effect("takes a blank for no approval code, with or without the blank", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* tagOf(signed("")), "Accepted")
      assert.strictEqual(yield* tagOf(signed(" ")), "Accepted")
    })
  )

  it.effect("is not asked of the older versions, which sign otherwise or not at all", () =>
    Effect.gen(function* () {
      for (const HashData of ["", "29A2F838877CB99F70F382FD39D07DE6186E0339"]) {
        assert.strictEqual(yield* tagOf(signed("539807", { HashData })), "Accepted")
      }
    })
  )
})

describe("a document", () => {
  const document = (body: string) => xmlAnswer(`<?xml version="1.0"?><GVPSResponse>${body}</GVPSResponse>`)
  const order = `<Order><OrderID>${reference}</OrderID></Order>`
  const response = "<Response><Code>00</Code><Message>Approved</Message></Response>"
  const transaction = (more = "") => `<Transaction>${response}<RetrefNum>400609699313</RetrefNum>${more}</Transaction>`
  const tagOf = (answer: ReturnType<typeof document>) =>
    Effect.map(authorize(terminalAnswering(answer).terminal), (outcome) => outcome._tag)

  it.effect("is read without a declaration, with a byte order mark, and with a bare & in a name", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* tagOf(document(order + transaction())), "Accepted")
      const name = "<CardHolderName>A & B &amp; C &#38; D &unknown; E</CardHolderName>"
      assert.strictEqual(yield* tagOf(document(order + transaction(name))), "Accepted")
      const bare = `<GVPSResponse>${order}${transaction()}</GVPSResponse>`
      assert.strictEqual(yield* tagOf(xmlAnswer(bare)), "Accepted")
      assert.strictEqual(yield* tagOf(xmlAnswer(`\uFEFF${bare}`)), "Accepted")
    })
  )

  const unreadable: Readonly<Record<string, string>> = {
    "an element that comes twice": order + transaction() + transaction(),
    "a code that comes twice": `${order}<Transaction><Response><Code>00</Code><Code>00</Code><Message>Approved</Message></Response></Transaction>`,
    "elements in a value": order + transaction("<AuthCode><x>1</x></AuthCode>"),
    "no order": transaction(),
    "no response": `${order}<Transaction><RetrefNum>1</RetrefNum></Transaction>`,
    "elements nested too deep": order + transaction("<a>".repeat(20) + "</a>".repeat(20)),
    "an element that is not closed": `${order}${transaction("<AuthCode>")}`
  }
  for (const [name, body] of Object.entries(unreadable)) {
    it.effect(`is unreadable with ${name}`, () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* tagOf(document(body)), "Unknown")
      })
    )
  }

  it.effect("is unreadable with a document type", () =>
    Effect.gen(function* () {
      const typed = `<!DOCTYPE GVPSResponse [<!ENTITY a "b">]><GVPSResponse>${order}${transaction()}</GVPSResponse>`
      assert.strictEqual(yield* tagOf(xmlAnswer(typed)), "Unknown")
    })
  )

  it.effect("is unreadable when it is far larger than any answer", () =>
    Effect.gen(function* () {
      const large = transaction(`<HostMsgList>${"x".repeat(300_000)}</HostMsgList>`)
      assert.strictEqual(yield* tagOf(document(order + large)), "Unknown")
      assert.strictEqual(yield* tagOf(answerWith({ Order: "x" })), "Unknown")
    })
  )
})
