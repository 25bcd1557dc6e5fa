import { Context, type Effect, Schema } from "effect"

/** Crockford's base32 in lower case, as TypeID 0.3 has it: no i, l, o, u. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

/** A prefix, `_`, and a UUIDv7 as 26 characters of base32, so that ids sort by time: `txn_01h455vb4pex5vsknk084sn02q`. Source: TypeID 0.3. */
export const typeId = <const Prefix extends string>(prefix: Prefix) =>
  Schema.String.check(
    Schema.isPattern(new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`, "u"), {
      message: `must be an identifier like ${prefix}_01h455vb4pex5vsknk084sn02q`
    })
  )

/** 16 bytes → 26 characters. The first character carries only three bits, so it is never above 7. */
export const encodeBase32 = (bytes: Uint8Array): string => {
  let text = ""
  let pending = 0
  // Two zero bits go before the 128: 26 characters of five bits.
  let pendingBits = 2
  for (const byte of bytes) {
    pending = ((pending << 8) | byte) & 0xfff
    pendingBits += 8
    for (; pendingBits >= 5; pendingBits -= 5) text += alphabet.charAt((pending >>> (pendingBits - 5)) & 31)
  }
  return text
}

/** Makes identifiers. A port, since the domain has neither clock nor randomness of its own. */
export class Identifiers extends Context.Service<
  Identifiers,
  {
    /** The next identifier with this prefix; later ones of one process sort after earlier ones. */
    next(prefix: string): Effect.Effect<string>
    /** Unpredictable bytes, for references that a provider requires to be unique. */
    randomBytes(count: number): Effect.Effect<Uint8Array>
  }
>()("@sarraf/domain/identifiers/Identifiers") {}
