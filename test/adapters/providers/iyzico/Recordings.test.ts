import { assert, describe } from "@effect/vitest"
import { decodeAnswer, parse } from "@sarraf/adapters/providers/iyzico/Messages"
import type { Outcome } from "@sarraf/domain/payments/Outcome"
import type { Finding } from "@sarraf/domain/payments/PaymentProvider"
import { Effect, Option, Schema } from "effect"
import { jsonAnswer, jsonOf } from "../answers.ts"
import { type Recording, recordingsOf, toldBy } from "../recordings.ts"
import {
  accountAnswering,
  authorization,
  authorizeCall,
  captureCall,
  detail,
  operationCall,
  payment,
  report,
  returnCall,
  returned
} from "./Sample.ts"

const { index, read, readBytes, recorded } = recordingsOf("iyzico")

const Fields = Schema.Record(Schema.String, Schema.Unknown)
const fieldsOf = (file: string) => Schema.decodeUnknownSync(Fields)(read(file))

/** Its approvals are of sales, which are none of the adapter's steps: the same payment, held and not captured. */
const held = (file: string): Uint8Array =>
  new TextEncoder().encode(
    new TextDecoder().decode(readBytes(file)).replace(/"phase"\s*:\s*"AUTH"/u, '"phase":"PRE_AUTH"')
  )

const perform = ({ expect, file, operation }: Recording): Effect.Effect<Outcome | Finding> => {
  const providerReference = expect.providerReference ?? "1"
  const bytes = jsonAnswer(200, operation === "query" ? readBytes(file) : held(file))
  const first =
    operation === "3ds-complete"
      ? [jsonAnswer(200, detail({ paymentId: providerReference, paymentStatus: "CALLBACK_THREEDS" }))]
      : []
  // The detail of the hosted form tells no phase, and the report has to.
  const listed = report({ paymentId: Number(providerReference), phase: "AUTH" })
  const answers = [...first, bytes, jsonAnswer(200, listed)]
  const { iyzico } = accountAnswering(answers.map((one) => Effect.succeed(one)))
  const { threeDS } = iyzico
  assert(threeDS !== undefined)
  const asked = { authorization: authorization({ providerReference }) }
  switch (operation) {
    case "refund":
      return iyzico.refund(
        operationCall(50n, {
          authorization: authorization({ providerReference, notes: { paymentTransactionId: "11433038" } })
        })
      )
    case "void":
      return iyzico.cancel(operationCall(120n, asked))
    case "query":
      return iyzico.query(asked.authorization)
    case "3ds-complete":
      return threeDS.complete(returnCall(returned({ paymentId: providerReference }), asked))
    default:
      return iyzico.authorize(authorizeCall())
  }
}

const ours = new Set(["sale", "3ds-complete", "refund", "void", "query", "card-storage"])
const minorOf = (text: string) => BigInt(Math.round(Number(text) * 100))

const tagOf = ({ expect, operation }: Recording): string => {
  if (expect.outcome === "error") return "Refused"
  return operation === "query" ? "Found" : "Accepted"
}

