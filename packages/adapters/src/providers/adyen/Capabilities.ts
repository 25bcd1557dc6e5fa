import type { Capabilities } from "@sarraf/domain/routing/Capabilities"
import { Duration } from "effect"

/**
 * What an Adyen merchant account can do (provider sheet, sections 1, 4 and 6). AED and TRY are the sheet's by general
 * knowledge; an account without them says so before anything is taken, and the payment goes to the next provider. Of the
 * brands the sheet is silent: Troy and Maestro are left out, and an unknown one is tried. An authorization is held for 5
 * to 30 days by its scheme, so that the shortest counts. Installments exist for BRL, MXN and JPY alone. There is no
 * question about a payment: what a lost answer said is learned from the notification.
 */
export const capabilities: Capabilities = {
  currencies: ["USD", "EUR", "GBP", "AED", "TRY"],
  brands: ["visa", "mastercard", "amex", "discover", "diners", "jcb", "unionpay", "unknown"],
  acquiringCountries:
    "AE AT AU BE BG BR CA CH CY CZ DE DK EE ES FI FR GB GI GR HK HU IE IS IT JP LI LT LU LV MC MT MX NL NO PL PT RO SE SG SI SK US".split(
      " "
    ),
  threeDS: "redirect",
  notifications: { isSigned: true, acknowledgement: { contentType: "text/plain", body: "[accepted]" } },
  // What a capture leaves is cancelled, unless the account was set up otherwise.
  partialCapture: "single",
  partialRefund: true,
  refundBeforeSettlement: "any",
  authorizationWindow: Duration.days(5),
  query: { byReference: false },
  requires: [],
  reference: { alphabet: "lowercase", length: 24 },
  costBasisPoints: 265
}
