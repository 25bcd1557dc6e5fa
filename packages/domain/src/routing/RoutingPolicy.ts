import type { PaymentCurrency } from "../money/Currency.ts"
import type { CardBrand } from "../payments/CardNumber.ts"

/** When a rule applies; a field that is absent matches everything. */
export interface RoutingCondition {
  readonly currencies?: ReadonlyArray<PaymentCurrency>
  /** ISO 3166-1 alpha-2, of the billing address. */
  readonly countries?: ReadonlyArray<string>
  readonly brands?: ReadonlyArray<CardBrand>
  readonly minMinor?: bigint
  readonly maxMinor?: bigint
}

/**
 * `prefer` puts these first, `only` leaves out all others, `exclude` leaves these out, `split` chooses the first by
 * weight, the same for the same payment id however often it is asked.
 */
export type RoutingAction =
  | { readonly type: "prefer" | "only" | "exclude"; readonly providers: ReadonlyArray<string> }
  | { readonly type: "split"; readonly weights: Readonly<Record<string, number>> }

export interface RoutingRule {
  readonly name: string
  readonly when: RoutingCondition
  readonly action: RoutingAction
}

/** An organization's rules; the first that matches wins (contract section 4). */
export interface RoutingPolicy {
  readonly version: number
  readonly rules: ReadonlyArray<RoutingRule>
}

/** No rules: cost, success rate and health decide. */
export const automatic: RoutingPolicy = { version: 0, rules: [] }
