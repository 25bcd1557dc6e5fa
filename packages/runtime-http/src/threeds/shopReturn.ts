import { createHmac } from "node:crypto"
import { toDecimal } from "@sarraf/domain/money/Money"
import type { Payment } from "@sarraf/domain/payments/Payment"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import { Redacted } from "effect"

/** The payment's `returnUrl` where a browser may be sent there: https, and http in TEST mode. */
export const shopUrl = ({ livemode, returnUrl }: Payment): URL | undefined => {
  if (returnUrl === null || !URL.canParse(returnUrl)) return undefined
  const url = new URL(returnUrl)
  return url.protocol === "https:" || (url.protocol === "http:" && !livemode) ? url : undefined
}

/**
 * Where the browser goes back to the shop: `returnUrl` with how the payment stands behind its own query. `amount` has the
 * currency's digits (`149.90`), `timestamp` is Unix time in milliseconds, and `signature` is the lowercase hex
 * HMAC-SHA256 under the client's secret over the six values before it, as they are decoded, joined by line feeds
 * (contract section 4, 3DS).
 */
export const shopReturn = (url: URL, payment: Payment, secret: Redacted.Redacted<string>, now: number): string => {
  const { currency, minor } = payment.money
  const told = {
    transactionId: payment.id,
    merchantReference: payment.merchantReference,
    status: statusOf(payment),
    amount: toDecimal(currency, minor),
    currency,
    timestamp: String(now)
  }
  const signature = createHmac("sha256", Redacted.value(secret)).update(Object.values(told).join("\n")).digest("hex")
  const target = new URL(url)
  const query = new URLSearchParams({ ...told, signature }).toString()
  // What the shop has put there stays as it is spelled.
  target.search = target.search === "" ? query : `${target.search}&${query}`
  return target.href
}
