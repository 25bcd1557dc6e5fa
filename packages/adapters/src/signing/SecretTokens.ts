import { createHash, randomBytes } from "node:crypto"
import { SecretTokens } from "@sarraf/domain/organizations/SecretTokens"
import { Effect, Layer, Redacted } from "effect"

/** 256 bits, so that a digest of the token need not be slow. */
const tokenBytes = 32

/** What is kept of a token: SHA-256 in lower-case hex. */
export const tokenDigest = (token: Redacted.Redacted<string>): string =>
  createHash("sha256").update(Redacted.value(token)).digest("hex")

/** Tokens from the system's randomness. */
export const layer = Layer.succeed(SecretTokens, {
  next: (prefix) => Effect.sync(() => Redacted.make(`${prefix}_${randomBytes(tokenBytes).toString("base64url")}`))
})
