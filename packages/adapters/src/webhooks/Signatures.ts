import { createHmac } from "node:crypto"
import type { Instant } from "@sarraf/domain/time/Instant"
import type { EndpointSecrets } from "@sarraf/domain/webhooks/WebhookEndpoint"
import { Redacted } from "effect"

/** What is signed: the event's id, the exact text that is sent, and when this attempt begins. */
interface Signed {
  readonly id: string
  readonly body: string
  readonly at: Instant
  readonly secrets: EndpointSecrets
}

/** The present secret, then the former one as long as it is valid. */
const secretsAt = ({ current, former }: EndpointSecrets, at: Instant): ReadonlyArray<string> =>
  [current, ...(former !== null && at < former.until ? [former.secret] : [])].map(Redacted.value)

const hmac = (key: string | Uint8Array, text: string) => createHmac("sha256", key).update(text, "utf8")

/** `whsec_` and base64: the bytes alone are the key in Standard Webhooks. */
const keyBytesOf = (secret: string): Uint8Array => Buffer.from(secret.replace(/^whsec_/u, ""), "base64")

/**
 * The headers that sign a delivery (contract section 7), with an entry for each secret that is valid:
 *
 * - `x-service-signature: t=1767225600000,v1=<hex>,v1=<hex>`: HMAC-SHA256 of `<t>.<body>`, `t` in milliseconds, keyed
 *   with the secret's text as it was shown, `whsec_` included.
 * - `webhook-id`, `webhook-timestamp` (seconds), `webhook-signature: v1,<base64> v1,<base64>`: HMAC-SHA256 of
 *   `<id>.<timestamp>.<body>`, keyed with the bytes that the secret stands for. Source: Standard Webhooks 1.0.
 */
export const signatureHeaders = ({ at, body, id, secrets }: Signed) => {
  const seconds = Math.floor(at / 1_000)
  const valid = secretsAt(secrets, at)
  const own = valid.map((secret) => `v1=${hmac(secret, `${at}.${body}`).digest("hex")}`)
  const standard = valid.map((secret) => `v1,${hmac(keyBytesOf(secret), `${id}.${seconds}.${body}`).digest("base64")}`)
  return {
    "x-service-signature": [`t=${at}`, ...own].join(","),
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": standard.join(" ")
  }
}
