import { assert, describe, it } from "@effect/vitest"
import { readNotification } from "@sarraf/adapters/providers/iyzico/Notifications"
import { Effect, Redacted } from "effect"
import { recordingsOf } from "../recordings.ts"
import { credentials, hexOf, paymentId, reference, secret } from "./Sample.ts"

const event = (changes: object = {}) => ({
  paymentConversationId: reference,
  merchantId: 3_382_172,
  paymentId: Number(paymentId),
  status: "SUCCESS",
  iyziReferenceCode: "a9af8e6b-4401-4928-b6b8-40419aaa3d0f",
  iyziEventType: "API_AUTH",
  iyziEventTime: 1_721_825_828_467,
  iyziPaymentId: Number(paymentId),
  ...changes
})

const signatureOf = ({ iyziEventType, paymentConversationId, paymentId, status }: ReturnType<typeof event>) =>
  hexOf(`${secret}${iyziEventType}${paymentId}${paymentConversationId}${status}`)

const messageOf = (body: string, signature?: string) => ({
  headers: signature === undefined ? {} : { "x-iyz-signature-v3": signature },
  query: {},
  body: new TextEncoder().encode(body)
})

const read = (body: object, signature?: string) =>
  readNotification(credentials, messageOf(JSON.stringify(body), signature))

describe("a notification", () => {
  it("that is genuine makes the gateway ask about our payment, since it tells neither amount nor review", () => {
    for (const [iyziEventType, status] of [
      ["API_AUTH", "SUCCESS"],
      ["API_AUTH", "FAILURE"],
      ["THREE_DS_AUTH", "SUCCESS"],
      ["THREE_DS_CALLBACK", "CALLBACK_THREEDS"]
    ] as const) {
      const one = event({ iyziEventType, status })
      assert.deepStrictEqual(read(one, signatureOf(one)), {
        _tag: "Verified",
        items: [{ id: "a9af8e6b-4401-4928-b6b8-40419aaa3d0f", reference, word: { _tag: "Ask" } }]
      })
    }
  })

  it("has the same id when it is repeated, also without a code of its own", () => {
    const { iyziReferenceCode: _, ...one } = event()
    const reading = read(one, signatureOf(event()))
    assert.deepStrictEqual(reading, read(one, signatureOf(event())))
    assert(reading._tag === "Verified")
    assert.strictEqual(reading.items[0]?.id, `API_AUTH:${paymentId}:SUCCESS`)
  })

  it("is forged where a signed field was changed", () => {
    const signature = signatureOf(event())
    for (const changes of [
      { status: "FAILURE" },
      { paymentId: 1 },
      { paymentConversationId: `${reference.slice(0, -1)}0` },
      { iyziEventType: "THREE_DS_AUTH" }
    ]) {
      assert.strictEqual(read(event(changes), signature)._tag, "Forged", JSON.stringify(changes))
    }
  })

  it("is forged without a signature, or with any other", () => {
    const signature = signatureOf(event())
    assert.strictEqual(read(event())._tag, "Forged")
    for (const wrong of ["", signature.slice(1), signature.toUpperCase(), `0${signature.slice(1)}`, hexOf("other")]) {
      assert.strictEqual(read(event(), wrong)._tag, "Forged", wrong)
    }
  })

  it("is forged with any byte of the signature altered", () => {
    const signature = signatureOf(event())
    for (let index = 0; index < signature.length; index++) {
      const letter = signature[index] === "0" ? "1" : "0"
      const altered = signature.slice(0, index) + letter + signature.slice(index + 1)
      assert.strictEqual(read(event(), altered)._tag, "Forged")
    }
  })

  it("of another system's payment, or of the hosted form, has nothing for us", () => {
    const other = event({ paymentConversationId: "conversationId" })
    assert.deepStrictEqual(read(other, signatureOf(other)), { _tag: "Verified", items: [] })
    const form = {
      ...event({ paymentConversationId: "order 17" }),
      token: "e828c62d",
      iyziEventType: "CHECKOUT_FORM_AUTH"
    }
    const text = `${secret}CHECKOUT_FORM_AUTH${paymentId}e828c62dorder 17SUCCESS`
    assert.deepStrictEqual(read(form, hexOf(text)), { _tag: "Verified", items: [] })
  })

  it("never throws", () => {
    for (const body of ["", "{}", "[]", "null", "{", '{"status":1}', "\u0000"]) {
      assert.strictEqual(readNotification(credentials, messageOf(body, hexOf("")))._tag, "Forged")
    }
  })

  const { readBytes, recorded } = recordingsOf("iyzico")
  recorded("that was recorded is genuine, and one with a changed byte is not", () =>
    Effect.sync(() => {
      const body = readBytes("webhook-api-auth.request.json")
      const headers = {
        "x-iyz-signature-v3": "92c7a72b7741bc83eb696066605c894778c87297b2c88d6037670666230e18ae"
      }
      const recordedCredentials = {
        ...credentials,
        secretKey: Redacted.make("sandbox-UuLnD7wZa0a3DmytfIrwHQqAMfqCNJrs")
      }
      // Its reference is none of ours.
      assert.deepStrictEqual(readNotification(recordedCredentials, { headers, query: {}, body }), {
        _tag: "Verified",
        items: []
      })
      assert.strictEqual(readNotification(credentials, { headers, query: {}, body })._tag, "Forged")
      const text = new TextDecoder().decode(body).replace("22484059", "22484058")
      const altered = { headers, query: {}, body: new TextEncoder().encode(text) }
      assert.strictEqual(readNotification(recordedCredentials, altered)._tag, "Forged")
    })
  )
})