describe("a recorded answer", () => {
  for (const recording of index.filter(({ kind, operation }) => kind === "response" && ours.has(operation))) {
    const { expect, file } = recording
    recorded(`${file} is read as ${tagOf(recording)}`, () =>
      Effect.gen(function* () {
        const told = toldBy(yield* perform(recording), tagOf(recording))
        if (told === undefined) return
        assert.strictEqual(told.code, expect.errorCode)
        assert.strictEqual(told.answer?.responseCode, expect.responseCode ?? "success")
        assert.strictEqual(told.providerReference, expect.providerReference)
        const amount = expect.paidPrice ?? expect.amount
        if (amount !== undefined) assert.strictEqual(told.echo?.minor, minorOf(amount))
        if (expect.currency !== undefined) assert.strictEqual(told.echo?.currency, expect.currency)
        if (expect.authCode !== undefined) assert.strictEqual(told.answer?.fields.authCode, expect.authCode)
        if (told.stage !== undefined) assert.strictEqual(told.stage, "CAPTURED")
      })
    )
  }

  recorded("of a sale is no authorization", () =>
    Effect.gen(function* () {
      const { iyzico } = accountAnswering([Effect.succeed(jsonAnswer(200, readBytes("sale-approved.response.json")))])
      assert.strictEqual((yield* iyzico.authorize(authorizeCall()))._tag, "Unknown")
    })
  )

  recorded("of a capture with a surcharge tells what was paid", () =>
    Effect.gen(function* () {
      const { iyzico } = accountAnswering([
        Effect.succeed(jsonAnswer(200, readBytes("query-captured.response.json"))),
        Effect.succeed(jsonAnswer(200, report()))
      ])
      const finding = yield* iyzico.query(authorization({ providerReference: "1" }))
      assert(finding._tag === "Found")
      assert.deepStrictEqual([finding.capturedMinor, finding.echo.last4], [150n, "0003"])
      // Several items: none of them stands for the whole.
      assert.deepStrictEqual(finding.notes, {})
    })
  )

  recorded(
    "of a start of 3-D Secure is a success whose page was cut in its middle, so that nobody can be sent there",
    () =>
      Effect.gen(function* () {
        const file = "3ds-init-html.response.json"
        const message = Option.getOrThrow(Option.flatMap(parse(readBytes(file)), decodeAnswer))
        assert.strictEqual(message.status, "success")
        const html = Buffer.from(message.threeDSHtmlContent ?? "", "base64").toString("latin1")
        assert.include(html, '<form id="iyzico-3ds-f')
        assert.notInclude(html, "</form>")
        const threeDS = { returnUrl: "https://gateway.test/return" }
        const cut = accountAnswering([Effect.succeed(jsonAnswer(200, readBytes(file)))])
        assert.strictEqual((yield* cut.iyzico.authorize(authorizeCall({ threeDS })))._tag, "Unknown")
        // The same answer with the page's missing half.
        const start = html.slice(0, html.indexOf("<form"))
        const whole = `${start}<form action="https://bank.example/" method="post"></form>`
        const mended = { ...fieldsOf(file), threeDSHtmlContent: btoa(whole) }
        const { iyzico } = accountAnswering([Effect.succeed(jsonAnswer(200, mended))])
        assert.strictEqual((yield* iyzico.authorize(authorizeCall({ threeDS })))._tag, "ActionRequired")
      })
  )

  for (const { file } of index.filter(({ kind, operation }) => kind === "response" && !ours.has(operation))) {
    recorded(`${file} is a success`, () =>
      Effect.sync(() => {
        assert.strictEqual(Option.getOrThrow(Option.flatMap(parse(readBytes(file)), decodeAnswer)).status, "success")
      })
    )
  }

  recorded("is read for every file that the index names", () =>
    Effect.sync(() => {
      const kinds = index.map(({ kind }) => kind)
      assert.deepStrictEqual(
        [kinds.filter((kind) => kind === "response").length, kinds.filter((kind) => kind === "request").length],
        [16, 5]
      )
    })
  )
})

describe("a recorded request", () => {
  const namesOf = (value: unknown): ReadonlyArray<string> =>
    typeof value === "object" && value !== null ? Object.keys(value) : []

  for (const file of ["3ds-init.request.json", "sale-token.request.json"]) {
    recorded(`${file} has no field that ours lacks, but for a stored card and a second category`, () =>
      Effect.gen(function* () {
        const { iyzico, requests } = accountAnswering([Effect.succeed(jsonAnswer(200, payment()))])
        yield* iyzico.authorize(authorizeCall({ threeDS: { returnUrl: "https://gateway.test/return" } }))
        const [request] = requests
        assert(request !== undefined)
        const ours = Schema.decodeUnknownSync(Fields)(jsonOf(request))
        const theirs = fieldsOf(file)
        assert.includeMembers([...namesOf(ours)], [...namesOf(theirs)])
        const objects = ["buyer", "billingAddress", ...(file.startsWith("3ds") ? ["paymentCard"] : [])]
        for (const name of objects) assert.includeMembers([...namesOf(ours[name])], [...namesOf(theirs[name])])
        const [ourItem, theirItem] = [ours, theirs].map(({ basketItems }) =>
          Array.isArray(basketItems) ? basketItems[0] : {}
        )
        assert.includeMembers([...namesOf(ourItem), "category2"], [...namesOf(theirItem)])
      })
    )
  }

  recorded("of a capture is not at hand: ours names the payment and the amount", () =>
    Effect.gen(function* () {
      const { iyzico, requests } = accountAnswering([Effect.succeed(jsonAnswer(200, payment({ phase: "POST_AUTH" })))])
      yield* iyzico.capture(captureCall(1050n))
      const [request] = requests
      assert(request !== undefined)
      assert.includeMembers([...namesOf(jsonOf(request))], ["paymentId", "paidPrice"])
    })
  )
})
