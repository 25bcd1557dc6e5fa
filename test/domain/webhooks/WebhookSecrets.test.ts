import { assert, it } from "@effect/vitest"
import { Identifiers } from "@sarraf/domain/identifiers/TypeId"
import { nextWebhookSecret, rotated } from "@sarraf/domain/webhooks/WebhookSecrets"
import { Effect, Layer, Redacted, Schema } from "effect"

const Bytes = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))).check(
  Schema.isMinLength(32),
  Schema.isMaxLength(32)
)

it.effect.prop("A secret is whsec_ and 32 bytes in padded base64", [Bytes], ([bytes]) =>
  Effect.gen(function* () {
    const secret = Redacted.value(yield* nextWebhookSecret)
    const [, encoded = ""] = /^whsec_([A-Za-z0-9+/]{43}=)$/u.exec(secret) ?? []
    assert.deepStrictEqual([...Buffer.from(encoded, "base64")], [...bytes])
  }).pipe(
    Effect.provide(
      Layer.mock(Identifiers, {
        randomBytes: (count) => {
          assert.strictEqual(count, 32)
          return Effect.succeed(Uint8Array.from(bytes))
        }
      })
    )
  )
)

it("A rotation lets the secret before it sign for 24 hours more, and ends the one before that", () => {
  const [one, two, three] = ["one", "two", "three"].map((text) => Redacted.make(text)) as [
    Redacted.Redacted<string>,
    Redacted.Redacted<string>,
    Redacted.Redacted<string>
  ]
  const first = rotated({ current: one, former: null }, two, 1_000)
  assert.strictEqual(first.current, two)
  assert.deepStrictEqual(first.former, { secret: one, until: 86_401_000 })
  const second = rotated(first, three, 2_000)
  assert.strictEqual(second.current, three)
  assert.deepStrictEqual(second.former, { secret: two, until: 86_402_000 })
})
