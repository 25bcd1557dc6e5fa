import { assert, describe, it } from "@effect/vitest"
import { make } from "@sarraf/adapters/providers/garanti/Adapter"
import { formHash, requestHash, secDataOf } from "@sarraf/adapters/providers/garanti/Signature"
import type { ProviderRequest, ProviderResponse } from "@sarraf/adapters/providers/ProviderTransport"
import type { Outcome } from "@sarraf/domain/payments/Outcome"
import type { PaymentProvider } from "@sarraf/domain/payments/PaymentProvider"
import { Effect, Redacted, Schema } from "effect"
import { type Expectation, recordingsOf } from "../recordings.ts"
import { Elements } from "../xml.ts"
import {
  answered,
  answerWith,
  approved,
  authorization,
  authorizeCall,
  capture,
  captureCall,
  credentials,
  historyRow,
  lira,
  operationCall,
  postedDocument,
  postedElements,
  recordOf,
  refusedWith,
  returnCall,
  returnUrl,
  terminalAnswering,
  xmlAnswer
} from "./Sample.ts"

const { index, read, readBytes, recorded } = recordingsOf("garanti")

const readElements = (file: string) => Schema.decodeUnknownSync(Elements)(read(file))
const responseOf = (file: string): ProviderResponse =>
  file.endsWith(".xml") ? xmlAnswer(readBytes(file)) : answerWith(readElements(file))

const captured = { captures: [capture("400609700000")] }

/** The buyer whose return came before a recorded completion. */
const completed = (terminal: PaymentProvider): Effect.Effect<Outcome> =>
  terminal.threeDS?.complete(
    returnCall(formOf("3ds-callback-authenticated.response.json"), {
      authorization: authorization({ reference: "2023100354BB", money: lira(101n) })
    })
  ) ?? Effect.die(new Error("There is no 3-D Secure."))

const perform = (operation: string, response: ProviderResponse): Effect.Effect<Outcome> => {
  const { terminal } = terminalAnswering(response)
  if (operation === "capture") return terminal.capture(captureCall(100n))
  if (operation === "refund") return terminal.refund(operationCall(100n, captured))
  if (operation === "void") return terminal.cancel(operationCall(100n))
  return operation === "3ds-complete" ? completed(terminal) : terminal.authorize(authorizeCall())
}

/** Every field that the expectation has, by the outcome of the operation. */
const assertOutcome = (outcome: Outcome, expected: Expectation) => {
  const tag = expected.outcome === "approved" ? "Accepted" : expected.duplicate ? "Unknown" : "Refused"
  assert.strictEqual(outcome._tag, tag)
  assert(outcome._tag === "Accepted" || outcome._tag === "Refused" || outcome._tag === "Unknown")
  const { answer } = outcome
  assert.strictEqual(answer?.responseCode, expected.responseCode)
  if (expected.reasonCode !== undefined) assert.strictEqual(answer?.fields.ReasonCode, expected.reasonCode)
  if (expected.authCode !== undefined) assert.strictEqual(answer?.fields.AuthCode, expected.authCode)
  if (outcome._tag !== "Unknown") assert.strictEqual(outcome.providerReference, expected.providerReference)
  if (outcome._tag !== "Refused") return
  assert.strictEqual(outcome.code, expected.errorCode)
  assert.strictEqual(outcome.mayTryAnother, expected.misconfiguration === true)
}

const transactions = ["sale", "authorize", "3ds-complete", "capture", "refund", "void"]
const responses = index.filter(({ kind }) => kind === "response")

describe("recorded answers to transactions", () => {
  for (const { expect, file, operation } of responses.filter((entry) => transactions.includes(entry.operation))) {
    recorded(`are read as the index says: ${file}`, () =>
      Effect.gen(function* () {
        assertOutcome(yield* perform(operation, responseOf(file)), expect)
      })
    )

    recorded(`are believed with the right hash alone, where they have one of version 512: ${file}`, () =>
      Effect.gen(function* () {
        if (expect.signatureValid !== true) return
        const transport = { send: () => Effect.succeed(responseOf(file)) }
        const other = { ...credentials, password: Redacted.make("other"), refundPassword: Redacted.make("other") }
        const outcome = yield* make({ credentials: other, transport }).authorize(authorizeCall())
        assert.strictEqual(outcome._tag, "Unknown")
      })
    )
  }
})

