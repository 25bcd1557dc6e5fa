import type { Bill } from "@sarraf/domain/bills/Bill"
import type { Card } from "@sarraf/domain/cards/Card"
import type { CardTransaction } from "@sarraf/domain/cards/CardTransaction"
import type { Instant } from "@sarraf/domain/time/Instant"
import type { Vendor } from "@sarraf/domain/vendors/Vendor"
import type { ExpenseSideMemory } from "../../memory/ExpenseSideMemory.ts"
import { demoAccount } from "./DemoProcurement.ts"
import type { DemoRow } from "./DemoRows.ts"

type Memory = ExpenseSideMemory["Service"]

/** Seals the bank account of a vendor, as its column holds it. */
export type SealAccount = (account: string, organizationId: string, vendorId: string) => string

const time = (instant: Instant | null): string | null => (instant === null ? null : new Date(instant).toISOString())
const text = (minor: bigint | null): string | null => minor?.toString() ?? null

const cardRow = (card: Card): DemoRow => ({
  id: card.id,
  version: card.version,
  status: card.status,
  user_id: card.userId,
  name: card.name,
  brand: card.brand,
  last4: card.last4,
  currency: card.currency,
  limit_per_transaction: text(card.limits.perTransaction),
  limit_per_day: text(card.limits.perDay),
  limit_per_month: text(card.limits.perMonth),
  limit_total: text(card.limits.total),
  allowed_merchants: card.allowedMerchants,
  blocked_mccs: card.blockedMccs,
  blocked_categories: card.blockedCategories,
  valid_from: card.validFrom,
  valid_until: card.validUntil,
  auto_lock_days: card.autoLockDays,
  frozen_reason: card.frozenReason,
  frozen_at: time(card.frozenAt),
  closed_at: time(card.closedAt),
  created_at: time(card.createdAt),
  updated_at: time(card.updatedAt)
})

const transactionRow = (transaction: CardTransaction): DemoRow => ({
  id: transaction.id,
  version: transaction.version,
  card_id: transaction.cardId,
  user_id: transaction.userId,
  status: transaction.status,
  authorization_id: transaction.id.replace("ctx_", "auth_"),
  currency: transaction.amount.currency,
  amount: text(transaction.amount.minor),
  billed_currency: transaction.billed.currency,
  billed_minor: text(transaction.billed.minor),
  base_currency: transaction.base?.currency ?? null,
  base_minor: text(transaction.base?.minor ?? null),
  merchant: transaction.merchant,
  mcc: transaction.mcc,
  category: transaction.category,
  decline_reason: transaction.declineReason,
  at: time(transaction.at),
  cleared_at: time(transaction.clearedAt),
  created_at: time(transaction.createdAt),
  updated_at: time(transaction.updatedAt)
})

const vendorRow = (vendor: Vendor, sealed: string | null): DemoRow => ({
  id: vendor.id,
  version: vendor.version,
  status: vendor.status,
  name: vendor.name,
  legal_name: vendor.legalName,
  country: vendor.country,
  category: vendor.category,
  contacts: vendor.contacts,
  bank_account: sealed,
  bank_last4: vendor.bankAccount?.last4 ?? null,
  bank_country: vendor.bankAccount?.country ?? null,
  bank_currency: vendor.bankAccount?.currency ?? null,
  risk_score: vendor.riskScore,
  risk_factors: vendor.riskFactors,
  created_at: time(vendor.createdAt),
  updated_at: time(vendor.updatedAt)
})

const contractRows = ({ contracts, id }: Vendor): ReadonlyArray<DemoRow> =>
  contracts.map((contract, number) => ({
    vendor_id: id,
    number,
    title: contract.title,
    starts_on: contract.startsOn,
    ends_on: contract.endsOn,
    renews_on: contract.renewsOn,
    notice_days: contract.noticeDays,
    currency: contract.currency,
    annual_minor: text(contract.annualMinor)
  }))

const billRow = (bill: Bill): DemoRow => ({
  id: bill.id,
  version: bill.version,
  status: bill.status,
  vendor_id: bill.vendorId,
  number: bill.number,
  issue_date: bill.issueDate,
  due_date: bill.dueDate,
  currency: bill.total.currency,
  total: text(bill.total.minor),
  tax: text(bill.taxMinor),
  base_currency: bill.base?.currency ?? null,
  base_minor: text(bill.base?.minor ?? null),
  lines: bill.lines.map(({ amountMinor, category, description, quantity, unitPriceMinor }) => ({
    description,
    quantity,
    unit_price: text(unitPriceMinor),
    amount: text(amountMinor),
    category
  })),
  category: bill.category,
  department_id: bill.departmentId,
  purchase_order: bill.purchaseOrder,
  entered_by: bill.enteredBy,
  approved_by: bill.approvedBy,
  approved_at: time(bill.approvedAt),
  rejection_reason: bill.rejectionReason,
  scheduled_for: bill.scheduledFor,
  paid_at: time(bill.paidAt),
  digest: bill.digest,
  duplicates: bill.duplicates,
  match:
    bill.match === null
      ? null
      : {
          outcome: bill.match.outcome,
          ordered: text(bill.match.orderedMinor),
          received: text(bill.match.receivedMinor),
          billed: text(bill.match.billedMinor),
          tolerance_percent: bill.match.tolerancePercent,
          differences: bill.match.differences
        },
  created_at: time(bill.createdAt),
  updated_at: time(bill.updatedAt)
})

/** Cards, vendors and bills of an organization, by the tables that they belong into, in an order that every reference allows. */
export const procurementRows = (
  memory: Memory,
  organizationId: string,
  seal: SealAccount
): ReadonlyArray<readonly [string, ReadonlyArray<DemoRow>]> => {
  const of = (rows: ReadonlyArray<DemoRow>) => rows.map((row) => ({ organization_id: organizationId, ...row }))
  const vendors = memory.vendors.all(organizationId)
  const sealedOf = ({ id }: Vendor) => {
    const account = demoAccount(organizationId, id)
    return account === null ? null : seal(account, organizationId, id)
  }
  return [
    ["cards", of(memory.cards.all(organizationId).map(cardRow))],
    ["card_transactions", of(memory.cardTransactions.all(organizationId).map(transactionRow))],
    ["vendors", of(vendors.map((vendor) => vendorRow(vendor, sealedOf(vendor))))],
    ["vendor_contracts", of(vendors.flatMap(contractRows))],
    ["bills", of(memory.bills.all(organizationId).map(billRow))]
  ]
}
