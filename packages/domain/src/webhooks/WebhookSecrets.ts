import { Effect, Redacted, Schema } from "effect"
import { Identifiers } from "../identifiers/TypeId.ts"
import type { Instant } from "../time/Instant.ts"
import type { EndpointSecrets } from "./WebhookEndpoint.ts"

/** Before the secret, so that it is known for one. Source: Standard Webhooks. */
const prefix = "whsec_"
const bytesCount = 32

/** How long the former secret signs as well, in milliseconds. */
const overlapMillis = 24 * 3_600_000

const encodeBase64 = Schema.encodeSync(Schema.Uint8ArrayFromBase64)

/** A new secret: `whsec_` + base64 (standard alphabet, padded) of 32 bytes (contract section 7). */
export const nextWebhookSecret: Effect.Effect<Redacted.Redacted<string>, never, Identifiers> = Effect.gen(function* () {
  const bytes = yield* (yield* Identifiers).randomBytes(bytesCount)
  return Redacted.make(`${prefix}${encodeBase64(bytes)}`)
})

/** The secrets after a rotation: the present one signs for 24 h more; one that did so from a rotation before ends. */
export const rotated = (
  { current }: EndpointSecrets,
  next: Redacted.Redacted<string>,
  at: Instant
): EndpointSecrets => ({ current: next, former: { secret: current, until: at + overlapMillis } })
