import { assert, describe, it } from "@effect/vitest"
import { attemptReference, bytesNeeded } from "@sarraf/domain/payments/AttemptReference"
import type { ReferenceRule } from "@sarraf/domain/routing/Capabilities"
import { Schema } from "effect"

const patterns: Readonly<Record<ReferenceRule["alphabet"], RegExp>> = {
  digits: /^[0-9]*$/u,
  alphanumeric: /^[0-9A-Za-z]*$/u,
  lowercase: /^[0-9a-z]*$/u,
  uppercase: /^[0-9A-Z]*$/u
}

const Alphabet = Schema.Literals(["digits", "alphanumeric", "lowercase", "uppercase"])
const Length = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 64 }))
const Bytes = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))).check(
  Schema.isMinLength(128),
  Schema.isMaxLength(128)
)

describe("attemptReference", () => {
  it.prop("keeps to the provider's alphabet and length", [Alphabet, Length, Bytes], ([alphabet, length, bytes]) => {
    const rule = { alphabet, length }
    const reference = attemptReference(rule, Uint8Array.from(bytes).subarray(0, bytesNeeded(rule)))
    assert.strictEqual(reference.length, length)
    assert.match(reference, patterns[alphabet])
  })

  it.prop(
    "changes when any two bytes that make a character change to another one",
    [Alphabet, Length, Bytes],
    ([alphabet, length, bytes]) => {
      const rule = { alphabet, length }
      const random = Uint8Array.from(bytes)
      const reference = attemptReference(rule, random)
      const last = length * 2 - 1
      random[last] = (random[last] ?? 0) ^ 1
      // Neighbouring values fall on neighbouring letters, so that none of the randomness is dropped.
      assert.notStrictEqual(attemptReference(rule, random), reference)
    }
  )

  it("can give every letter of every alphabet, at every place", () => {
    for (const [alphabet, size] of [
      ["digits", 10],
      ["alphanumeric", 62],
      ["lowercase", 36],
      ["uppercase", 36]
    ] as const) {
      const letters = Array.from({ length: size }, (_, value) =>
        attemptReference({ alphabet, length: 2 }, Uint8Array.of(0, value, 0, value))
      )
      assert.strictEqual(new Set(letters.map((reference) => reference[0])).size, size)
      assert.isTrue(letters.every(([first, second]) => first === second))
    }
  })
})
