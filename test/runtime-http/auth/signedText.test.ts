import { assert, describe, it } from "@effect/vitest"
import { isSignedBy, type Signable } from "@sarraf/runtime-http/auth/signedText"
import { Effect, Schema } from "effect"

// Signed here by the Web Crypto API, and there by node:crypto.
const encoder = new TextEncoder()
const hex = (bytes: ArrayBuffer) => Buffer.from(bytes).toString("hex")

const hmac = (secret: string, ...parts: ReadonlyArray<string | Uint8Array>) =>
  Effect.promise(async () => {
    const key = await crypto.subtle.importKey("raw", encoder.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, [
      "sign"
    ])
    return Buffer.from(await crypto.subtle.sign("HMAC", key, Buffer.concat(parts.map((part) => Buffer.from(part)))))
  })

const sha256 = (body: Uint8Array) =>
  Effect.promise(async () => hex(await crypto.subtle.digest("SHA-256", Buffer.from(body))))

const timestamp = "1793534400000"

const signable = (body: string | Uint8Array, changes: Partial<Signable> = {}): Signable => ({
  timestamp,
  method: "POST",
  target: "/pf/v1/payments/txn_1/capture?x=1",
  body: Buffer.from(body),
  idempotencyKey: undefined,
  ...changes
})

const flipped = (signature: Buffer, bit: number) => {
  const other = Buffer.from(signature)
  other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7))
  return other
}

const Bytes = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))).check(
  Schema.isMinLength(1)
)

describe("A signature of version 1", () => {
  it("is the HMAC of the timestamp's text followed by the body, in a known case", () => {
    // echo -n '1793534400000{"amount":149.90}' | openssl dgst -sha256 -hmac sandbox_secret
    const known = Buffer.from("a6583297cb834e5a0aad7bf70274c7b343b5b695546dfaddba11623b42e78540", "hex")
    assert.isTrue(isSignedBy(["sandbox_secret"], known, signable('{"amount":149.90}'), 1))
  })

  it.effect.prop("covers the exact bytes of the body", [Bytes, Schema.NonEmptyString], ([bytes, secret]) =>
    Effect.gen(function* () {
      const body = Uint8Array.from(bytes)
      const signature = yield* hmac(secret.toWellFormed(), timestamp, body)
      assert.isTrue(isSignedBy([secret.toWellFormed()], signature, signable(body), 1))
      body[0] = (body[0] ?? 0) ^ 1
      assert.isFalse(isSignedBy([secret.toWellFormed()], signature, signable(body), 1))
    })
  )

  it.effect.prop(
    "is wrong with any bit changed",
    [Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))],
    ([bit]) =>
      Effect.gen(function* () {
        const signature = yield* hmac("secret", timestamp, "{}")
        assert.isTrue(isSignedBy(["secret"], signature, signable("{}"), 1))
        assert.isFalse(isSignedBy(["secret"], flipped(signature, bit), signable("{}"), 1))
      })
  )

  it.effect("covers the timestamp as it is written", () =>
    Effect.gen(function* () {
      const signature = yield* hmac("secret", `0${timestamp}`, "{}")
      assert.isTrue(isSignedBy(["secret"], signature, signable("{}", { timestamp: `0${timestamp}` }), 1))
      assert.isFalse(isSignedBy(["secret"], signature, signable("{}"), 1))
    })
  )

  it.effect("of a request without a body is over the timestamp alone, or the timestamp and {}", () =>
    Effect.gen(function* () {
      for (const text of ["", "{}"]) {
        const signature = yield* hmac("secret", timestamp, text)
        assert.isTrue(isSignedBy(["secret"], signature, signable(""), 1), text)
      }
      assert.isFalse(isSignedBy(["secret"], yield* hmac("secret", timestamp, " "), signable(""), 1))
      assert.isFalse(isSignedBy(["secret"], yield* hmac("secret", timestamp), signable("{}"), 1))
      assert.isFalse(isSignedBy(["secret"], yield* hmac("secret", timestamp, "{}"), signable("{ }"), 1))
    })
  )

  it.effect("is right under any of the client's secrets, and under no other", () =>
    Effect.gen(function* () {
      const signature = yield* hmac("old", timestamp, "{}")
      assert.isTrue(isSignedBy(["new", "old"], signature, signable("{}"), 1))
      assert.isTrue(isSignedBy(["old", "new"], signature, signable("{}"), 1))
      assert.isFalse(isSignedBy(["new"], signature, signable("{}"), 1))
      assert.isFalse(isSignedBy([], signature, signable("{}"), 1))
    })
  )

  it.effect("of another length is wrong, and does not throw", () =>
    Effect.gen(function* () {
      const signature = yield* hmac("secret", timestamp, "{}")
      for (const given of [Buffer.alloc(0), signature.subarray(0, 31), Buffer.concat([signature, Buffer.alloc(1)])]) {
        assert.isFalse(isSignedBy(["secret"], given, signable("{}"), 1))
      }
    })
  )
})

describe("A signature of version 2", () => {
  const version2 = (asked: Signable, secret = "secret") =>
    Effect.flatMap(sha256(asked.body), (digest) =>
      hmac(secret, `${asked.timestamp}\n${asked.method}\n${asked.target}\n${digest}\n${asked.idempotencyKey ?? ""}`)
    )

  it.effect.each([undefined, "key 1"])(
    "covers timestamp, method, path with query, body and the key %j",
    (idempotencyKey) =>
      Effect.gen(function* () {
        const asked = signable('{"a":1}', { idempotencyKey })
        const signature = yield* version2(asked)
        assert.isTrue(isSignedBy(["secret"], signature, asked, 2))
        const changes: ReadonlyArray<Partial<Signable>> = [
          { timestamp: "1793534400001" },
          { method: "GET" },
          { target: "/pf/v1/payments/txn_1/capture" },
          { target: "/pf/v1/payments/txn_2/capture?x=1" },
          { body: Buffer.from('{"a":2}') },
          { idempotencyKey: "key 2" }
        ]
        for (const change of changes) {
          assert.isFalse(isSignedBy(["secret"], signature, { ...asked, ...change }, 2), JSON.stringify(change))
        }
      })
  )

  it.effect("of a request without a body is over no bytes, and not over {}", () =>
    Effect.gen(function* () {
      const bodiless = signable("", { method: "GET" })
      assert.isTrue(isSignedBy(["secret"], yield* version2(bodiless), bodiless, 2))
      const braces = yield* version2({ ...bodiless, body: Buffer.from("{}") })
      assert.isFalse(isSignedBy(["secret"], braces, bodiless, 2))
    })
  )

  it.effect("and one of version 1 do not stand for each other", () =>
    Effect.gen(function* () {
      const asked = signable("{}")
      assert.isFalse(isSignedBy(["secret"], yield* version2(asked), asked, 1))
      assert.isFalse(isSignedBy(["secret"], yield* hmac("secret", timestamp, "{}"), asked, 2))
    })
  )
})
