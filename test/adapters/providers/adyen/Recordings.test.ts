import { assert, describe } from "@effect/vitest"
import { make } from "@sarraf/adapters/providers/adyen/Adapter"
import type { Outcome } from "@sarraf/domain/payments/Outcome"
import { Effect, Redacted, Schema } from "effect"
import { jsonOf } from "../answers.ts"
import { type Recording, recordingsOf, toldBy } from "../recordings.ts"
import {
  accountAnswering,
  answer,
  authorization,
  authorizeCall,
  captureCall,
  credentials,
  operationCall,
  returnCall,
  returnUrl
} from "./Sample.ts"
import { type Item, messageOf, signed, webhookOf } from "./Webhook.ts"

const { index, read, readBytes, recorded } = recordingsOf("adyen")

/** The older interface's acknowledgements name no payment; it is another address, which is never spoken to. */
const isOlder = ({ expect }: Recording) => expect.responseCode?.startsWith("[") === true
const needsPage = (file: string) => file.includes("fingerprint") || file.includes("challenge")

/** Where the index has no status: the body's own, else success. */
const statusOf = ({ expect, httpStatus, operation }: Recording) =>
  httpStatus ?? (expect.responseCode === "10" ? 422 : ["capture", "refund", "void"].includes(operation) ? 201 : 200)

const perform = (recording: Recording) => {
  const { expect, file, operation } = recording
  const response = Effect.succeed(answer(statusOf(recording), readBytes(file)))
  const { adyen } = accountAnswering(response, response)
  // The payment that the recorded modifications are about, and the one that was completed.
  const providerReference = operation === "3ds-complete" ? (expect.providerReference ?? null) : "993617894903480A"
  const asked = { authorization: authorization({ providerReference }) }
  const step = (): Effect.Effect<Outcome> => {
    switch (operation) {
      case "capture":
        return adyen.capture(captureCall(2000n, asked))
      case "refund":
        return adyen.refund(operationCall(2500n, asked))
      case "void":
        return adyen.cancel(operationCall(2000n, asked))
      case "3ds-complete":
        return adyen.threeDS?.complete(returnCall({ redirectResult: "X6Xt!" }, asked)) ?? Effect.die("no 3-D Secure")
      default:
        return adyen.authorize(authorizeCall(file.includes("3ds") ? { threeDS: { returnUrl } } : {}))
    }
  }
  return step()
}

const tagOf = (recording: Recording): string => {
  const { expect, file, httpStatus } = recording
  if (isOlder(recording) || httpStatus === 500) return "Unknown"
  // The completion that asks for a challenge does not say of which payment.
  if (needsPage(file)) return file.startsWith("3ds") ? "Unknown" : "Refused"
  const tags = { approved: "Accepted", requires_3ds: "ActionRequired", pending: "Pending" } as const
  return expect.outcome === "approved" || expect.outcome === "requires_3ds" || expect.outcome === "pending"
    ? tags[expect.outcome]
    : "Refused"
}

describe("a recorded answer", () => {
  for (const recording of index.filter(({ kind }) => kind === "response")) {
    const { expect, file } = recording
    recorded(`${file} is read as ${tagOf(recording)}`, () =>
      Effect.gen(function* () {
        const told = toldBy(yield* perform(recording), tagOf(recording))
        if (told === undefined) return
        assert.strictEqual(told.code, needsPage(file) ? "3DS_FAILED" : expect.errorCode)
        if (expect.providerReference !== undefined) assert.strictEqual(told.providerReference, expect.providerReference)
        if (expect.responseCode !== undefined) assert.strictEqual(told.answer?.responseCode, expect.responseCode)
      })
    )
  }

  recorded("of an approval tells reference, amount and currency", () =>
    Effect.gen(function* () {
      const recording = index.find(({ file }) => file === "authorize-approved.response.json")
      assert(recording !== undefined)
      const result = yield* perform(recording)
      assert(result._tag === "Accepted")
      assert.deepStrictEqual(result.echo, { reference: "YOUR_REFERENCE", minor: 1000n, currency: "EUR" })
    })
  )

  recorded("of the older redirect is a form with its request", () =>
    Effect.gen(function* () {
      const recording = index.find(({ file }) => file.endsWith("3ds1.response.json"))
      assert(recording !== undefined)
      const result = yield* perform(recording)
      assert(result._tag === "ActionRequired" && result.step.type === "form")
      assert.strictEqual(result.step.action, "https://checkoutshopper-test.adyen.com/checkoutshopper/threeDS2.shtml")
      assert.deepStrictEqual(Object.keys(Redacted.value(result.step.fields)).sort(), ["MD", "PaReq"])
      assert.isNotEmpty(result.notes?.paymentData)
    })
  )
})

