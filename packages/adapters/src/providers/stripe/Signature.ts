import { createHmac, timingSafeEqual } from "node:crypto"

/** The only scheme in use; `v0` is a fake one of test events. */
const scheme = "v1"

/** Values of one name in `t=1,v1=ab,v1=cd`. */
const valuesOf = (name: string, header: string): ReadonlyArray<string> =>
  header.split(",").flatMap((part) => {
    const cut = part.indexOf("=")
    return part.slice(0, cut).trim() === name ? [part.slice(cut + 1).trim()] : []
  })

/**
 * Whether one of the header's signatures, `t=<unix seconds>,v1=<hex>[,v1=<hex>]`, is Stripe's over these bytes: HMAC-SHA256
 * under the secret's own text over timestamp, point and body (provider sheet, section 3). Stripe's libraries also refuse
 * timestamps that are more than five minutes from now. That is left out, since this has no clock: a message that is sent
 * again is stopped by its event's identifier, which is stored.
 */
export const isSigned = (header: string, body: Uint8Array, secret: string): boolean => {
  const [timestamp, ...others] = valuesOf("t", header)
  if (timestamp === undefined || others.length > 0 || !/^\d{1,15}$/u.test(timestamp)) return false
  const expected = createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest()
  return valuesOf(scheme, header).some(
    (value) => /^[0-9a-f]{64}$/u.test(value) && timingSafeEqual(Buffer.from(value, "hex"), expected)
  )
}
