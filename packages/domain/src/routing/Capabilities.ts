import type { Duration } from "effect"
import type { PaymentCurrency } from "../money/Currency.ts"
import type { CardBrand } from "../payments/CardNumber.ts"

/** Fields of the request that most providers can do without and some cannot. */
export const optionalFields = [
  "buyer.ip",
  "buyer.phone",
  "billingAddress.postalCode",
  "billingAddress.state",
  "cardHolderName"
] as const
export type OptionalField = (typeof optionalFields)[number]

/** The letters a provider allows in our reference, and how many of them. */
export interface ReferenceRule {
  readonly alphabet: "digits" | "alphanumeric" | "lowercase" | "uppercase"
  /** Characters; long enough for 60 random bits in that alphabet. */
  readonly length: number
}

/**
 * What a provider can do, from its sheet. What it cannot do is absent here; it is never a method that throws.
 * Routing and the use cases read this and nothing of the adapter.
 */
export interface Capabilities {
  readonly currencies: ReadonlyArray<PaymentCurrency>
  /** Card brands it acquires; `unknown` is a brand too, and most take it. */
  readonly brands: ReadonlyArray<CardBrand>
  /** Countries (ISO 3166-1 alpha-2) whose merchants it acquires for; routing prefers the billing country's own. */
  readonly acquiringCountries: ReadonlyArray<string>
  /** Smallest and largest amount of one payment in minor units, where it has any. */
  readonly amount?: { readonly minMinor?: bigint; readonly maxMinor?: bigint }
  /** Absent: no installments. `max` counts them; 2 is the smallest that is asked for. */
  readonly installments?: {
    readonly currencies: ReadonlyArray<PaymentCurrency>
    readonly max: number
    readonly brands?: ReadonlyArray<CardBrand>
  }
  /** How the buyer's browser is sent to the provider; absent: the provider runs no 3D Secure of its own. */
  readonly threeDS?: "redirect" | "form"
  /** What the provider posts to us, and what it wants to hear for it; absent: it posts nothing that is read. */
  readonly notifications?: {
    readonly isSigned: boolean
    readonly acknowledgement: { readonly contentType: string; readonly body: string }
  }
  /** `none`: the whole authorization or nothing. `single`: once, and the rest is released. `multiple`: until used up. */
  readonly partialCapture: "none" | "single" | "multiple"
  /** False: after a capture the rest cannot be released at the provider, and lapses by itself. */
  readonly releasesRest?: false
  /** False: nothing more is captured of a payment of which something was refunded. */
  readonly captureAfterRefund?: false
  readonly partialRefund: boolean
  /** Whether a capture that has not settled can be refunded in part, or only taken back whole by a void of it. */
  readonly refundBeforeSettlement: "any" | "wholeByVoid"
  /** When its daily batch closes, in minutes after midnight UTC; a deferred refund is sent after it. */
  readonly batchClosesAtMinuteUtc?: number
  /** How long an authorization can be captured when the answer does not say. */
  readonly authorizationWindow: Duration.Duration
  readonly query: {
    /** Whether the provider can be asked by our reference alone, which is all that is left after a lost answer. */
    readonly byReference: boolean
    /** From when on "no such order" proves that it never arrived; absent: never (contract section 4). */
    readonly absenceProvenAfter?: Duration.Duration
  }
  /** Fields without which this provider is left out of the route. */
  readonly requires: ReadonlyArray<OptionalField>
  /** What the sheet says to send in place of a field that the request may lack; named in the payment's attempts. */
  readonly standIns?: Readonly<Partial<Record<OptionalField, string>>>
  readonly reference: ReferenceRule
  /** Share of the amount in hundredths of a percent that this provider costs; routing's figure, not an invoice's. */
  readonly costBasisPoints: number
}
