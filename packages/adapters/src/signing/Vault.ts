import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import { Data, Effect, Redacted } from "effect"
import { derive, EncryptionKeys, keyId } from "./EncryptionKeys.ts"

/** It was sealed with a key that this installation no longer has, for another place, or it was changed. */
export class SealBroken extends Data.TaggedError("SealBroken")<{ readonly message: string }> {}

/**
 * Seals texts with AES-256-GCM. Sealed form: `v1.<key id>.<nonce>.<tag>.<ciphertext>`, base64url. `place` is
 * authenticated with it, so that a sealed text copied into another row does not open there.
 */
export const makeVault = Effect.map(EncryptionKeys, ({ current, old }) => {
  const keys = new Map([current, ...old].map((key) => [keyId(key), derive(key, "vault")]))
  const currentId = keyId(current)
  return {
    seal: (text: Redacted.Redacted<string>, place: string): string => {
      const nonce = randomBytes(12)
      const cipher = createCipheriv("aes-256-gcm", keys.get(currentId) ?? derive(current, "vault"), nonce)
      cipher.setAAD(Buffer.from(place))
      const sealed = Buffer.concat([cipher.update(Redacted.value(text), "utf8"), cipher.final()])
      return ["v1", currentId, ...[nonce, cipher.getAuthTag(), sealed].map((part) => part.toString("base64url"))].join(
        "."
      )
    },
    open: (sealed: string, place: string): Effect.Effect<Redacted.Redacted<string>, SealBroken> => {
      const [version, id = "", nonce = "", tag = "", content = ""] = sealed.split(".")
      const key = version === "v1" ? keys.get(id) : undefined
      if (key === undefined) {
        const message = `No key ${id} in this installation: add the key that was used before to SARRAF_ENCRYPTION_KEYS_OLD.`
        return Effect.fail(new SealBroken({ message }))
      }
      return Effect.try({
        try: () => {
          // Without the length a shortened tag would be checked only as far as it goes.
          const whole = { authTagLength: 16 }
          const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(nonce, "base64url"), whole)
          decipher.setAAD(Buffer.from(place))
          decipher.setAuthTag(Buffer.from(tag, "base64url"))
          return Redacted.make(
            decipher.update(Buffer.from(content, "base64url"), undefined, "utf8") + decipher.final("utf8")
          )
        },
        catch: () => new SealBroken({ message: "A sealed text was changed or moved since it was written." })
      })
    }
  }
})
