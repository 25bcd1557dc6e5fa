import { assert, describe } from "@effect/vitest"
import type { Outcome } from "@sarraf/domain/payments/Outcome"
import type { Finding } from "@sarraf/domain/payments/PaymentProvider"
import { Effect, Redacted } from "effect"
import { type Recording, recordingsOf, toldBy } from "../recordings.ts"
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
  operationCall,
  returnCall
} from "./Sample.ts"

const { index, readBytes, recorded } = recordingsOf("stripe")

/** Where the index has no status: what its note says, a server's failure, else the refusal of a request. */
const statusOf = ({ expect, httpStatus }: Recording) => httpStatus ?? (expect.responseCode === "api_error" ? 500 : 400)

const perform = (recording: Recording) => {
  const response = answer(statusOf(recording), readBytes(recording.file))
  // Of the payment in the recording, so that its answer is about what was asked.
  const id = recording.expect.providerReference?.startsWith("pi_") ? recording.expect.providerReference : "pi_recorded"
  const isQuery = ["get", "3ds-complete", "sale"].includes(recording.operation) && recording.expect.outcome !== "error"
  const second = isQuery ? answer(200, list()) : response
  const { requests, stripe } = accountAnswering(Effect.succeed(response), Effect.succeed(second))
  const asked = { authorization: authorization({ providerReference: id }) }
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
        return stripe.query(asked.authorization)
      // A sale is none of the adapter's steps: its approvals are met by a query alone.
      case "sale":
        return recording.expect.outcome === "approved"
          ? stripe.query(asked.authorization)
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

const stages: Readonly<Record<string, string>> = { requires_capture: "AUTHORIZED", succeeded: "CAPTURED" }

describe("a recorded answer", () => {
  for (const recording of index.filter(({ kind }) => kind === "response")) {
    const { expect, file } = recording
    recorded(`${file} is read as ${tagOf(recording)}`, () =>
      Effect.gen(function* () {
        const { requests, result } = yield* perform(recording)
        const told = toldBy(result, tagOf(recording))
        if (told === undefined) return
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

  const asked = { threeDS: { returnUrl: "https://example.com/return-to-me" } }
  recorded("of a demand for 3-D Secure sends the buyer to the issuer where that was asked for", () =>
    Effect.gen(function* () {
      const recording = readBytes("confirm-requires-3ds-redirect.response.json")
      const { requests, stripe } = accountAnswering(Effect.succeed(answer(200, recording)))
      const outcome = yield* stripe.authorize(authorizeCall(asked))
      assert(outcome._tag === "ActionRequired")
      assert(outcome.step.type === "redirect")
      assert.match(
        outcome.step.url,
        /^https:\/\/hooks\.stripe\.com\/3d_secure_2_eap\/begin_test\/src_1F1w\w+\/src_client/u
      )
      assert.strictEqual(outcome.providerReference, "pi_1F1wpFAWOtgoysog8nTulYGk")
      assert.deepStrictEqual(outcome.echo, { minor: 2020n, currency: "GBP" })
      assert.lengthOf(requests, 1)
    })
  )

  recorded("of a demand that is for Stripe's own script is an error, and the payment is cancelled", () =>
    Effect.gen(function* () {
      const recording = readBytes("confirm-requires-3ds-sdk.response.json")
      const { requests, stripe } = accountAnswering(
        Effect.succeed(answer(200, recording)),
        Effect.succeed(answer(200, intent({ status: "canceled" })))
      )
      const outcome = yield* stripe.authorize(authorizeCall(asked))
      assert(outcome._tag === "Refused")
      assert.strictEqual(outcome.code, "PROVIDER_ERROR")
      assert.match(requests[1]?.url ?? "", /\/cancel$/u)
    })
  )

  const completions: ReadonlyArray<readonly [string, string, string]> = [
    ["3ds-complete-approved", "pi_1Ev0a2FSbr6xR4YAsGQmFF0X", "Accepted"],
    ["get-approved-after-3ds", "pi_1FHESeEZsufgnuO08A2FUSPy", "Accepted"],
    ["get-requires-payment-method-3ds-failed", "pi_1Ev1ZFFSbr6xR4YAlcdtdqGH", "3DS_FAILED"],
    ["confirm-requires-3ds-redirect", "pi_1F1wpFAWOtgoysog8nTulYGk", "ActionRequired"],
    ["confirm-requires-3ds-sdk", "pi_1Ev1CeFSbr6xR4YAbVhiBUv0", "Unknown"],
    ["authorize-declined-generic", "pi_1F2MB5AWOtgoysogCMt8BaxR", "Unknown"]
  ]
  for (const [name, providerReference, expected] of completions) {
    recorded(`${name} completes 3-D Secure as ${expected}`, () =>
      Effect.gen(function* () {
        const recording = answer(200, readBytes(`${name}.response.json`))
        const cancelled = answer(200, intent({ status: "canceled" }))
        const { stripe } = accountAnswering(Effect.succeed(recording), Effect.succeed(cancelled))
        const outcome = yield* stripe.threeDS?.complete(
          returnCall({}, { authorization: authorization({ providerReference }) })
        ) ?? Effect.die("none")
        assert.strictEqual(outcome._tag === "Refused" ? outcome.code : outcome._tag, expected)
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
  recorded("authorize.request.txt has our fields with those of 3-D Secure", () =>
    Effect.gen(function* () {
      const {
        capture_method,
        currency,
        "payment_method_options[card][request_three_d_secure]": preference,
        return_url = "",
        ...theirs
      } = recordedForm("authorize.request.txt")
      const { requests, stripe } = accountSaying(intent())
      const { card } = authorizeCall()
      yield* stripe.authorize(
        authorizeCall({
          reference: "probe_txn_001",
          card: { ...card, cvc: Redacted.make("737") },
          threeDS: { returnUrl: return_url }
        })
      )
      const [request] = requests
      assert(request !== undefined)
      const ours = formOf(request)
      assert.deepStrictEqual({ ...theirs, ...ours }, ours)
      assert.strictEqual(ours.currency, currency?.toLowerCase())
      assert.strictEqual(ours.return_url, return_url)
      // The probe leaves 3-D Secure to Stripe and the issuer, and sells at once where we authorize.
      assert.deepStrictEqual(
        [preference, ours["payment_method_options[card][request_three_d_secure]"]],
        ["automatic", "any"]
      )
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
      yield* stripe.refund(
        operationCall(1000n, { authorization: authorization({ providerReference: "probe_connector_txn_001" }) })
      )
      const [request] = requests
      assert(request !== undefined)
      const ours = formOf(request)
      assert.deepStrictEqual([ours.amount, ours.payment_intent], [amount, payment_intent])
      assert.property(theirs, "metadata[order_id]")
      assert.property(ours, "metadata[order_id]")
    })
  )
})
