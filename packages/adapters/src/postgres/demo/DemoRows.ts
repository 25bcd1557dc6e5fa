import type { Approval } from "@sarraf/domain/approvals/Approval"
import type { Expense } from "@sarraf/domain/expenses/Expense"
import { writeCondition } from "@sarraf/domain/policies/Condition"
import type { Policy } from "@sarraf/domain/policies/Policy"
import type { Receipt } from "@sarraf/domain/receipts/Receipt"
import type { ExpenseSideMemory } from "../../memory/ExpenseSideMemory.ts"
import { operator } from "../rates/QuotationRows.ts"

/** A row as JSON by its columns: what PostgreSQL reads as the table's own types. */
export type DemoRow = Readonly<Record<string, unknown>>

const time = (instant: number | null): string | null => (instant === null ? null : new Date(instant).toISOString())

const expenseRow = (expense: Expense): DemoRow => ({
  id: expense.id,
  version: expense.version,
  status: expense.status,
  currency: expense.amount.currency,
  amount: expense.amount.minor.toString(),
  merchant: expense.merchant,
  category: expense.category,
  description: expense.description,
  date: expense.date,
  receipt_url: expense.receiptUrl,
  department_id: expense.departmentId,
  card_transaction_id: expense.cardTransactionId,
  user_id: expense.userId,
  created_by: expense.createdBy,
  creators: expense.creators,
  submitters: expense.submitters,
  submitted_by: expense.submittedBy,
  base_minor: expense.base?.minor.toString() ?? null,
  base_currency: expense.base?.currency ?? null,
  base_rate: expense.base?.rate ?? null,
  base_rate_date: expense.base?.rateDate ?? null,
  frozen_rates: expense.frozenRates,
  violations: expense.violations,
  duplicates: expense.duplicates,
  approval_id: expense.approvalId,
  deciders: expense.deciders,
  submitted_at: time(expense.submittedAt),
  decided_at: time(expense.decidedAt),
  decided_by: expense.decidedBy,
  rejection_reason: expense.rejectionReason,
  reimbursed_at: time(expense.reimbursedAt),
  created_at: time(expense.createdAt),
  updated_at: time(expense.updatedAt)
})

const policyRow = (policy: Policy): DemoRow => ({
  id: policy.id,
  version: policy.version,
  name: policy.name,
  scope: policy.scope,
  enforcement: policy.enforcement,
  message: policy.message,
  conditions: writeCondition(policy.conditions),
  approval_steps: policy.approvalSteps,
  active: policy.active,
  deleted: policy.isDeleted,
  created_at: time(policy.createdAt),
  updated_at: time(policy.updatedAt)
})

const approvalRow = (approval: Approval): DemoRow => ({
  id: approval.id,
  version: approval.version,
  subject_type: approval.subject.type,
  subject_id: approval.subject.id,
  subject_version: approval.subject.version,
  concerned: approval.concerned,
  submitter_id: approval.submitterId,
  opened_by: approval.openedBy,
  summary: approval.summary,
  status: approval.status,
  steps: approval.steps,
  step: approval.step,
  due_at: time(approval.dueAt),
  escalated_at: time(approval.escalatedAt),
  opened_at: time(approval.openedAt),
  ended_at: time(approval.endedAt),
  updated_at: time(approval.updatedAt)
})

const decisionRows = ({ decisions, id }: Approval): ReadonlyArray<DemoRow> =>
  decisions.map((made, number) => ({
    approval_id: id,
    number,
    step: made.step,
    decided_by: made.by,
    persons: made.persons,
    on_behalf_of: made.onBehalfOf,
    places: made.places,
    is_sole_owner: made.isSoleOwner,
    decision: made.decision,
    reason: made.reason,
    decided_at: time(made.at)
  }))

/** How many events each object had. */
const sequenceRows = (memory: Memory, organizationId: string): ReadonlyArray<DemoRow> => {
  const last = new Map<string, number>()
  for (const { objectId, sequence } of memory.events.all(organizationId)) {
    last.set(objectId, Math.max(sequence, last.get(objectId) ?? 0))
  }
  return [...last].map(([objectId, count]) => ({ object_id: objectId, last: count }))
}

const receiptRow = (receipt: Receipt): DemoRow => ({
  id: receipt.id,
  file_name: receipt.fileName,
  media_type: receipt.mediaType,
  bytes: receipt.bytes,
  sha256: receipt.sha256,
  uploaded_by: receipt.uploadedBy,
  user_id: receipt.userId,
  created_at: time(receipt.createdAt)
})

type Memory = ExpenseSideMemory["Service"]

const auditRows = (memory: Memory, organizationId: string): ReadonlyArray<DemoRow> =>
  memory.auditRecords.all(organizationId).map((record) => ({
    at: time(record.at),
    actor: record.actor,
    request_id: record.requestId,
    address: record.address,
    action: record.action,
    subject: record.subject.type,
    subject_id: record.subject.id,
    before: record.before ?? null,
    after: record.after ?? null,
    detail: record.detail ?? {}
  }))

/** What an organization's memory holds, by the tables that it belongs into, in an order that every reference allows. */
export const demoRows = (
  memory: Memory,
  organizationId: string
): ReadonlyArray<readonly [string, ReadonlyArray<DemoRow>]> => {
  const of = (rows: ReadonlyArray<DemoRow>) => rows.map((row) => ({ organization_id: organizationId, ...row }))
  const approvals = memory.approvals.all(organizationId)
  const receipts = memory.receipts.all(organizationId)
  const contents = new Map(receipts.map(({ bytes, sha256 }) => [sha256, { sha256, bytes }]))
  return [
    ["policies", of(memory.policies.all(organizationId).map(policyRow))],
    [
      "policy_versions",
      of(
        memory.policyVersions
          .all(organizationId)
          .map(({ changedBy, policy }) => ({ ...policyRow(policy), changed_by: changedBy }))
      )
    ],
    ["receipt_contents", of([...contents.values()])],
    ["receipts", of(receipts.map(receiptRow))],
    ["expenses", of(memory.expenses.all(organizationId).map(expenseRow))],
    ["approvals", of(approvals.map(approvalRow))],
    ["approval_decisions", of(approvals.flatMap(decisionRows))],
    [
      "approval_delegations",
      of(
        memory.delegations.all(organizationId).map((delegation) => ({
          id: delegation.id,
          from_user_id: delegation.from,
          to_user_id: delegation.to,
          starts_at: time(delegation.startsAt),
          ends_at: time(delegation.endsAt),
          ended_at: time(delegation.endedAt),
          reason: delegation.reason,
          created_by: delegation.createdBy,
          created_at: time(delegation.createdAt)
        }))
      )
    ],
    [
      "events",
      of(
        memory.events.all(organizationId).map(({ at, id, object, objectId, previous, sequence, type }) => ({
          id,
          type,
          object_id: objectId,
          sequence,
          data: { object, ...(previous === undefined ? {} : { previous }) },
          created_at: time(at)
        }))
      )
    ],
    ["event_sequences", of(sequenceRows(memory, organizationId))],
    ["audit_log", of(auditRows(memory, organizationId))]
  ]
}

/** The operator's quotations. */
export const rateRows = (memory: Memory, at: number): ReadonlyArray<DemoRow> =>
  memory.quotations.all(operator).flatMap((ofDay) =>
    [...ofDay.values()].map(({ base, date, origin, quote, rate }) => ({
      organization_id: operator,
      date,
      base,
      quote,
      rate,
      origin,
      changed_at: time(at)
    }))
  )
