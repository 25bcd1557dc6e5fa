import type { Capabilities } from "@sarraf/domain/routing/Capabilities"
import { Duration } from "effect"

/**
 * What a Stripe account can do (provider sheet, sections 1, 4 and 6). TRY is left out: the sheet has it as a presentment
 * currency from general knowledge, unverified, and it is no settlement currency. Of the brands the sheet is silent; Troy
 * and Maestro are left out, and an unknown one is tried. A notification is acknowledged by status 200; the body is that of
 * Stripe's own samples.
 */
export const capabilities: Capabilities = {
  currencies: ["USD", "EUR", "GBP", "AED"],
  brands: ["visa", "mastercard", "amex", "discover", "diners", "jcb", "unionpay", "unknown"],
  acquiringCountries:
    "AE AT AU BE BG BR CA CH CY CZ DE DK EE ES FI FR GB GR HK HU IE IN IT JP LT LU LV MT MX MY NL NO NZ PL PT RO SE SG SI SK US".split(
      " "
    ),
  // About 0.50 USD and at most eight digits.
  amount: { minMinor: 50n, maxMinor: 99_999_999n },
  threeDS: "redirect",
  notifications: {
    isSigned: true,
    acknowledgement: { contentType: "application/json", body: '{"received":true}' }
  },
  partialCapture: "single",
  partialRefund: true,
  refundBeforeSettlement: "any",
  authorizationWindow: Duration.days(7),
  // What is asked by our reference goes to a search index that lags behind by about a minute, by general knowledge and
  // without a bound; five times that is waited before its silence counts.
  query: { byReference: true, absenceProvenAfter: Duration.minutes(5) },
  requires: [],
  reference: { alphabet: "lowercase", length: 24 },
  costBasisPoints: 290
}
