import { Schema } from "effect"
import type { CalendarDate } from "../time/CalendarDate.ts"
import type { Instant } from "../time/Instant.ts"
import type { CardStatus } from "./CardStatus.ts"

export const cardBrands = ["VISA", "MASTERCARD"] as const
export const CardBrand = Schema.Literals(cardBrands)
export type CardBrand = typeof CardBrand.Type

/** Minor units of the card's currency, by what they bound; null: no limit. */
export interface CardLimits {
  readonly perTransaction: bigint | null
  readonly perDay: bigint | null
  readonly perMonth: bigint | null
  readonly total: bigint | null
}

/** What holds and cleared payments add up to, in minor units of the card's currency; days and months of the organization. */
export interface CardSpend {
  readonly today: bigint
  readonly month: bigint
  readonly total: bigint
}

/** A virtual card that the organization issued to a person. Its number and CVC are kept nowhere (contract section 6). */
export interface Card {
  /** `card_…` */
  readonly id: string
  readonly version: number
  readonly status: CardStatus
  /** Who holds it. */
  readonly userId: string
  /** What it is for: "Software subscriptions". */
  readonly name: string
  readonly brand: CardBrand
  /** Of its number, the last four digits. */
  readonly last4: string
  readonly currency: string
  readonly limits: CardLimits
  readonly spend: CardSpend
  /** The only merchants it pays; empty: every one. */
  readonly allowedMerchants: ReadonlyArray<string>
  /** Category codes of four digits (ISO 18245) that it does not pay. */
  readonly blockedMccs: ReadonlyArray<string>
  readonly blockedCategories: ReadonlyArray<string>
  /** First and last day, both included. */
  readonly validFrom: CalendarDate
  readonly validUntil: CalendarDate | null
  /** It is frozen when a receipt has been missing for so many days; null: never. */
  readonly autoLockDays: number | null
  /** Only while it is frozen. */
  readonly frozenReason: string | null
  readonly frozenAt: Instant | null
  readonly closedAt: Instant | null
  readonly createdAt: Instant
  readonly updatedAt: Instant
}
