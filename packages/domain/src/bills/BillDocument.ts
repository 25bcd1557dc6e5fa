import { majorUnits } from "../money/MajorUnits.ts"
import { isoTime, isoTimeOrNull } from "../time/IsoTime.ts"
import type { Bill, BillDuplicate, BillLine, ThreeWayMatch } from "./Bill.ts"

const lineDocument = (currency: string, line: BillLine) => ({
  description: line.description,
  quantity: Number(line.quantity),
  unit_price: majorUnits(currency, line.unitPriceMinor),
  amount: majorUnits(currency, line.amountMinor),
  category: line.category
})

const duplicateDocument = ({ billId, reasons, score }: BillDuplicate) => ({ bill_id: billId, score, reasons })

const matchDocument = (currency: string, match: ThreeWayMatch) => ({
  outcome: match.outcome,
  ordered: majorUnits(currency, match.orderedMinor),
  received: majorUnits(currency, match.receivedMinor),
  billed: majorUnits(currency, match.billedMinor),
  tolerance_percent: match.tolerancePercent,
  differences: match.differences
})

/** A bill as the API shows it, snake_case JSON: in answers and in events. Amounts are in major units of its currency. */
export const billDocument = (bill: Bill) => ({
  id: bill.id,
  version: bill.version,
  status: bill.status,
  vendor_id: bill.vendorId,
  vendor_name: bill.vendorName,
  number: bill.number,
  issue_date: bill.issueDate,
  due_date: bill.dueDate,
  total: majorUnits(bill.total.currency, bill.total.minor),
  tax: majorUnits(bill.total.currency, bill.taxMinor),
  currency: bill.total.currency,
  base_total: bill.base === null ? null : majorUnits(bill.base.currency, bill.base.minor),
  base_currency: bill.base?.currency ?? null,
  lines: bill.lines.map((line) => lineDocument(bill.total.currency, line)),
  category: bill.category,
  department_id: bill.departmentId,
  purchase_order: bill.purchaseOrder,
  entered_by: bill.enteredBy,
  approved_by: bill.approvedBy,
  approved_at: isoTimeOrNull(bill.approvedAt),
  rejection_reason: bill.rejectionReason,
  scheduled_for: bill.scheduledFor,
  paid_at: isoTimeOrNull(bill.paidAt),
  digest: bill.digest,
  possible_duplicates: bill.duplicates.map(duplicateDocument),
  match: bill.match === null ? null : matchDocument(bill.total.currency, bill.match),
  created_at: isoTime(bill.createdAt),
  updated_at: isoTime(bill.updatedAt)
})
export type BillDocument = ReturnType<typeof billDocument>