const Returned = Schema.Record(Schema.String, Schema.NullOr(Schema.String))
/** Form fields as they were decoded; null stands for an empty one. */
const formOf = (file: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(Schema.decodeUnknownSync(Returned)(read(file))).map(([name, value]) => [name, value ?? ""])
  )

describe("recorded returns of the buyer", () => {
  for (const { expect, file } of responses.filter(({ operation }) => operation === "3ds-callback")) {
    recorded(`are read as the index says: ${file}`, () =>
      Effect.gen(function* () {
        const returned = formOf(file)
        assert.strictEqual(returned.mdstatus, expect.mdStatus)
        const money = lira(BigInt(returned.txnamount ?? ""))
        const call = returnCall(returned, { authorization: authorization({ reference: returned.oid ?? "", money }) })
        const isAuthenticated = expect.threeDS === "authenticated"
        const order = { OrderID: returned.oid ?? "" }
        const next = isAuthenticated
          ? answered(approved, {}, order)
          : answered(refusedWith("0110"), { RetrefNum: "" }, order)
        const { requests, terminal } = terminalAnswering(next)
        const { threeDS } = terminal
        assert(threeDS !== undefined)
        assert.isTrue(threeDS.isGenuine(call))
        const outcome = yield* threeDS.complete(call)
        if (isAuthenticated) {
          assert.strictEqual(outcome._tag, "Accepted")
          const [request] = requests
          assert(request !== undefined)
          const { Secure3D } = Object(postedElements(request)).Transaction
          assert.strictEqual(Secure3D.SecurityLevel, expect.eci)
          assert.strictEqual(Secure3D.Md, returned.md)
        } else {
          assert(outcome._tag === "Refused")
          assert.strictEqual(outcome.code, expect.errorCode)
          assert.strictEqual(outcome.answer.responseCode, expect.responseCode ?? expect.mdStatus)
        }
        if (expect.signatureValid === true) {
          assert.isFalse(threeDS.isGenuine({ ...call, returned: { ...returned, cavv: `${returned.cavv}A` } }))
        }
      })
    )
  }
})

const stages: Readonly<Record<string, string>> = { captured: "CAPTURED", authorized: "AUTHORIZED" }

describe("recorded answers to questions", () => {
  for (const file of ["query-captured.response.json", "query-authorized.response.json"]) {
    recorded(`find the order as the index says: ${file}`, () =>
      Effect.gen(function* () {
        const expected = index.find((entry) => entry.file === file)?.expect
        const { Order } = readElements(file)
        const orderId = `${Object(Order).OrderID}`
        const row = expected?.state === "captured" ? "sales 00 00 101 N - -" : "preauth 00 00 101 N - -"
        const [, history] = recordOf({}, [historyRow(row)])
        assert(history !== undefined)
        const body = Buffer.from(history.body).toString().replace("SRF00000000000000001", orderId)
        const { terminal } = terminalAnswering(responseOf(file), xmlAnswer(body))
        const finding = yield* terminal.query(authorization({ reference: orderId, money: lira(101n) }))
        assert(finding._tag === "Found")
        assert.strictEqual(finding.stage, stages[expected?.state ?? ""])
        assert.strictEqual(finding.providerReference, expected?.providerReference)
        assert.strictEqual(finding.answer.responseCode, expected?.responseCode)
        assert.strictEqual(finding.answer.fields.AuthCode, expected?.authCode)
        assert.strictEqual(finding.answer.fields.Status, expected?.status)
        const amount = finding.stage === "CAPTURED" ? finding.capturedMinor : finding.echo.minor
        assert.strictEqual(amount, BigInt(expected?.amountMinor ?? 0))
      })
    )
  }

  recorded("find the sale above the refund that failed in order-history-sale-and-failed-refund", () =>
    Effect.gen(function* () {
      const file = "order-history-sale-and-failed-refund.response.json"
      const expected = index.find((entry) => entry.file === file)?.expect
      const { terminal } = terminalAnswering(responseOf("query-captured.response.json"), responseOf(file))
      const finding = yield* terminal.query(authorization({ reference: "20221101EB13", money: lira(101n) }))
      assert(finding._tag === "Found")
      assert.strictEqual(finding.stage, stages[expected?.state ?? ""])
      assert.strictEqual(finding.providerReference, expected?.providerReference)
      assert.deepStrictEqual([finding.settled, finding.capturedMinor, finding.refundedMinor], [false, 101n, 0n])
      assert.deepStrictEqual(finding.echo, { reference: "20221101EB13", currency: "TRY", last4: "8015" })
    })
  )

  recorded("do not know the order of query-not-found, and prove nothing of another", () =>
    Effect.gen(function* () {
      const file = "query-not-found.response.json"
      const expected = index.find((entry) => entry.file === file)?.expect
      const ask = (reference: string) =>
        terminalAnswering(responseOf(file)).terminal.query(authorization({ reference, money: lira(101n) }))
      const finding = yield* ask("20221101295D")
      assert(finding._tag === "Absent" && expected?.notFound === true)
      assert.strictEqual(finding.answer.responseCode, expected.responseCode)
      assert.strictEqual(finding.answer.fields.ReasonCode, expected.reasonCode)
      assert.strictEqual((yield* ask("20221101295E"))._tag, "Unanswered")
    })
  )
})

