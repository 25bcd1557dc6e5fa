import { assert, describe, it } from "@effect/vitest"
import { IdempotencyKey, signatureKey } from "@sarraf/domain/admission/IdempotencyKey"
import { Schema } from "effect"

const isKey = Schema.is(IdempotencyKey)

describe("IdempotencyKey", () => {
  it.each(["a", "order 17/2", "~", "x".repeat(255)])("accepts %j", (key) => {
    assert.isTrue(isKey(key))
  })

  it.each(["", "x".repeat(256), "a\nb", "a\n", "schlüssel", "\u0000", "🔑", "a\u007f"])("refuses %j", (key) => {
    assert.isFalse(isKey(key))
  })
})

describe("signatureKey", () => {
  it("tells the targets of one signature apart", () => {
    assert.notStrictEqual(signatureKey("ab", "POST /a"), signatureKey("ab", "POST /b"))
  })
})
