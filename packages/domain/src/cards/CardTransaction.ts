import { Schema, Struct } from "effect"
import type { Money } from "../money/Money.ts"
import { decideBy } from "../states/StateTable.ts"
import type { Instant } from "../time/Instant.ts"

/**
 * state × command → state. PENDING holds the amount; clearing makes it final, a reversal gives it back, and a hold that is
 * neither cleared nor reversed lapses after seven days (contract section 6). What was declined never held anything.
 */
export const cardTransactionTransitions = {
  PENDING: { clear: "CLEARED", reverse: "REVERSED", lapse: "REVERSED" },
  CLEARED: { reverse: "REVERSED" },
  DECLINED: {},
  REVERSED: {}
} as const

export const cardTransactionStatuses = Struct.keys(cardTransactionTransitions)
export const CardTransactionStatus = Schema.Literals(cardTransactionStatuses)
export type CardTransactionStatus = typeof CardTransactionStatus.Type

/** The transaction's state after the command; `StateRefused` where the table does not have it. */
export const decideCardTransaction = decideBy(
  "card transaction",
  cardTransactionTransitions,
  Schema.is(CardTransactionStatus)
)

/** The states that count against a card's limits. */
export const spendingStatuses: ReadonlyArray<CardTransactionStatus> = ["PENDING", "CLEARED"]

/** Why a payment was not let through. */
export const declineReasons = [
  "CARD_FROZEN",
  "CARD_CLOSED",
  "CARD_NOT_VALID",
  "LIMIT_PER_TRANSACTION",
  "LIMIT_PER_DAY",
  "LIMIT_PER_MONTH",
  "LIMIT_TOTAL",
  "MERCHANT_NOT_ALLOWED",
  "CATEGORY_BLOCKED"
] as const
export const DeclineReason = Schema.Literals(declineReasons)
export type DeclineReason = typeof DeclineReason.Type

/** One payment with an issued card, from the processor's question on (contract section 6). */
export interface CardTransaction {
  /** `ctx_…` */
  readonly id: string
  readonly version: number
  readonly cardId: string
  /** The holder of the card. */
  readonly userId: string
  readonly status: CardTransactionStatus
  /** As the merchant asked for it. */
  readonly amount: Money
  /** In the card's currency: what counts against its limits. */
  readonly billed: Money
  /** In the organization's currency, by the rate of the day; null where no rate is known. */
  readonly base: Money | null
  readonly merchant: string
  /** The merchant's category code, four digits (ISO 18245): `5812`. */
  readonly mcc: string
  readonly category: string | null
  /** Only of what was declined. */
  readonly declineReason: DeclineReason | null
  /** The oldest expense that names this transaction. */
  readonly expenseId: string | null
  /** Whether an expense that names it has a receipt. */
  readonly hasReceipt: boolean
  /** When the card was used. */
  readonly at: Instant
  readonly clearedAt: Instant | null
  readonly createdAt: Instant
  readonly updatedAt: Instant
}
