import type { Capabilities } from "@sarraf/domain/routing/Capabilities"
import { Duration } from "effect"
import type { NestPayProfile } from "./profiles.ts"

/**
 * What a NestPay shop can do (provider sheet, sections 1 and 6). A shop is opened per currency by the bank; one that is
 * not answers CORE-2105, and the payment goes to the next provider. The sheet says nothing of American Express: the bank
 * is asked, and says GK where it does not take it. What the banks can do does not differ (section 10).
 */
export const capabilitiesOf = ({ costBasisPoints }: NestPayProfile): Capabilities => ({
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
  requires: [],
  reference: { alphabet: "uppercase", length: 20 },
  costBasisPoints
})
