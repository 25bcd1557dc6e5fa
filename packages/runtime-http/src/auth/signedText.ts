import { createHmac, hash, timingSafeEqual } from "node:crypto"

/** The parts of a request that a signature may cover. */
export interface Signable {
  readonly timestamp: string
  readonly method: string
  /** Path with query, as sent. */
  readonly target: string
  readonly body: Uint8Array
  readonly idempotencyKey: string | undefined
}

const emptyObject = Buffer.from("{}")

/** Version 1 (specification 5.1): the timestamp's text followed by the exact bytes of the body. */
const version1 = (secret: string, { timestamp }: Signable, body: Uint8Array): Buffer =>
  createHmac("sha256", secret).update(timestamp).update(body).digest()

/** Version 2 (contract section 3): covers method, path with query and Idempotency-Key as well. */
const version2 = (secret: string, { body, idempotencyKey, method, target, timestamp }: Signable): Buffer => {
  const digest = hash("sha256", body, "hex")
  return createHmac("sha256", secret)
    .update([timestamp, method, target, digest, idempotencyKey ?? ""].join("\n"))
    .digest()
}

/** What signatures of this request are right; a bodiless one may also be signed as if it had the body `{}`. */
const expected = (secret: string, signable: Signable, version: 1 | 2): ReadonlyArray<Buffer> => {
  if (version === 2) return [version2(secret, signable)]
  const asSent = version1(secret, signable, signable.body)
  return signable.body.length === 0 ? [asSent, version1(secret, signable, emptyObject)] : [asSent]
}

/** Whether any of the secrets made this signature. Compares with each in constant time. */
export const isSignedBy = (
  secrets: ReadonlyArray<string>,
  given: Buffer,
  signable: Signable,
  version: 1 | 2
): boolean => {
  let matches = false
  for (const secret of secrets) {
    for (const right of expected(secret, signable, version)) {
      matches = (right.length === given.length && timingSafeEqual(right, given)) || matches
    }
  }
  return matches
}
