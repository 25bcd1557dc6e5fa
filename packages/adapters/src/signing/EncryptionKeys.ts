import { createHash, hkdfSync } from "node:crypto"
import { Context, Redacted } from "effect"

/** The key that new things are sealed with, and the older ones that still open what was sealed before. */
export interface KeyRing {
  /** 32 bytes. */
  readonly current: Redacted.Redacted<Uint8Array>
  readonly old: ReadonlyArray<Redacted.Redacted<Uint8Array>>
}

/** The installation's keys: `SARRAF_ENCRYPTION_KEY` and `SARRAF_ENCRYPTION_KEYS_OLD`. */
export class EncryptionKeys extends Context.Service<EncryptionKeys, KeyRing>()(
  "@sarraf/adapters/signing/EncryptionKeys"
) {}

/** Names a key in what it sealed without giving it away: the first eight hex digits of its SHA-256. */
export const keyId = (key: Redacted.Redacted<Uint8Array>): string =>
  createHash("sha256").update("sarraf key id").update(Redacted.value(key)).digest("hex").slice(0, 8)

/** A key of its own for each purpose, by HKDF-SHA256 (RFC 5869), so that none is used for two things. */
export const derive = (key: Redacted.Redacted<Uint8Array>, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", Redacted.value(key), new Uint8Array(), `sarraf ${purpose}`, 32))
