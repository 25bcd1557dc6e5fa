import type { BaseAmount, DuplicateHint, Expense } from "@sarraf/domain/expenses/Expense"
import type { ExpenseStatus } from "@sarraf/domain/expenses/ExpenseStatus"
import { Money } from "@sarraf/domain/money/Money"
import type { Violation } from "@sarraf/domain/policies/Violation"

/** A row of `expenses` as `expenseColumns` selects it. */
export interface ExpenseRow {
  readonly id: string
  readonly version: number
  readonly status: ExpenseStatus
  readonly currency: string
  readonly amount: bigint | string
  readonly merchant: string
  readonly category: string | null
  readonly description: string | null
  readonly date: string
  readonly receipt_url: string | null
  readonly department_id: string | null
  readonly card_transaction_id: string | null
  readonly user_id: string | null
  readonly created_by: string
  readonly creators: ReadonlyArray<string>
  readonly submitters: ReadonlyArray<string>
  readonly submitted_by: string | null
  readonly base_minor: bigint | string | null
  readonly base_currency: string | null
  readonly base_rate: string | null
  readonly base_rate_date: string | null
  readonly frozen_rates: Expense["frozenRates"]
  readonly violations: ReadonlyArray<Violation>
  readonly duplicates: ReadonlyArray<DuplicateHint>
  readonly approval_id: string | null
  readonly deciders: ReadonlyArray<string> | null
  readonly submitted_at: Date | null
  readonly decided_at: Date | null
  readonly decided_by: string | null
  readonly rejection_reason: string | null
  readonly reimbursed_at: Date | null
  readonly created_at: Date
  readonly updated_at: Date
}

/** Dates as text: a `DATE` would come as midnight somewhere. */
export const expenseColumns = `id, version, status, currency, amount, merchant, category, description, date::text AS date,
  receipt_url, department_id, card_transaction_id, user_id, created_by, creators, submitters, submitted_by, base_minor,
  base_currency, base_rate, base_rate_date::text AS base_rate_date, frozen_rates, violations, duplicates, approval_id,
  deciders, submitted_at, decided_at, decided_by, rejection_reason, reimbursed_at, created_at, updated_at`

const instantOrNull = (date: Date | null) => date?.getTime() ?? null

const baseOf = (row: ExpenseRow): BaseAmount | null =>
  row.base_minor === null || row.base_currency === null || row.base_rate === null || row.base_rate_date === null
    ? null
    : {
        minor: BigInt(row.base_minor),
        currency: row.base_currency,
        rate: row.base_rate,
        rateDate: row.base_rate_date
      }

export const expenseOf = (row: ExpenseRow): Expense => ({
  id: row.id,
  version: row.version,
  status: row.status,
  amount: new Money({ currency: row.currency, minor: BigInt(row.amount) }),
  merchant: row.merchant,
  category: row.category,
  description: row.description,
  date: row.date,
  receiptUrl: row.receipt_url,
  departmentId: row.department_id,
  cardTransactionId: row.card_transaction_id,
  userId: row.user_id,
  createdBy: row.created_by,
  creators: row.creators,
  submitters: row.submitters,
  submittedBy: row.submitted_by,
  base: baseOf(row),
  frozenRates: row.frozen_rates,
  violations: row.violations,
  duplicates: row.duplicates,
  approvalId: row.approval_id,
  deciders: row.deciders,
  submittedAt: instantOrNull(row.submitted_at),
  decidedAt: instantOrNull(row.decided_at),
  decidedBy: row.decided_by,
  rejectionReason: row.rejection_reason,
  reimbursedAt: instantOrNull(row.reimbursed_at),
  createdAt: row.created_at.getTime(),
  updatedAt: row.updated_at.getTime()
})
