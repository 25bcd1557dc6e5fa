import { createHash, createHmac, hkdfSync } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { EncryptionKeys } from "@sarraf/adapters/signing/EncryptionKeys"
import * as HmacFingerprints from "@sarraf/adapters/signing/HmacFingerprints"
import { CardNumber } from "@sarraf/domain/payments/CardNumber"
import { Fingerprints } from "@sarraf/domain/payments/Fingerprints"
import { Effect, Layer, Redacted, Result } from "effect"

const bytes = (fill: number) => new Uint8Array(32).fill(fill)

const fingerprintsOf = (fill: number) => {
  const keys = Layer.succeed(EncryptionKeys, { current: Redacted.make(bytes(fill)), old: [] })
  return Fingerprints.pipe(Effect.provide(Layer.provide(Layer.fresh(HmacFingerprints.layer), keys)))
}

const digits = "4111111111111111"
const visa = Result.getOrThrow(CardNumber.parse(digits))
const mastercard = Result.getOrThrow(CardNumber.parse("5555555555554444"))

describe("A card's fingerprint", () => {
  it.effect("is the same for the same number, however it was written, also after a restart", () =>
    Effect.gen(function* () {
      const written = Result.getOrThrow(CardNumber.parse("4111-1111 1111 1111"))
      const before = (yield* fingerprintsOf(1)).card("org_1", visa)
      assert.strictEqual((yield* fingerprintsOf(1)).card("org_1", written), before)
      assert.match(before, /^[0-9a-f]{64}$/u)
    })
  )

  it.effect("differs by number, by organization and by installation", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* fingerprintsOf(1), yield* fingerprintsOf(2)]
      const all = [
        one.card("org_1", visa),
        one.card("org_2", visa),
        one.card("org_1", mastercard),
        other.card("org_1", visa),
        one.content(digits)
      ]
      assert.strictEqual(new Set(all).size, all.length)
    })
  )

  it.effect("is no hash of the number that anybody without the key could compute", () =>
    Effect.gen(function* () {
      const { card } = yield* fingerprintsOf(1)
      const guesses = [digits, `org_1${digits}`, `org_1 ${digits}`, `${digits}org_1`].flatMap((text) =>
        ["sha256", "sha512", "sha3-256"].map((algorithm) => createHash(algorithm).update(text).digest("hex"))
      )
      assert.notInclude(guesses, card("org_1", visa))
    })
  )

  it.effect("is the HMAC under a key that HKDF makes for that organization", () =>
    Effect.gen(function* () {
      const { card } = yield* fingerprintsOf(1)
      const key = hkdfSync("sha256", bytes(1), new Uint8Array(), "sarraf card fingerprints of org_1", 32)
      assert.strictEqual(card("org_1", visa), createHmac("sha256", new Uint8Array(key)).update(digits).digest("hex"))
    })
  )

  it.effect("stays the same when more organizations were seen than keys are kept", () =>
    Effect.gen(function* () {
      const { card } = yield* fingerprintsOf(1)
      const before = card("org_1", visa)
      for (let count = 0; count < 10_001; count++) card(`org_of_many_${count}`, visa)
      assert.strictEqual(card("org_1", visa), before)
    })
  )
})

describe("A content's fingerprint", () => {
  it.effect("is the same for the same text and differs by text and installation", () =>
    Effect.gen(function* () {
      const [one, again, other] = [yield* fingerprintsOf(1), yield* fingerprintsOf(1), yield* fingerprintsOf(2)]
      assert.strictEqual(one.content("a"), again.content("a"))
      assert.strictEqual(new Set([one.content("a"), one.content("b"), one.content(""), other.content("a")]).size, 4)
    })
  )
})