/** All but the buyer's address, which the recordings choose freely, and the hash, which is tried apart. */
const comparable = (elements: unknown): unknown => {
  const { Customer: _, Terminal, ...rest } = Schema.decodeUnknownSync(Elements)(elements)
  const { HashData: __, ...terminal } = Object(Terminal)
  const texts = JSON.stringify({ ...rest, Terminal: terminal }, (_, value) =>
    typeof value === "number" ? `${value}` : value
  )
  return JSON.parse(texts)
}

describe("recorded requests", () => {
  type Send = (terminal: PaymentProvider) => Effect.Effect<unknown>
  const sent = Effect.fnUntraced(function* (send: Send, ...answers: ReadonlyArray<ProviderResponse>) {
    const { requests, terminal } = terminalAnswering(...answers, xmlAnswer(""))
    yield* send(terminal)
    const request = requests.at(-1)
    assert(request !== undefined)
    return request
  })
  const hashOf = (request: ProviderRequest) => Object(postedElements(request)).Terminal.HashData

  const compare = (file: string, isSigned: boolean, send: Send, ...answers: ReadonlyArray<ProviderResponse>) =>
    recorded(`are what is sent: ${file}`, () =>
      Effect.gen(function* () {
        const request = yield* sent(send, ...answers)
        assert.deepStrictEqual(comparable(postedElements(request)), comparable(read(file)))
        if (isSigned) assert.strictEqual(hashOf(request), Object(readElements(file).Terminal).HashData)
      })
    )
  const of = (reference: string, providerReference: string | null = "831803579226") => ({
    authorization: authorization({ reference, providerReference })
  })
  compare("capture.request.json", false, (terminal) => terminal.capture(captureCall(10025n, of("order222"))))
  compare("void.request.json", true, (terminal) => terminal.cancel(operationCall(100n, of("2020110828BC"))))
  compare("refund.request.json", true, (terminal) =>
    terminal.refund(operationCall(12310n, { ...of("2020110828BC"), captures: [capture("831803579226")] }))
  )
  const { authorization: order } = of("order222", null)
  compare("query.request.json", true, (terminal) => terminal.query({ ...order, reference: "2020110828BC" }))
  compare(
    "order-history.request.json",
    true,
    (terminal) => terminal.query(order),
    answered(approved, {}, { OrderID: "order222", OrderInqResult: { Status: "APPROVED" } })
  )

  recorded("have the elements of a preauth, and its hash for the recorded card: sale.request.json", () =>
    Effect.gen(function* () {
      const request = yield* sent((terminal) =>
        terminal.authorize(authorizeCall({ reference: "order222", money: lira(10025n) }))
      )
      const theirs = readElements("sale.request.json")
      const { Card, Transaction, ...ours } = Object(comparable(postedElements(request)))
      const { Card: theirCard, Transaction: theirTransaction, ...rest } = Object(comparable(theirs))
      assert.deepStrictEqual(ours, rest)
      assert.deepStrictEqual(Object.keys(Card), Object.keys(theirCard))
      assert.deepStrictEqual(Transaction, { ...theirTransaction, Type: "preauth" })
      const { password, terminalId } = credentials
      const parts = { orderId: "order222", terminalId, amount: "10025", currency: "949" }
      const hash = requestHash({ ...parts, cardNumber: theirCard.Number }, secDataOf(password, terminalId))
      assert.strictEqual(hash, Object(theirs.Terminal).HashData)
    })
  )

  for (const [file, send] of [
    ["sale.request.xml", (terminal: PaymentProvider) => terminal.authorize(authorizeCall())],
    ["query.request.xml", (terminal: PaymentProvider) => terminal.query(authorization())]
  ] as const) {
    recorded(`have their elements in the order of ${file}`, () =>
      Effect.gen(function* () {
        const namesOf = (document: string) => [...document.matchAll(/<(\w+)>/gu)].map(([, name]) => name)
        const theirs = namesOf(Buffer.from(readBytes(file)).toString("utf8"))
        const ours = namesOf(postedDocument(yield* sent(send)))
        // A question names no buyer, so that it has no address to write to.
        const expected = file.startsWith("query") ? theirs.filter((name) => name !== "EmailAddress") : theirs
        assert.deepStrictEqual(ours, expected)
      })
    )
  }

  recorded("have the form's fields, and its hash for the recorded addresses: 3ds-init-form.request.json", () =>
    Effect.gen(function* () {
      const theirs = formOf("3ds-init-form.request.json")
      const outcome = yield* terminalAnswering().terminal.authorize(
        authorizeCall({ reference: "order222", money: lira(10025n), threeDS: { returnUrl } })
      )
      assert(outcome._tag === "ActionRequired" && outcome.step.type === "form")
      const { customeremailaddress: _, ...ours } = Redacted.value(outcome.step.fields)
      assert.deepStrictEqual(Object.keys(ours), Object.keys(theirs))
      const own = ["txntype", "successurl", "errorurl", "customeripaddress", "secure3dhash"]
      const card = ["cardnumber", "cardexpiredatemonth", "cardexpiredateyear", "cardcvv2"]
      for (const name of Object.keys(ours).filter((name) => ![...own, ...card].includes(name))) {
        assert.strictEqual(ours[name], theirs[name], name)
      }
      const { password, storeKey, terminalId } = credentials
      assert.strictEqual(formHash(theirs, storeKey, secDataOf(password, terminalId)), theirs.secure3dhash)
    })
  )

  recorded("have the completion's elements: 3ds-complete.request.json", () =>
    Effect.gen(function* () {
      const { Amount: _, Type: __, ...theirs } = readElements("3ds-complete.request.json")
      const { Amount, Secure3D, Type, ...ours } = Object(postedElements(yield* sent(completed))).Transaction
      assert.deepStrictEqual([Type, Amount], ["preauth", "101"])
      assert.deepStrictEqual(
        { ...ours, Secure3D: Object.keys(Secure3D) },
        {
          ...theirs,
          Secure3D: Object.keys(Object(theirs.Secure3D))
        }
      )
    })
  )
})

describe("recordings that are compared", () => {
  it("are all of the index", () => {
    const named = [
      "capture.request.json",
      "void.request.json",
      "refund.request.json",
      "query.request.json",
      "order-history.request.json",
      "sale.request.json",
      "sale.request.xml",
      "query.request.xml",
      "3ds-init-form.request.json",
      "3ds-complete.request.json",
      "query-captured.response.json",
      "query-authorized.response.json",
      "query-not-found.response.json",
      "order-history-sale-and-failed-refund.response.json"
    ]
    const rest = index.filter(({ file, kind, operation }) => {
      const isByOperation = kind === "response" && [...transactions, "3ds-callback"].includes(operation)
      return !named.includes(file) && !isByOperation
    })
    assert.deepStrictEqual(rest, [])
  })
})
