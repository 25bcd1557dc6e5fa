import { Schema, Struct } from "effect"
import { CardBrand } from "../cards/Card.ts"
import type { CardDocument, CardTransactionDocument } from "../cards/CardDocument.ts"
import { CardStatus } from "../cards/CardStatus.ts"
import { CardTransactionStatus, DeclineReason } from "../cards/CardTransaction.ts"
import { typeId } from "../identifiers/TypeId.ts"
import type { EventDescription } from "./EventDescription.ts"
import { CurrencyCode, DateOnly, MajorUnits, ObjectVersion, Timestamp } from "./PayloadFields.ts"

const Limit = Schema.NullOr(MajorUnits).annotate({ description: "Major units of the card's currency; null: no limit" })

const cardFields = {
  id: typeId("card"),
  version: ObjectVersion,
  status: CardStatus,
  user_id: Schema.String.annotate({ description: "Who holds it" }),
  name: Schema.String.annotate({ description: "What it is for" }),
  brand: CardBrand,
  last4: Schema.String.check(Schema.isPattern(/^\d{4}$/u)).annotate({
    description: "The last four digits of its number, which no API returns or stores"
  }),
  currency: CurrencyCode,
  limits: Schema.Struct({ per_transaction: Limit, per_day: Limit, per_month: Limit, total: Limit }),
  spent: Schema.Struct({ today: MajorUnits, month: MajorUnits, total: MajorUnits }),
  allowed_merchants: Schema.Array(Schema.String).annotate({ description: "The only ones it pays; empty: every one" }),
  blocked_mccs: Schema.Array(Schema.String).annotate({ description: "Merchant category codes (ISO 18245)" }),
  blocked_categories: Schema.Array(Schema.String),
  valid_from: DateOnly,
  valid_until: Schema.NullOr(DateOnly),
  auto_lock_days: Schema.NullOr(Schema.Int).annotate({
    description: "It is frozen when a receipt has been missing for so many days; null: never"
  }),
  frozen_reason: Schema.NullOr(Schema.String),
  frozen_at: Schema.NullOr(Timestamp),
  closed_at: Schema.NullOr(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp
}

/** A card as `GET /api/cards/:id` shows it: what `cardDocument` gives. */
export const CardObject = Schema.Struct(cardFields)

/** The members that changed, as they were. */
const PreviousCard = Schema.Struct(Struct.map(cardFields, Schema.optionalKey))

const transactionFields = {
  id: typeId("ctx"),
  version: ObjectVersion,
  card_id: Schema.String,
  user_id: Schema.String.annotate({ description: "Who holds the card" }),
  status: CardTransactionStatus,
  amount: MajorUnits.annotate({ description: "As the merchant asked for it, in major units of currency" }),
  currency: CurrencyCode,
  billed_amount: MajorUnits.annotate({ description: "What counts against the card's limits, in its currency" }),
  billed_currency: CurrencyCode,
  base_amount: Schema.NullOr(MajorUnits).annotate({
    description: "In the organization's currency, by the rate of the day; null where none is known"
  }),
  base_currency: Schema.NullOr(CurrencyCode),
  merchant: Schema.String,
  mcc: Schema.String.annotate({ description: "The merchant's category code (ISO 18245)" }),
  category: Schema.NullOr(Schema.String),
  decline_reason: Schema.NullOr(DeclineReason).annotate({ description: "Only of what was declined" }),
  expense_id: Schema.NullOr(Schema.String).annotate({ description: "The oldest expense that names this transaction" }),
  has_receipt: Schema.Boolean,
  at: Timestamp,
  cleared_at: Schema.NullOr(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp
}

/** A card transaction as `GET /api/cards/:id/transactions` shows it: what `cardTransactionDocument` gives. */
export const CardTransactionObject = Schema.Struct(transactionFields)

/** The members that changed, as they were. */
const PreviousTransaction = Schema.Struct(Struct.map(transactionFields, Schema.optionalKey))

const paid: CardTransactionDocument = {
  id: "ctx_01kd9c5xj2eswa4q9r0m7t6b3d",
  version: 1,
  card_id: "card_01kd8z0000e008000000000c01",
  user_id: "usr_01kd8z0000e0080000000000p4",
  status: "PENDING",
  amount: 42.5,
  currency: "USD",
  billed_amount: 1752.49,
  billed_currency: "TRY",
  base_amount: 1752.49,
  base_currency: "TRY",
  merchant: "GitHub",
  mcc: "5734",
  category: "Software",
  decline_reason: null,
  expense_id: null,
  has_receipt: false,
  at: "2026-11-02T10:15:42.118Z",
  cleared_at: null,
  created_at: "2026-11-02T10:15:42.118Z",
  updated_at: "2026-11-02T10:15:42.118Z"
}

const frozen: CardDocument = {
  id: "card_01kd8z0000e008000000000c01",
  version: 4,
  status: "FROZEN",
  user_id: "usr_01kd8z0000e0080000000000p4",
  name: "Software subscriptions",
  brand: "VISA",
  last4: "4242",
  currency: "TRY",
  limits: { per_transaction: 10_000, per_day: null, per_month: 50_000, total: null },
  spent: { today: 1752.49, month: 18_430.2, total: 96_011.75 },
  allowed_merchants: [],
  blocked_mccs: ["7995"],
  blocked_categories: [],
  valid_from: "2026-01-01",
  valid_until: "2028-12-31",
  auto_lock_days: 14,
  frozen_reason: "Receipts have been missing for 14 days.",
  frozen_at: "2026-11-02T03:00:00.412Z",
  closed_at: null,
  created_at: "2026-01-01T08:12:09.554Z",
  updated_at: "2026-11-02T03:00:00.412Z"
}

const ofTransactions = {
  object: CardTransactionObject,
  objectName: "card transaction",
  prefix: "ctx",
  previous: PreviousTransaction
}

/** The three events of cards. No payload has a card's number or CVC. */
export const cardEvents = {
  "card.transaction": {
    ...ofTransactions,
    happens: "A card paid, or what it paid changed: a hold was made (PENDING), cleared, or reversed.",
    example: { object: paid }
  },
  "card.frozen": {
    object: CardObject,
    objectName: "card",
    prefix: "card",
    previous: PreviousCard,
    happens: "A card was frozen, by a person or because receipts are missing: it is declined until it is unfrozen.",
    example: { object: frozen, previous: { version: 3, status: "ACTIVE", frozen_reason: null, frozen_at: null } }
  },
  "card.limit_exceeded": {
    ...ofTransactions,
    happens: "A payment was declined since it exceeds one of the card's limits: decline_reason says which.",
    example: {
      object: {
        ...paid,
        id: "ctx_01kd9cax7mf4z8v1w2n5k6h0pe",
        status: "DECLINED",
        amount: 320,
        billed_amount: 13_196.8,
        base_amount: 13_196.8,
        decline_reason: "LIMIT_PER_TRANSACTION"
      }
    }
  }
} as const satisfies Readonly<Record<`card.${string}`, EventDescription>>
