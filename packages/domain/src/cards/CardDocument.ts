import { majorUnits, majorUnitsOrNull } from "../money/MajorUnits.ts"
import { isoTime, isoTimeOrNull } from "../time/IsoTime.ts"
import type { Card } from "./Card.ts"
import type { CardTransaction } from "./CardTransaction.ts"

/** A card as the API shows it, snake_case JSON: in answers and in events. Amounts are in major units of its currency. */
export const cardDocument = (card: Card) => ({
  id: card.id,
  version: card.version,
  status: card.status,
  user_id: card.userId,
  name: card.name,
  brand: card.brand,
  last4: card.last4,
  currency: card.currency,
  limits: {
    per_transaction: majorUnitsOrNull(card.currency, card.limits.perTransaction),
    per_day: majorUnitsOrNull(card.currency, card.limits.perDay),
    per_month: majorUnitsOrNull(card.currency, card.limits.perMonth),
    total: majorUnitsOrNull(card.currency, card.limits.total)
  },
  spent: {
    today: majorUnits(card.currency, card.spend.today),
    month: majorUnits(card.currency, card.spend.month),
    total: majorUnits(card.currency, card.spend.total)
  },
  allowed_merchants: card.allowedMerchants,
  blocked_mccs: card.blockedMccs,
  blocked_categories: card.blockedCategories,
  valid_from: card.validFrom,
  valid_until: card.validUntil,
  auto_lock_days: card.autoLockDays,
  frozen_reason: card.frozenReason,
  frozen_at: isoTimeOrNull(card.frozenAt),
  closed_at: isoTimeOrNull(card.closedAt),
  created_at: isoTime(card.createdAt),
  updated_at: isoTime(card.updatedAt)
})
export type CardDocument = ReturnType<typeof cardDocument>

/** A card transaction as the API shows it, snake_case JSON: in answers and in events. */
export const cardTransactionDocument = (transaction: CardTransaction) => ({
  id: transaction.id,
  version: transaction.version,
  card_id: transaction.cardId,
  user_id: transaction.userId,
  status: transaction.status,
  amount: majorUnits(transaction.amount.currency, transaction.amount.minor),
  currency: transaction.amount.currency,
  billed_amount: majorUnits(transaction.billed.currency, transaction.billed.minor),
  billed_currency: transaction.billed.currency,
  base_amount: transaction.base === null ? null : majorUnits(transaction.base.currency, transaction.base.minor),
  base_currency: transaction.base?.currency ?? null,
  merchant: transaction.merchant,
  mcc: transaction.mcc,
  category: transaction.category,
  decline_reason: transaction.declineReason,
  expense_id: transaction.expenseId,
  has_receipt: transaction.hasReceipt,
  at: isoTime(transaction.at),
  cleared_at: isoTimeOrNull(transaction.clearedAt),
  created_at: isoTime(transaction.createdAt),
  updated_at: isoTime(transaction.updatedAt)
})
export type CardTransactionDocument = ReturnType<typeof cardTransactionDocument>
