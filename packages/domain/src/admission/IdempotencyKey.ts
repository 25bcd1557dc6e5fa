import { Schema } from "effect"

/** `Idempotency-Key`: 1 to 255 visible ASCII characters or spaces (contract section 1). */
export const IdempotencyKey = Schema.String.check(
  Schema.isPattern(/^[\x20-\x7e]{1,255}$/u, { message: "must have 1 to 255 visible ASCII characters" })
)

/** The key of a request that gave none: its signature on its target, so that a repeat of the same bytes is a retry. */
export const signatureKey = (signatureDigest: string, target: string): string =>
  `signature:${signatureDigest} ${target}`
