import type { Bill } from "@sarraf/domain/bills/Bill"
import type { Card } from "@sarraf/domain/cards/Card"
import type { CardTransaction } from "@sarraf/domain/cards/CardTransaction"
import { Money } from "@sarraf/domain/money/Money"
import { Caller, type Role } from "@sarraf/domain/organizations/Caller"
import type { Vendor } from "@sarraf/domain/vendors/Vendor"
import { Effect } from "effect"

/** 2026-03-14, noon where the sample organization is. */
export const noon = Date.parse("2026-03-14T09:00:00Z")

export const callerOf = (organizationId: string, userId: string | null, role: Role = "OWNER"): Caller["Service"] => ({
  organizationId,
  role,
  name: userId === null ? "key:shop" : `user:${userId}`,
  kind: userId === null ? "key" : "user",
  userId,
  createdBy: null
})

export const as = (caller: Caller["Service"]) => Effect.provideService(Caller, caller)

export const sampleCard = (changes: Partial<Card> = {}): Card => ({
  id: "card_0001",
  version: 1,
  status: "ACTIVE",
  userId: "usr_a",
  name: "Travel",
  brand: "VISA",
  last4: "4242",
  currency: "TRY",
  limits: { perTransaction: 2n ** 60n, perDay: null, perMonth: 900_000n, total: null },
  spend: { today: 0n, month: 0n, total: 0n },
  allowedMerchants: ["Pegasus", "Divan İstanbul"],
  blockedMccs: ["7995"],
  blockedCategories: [],
  validFrom: "2026-01-01",
  validUntil: null,
  autoLockDays: 14,
  frozenReason: null,
  frozenAt: null,
  closedAt: null,
  createdAt: noon,
  updatedAt: noon,
  ...changes
})

export const sampleTransaction = (changes: Partial<CardTransaction> = {}): CardTransaction => ({
  id: "ctx_0001",
  version: 1,
  cardId: "card_0001",
  userId: "usr_a",
  status: "PENDING",
  amount: new Money({ currency: "USD", minor: 4_250n }),
  billed: new Money({ currency: "TRY", minor: 175_249n }),
  base: new Money({ currency: "TRY", minor: 175_249n }),
  merchant: "Pegasus",
  mcc: "4511",
  category: "Travel",
  declineReason: null,
  expenseId: null,
  hasReceipt: false,
  at: noon,
  clearedAt: null,
  createdAt: noon,
  updatedAt: noon,
  ...changes
})

export const sampleVendor = (changes: Partial<Vendor> = {}): Vendor => ({
  id: "vend_0001",
  version: 1,
  status: "ACTIVE",
  name: "Ege Lojistik",
  legalName: "Ege Lojistik Taşımacılık A.Ş.",
  country: "TR",
  category: "Logistics",
  contacts: [{ name: "Onur Bilgin", email: "onur@example.com", phone: null }],
  bankAccount: null,
  contracts: [],
  riskScore: 15,
  riskFactors: [{ name: "late_deliveries", points: 15, sentence: "Two of five came late." }],
  spend: { minor: 0n, currency: "TRY", bills: 0, sharePercent: 0 },
  createdAt: noon,
  updatedAt: noon,
  ...changes
})

export const sampleBill = (changes: Partial<Bill> = {}): Bill => ({
  id: "bill_0001",
  version: 1,
  status: "RECEIVED",
  vendorId: "vend_0001",
  vendorName: "Ege Lojistik",
  number: "EGE-2026-11",
  issueDate: "2026-03-01",
  dueDate: "2026-03-31",
  total: new Money({ currency: "TRY", minor: 120_000n }),
  taxMinor: 20_000n,
  base: new Money({ currency: "TRY", minor: 120_000n }),
  lines: [
    { description: "Freight", quantity: "2.5", unitPriceMinor: 40_000n, amountMinor: 100_000n, category: "Logistics" }
  ],
  category: "Logistics",
  departmentId: null,
  purchaseOrder: null,
  enteredBy: "user:usr_a",
  approvedBy: null,
  approvedAt: null,
  rejectionReason: null,
  scheduledFor: null,
  paidAt: null,
  digest: null,
  duplicates: [],
  match: null,
  createdAt: noon,
  updatedAt: noon,
  ...changes
})

const approved = { approvedBy: "user:usr_b", approvedAt: noon, digest: "0".repeat(64) }

/** What a bill in a state has. */
export const billIn: Readonly<Record<Bill["status"], Partial<Bill>>> = {
  RECEIVED: { status: "RECEIVED" },
  APPROVED: { status: "APPROVED", ...approved },
  SCHEDULED: { status: "SCHEDULED", ...approved, scheduledFor: "2026-03-30" },
  PAID: { status: "PAID", ...approved, scheduledFor: "2026-03-30", paidAt: noon + 1 },
  REJECTED: { status: "REJECTED", rejectionReason: "Not ours." },
  CANCELLED: { status: "CANCELLED" }
}

/** What a card in a state has. */
export const cardIn: Readonly<Record<Card["status"], Partial<Card>>> = {
  ACTIVE: { status: "ACTIVE" },
  FROZEN: { status: "FROZEN", frozenAt: noon, frozenReason: "Receipts are missing." },
  CLOSED: { status: "CLOSED", closedAt: noon }
}

/** What a card transaction in a state has. */
export const transactionIn: Readonly<Record<CardTransaction["status"], Partial<CardTransaction>>> = {
  PENDING: { status: "PENDING" },
  CLEARED: { status: "CLEARED", clearedAt: noon + 1 },
  DECLINED: { status: "DECLINED", declineReason: "LIMIT_PER_DAY" },
  REVERSED: { status: "REVERSED" }
}
