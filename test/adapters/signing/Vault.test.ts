import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { EncryptionKeys, type KeyRing, keyId } from "@sarraf/adapters/signing/EncryptionKeys"
import { makeVault } from "@sarraf/adapters/signing/Vault"
import { Effect, Redacted, Schema } from "effect"

const key = (fill: number) => Redacted.make(new Uint8Array(32).fill(fill))

const vaultOf = (current: KeyRing["current"], ...old: KeyRing["old"]) =>
  Effect.provideService(makeVault, EncryptionKeys, { current, old })

const place = "payment_client_secrets/shop/1"
const secret = Redacted.make("sec_Çok gizli 🔑")

const openedBy = (vault: Effect.Success<typeof makeVault>, sealed: string, where = place) =>
  Effect.map(vault.open(sealed, where), Redacted.value)

/** The sealed text with one bit of one of its parts changed: nonce 2, tag 3, content 4. */
const tampered = (sealed: string, part: number) => {
  const parts = sealed.split(".")
  const bytes = Buffer.from(parts[part] ?? "", "base64url")
  bytes[0] = (bytes[0] ?? 0) ^ 1
  return parts.with(part, bytes.toString("base64url")).join(".")
}

describe("Vault", () => {
  it.effect.prop("opens what it has sealed, whatever text", [Schema.String, Schema.String], ([text, where]) =>
    Effect.gen(function* () {
      const vault = yield* vaultOf(key(1))
      const wellFormed = text.toWellFormed()
      const sealed = vault.seal(Redacted.make(wellFormed), where)
      assert.strictEqual(yield* openedBy(vault, sealed, where), wellFormed)
    })
  )

  it.effect("shows nothing of the text, and seals it differently each time", () =>
    Effect.gen(function* () {
      const vault = yield* vaultOf(key(1))
      const [one, other] = [vault.seal(secret, place), vault.seal(secret, place)]
      assert.notStrictEqual(one, other)
      assert.match(one, /^v1\.[0-9a-f]{8}(\.[\w-]+){3}$/u)
      assert.notInclude(Buffer.from(one.split(".")[4] ?? "", "base64url").toString(), "sec_")
      assert.notInclude(inspect(yield* vault.open(one, place), { depth: 5, showHidden: true }), "sec_")
    })
  )

  it.effect("does not open what was sealed for another place", () =>
    Effect.gen(function* () {
      const vault = yield* vaultOf(key(1))
      const sealed = vault.seal(secret, place)
      const error = yield* Effect.flip(vault.open(sealed, "payment_client_secrets/shop/2"))
      assert.include(error.message, "changed or moved")
    })
  )

  it.effect.each([
    ["nonce", 2],
    ["tag", 3],
    ["content", 4]
  ] as const)("does not open what has one bit changed in its %s", ([, part]) =>
    Effect.gen(function* () {
      const vault = yield* vaultOf(key(1))
      const error = yield* Effect.flip(vault.open(tampered(vault.seal(secret, place), part), place))
      assert.include(error.message, "changed or moved")
    })
  )

  it.effect("does not open what carries a shortened tag, which would be easier to forge", () =>
    Effect.gen(function* () {
      const vault = yield* vaultOf(key(1))
      const parts = vault.seal(secret, place).split(".")
      const short = Buffer.from(parts[3] ?? "", "base64url").subarray(0, 4)
      const error = yield* Effect.flip(vault.open(parts.with(3, short.toString("base64url")).join("."), place))
      assert.include(error.message, "changed or moved")
    })
  )

  it.effect("opens with an old key what was sealed before, and seals with the present one", () =>
    Effect.gen(function* () {
      const sealed = (yield* vaultOf(key(1))).seal(secret, place)
      const rotated = yield* vaultOf(key(2), key(3), key(1))
      assert.strictEqual(yield* openedBy(rotated, sealed), Redacted.value(secret))
      assert.isTrue(rotated.seal(secret, place).startsWith(`v1.${keyId(key(2))}.`))
    })
  )

  it.effect("names the key that is missing, and says where to add it", () =>
    Effect.gen(function* () {
      const sealed = (yield* vaultOf(key(1))).seal(secret, place)
      const { message } = yield* Effect.flip((yield* vaultOf(key(2))).open(sealed, place))
      assert.include(message, keyId(key(1)))
      assert.include(message, "SARRAF_ENCRYPTION_KEYS_OLD")
    })
  )

  it.effect.each(["", "v1", "v2.00000000.a.b.c", "v1.00000000", "plain text"])("does not open %j", (sealed) =>
    Effect.gen(function* () {
      const vault = yield* vaultOf(key(1))
      assert.strictEqual((yield* Effect.flip(vault.open(sealed, place)))._tag, "SealBroken")
    })
  )

  it.effect("does not open its own form with parts missing", () =>
    Effect.gen(function* () {
      const vault = yield* vaultOf(key(1))
      const parts = vault.seal(secret, place).split(".")
      for (const count of [2, 3, 4]) {
        const error = yield* Effect.flip(vault.open(parts.slice(0, count).join("."), place))
        assert.include(error.message, "changed or moved")
      }
    })
  )
})
