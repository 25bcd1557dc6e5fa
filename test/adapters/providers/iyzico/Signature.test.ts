import { assert, describe, it } from "@effect/vitest"
import { decodeAnswer, decodeNotification } from "@sarraf/adapters/providers/iyzico/Messages"
import {
  authorizationHeader,
  demandsSignature,
  initializeTexts,
  isSignature,
  itemRefundTexts,
  notificationText,
  paymentTexts,
  refundTexts,
  returnText
} from "@sarraf/adapters/providers/iyzico/Signature"
import { Effect, Option, Redacted, Schema } from "effect"
import { recordingsOf } from "../recordings.ts"
import { credentials, hexOf, liveCredentials } from "./Sample.ts"

const { isPresent, read, recorded } = recordingsOf("iyzico")

const Texts = Schema.Record(Schema.String, Schema.String)
const Vectors = Schema.Struct({
  authorization: Schema.Struct({
    apiKey: Schema.String,
    secretKey: Schema.String,
    randomKey: Schema.String,
    uriPath: Schema.String,
    rawBody: Schema.String,
    header: Schema.String
  }),
  callback: Schema.Struct({ secretKey: Schema.String, fields: Texts, signature: Schema.String }),
  webhook: Schema.Struct({ secretKey: Schema.String, vectors: Schema.Array(Texts) }),
  responseSignature: Schema.Struct({
    secretKey: Schema.String,
    fields: Texts,
    signature: Schema.String,
    amountExamples: Texts,
    computedByUs: Schema.Array(
      Schema.Struct({
        operation: Schema.String,
        message: Schema.String,
        secretKey: Schema.String,
        signature: Schema.String
      })
    )
  }),
  headerEncoding: Schema.Struct({ decoded: Schema.String, header: Schema.String })
})
const vectors = isPresent ? Schema.decodeUnknownSync(Vectors)(read("hash-vectors.json")) : undefined

const known = () => {
  assert(vectors !== undefined)
  return vectors
}

const answerOf = (fields: object) => Option.getOrThrow(decodeAnswer({ status: "success", ...fields }))

const verifies = (key: string, texts: ReadonlyArray<string>, signature: string) =>
  texts.some((text) => isSignature(Redacted.make(key), text, signature))

describe("a recorded signature holds", () => {
  recorded("of a request", () =>
    Effect.sync(() => {
      const { apiKey, header, randomKey, rawBody, secretKey, uriPath } = known().authorization
      const made = { apiKey, secretKey: Redacted.make(secretKey) }
      assert.strictEqual(authorizationHeader(made, randomKey, uriPath, new TextEncoder().encode(rawBody)), header)
    })
  )

  recorded("of a return", () =>
    Effect.sync(() => {
      const { fields, secretKey, signature } = known().callback
      assert.isTrue(verifies(secretKey, [returnText(fields)], signature))
      assert.isFalse(verifies(secretKey, [returnText({ ...fields, mdStatus: "0" })], signature))
    })
  )

  recorded("of a notification, of either kind", () =>
    Effect.sync(() => {
      const { secretKey, vectors } = known().webhook
      assert.lengthOf(vectors, 2)
      for (const vector of vectors) {
        const message = Option.getOrThrow(decodeNotification(vector))
        const text = notificationText(Redacted.make(secretKey), message)
        assert.isTrue(verifies(secretKey, [text], vector.signature ?? ""))
      }
    })
  )

  recorded("of an answer about a payment, with any zeros at its amounts' end", () =>
    Effect.sync(() => {
      const { fields, secretKey, signature } = known().responseSignature
      for (const amount of ["10.5", "10.50", "10.50000000"]) {
        const answer = answerOf({ ...fields, paidPrice: amount, price: amount })
        assert.isTrue(verifies(secretKey, paymentTexts(answer), signature), amount)
      }
      assert.isFalse(verifies(secretKey, paymentTexts(answerOf({ ...fields, paidPrice: "10.6" })), signature))
    })
  )

  recorded("of a refund and of the start of 3-D Secure", () =>
    Effect.sync(() => {
      const { computedByUs } = known().responseSignature
      assert.lengthOf(computedByUs, 2)
      for (const { message, operation, secretKey, signature } of computedByUs) {
        if (operation === "refund") {
          const [paymentId, price, currency, conversationId] = message.split(":")
          const answer = answerOf({ paymentId, price: `${price}.00`, currency, conversationId })
          assert.isTrue(verifies(secretKey, itemRefundTexts(answer), signature))
          assert.isTrue(verifies(secretKey, refundTexts(answer), signature))
        } else {
          const [paymentId, conversationId] = message.split(":")
          assert.isTrue(verifies(secretKey, initializeTexts(answerOf({ paymentId, conversationId })), signature))
        }
      }
    })
  )

  recorded("of amounts as the vendor shortens them", () =>
    Effect.sync(() => {
      const { amountExamples } = known().responseSignature
      assert.isNotEmpty(Object.keys(amountExamples))
      for (const [amount, short] of Object.entries(amountExamples)) {
        assert.deepStrictEqual(itemRefundTexts(answerOf({ price: amount })), [`:${short}::`])
      }
    })
  )

  recorded("of a header as it is put together", () =>
    Effect.sync(() => {
      const { decoded, header } = known().headerEncoding
      assert.strictEqual(`IYZWSv2 ${btoa(decoded)}`, header)
    })
  )
})

describe("a signature", () => {
  it("holds by the provider sheet's own example", () => {
    const text = "22416032:TRY:basketId:conversationId:10.5:10.5"
    const signature = "836c3a6c8db86c81043f2ca74edb13518b54a813f454f8dd762f0dd658610173"
    assert.isTrue(isSignature(credentials.secretKey, text, signature))
    assert.isFalse(isSignature(liveCredentials.secretKey, text, signature))
    for (const wrong of ["", signature.toUpperCase(), `${signature} `, signature.slice(0, -1), "ı".repeat(64)]) {
      assert.isFalse(isSignature(credentials.secretKey, text, wrong))
    }
  })

  it("leaves what is missing empty, and stands for nothing else", () => {
    assert.deepStrictEqual(paymentTexts(answerOf({ paymentId: "1" })), ["1:::::"])
    assert.strictEqual(returnText({ mdStatus: "1", paymentId: "2", status: "success" }), "::1:2:success")
    assert.isTrue(isSignature(credentials.secretKey, "x", hexOf("x")))
  })

  it("is demanded of every account but those of the test system", () => {
    assert.deepStrictEqual([demandsSignature(credentials), demandsSignature(liveCredentials)], [false, true])
  })
})
