import { Schema, Struct } from "effect"
import type { ExpenseDocument } from "../expenses/ExpenseDocument.ts"
import { ExpenseStatus } from "../expenses/ExpenseStatus.ts"
import { typeId } from "../identifiers/TypeId.ts"
import { Enforcement } from "../policies/Violation.ts"
import type { EventDescription } from "./EventDescription.ts"
import { Actor, CurrencyCode, DateOnly, MajorUnits, ObjectVersion, Timestamp } from "./PayloadFields.ts"

const Violation = Schema.Struct({
  policy_id: Schema.String,
  policy_version: Schema.Int,
  name: Schema.String,
  enforcement: Enforcement,
  message: Schema.String
})

const PossibleDuplicate = Schema.Struct({
  expense_id: Schema.String,
  score: Schema.Int.annotate({ description: "0 to 100" }),
  reasons: Schema.Array(Schema.String)
})

const fields = {
  id: typeId("exp"),
  version: ObjectVersion,
  status: ExpenseStatus,
  amount: MajorUnits,
  currency: CurrencyCode,
  merchant: Schema.String,
  category: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  date: DateOnly,
  receipt_url: Schema.NullOr(Schema.String),
  department_id: Schema.NullOr(Schema.String),
  card_transaction_id: Schema.NullOr(Schema.String),
  user_id: Schema.NullOr(Schema.String).annotate({ description: "Whose expense it is; null: the organization's" }),
  created_by: Actor,
  submitted_by: Schema.NullOr(Actor),
  base_amount: Schema.NullOr(MajorUnits).annotate({
    description: "In the organization's currency, by the rate of the expense's date; null where none is known"
  }),
  base_currency: Schema.NullOr(CurrencyCode),
  exchange_rate: Schema.NullOr(Schema.String).annotate({ description: "A decimal text: 41.2350000000" }),
  rate_date: Schema.NullOr(DateOnly),
  violations: Schema.Array(Violation).annotate({ description: "What the policies say of this version" }),
  possible_duplicates: Schema.Array(PossibleDuplicate),
  approval_id: Schema.NullOr(Schema.String),
  submitted_at: Schema.NullOr(Timestamp),
  decided_at: Schema.NullOr(Timestamp),
  decided_by: Schema.NullOr(Actor),
  rejection_reason: Schema.NullOr(Schema.String),
  reimbursed_at: Schema.NullOr(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp
}

/** An expense as `GET /api/expenses/:id` shows it: what `expenseDocument` gives. */
export const ExpenseObject = Schema.Struct(fields)

/** The members that changed, as they were. */
const PreviousExpense = Schema.Struct(Struct.map(fields, Schema.optionalKey))

const shared = { object: ExpenseObject, objectName: "expense", prefix: "exp", previous: PreviousExpense }

const submitted: ExpenseDocument = {
  id: "exp_01kd9a2q4he8v9xmq2hv3gk7tz",
  version: 2,
  status: "PENDING",
  amount: 1249.9,
  currency: "TRY",
  merchant: "Migros",
  category: "Meals",
  description: "Team dinner after the release",
  date: "2026-11-02",
  receipt_url: "https://receipts.example.com/migros-1102.pdf",
  department_id: null,
  card_transaction_id: null,
  user_id: "usr_01kd8z0000e0080000000000p4",
  created_by: "user:usr_01kd8z0000e0080000000000p4",
  submitted_by: "user:usr_01kd8z0000e0080000000000p4",
  base_amount: 1249.9,
  base_currency: "TRY",
  exchange_rate: "1",
  rate_date: "2026-11-02",
  violations: [
    {
      policy_id: "pol_01kd8z0000e008000000000001",
      policy_version: 1,
      name: "Meals over 1,000",
      enforcement: "REQUIRE_APPROVAL",
      message: "Meals above 1,000 TRY need an approver's word."
    }
  ],
  possible_duplicates: [],
  approval_id: "apr_01kd9a2q4hf2d8r6b5p9yxw0ne",
  submitted_at: "2026-11-02T19:41:07.312Z",
  decided_at: null,
  decided_by: null,
  rejection_reason: null,
  reimbursed_at: null,
  created_at: "2026-11-02T19:38:50.127Z",
  updated_at: "2026-11-02T19:41:07.312Z"
}

const decided = {
  ...submitted,
  version: 3,
  decided_at: "2026-11-03T08:05:33.904Z",
  decided_by: "user:usr_01kd8z0000e0080000000000p3",
  updated_at: "2026-11-03T08:05:33.904Z"
}

const undecided = { version: 2, status: "PENDING", decided_at: null, decided_by: null } as const

/** The three events of expenses. */
export const expenseEvents = {
  "expense.submitted": {
    ...shared,
    happens: "An expense was submitted: it is PENDING and waits for a decision.",
    example: {
      object: submitted,
      previous: { version: 1, status: "DRAFT", submitted_by: null, approval_id: null, submitted_at: null }
    }
  },
  "expense.approved": {
    ...shared,
    happens: "The last decision that an expense needed was given: it is APPROVED and may be reimbursed.",
    example: { object: { ...decided, status: "APPROVED" }, previous: undecided }
  },
  "expense.rejected": {
    ...shared,
    happens: "Somebody who may decide an expense rejected it: it is REJECTED, and whoever made it may reopen it.",
    example: {
      object: { ...decided, status: "REJECTED", rejection_reason: "The receipt is of another day." },
      previous: { ...undecided, rejection_reason: null }
    }
  }
} as const satisfies Readonly<Record<`expense.${string}`, EventDescription>>
