import { assert, describe } from "@effect/vitest"
import type { Echo, Outcome, ProviderAnswer } from "@sarraf/domain/payments/Outcome"
import type { Finding } from "@sarraf/domain/payments/PaymentProvider"
import { Effect, Redacted, Schema } from "effect"
import { recordingsOf } from "../recordings.ts"
import {
  accountAnswering,
  accountSaying,
  answer,
  authorization,
  authorizeCall,
  captureCall,
  formOf,
  intent,
  list,
  operationCall
} from "./Sample.ts"

const { isPresent, read, readBytes, recorded } = recordingsOf("stripe")

const Text = Schema.optionalKey(Schema.String)
const Index = Schema.Array(
  Schema.Struct({
    file: Schema.String,
    operation: Schema.String,
    kind: Schema.String,
    expect: Schema.Struct({
      outcome: Text,
      errorCode: Text,
      responseCode: Text,
      declineCode: Text,
      providerReference: Text
    }),
    httpStatus: Schema.optionalKey(Schema.Number)
  })
)
const index = isPresent ? Schema.decodeUnknownSync(Index)(read("index.json")) : []
type Recording = (typeof Index.Type)[number]

/** Where the index has no status: what its note says, a server's failure, else the refusal of a request. */
const statusOf = ({ expect, httpStatus }: Recording) => httpStatus ?? (expect.responseCode === "api_error" ? 500 : 400)

const perform = (recording: Recording) => {
  const response = answer(statusOf(recording), readBytes(recording.file))
  // Of the payment in the recording, so that its answer is about what was asked.
  const id = recording.expect.providerReference?.startsWith("pi_") ? recording.expect.providerReference : "pi_recorded"
  const isQuery = ["get", "3ds-complete", "sale"].includes(recording.operation) && recording.expect.outcome !== "error"
  const second = isQuery ? answer(200, list()) : response
  const { requests, stripe } = accountAnswering(Effect.succeed(response), Effect.succeed(second))
  const asked = { providerReference: id }
  const step = (): Effect.Effect<Outcome | Finding> => {
    switch (recording.operation) {
      case "capture":
        return stripe.capture(captureCall(2020n, asked))
      case "void":
        return stripe.cancel(operationCall(2020n, asked))
      case "refund":
        return stripe.refund(operationCall(80n, asked))
      case "get":
      case "3ds-complete":
        return stripe.query(authorization(asked))
      // A sale is none of the adapter's steps: its approvals are met by a query alone.
      case "sale":
        return recording.expect.outcome === "approved"
          ? stripe.query(authorization(asked))
          : stripe.authorize(authorizeCall())
      default:
        return stripe.authorize(authorizeCall())
    }
  }
  return Effect.map(step(), (result) => ({ result, requests }))
}

const tagOf = ({ expect, file, operation }: Recording): string => {
  if (file === "get-error-not-found.response.json") return "Unanswered"
  if (expect.responseCode === "api_error") return "Unknown"
  if (operation === "get" || operation === "3ds-complete") return "Found"
  if (expect.outcome === "approved") return operation === "sale" ? "Found" : "Accepted"
  return expect.outcome === "pending" ? "Pending" : "Refused"
}

const codeOf = ({ expect }: Recording) => (expect.outcome === "requires_3ds" ? "3DS_FAILED" : expect.errorCode)

interface Told {
  readonly code?: string
  readonly stage?: string
  readonly answer?: ProviderAnswer
  readonly providerReference?: string
  readonly echo?: Echo
}

const stages: Readonly<Record<string, string>> = { requires_capture: "AUTHORIZED", succeeded: "CAPTURED" }

