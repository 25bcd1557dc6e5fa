import type { Capabilities } from "@sarraf/domain/routing/Capabilities"
import { Duration } from "effect"

/**
 * What an iyzico account can do (provider sheet, sections 1, 4 and 6). GBP is left out: it can be held, and whether it can
 * be captured is untested. Of a single capture a smaller amount is documented; more than one is not.
 */
export const capabilities: Capabilities = {
  currencies: ["TRY", "USD", "EUR"],
  brands: ["visa", "mastercard", "amex", "troy", "maestro", "unknown"],
  acquiringCountries: ["TR"],
  installments: { currencies: ["TRY"], max: 12 },
  threeDS: "form",
  // Any 2xx is taken for an acknowledgement; the sheet has no words for it.
  notifications: { isSigned: true, acknowledgement: { contentType: "text/plain", body: "OK" } },
  partialCapture: "single",
  partialRefund: true,
  refundBeforeSettlement: "any",
  // The sheet has no length: the contract's own.
  authorizationWindow: Duration.days(7),
  // Absence is the word of the reporting service, whose lag the sheet does not tell.
  query: { byReference: true, absenceProvenAfter: Duration.minutes(5) },
  requires: ["buyer.ip"],
  reference: { alphabet: "lowercase", length: 24 },
  costBasisPoints: 299
}

/** How often a payment may be divided (provider sheet, section 1); 1 means not at all. */
export const installmentCounts: ReadonlySet<number> = new Set([1, 2, 3, 6, 9, 12])
