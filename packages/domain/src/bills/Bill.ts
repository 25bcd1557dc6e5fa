import type { Money } from "../money/Money.ts"
import type { CalendarDate } from "../time/CalendarDate.ts"
import type { Instant } from "../time/Instant.ts"
import type { BillStatus } from "./BillStatus.ts"

/** Minor units of the bill's currency. */
export interface BillLine {
  readonly description: string
  /** A decimal: `2.5`. */
  readonly quantity: string
  readonly unitPriceMinor: bigint
  /** Quantity times price, rounded, without tax. */
  readonly amountMinor: bigint
  readonly category: string | null
}

/** Why this may be the same bill as another one (contract section 6). */
export interface BillDuplicate {
  readonly billId: string
  /** 0 to 100. */
  readonly score: number
  /** "the same number but for spaces and dashes", "the same total, 3 days apart". */
  readonly reasons: ReadonlyArray<string>
}

/** How a bill compares with its purchase order and what was received. */
export const matchOutcomes = ["MATCHED", "WITHIN_TOLERANCE", "DIFFERENT", "NOT_RECEIVED"] as const
export type MatchOutcome = (typeof matchOutcomes)[number]

/** Bill, purchase order and goods receipt side by side; amounts without tax, in minor units of the bill's currency. */
export interface ThreeWayMatch {
  readonly outcome: MatchOutcome
  readonly orderedMinor: bigint
  readonly receivedMinor: bigint
  readonly billedMinor: bigint
  /** By how much the bill may be above, in percent. */
  readonly tolerancePercent: number
  /** One each, in words; none where it matches. */
  readonly differences: ReadonlyArray<string>
}

/** What a vendor wants to be paid (contract section 6). */
export interface Bill {
  /** `bill_…` */
  readonly id: string
  readonly version: number
  readonly status: BillStatus
  readonly vendorId: string
  /** As the vendor is called now. */
  readonly vendorName: string
  /** The vendor's own: `INV-2026-0411`. */
  readonly number: string
  readonly issueDate: CalendarDate
  readonly dueDate: CalendarDate
  /** With tax: what is paid. */
  readonly total: Money
  /** Of the total, in minor units of its currency. */
  readonly taxMinor: bigint
  /** In the organization's currency, by the rate of the issue date; null where no rate is known. */
  readonly base: Money | null
  readonly lines: ReadonlyArray<BillLine>
  readonly category: string | null
  readonly departmentId: string | null
  /** `po_…`, or the number of an order that was made elsewhere. */
  readonly purchaseOrder: string | null
  /** `user:usr_…` or `key:…`. */
  readonly enteredBy: string
  readonly approvedBy: string | null
  readonly approvedAt: Instant | null
  readonly rejectionReason: string | null
  readonly scheduledFor: CalendarDate | null
  readonly paidAt: Instant | null
  /** SHA-256 of what approval froze, lower-case hex: the payment must be for the same. */
  readonly digest: string | null
  /** The likeliest first. */
  readonly duplicates: ReadonlyArray<BillDuplicate>
  /** Null where no purchase order is named. */
  readonly match: ThreeWayMatch | null
  readonly createdAt: Instant
  readonly updatedAt: Instant
}
