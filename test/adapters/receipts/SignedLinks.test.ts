import { assert, describe, it } from "@effect/vitest"
import * as SignedLinks from "@sarraf/adapters/receipts/SignedLinks"
import { EncryptionKeys } from "@sarraf/adapters/signing/EncryptionKeys"
import { type LinkedReceipt, ReceiptLinks } from "@sarraf/domain/receipts/ReceiptLinks"
import { Effect, Layer, Redacted } from "effect"

const key = (fill: number) => Redacted.make(new Uint8Array(32).fill(fill))
const linksUnder = (current: number, ...old: ReadonlyArray<number>) =>
  Effect.provide(
    Effect.map(ReceiptLinks, (links) => links),
    Layer.fresh(SignedLinks.layer).pipe(
      Layer.provide(Layer.succeed(EncryptionKeys, { current: key(current), old: old.map(key) }))
    )
  )

const linked: LinkedReceipt = {
  organizationId: "org_01kd8z0000e0080000000000s1",
  receiptId: "rcp_01kd8z0000e0080000000000r1",
  expiresAt: 1_800_000_000_000
}

describe("Links of receipts", () => {
  it.effect("say what they were made for, also after the key has changed", () =>
    Effect.gen(function* () {
      const links = yield* linksUnder(1)
      const token = links.make(linked)
      assert.match(token, /^[\w.-]{1,100}$/u)
      assert.deepStrictEqual(links.read(token), linked)
      assert.deepStrictEqual((yield* linksUnder(2, 1)).read(token), linked)
      assert.isUndefined((yield* linksUnder(2)).read(token))
    })
  )

  it.effect("are made here and nowhere else", () =>
    Effect.gen(function* () {
      const links = yield* linksUnder(1)
      const token = links.make(linked)
      const [content = "", mac = ""] = token.split(".")
      const later = `${content.slice(0, -1)}${content.endsWith("z") ? "y" : "z"}`
      for (const forged of [
        "",
        ".",
        "a.b",
        content,
        `${content}.`,
        `.${mac}`,
        `${later}.${mac}`,
        `${content}.${mac.slice(1)}`,
        "x".repeat(10_000)
      ]) {
        assert.isUndefined(links.read(forged), forged.slice(0, 50))
      }
      for (let at = 0; at < content.length; at++) {
        const changed = `${content.slice(0, at)}${content[at] === "A" ? "B" : "A"}${content.slice(at + 1)}.${mac}`
        assert.isUndefined(links.read(changed))
      }
    })
  )
})
