import { Schema, Struct } from "effect"
import { matchOutcomes } from "../bills/Bill.ts"
import type { BillDocument } from "../bills/BillDocument.ts"
import { BillStatus } from "../bills/BillStatus.ts"
import { typeId } from "../identifiers/TypeId.ts"
import type { EventDescription } from "./EventDescription.ts"
import { Actor, CurrencyCode, DateOnly, MajorUnits, ObjectVersion, Timestamp } from "./PayloadFields.ts"

const Line = Schema.Struct({
  description: Schema.String,
  quantity: Schema.Finite,
  unit_price: MajorUnits,
  amount: MajorUnits.annotate({ description: "Quantity times price, without tax" }),
  category: Schema.NullOr(Schema.String)
})

const PossibleDuplicate = Schema.Struct({
  bill_id: Schema.String,
  score: Schema.Int.annotate({ description: "0 to 100" }),
  reasons: Schema.Array(Schema.String)
})

const Match = Schema.Struct({
  outcome: Schema.Literals(matchOutcomes),
  ordered: MajorUnits,
  received: MajorUnits,
  billed: MajorUnits,
  tolerance_percent: Schema.Finite,
  differences: Schema.Array(Schema.String)
})

const fields = {
  id: typeId("bill"),
  version: ObjectVersion,
  status: BillStatus,
  vendor_id: Schema.String,
  vendor_name: Schema.String,
  number: Schema.String.annotate({ description: "The vendor's own" }),
  issue_date: DateOnly,
  due_date: DateOnly,
  total: MajorUnits.annotate({ description: "With tax: what is paid, in major units of currency" }),
  tax: MajorUnits,
  currency: CurrencyCode,
  base_total: Schema.NullOr(MajorUnits).annotate({
    description: "In the organization's currency, by the rate of the issue date; null where none is known"
  }),
  base_currency: Schema.NullOr(CurrencyCode),
  lines: Schema.Array(Line),
  category: Schema.NullOr(Schema.String),
  department_id: Schema.NullOr(Schema.String),
  purchase_order: Schema.NullOr(Schema.String),
  entered_by: Actor,
  approved_by: Schema.NullOr(Actor),
  approved_at: Schema.NullOr(Timestamp),
  rejection_reason: Schema.NullOr(Schema.String),
  scheduled_for: Schema.NullOr(DateOnly),
  paid_at: Schema.NullOr(Timestamp),
  digest: Schema.NullOr(Schema.String).annotate({
    description: "SHA-256 of what approval froze, lower-case hex: the payment is for the same"
  }),
  possible_duplicates: Schema.Array(PossibleDuplicate),
  match: Schema.NullOr(Match).annotate({
    description: "Against purchase order and goods receipt; null where no purchase order is named"
  }),
  created_at: Timestamp,
  updated_at: Timestamp
}

/** A bill as `GET /api/bills/:id` shows it: what `billDocument` gives. */
export const BillObject = Schema.Struct(fields)

/** The members that changed, as they were. */
const PreviousBill = Schema.Struct(Struct.map(fields, Schema.optionalKey))

const shared = { object: BillObject, objectName: "bill", prefix: "bill", previous: PreviousBill }

const received: BillDocument = {
  id: "bill_01kd8w4mz9fr3t6b0q5xh2n7vk",
  version: 1,
  status: "RECEIVED",
  vendor_id: "vend_01kd8z0000e008000000000v01",
  vendor_name: "Anadolu Kırtasiye A.Ş.",
  number: "INV-2026-0411",
  issue_date: "2026-10-30",
  due_date: "2026-11-29",
  total: 14_400,
  tax: 2_400,
  currency: "TRY",
  base_total: 14_400,
  base_currency: "TRY",
  lines: [{ description: "Copier paper A4", quantity: 120, unit_price: 100, amount: 12_000, category: "Office" }],
  category: "Office",
  department_id: null,
  purchase_order: null,
  entered_by: "user:usr_01kd8z0000e0080000000000p2",
  approved_by: null,
  approved_at: null,
  rejection_reason: null,
  scheduled_for: null,
  paid_at: null,
  digest: null,
  possible_duplicates: [],
  match: null,
  created_at: "2026-11-02T06:55:21.730Z",
  updated_at: "2026-11-02T06:55:21.730Z"
}

const approved = {
  ...received,
  version: 2,
  status: "APPROVED",
  approved_by: "user:usr_01kd8z0000e0080000000000p1",
  approved_at: "2026-11-03T08:05:33.904Z",
  digest: "8c0e1f6a9d2b47c3a5e80f7b16d4932c5e7a0b8f41c6d9e2073f5a1b9c8d6e4f",
  updated_at: "2026-11-03T08:05:33.904Z"
} as const

/** The three events of bills. */
export const billEvents = {
  "bill.received": {
    ...shared,
    happens: "A bill of a vendor was entered, or an approved one was changed: it is RECEIVED and waits for approval.",
    example: { object: received }
  },
  "bill.approved": {
    ...shared,
    happens: "A bill was approved, which freezes its amount, currency, vendor, bank account and lines.",
    example: {
      object: approved,
      previous: { version: 1, status: "RECEIVED", approved_by: null, approved_at: null, digest: null }
    }
  },
  "bill.paid": {
    ...shared,
    happens: "A scheduled bill was paid, as it had been approved.",
    example: {
      object: {
        ...approved,
        version: 4,
        status: "PAID",
        scheduled_for: "2026-11-27",
        paid_at: "2026-11-27T09:00:04.218Z",
        updated_at: "2026-11-27T09:00:04.218Z"
      },
      previous: { version: 3, status: "SCHEDULED", paid_at: null }
    }
  }
} as const satisfies Readonly<Record<`bill.${string}`, EventDescription>>
