import type { Duration } from "effect"
import type { PaymentCurrency } from "../money/Currency.ts"
import type { CardBrand } from "../payments/CardNumber.ts"

/** A field of the request that most providers can do without and this one cannot. */
export type OptionalField =
  | "buyer.ip"
  | "buyer.phone"
  | "billingAddress.postalCode"
  | "billingAddress.state"
  | "cardHolderName"

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
  /** Absent: the provider runs no 3D Secure of its own. */
  readonly threeDS?: "redirect" | "form"
  /** `none`: the whole authorization or nothing. `single`: once, and the rest is released. `multiple`: until used up. */
  readonly partialCapture: "none" | "single" | "multiple"
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
  readonly reference: ReferenceRule
  /** Share of the amount in hundredths of a percent that this provider costs; routing's figure, not an invoice's. */
  readonly costBasisPoints: number
}
