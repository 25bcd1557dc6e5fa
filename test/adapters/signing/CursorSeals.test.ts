import { assert, it } from "@effect/vitest"
import * as CursorSealsLayer from "@sarraf/adapters/signing/CursorSeals"
import { EncryptionKeys, type KeyRing } from "@sarraf/adapters/signing/EncryptionKeys"
import { CursorSeals } from "@sarraf/domain/assistants/CursorSeals"
import { Effect, Layer, Redacted, Schema } from "effect"

const key = (byte: number) => Redacted.make(new Uint8Array(32).fill(byte))
const sealsOf = (keys: KeyRing) =>
  Effect.runSync(
    Effect.provide(CursorSeals, Layer.provide(CursorSealsLayer.layer, Layer.succeed(EncryptionKeys, keys)))
  )
const seals = sealsOf({ current: key(1), old: [] })

it.prop(
  "a cursor opens as the place it was made of, in its context alone",
  [Schema.String, Schema.String, Schema.String],
  ([context, other, id]) => {
    const place = `exp_${Buffer.from(id).toString("hex").slice(0, 80)}`
    const cursor = seals.seal(context, place)
    assert.match(cursor, /^[\w-]+\.[\w-]{22}$/u)
    assert.strictEqual(seals.open(context, cursor), place)
    if (other !== context) assert.isUndefined(seals.open(other, cursor))
  }
)

it.prop("what nobody sealed does not open", [Schema.String], ([text]) => {
  assert.isUndefined(seals.open("list", text))
})

it("a cursor with any character changed, added or left out does not open", () => {
  const cursor = seals.seal("list", "exp_01h455vb4pex5vsknk084sn02q")
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
  for (let index = 0; index < cursor.length; index++) {
    assert.isUndefined(seals.open("list", cursor.slice(0, index) + cursor.slice(index + 1)))
    for (const character of alphabet) {
      const altered = cursor.slice(0, index) + character + cursor.slice(index + 1)
      if (altered !== cursor) assert.isUndefined(seals.open("list", altered), altered)
    }
  }
})

it("a cursor opens in another process with the same key, after the key was changed, and under no other key", () => {
  const cursor = seals.seal("list", "exp_1")
  assert.strictEqual(sealsOf({ current: key(1), old: [] }).open("list", cursor), "exp_1")
  assert.strictEqual(sealsOf({ current: key(2), old: [key(1)] }).open("list", cursor), "exp_1")
  assert.isUndefined(sealsOf({ current: key(2), old: [] }).open("list", cursor))
})
