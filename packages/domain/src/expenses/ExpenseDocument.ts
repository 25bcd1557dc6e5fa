import { Equal } from "effect"
import { majorUnits } from "../money/MajorUnits.ts"
import type { Violation } from "../policies/Violation.ts"
import { isoTime, isoTimeOrNull } from "../time/IsoTime.ts"
import type { DuplicateHint, Expense } from "./Expense.ts"

/** A violation as the API shows it. */
export const violationDocument = ({ enforcement, message, name, policyId, policyVersion }: Violation) => ({
  policy_id: policyId,
  policy_version: policyVersion,
  name,
  enforcement,
  message
})

const duplicateDocument = ({ expenseId, reasons, score }: DuplicateHint) => ({ expense_id: expenseId, score, reasons })

/** An expense as the API shows it, snake_case JSON: in answers, in events, and in the audit trail. */
export const expenseDocument = (expense: Expense) => ({
  id: expense.id,
  version: expense.version,
  status: expense.status,
  amount: majorUnits(expense.amount.currency, expense.amount.minor),
  currency: expense.amount.currency,
  merchant: expense.merchant,
  category: expense.category,
  description: expense.description,
  date: expense.date,
  receipt_url: expense.receiptUrl,
  department_id: expense.departmentId,
  card_transaction_id: expense.cardTransactionId,
  user_id: expense.userId,
  created_by: expense.createdBy,
  submitted_by: expense.submittedBy,
  base_amount: expense.base === null ? null : majorUnits(expense.base.currency, expense.base.minor),
  base_currency: expense.base?.currency ?? null,
  exchange_rate: expense.base?.rate ?? null,
  rate_date: expense.base?.rateDate ?? null,
  violations: expense.violations.map(violationDocument),
  possible_duplicates: expense.duplicates.map(duplicateDocument),
  approval_id: expense.approvalId,
  submitted_at: isoTimeOrNull(expense.submittedAt),
  decided_at: isoTimeOrNull(expense.decidedAt),
  decided_by: expense.decidedBy,
  rejection_reason: expense.rejectionReason,
  reimbursed_at: isoTimeOrNull(expense.reimbursedAt),
  created_at: isoTime(expense.createdAt),
  updated_at: isoTime(expense.updatedAt)
})
export type ExpenseDocument = ReturnType<typeof expenseDocument>

type Fields = Readonly<Record<string, unknown>>

/** The members that differ, as they were and as they are. When it changed is left out: the entry that tells it has a time. */
export const changedFields = (before: Expense, after: Expense): { readonly before: Fields; readonly after: Fields } => {
  const was: Fields = expenseDocument(before)
  const is: Fields = expenseDocument(after)
  const changed = Object.keys(is).filter((name) => name !== "updated_at" && !Equal.equals(was[name], is[name]))
  const only = (fields: Fields) => Object.fromEntries(changed.map((name) => [name, fields[name]]))
  return { before: only(was), after: only(is) }
}
