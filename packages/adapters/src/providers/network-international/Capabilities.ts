import type { Capabilities } from "@sarraf/domain/routing/Capabilities"
import { Duration } from "effect"

/**
 * What an N-Genius outlet can do (provider sheet, sections 1, 4 and 6). Currencies and brands that the sheet has only
 * from general knowledge are left out: EUR, GBP, TRY; Amex and others. Visa's instalment plans are left out too: their
 * terms have to be shown to the buyer and accepted, for which a payment request has no place. Of windows the sheet has
 * nothing: seven days is the contract's own default.
 */
export const capabilities: Capabilities = {
  currencies: ["AED", "USD"],
  brands: ["visa", "mastercard", "unionpay"],
  acquiringCountries: ["AE", "SA"],
  // Twelve digits: the amount field of ISO 8583.
  amount: { maxMinor: 999_999_999_999n },
  threeDS: "form",
  notifications: { isSigned: false, acknowledgement: { contentType: "text/plain", body: "" } },
  partialCapture: "multiple",
  releasesRest: false,
  captureAfterRefund: false,
  partialRefund: true,
  refundBeforeSettlement: "any",
  authorizationWindow: Duration.days(7),
  // The order is known before the card goes out. Longer than any request of ours is under way (section 2: 45 seconds).
  query: { byReference: true, absenceProvenAfter: Duration.minutes(2) },
  requires: [],
  reference: { alphabet: "lowercase", length: 24 },
  costBasisPoints: 260
}