describe("a recorded answer", () => {
  for (const recording of index.filter(({ kind }) => kind === "response")) {
    const { expect, file } = recording
    recorded(`${file} is read as ${tagOf(recording)}`, () =>
      Effect.gen(function* () {
        const { requests, result } = yield* perform(recording)
        assert.strictEqual(result._tag, tagOf(recording), JSON.stringify("reason" in result ? result.reason : ""))
        if (result._tag === "Unanswered" || result._tag === "Unknown" || result._tag === "NotSent") return
        const told: Told = result
        assert.strictEqual(told.code, codeOf(recording))
        if (expect.providerReference !== undefined) assert.strictEqual(told.providerReference, expect.providerReference)
        assert.strictEqual(told.answer?.responseCode, expect.responseCode ?? null)
        if (expect.declineCode !== undefined) {
          assert.strictEqual(told.answer?.fields["error.decline_code"], expect.declineCode)
        }
        if (told.stage !== undefined) {
          assert.strictEqual(told.stage, stages[expect.responseCode ?? ""] ?? "DECLINED")
        }
        // Nobody asked for the challenge, so that the payment which waits for it is cancelled.
        if (expect.outcome === "requires_3ds") assert.match(requests[1]?.url ?? "", /\/cancel$/u)
      })
    )
  }

  recorded("of an authorization tells reference, amount, currency and the card's last four", () =>
    Effect.gen(function* () {
      const recording = index.find(({ file }) => file === "authorize-approved.response.json")
      assert(recording !== undefined)
      const { result } = yield* perform(recording)
      assert(result._tag === "Accepted")
      assert.deepStrictEqual(result.echo, { minor: 2020n, currency: "GBP", last4: "4242" })
    })
  )

  recorded('of an issuer\'s "no" that carries the payment is unlike one that shows it as taken', () =>
    Effect.gen(function* () {
      const sale = index.find(({ file }) => file === "sale-approved.response.json")
      assert(sale !== undefined)
      const { stripe } = accountAnswering(Effect.succeed(answer(200, readBytes(sale.file))))
      assert.strictEqual((yield* stripe.authorize(authorizeCall()))._tag, "Unknown")
    })
  )
})

const recordedForm = (file: string): Readonly<Record<string, string>> =>
  Object.fromEntries(new URLSearchParams(new TextDecoder().decode(readBytes(file))))

describe("a recorded request", () => {
  recorded("authorize.request.txt has our fields, and beside them those of 3-D Secure", () =>
    Effect.gen(function* () {
      const {
        capture_method,
        currency,
        "payment_method_options[card][request_three_d_secure]": _preference,
        return_url: _address,
        ...theirs
      } = recordedForm("authorize.request.txt")
      const { requests, stripe } = accountSaying(intent())
      const { card } = authorizeCall()
      yield* stripe.authorize(
        authorizeCall({ reference: "probe_txn_001", card: { ...card, cvc: Redacted.make("737") } })
      )
      const [request] = requests
      assert(request !== undefined)
      const ours = formOf(request)
      assert.deepStrictEqual({ ...theirs, ...ours }, ours)
      assert.strictEqual(ours.currency, currency?.toLowerCase())
      // The probe sells at once where we authorize.
      assert.deepStrictEqual([capture_method, ours.capture_method], ["automatic", "manual"])
    })
  )

  recorded("capture.request.txt has our amount", () =>
    Effect.gen(function* () {
      const { requests, stripe } = accountSaying(intent())
      yield* stripe.capture(captureCall(1000n))
      const [request] = requests
      assert(request !== undefined)
      const { "expand[0]": _, ...ours } = formOf(request)
      assert.deepStrictEqual(ours, recordedForm("capture.request.txt"))
    })
  )

  recorded("refund.request.txt has our payment and amount, and a reference", () =>
    Effect.gen(function* () {
      const { amount, payment_intent, ...theirs } = recordedForm("refund.request.txt")
      const { requests, stripe } = accountSaying(intent())
      yield* stripe.refund(operationCall(1000n, { providerReference: "probe_connector_txn_001" }))
      const [request] = requests
      assert(request !== undefined)
      const ours = formOf(request)
      assert.deepStrictEqual([ours.amount, ours.payment_intent], [amount, payment_intent])
      assert.property(theirs, "metadata[order_id]")
      assert.property(ours, "metadata[order_id]")
    })
  )
})