const sentTo = Effect.fnUntraced(function* (
  perform: (adyen: ReturnType<typeof make>) => Effect.Effect<unknown> | undefined
) {
  const { adyen, requests } = accountAnswering(Effect.succeed(answer(422, {})), Effect.succeed(answer(422, {})))
  yield* perform(adyen) ?? Effect.void
  const [request] = requests
  assert(request !== undefined)
  return jsonOf(request)
})

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null
/** The names in `theirs`, at every depth, that `ours` has no value for. */
const missingFrom = (ours: unknown, theirs: unknown, path = ""): ReadonlyArray<string> =>
  isRecord(theirs)
    ? Object.entries(theirs).flatMap(([name, value]) =>
        isRecord(ours) && ours[name] !== undefined
          ? missingFrom(ours[name], value, `${path}${name}.`)
          : [`${path}${name}`]
      )
    : []

describe("a recorded request", () => {
  const unsent: Readonly<Record<string, ReadonlyArray<string>>> = {
    // The older switch, and a name that is part of the card's.
    "authorize-connector.request.json": ["additionalData.executeThreeD", "shopperName"],
    "refund-connector.request.json": ["merchantRefundReason"],
    // Native authentication, which is not asked for.
    "3ds-complete-native.request.json": ["details.threeDSResult"]
  }
  for (const { file, operation } of index.filter(
    ({ kind, operation }) => kind === "request" && operation !== "webhook"
  )) {
    recorded(`${file} has nothing that ours lacks`, () =>
      Effect.gen(function* () {
        const ours = yield* sentTo((adyen) => {
          if (operation === "capture") return adyen.capture(captureCall(1000n))
          if (operation === "refund") return adyen.refund(operationCall(1000n))
          if (operation === "void") return adyen.cancel(operationCall(1000n))
          if (operation === "3ds-complete") return adyen.threeDS?.complete(returnCall({ redirectResult: "X6Xt!" }))
          return adyen.authorize(authorizeCall({ threeDS: { returnUrl } }))
        })
        assert.deepStrictEqual([...missingFrom(ours, read(file))], [...(unsent[file] ?? [])])
      })
    )
  }

  recorded("capture.request.json is ours, byte for byte but for the order", () =>
    Effect.gen(function* () {
      const call = captureCall(2000n, { authorization: authorization({ reference: "YOUR_UNIQUE_REFERENCE" }) })
      const adyenOf = (requests: Array<unknown>) =>
        make({
          credentials: { ...credentials, merchantAccount: "YOUR_MERCHANT_ACCOUNT" },
          transport: {
            send: (request) =>
              Effect.sync(() => {
                requests.push(jsonOf(request))
                return answer(422, {})
              })
          }
        })
      const requests: Array<unknown> = []
      yield* adyenOf(requests).capture(call)
      assert.deepStrictEqual(requests[0], read("capture.request.json"))
    })
  )
})

const Text = Schema.optionalKey(Schema.String)
const Webhook = Schema.Struct({
  notificationItems: Schema.Array(
    Schema.Struct({
      NotificationRequestItem: Schema.Struct({
        eventCode: Schema.String,
        success: Schema.String,
        pspReference: Schema.String,
        originalReference: Text,
        merchantAccountCode: Schema.String,
        merchantReference: Schema.String,
        amount: Schema.Struct({ value: Schema.Number, currency: Schema.String }),
        reason: Text,
        additionalData: Schema.Record(Schema.String, Schema.String)
      })
    })
  )
})
const itemOf = (file: string): Item => {
  const [first] = Schema.decodeUnknownSync(Webhook)(read(file)).notificationItems
  assert(first !== undefined)
  const { originalReference, reason, ...rest } = first.NotificationRequestItem
  return {
    ...rest,
    ...(originalReference === undefined ? {} : { originalReference }),
    ...(reason === undefined ? {} : { reason })
  }
}

describe("a recorded notification", () => {
  for (const { expect, file } of index.filter(({ operation }) => operation === "webhook")) {
    recorded(`${file} is a forgery as it is, and ${expect.outcome} once it is signed for us`, () =>
      Effect.sync(() => {
        const item = itemOf(file)
        const adyen = make({
          credentials: { ...credentials, merchantAccount: item.merchantAccountCode },
          transport: { send: () => Effect.die("nothing is sent") }
        })
        assert.strictEqual(adyen.readNotification?.(messageOf(read(file)))._tag, "Forged")
        const reading = adyen.readNotification?.(messageOf(webhookOf(signed(item))))
        assert(reading?._tag === "Verified")
        const [found] = reading.items
        assert(found !== undefined)
        assert.strictEqual(found.reference, item.merchantReference)
        if (found.word._tag === "Authorization") {
          assert.strictEqual(expect.outcome, "approved")
          assert(found.word.outcome._tag === "Accepted")
          assert.deepStrictEqual(found.word.outcome.echo, {
            reference: "8313842560770001",
            minor: 10_100n,
            currency: "EUR",
            last4: "7777"
          })
          return
        }
        assert(found.word._tag === "Operation")
        assert.strictEqual(found.word.status, expect.outcome === "approved" ? "SUCCEEDED" : "FAILED")
        if (expect.responseCode !== undefined) assert.strictEqual(found.word.answer.responseCode, expect.responseCode)
      })
    )
  }
})
