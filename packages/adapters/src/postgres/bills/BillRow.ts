import type { Bill, BillDuplicate, MatchOutcome } from "@sarraf/domain/bills/Bill"
import type { BillStatus } from "@sarraf/domain/bills/BillStatus"
import { Money } from "@sarraf/domain/money/Money"

/** As JSON holds them: minor units as text, since a JSON number may lose digits. */
export interface StoredBillLine {
  readonly description: string
  readonly quantity: string
  readonly unit_price: string
  readonly amount: string
  readonly category: string | null
}

export interface StoredMatch {
  readonly outcome: MatchOutcome
  readonly ordered: string
  readonly received: string
  readonly billed: string
  readonly tolerance_percent: number
  readonly differences: ReadonlyArray<string>
}

/** A row of `bills` as `billColumns` selects it, with its vendor's name. */
export interface BillRow {
  readonly id: string
  readonly version: number
  readonly status: BillStatus
  readonly vendor_id: string
  readonly vendor_name: string
  readonly number: string
  readonly issue_date: string
  readonly due_date: string
  readonly currency: string
  readonly total: bigint | string
  readonly tax: bigint | string
  readonly base_currency: string | null
  readonly base_minor: bigint | string | null
  readonly lines: ReadonlyArray<StoredBillLine>
  readonly category: string | null
  readonly department_id: string | null
  readonly purchase_order: string | null
  readonly entered_by: string
  readonly approved_by: string | null
  readonly approved_at: Date | null
  readonly rejection_reason: string | null
  readonly scheduled_for: string | null
  readonly paid_at: Date | null
  readonly digest: string | null
  readonly duplicates: ReadonlyArray<BillDuplicate>
  readonly match: StoredMatch | null
  readonly created_at: Date
  readonly updated_at: Date
}

/** Dates as text: a `DATE` would come as midnight somewhere. */
export const billColumns = `id, version, status, vendor_id, number, issue_date::text AS issue_date,
  due_date::text AS due_date, currency, total, tax, base_currency, base_minor, lines, category, department_id,
  purchase_order, entered_by, approved_by, approved_at, rejection_reason, scheduled_for::text AS scheduled_for, paid_at,
  digest, duplicates, match, created_at, updated_at`

export const billOf = (row: BillRow): Bill => ({
  id: row.id,
  version: row.version,
  status: row.status,
  vendorId: row.vendor_id,
  vendorName: row.vendor_name,
  number: row.number,
  issueDate: row.issue_date,
  dueDate: row.due_date,
  total: new Money({ currency: row.currency, minor: BigInt(row.total) }),
  taxMinor: BigInt(row.tax),
  base:
    row.base_minor === null || row.base_currency === null
      ? null
      : new Money({ currency: row.base_currency, minor: BigInt(row.base_minor) }),
  lines: row.lines.map(({ amount, category, description, quantity, unit_price }) => ({
    description,
    quantity,
    unitPriceMinor: BigInt(unit_price),
    amountMinor: BigInt(amount),
    category
  })),
  category: row.category,
  departmentId: row.department_id,
  purchaseOrder: row.purchase_order,
  enteredBy: row.entered_by,
  approvedBy: row.approved_by,
  approvedAt: row.approved_at?.getTime() ?? null,
  rejectionReason: row.rejection_reason,
  scheduledFor: row.scheduled_for,
  paidAt: row.paid_at?.getTime() ?? null,
  digest: row.digest,
  duplicates: row.duplicates,
  match:
    row.match === null
      ? null
      : {
          outcome: row.match.outcome,
          orderedMinor: BigInt(row.match.ordered),
          receivedMinor: BigInt(row.match.received),
          billedMinor: BigInt(row.match.billed),
          tolerancePercent: row.match.tolerance_percent,
          differences: row.match.differences
        },
  createdAt: row.created_at.getTime(),
  updatedAt: row.updated_at.getTime()
})
