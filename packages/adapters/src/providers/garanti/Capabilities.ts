import type { Capabilities } from "@sarraf/domain/routing/Capabilities"
import { Duration } from "effect"

/**
 * What a terminal of Garanti BBVA can do (provider sheet, sections 1, 4 and 6). Foreign currencies need a right of the
 * terminal; one without it answers 0759, and the payment goes to the next provider. The bank wants the buyer's IPv4
 * address and no stand-in for it is documented. The sheet says nothing of brands: the bank is asked.
 */
export const capabilities: Capabilities = {
  currencies: ["TRY", "USD", "EUR", "GBP"],
  brands: ["visa", "mastercard", "maestro", "amex", "troy", "unknown"],
  acquiringCountries: ["TR"],
  installments: { currencies: ["TRY"], max: 12 },
  threeDS: "form",
  partialCapture: "single",
  partialRefund: true,
  refundBeforeSettlement: "wholeByVoid",
  authorizationWindow: Duration.days(15),
  query: { byReference: true, absenceProvenAfter: Duration.seconds(60) },
  requires: ["buyer.ip"],
  reference: { alphabet: "uppercase", length: 20 },
  costBasisPoints: 189
}
