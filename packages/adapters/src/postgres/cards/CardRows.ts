import type { Card, CardBrand } from "@sarraf/domain/cards/Card"
import type { CardStatus } from "@sarraf/domain/cards/CardStatus"
import type { CardTransaction, CardTransactionStatus, DeclineReason } from "@sarraf/domain/cards/CardTransaction"
import { Money } from "@sarraf/domain/money/Money"

/** A row of `cards` as `cardColumns` selects it, with what its transactions add up to. */
export interface CardRow {
  readonly id: string
  readonly version: number
  readonly status: CardStatus
  readonly user_id: string
  readonly name: string
  readonly brand: CardBrand
  readonly last4: string
  readonly currency: string
  readonly limit_per_transaction: bigint | string | null
  readonly limit_per_day: bigint | string | null
  readonly limit_per_month: bigint | string | null
  readonly limit_total: bigint | string | null
  readonly allowed_merchants: ReadonlyArray<string>
  readonly blocked_mccs: ReadonlyArray<string>
  readonly blocked_categories: ReadonlyArray<string>
  readonly valid_from: string
  readonly valid_until: string | null
  readonly auto_lock_days: number | null
  readonly frozen_reason: string | null
  readonly frozen_at: Date | null
  readonly closed_at: Date | null
  readonly created_at: Date
  readonly updated_at: Date
  readonly spent_today: string
  readonly spent_month: string
  readonly spent_total: string
}

/** Dates as text: a `DATE` would come as midnight somewhere. */
export const cardColumns = `id, version, status, user_id, name, brand, last4, currency, limit_per_transaction,
  limit_per_day, limit_per_month, limit_total, allowed_merchants, blocked_mccs, blocked_categories,
  valid_from::text AS valid_from, valid_until::text AS valid_until, auto_lock_days, frozen_reason, frozen_at, closed_at,
  created_at, updated_at`

const bigintOrNull = (value: bigint | string | null) => (value === null ? null : BigInt(value))

export const cardOf = (row: CardRow): Card => ({
  id: row.id,
  version: row.version,
  status: row.status,
  userId: row.user_id,
  name: row.name,
  brand: row.brand,
  last4: row.last4,
  currency: row.currency,
  limits: {
    perTransaction: bigintOrNull(row.limit_per_transaction),
    perDay: bigintOrNull(row.limit_per_day),
    perMonth: bigintOrNull(row.limit_per_month),
    total: bigintOrNull(row.limit_total)
  },
  spend: { today: BigInt(row.spent_today), month: BigInt(row.spent_month), total: BigInt(row.spent_total) },
  allowedMerchants: row.allowed_merchants,
  blockedMccs: row.blocked_mccs,
  blockedCategories: row.blocked_categories,
  validFrom: row.valid_from,
  validUntil: row.valid_until,
  autoLockDays: row.auto_lock_days,
  frozenReason: row.frozen_reason,
  frozenAt: row.frozen_at?.getTime() ?? null,
  closedAt: row.closed_at?.getTime() ?? null,
  createdAt: row.created_at.getTime(),
  updatedAt: row.updated_at.getTime()
})

/** A row of `card_transactions`, with the expense that names it. */
export interface CardTransactionRow {
  readonly id: string
  readonly version: number
  readonly card_id: string
  readonly user_id: string
  readonly status: CardTransactionStatus
  readonly currency: string
  readonly amount: bigint | string
  readonly billed_currency: string
  readonly billed_minor: bigint | string
  readonly base_currency: string | null
  readonly base_minor: bigint | string | null
  readonly merchant: string
  readonly mcc: string
  readonly category: string | null
  readonly decline_reason: DeclineReason | null
  readonly expense_id: string | null
  readonly has_receipt: boolean
  readonly at: Date
  readonly cleared_at: Date | null
  readonly created_at: Date
  readonly updated_at: Date
}

export const cardTransactionColumns = `id, version, card_id, user_id, status, currency, amount,
  billed_currency, billed_minor, base_currency, base_minor, merchant, mcc, category, decline_reason, at, cleared_at,
  created_at, updated_at`

export const cardTransactionOf = (row: CardTransactionRow): CardTransaction => ({
  id: row.id,
  version: row.version,
  cardId: row.card_id,
  userId: row.user_id,
  status: row.status,
  amount: new Money({ currency: row.currency, minor: BigInt(row.amount) }),
  billed: new Money({ currency: row.billed_currency, minor: BigInt(row.billed_minor) }),
  base:
    row.base_minor === null || row.base_currency === null
      ? null
      : new Money({ currency: row.base_currency, minor: BigInt(row.base_minor) }),
  merchant: row.merchant,
  mcc: row.mcc,
  category: row.category,
  declineReason: row.decline_reason,
  expenseId: row.expense_id,
  hasReceipt: row.has_receipt,
  at: row.at.getTime(),
  clearedAt: row.cleared_at?.getTime() ?? null,
  createdAt: row.created_at.getTime(),
  updatedAt: row.updated_at.getTime()
})
