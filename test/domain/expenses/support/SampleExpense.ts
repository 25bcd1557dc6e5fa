import type { Expense } from "@sarraf/domain/expenses/Expense"
import { Money } from "@sarraf/domain/money/Money"

/** Noon in Istanbul. */
export const now = Date.UTC(2026, 2, 14, 9)

/** A draft of nobody in particular, entered by a key. */
export const sampleExpense = (changes: Partial<Expense> = {}): Expense => ({
  id: "exp_1",
  version: 1,
  status: "DRAFT",
  amount: new Money({ currency: "TRY", minor: 14_990n }),
  merchant: "Migros",
  category: "Meals",
  description: null,
  date: "2026-03-14",
  receiptUrl: null,
  departmentId: null,
  cardTransactionId: null,
  userId: null,
  createdBy: "key:shop",
  creators: [],
  submitters: [],
  submittedBy: null,
  base: { minor: 14_990n, currency: "TRY", rate: "1", rateDate: "2026-03-14" },
  frozenRates: null,
  violations: [],
  duplicates: [],
  approvalId: null,
  deciders: null,
  submittedAt: null,
  decidedAt: null,
  decidedBy: null,
  rejectionReason: null,
  reimbursedAt: null,
  createdAt: now,
  updatedAt: now,
  ...changes
})
