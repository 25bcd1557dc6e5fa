import type { Money } from "../money/Money.ts"
import type { Violation } from "../policies/Violation.ts"
import type { CalendarDate } from "../time/CalendarDate.ts"
import type { Instant } from "../time/Instant.ts"
import type { ExpenseStatus } from "./ExpenseStatus.ts"

/** The amount in the organization's currency, by the rate of the expense's date. */
export interface BaseAmount {
  /** Minor units of the base currency, rounded half to even. */
  readonly minor: bigint
  readonly currency: string
  /** As text for people: `41.2350000000`; "1" where nothing was converted. */
  readonly rate: string
  readonly rateDate: CalendarDate
}

/** Why this may be the same purchase as another expense. */
export interface DuplicateHint {
  readonly expenseId: string
  /** 0 to 100. */
  readonly score: number
  /** "the same merchant", "2 days apart". */
  readonly reasons: ReadonlyArray<string>
}

/** Money that somebody spent for the organization (specification 2.3, contract section 6). */
export interface Expense {
  readonly id: string
  /** From 1, one more with every change. */
  readonly version: number
  readonly status: ExpenseStatus
  readonly amount: Money
  readonly merchant: string
  readonly category: string | null
  readonly description: string | null
  readonly date: CalendarDate
  readonly receiptUrl: string | null
  readonly departmentId: string | null
  readonly cardTransactionId: string | null
  /** Whose expense it is, and who is paid back; null for one of the organization as a whole. */
  readonly userId: string | null
  /** `user:usr_…` or `key:…`: who made it. */
  readonly createdBy: string
  /** The persons who count as its makers, see `submittingPersons`: concerned by its approval. */
  readonly creators: ReadonlyArray<string>
  /** The persons who count as having submitted it last. */
  readonly submitters: ReadonlyArray<string>
  /** `user:usr_…` or `key:…`: in whose name it was submitted last; its maker's where a decision submitted it. */
  readonly submittedBy: string | null
  /** Null where no rate is known for the date; frozen when submitted. */
  readonly base: BaseAmount | null
  /** The rates that its policies' operands needed, as they were when it was submitted: currency → [numerator, denominator, date]. */
  readonly frozenRates: Readonly<Record<string, readonly [string, string, CalendarDate]>> | null
  /** What the policies said of this version. */
  readonly violations: ReadonlyArray<Violation>
  /** The likeliest first, three at most. */
  readonly duplicates: ReadonlyArray<DuplicateHint>
  readonly approvalId: string | null
  /** Who may decide it; null: whoever has the role. See `OpenedApproval`. */
  readonly deciders: ReadonlyArray<string> | null
  readonly submittedAt: Instant | null
  readonly decidedAt: Instant | null
  /** `user:usr_…` or `key:…`. */
  readonly decidedBy: string | null
  readonly rejectionReason: string | null
  readonly reimbursedAt: Instant | null
  readonly createdAt: Instant
  readonly updatedAt: Instant
}
