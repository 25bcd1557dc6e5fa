import { Money } from "@sarraf/domain/money/Money"
import type { Attempt } from "@sarraf/domain/payments/Attempt"
import type { Operation } from "@sarraf/domain/payments/Operation"
import type { Payment } from "@sarraf/domain/payments/Payment"
import { Schema } from "effect"
import {
  AttemptOutcome,
  CardSummary,
  OperationStatus,
  OperationType,
  OptionalText,
  PaymentError,
  Routing,
  Texts
} from "./StoredShapes.ts"

/** What `to_jsonb` makes of a timestamp, as epoch milliseconds. */
const millis = (text: string | null): number | null => (text === null ? null : Date.parse(text))

const AttemptRow = Schema.Struct({
  number: Schema.Finite,
  provider: Schema.String,
  reference: Schema.String,
  outcome: AttemptOutcome,
  provider_reference: OptionalText,
  response_code: OptionalText,
  fields: Texts,
  notes: Texts,
  detail: OptionalText,
  started_at: Schema.String,
  deadline: Schema.String,
  completed_at: OptionalText
})

const OperationRow = Schema.Struct({
  id: Schema.String,
  type: OperationType,
  amount: Schema.Finite,
  final: Schema.Boolean,
  status: OperationStatus,
  reference: OptionalText,
  provider_request: Schema.String,
  provider_reference: OptionalText,
  response_code: OptionalText,
  fields: Texts,
  available_from: OptionalText,
  error: Schema.NullOr(PaymentError),
  created_at: Schema.String,
  deadline: OptionalText,
  completed_at: OptionalText
})

const PaymentRow = Schema.Struct({
  organization_id: Schema.String,
  id: Schema.String,
  client_id: Schema.String,
  merchant_reference: Schema.String,
  content_fingerprint: Schema.String,
  livemode: Schema.Boolean,
  currency: Schema.String,
  amount: Schema.BigInt,
  authorization_state: Schema.Literals(["PENDING", "REQUIRES_ACTION", "AUTHORIZED", "DECLINED", "FAILED", "VOIDED"]),
  authorized: Schema.BigInt,
  captured: Schema.BigInt,
  capture_pending: Schema.BigInt,
  released: Schema.BigInt,
  refunded: Schema.BigInt,
  refund_pending: Schema.BigInt,
  disputed: Schema.BigInt,
  lapsed: Schema.Boolean,
  details: Schema.Struct({
    card: CardSummary,
    description: OptionalText,
    installment: Schema.Finite,
    is3DS: Schema.Boolean,
    metadata: Texts,
    routing: Routing
  }),
  error: Schema.NullOr(PaymentError),
  expires_at: Schema.NullOr(Schema.Date),
  created_at: Schema.Date,
  updated_at: Schema.Date,
  version: Schema.Finite,
  attempts: Schema.Array(AttemptRow),
  operations: Schema.Array(OperationRow)
})

const attemptOf = (row: typeof AttemptRow.Type): Attempt => ({
  number: row.number,
  provider: row.provider,
  reference: row.reference,
  outcome: row.outcome,
  providerReference: row.provider_reference,
  responseCode: row.response_code,
  fields: row.fields,
  notes: row.notes,
  detail: row.detail,
  startedAt: Date.parse(row.started_at),
  deadline: Date.parse(row.deadline),
  completedAt: millis(row.completed_at)
})

const operationOf = (row: typeof OperationRow.Type): Operation => ({
  id: row.id,
  type: row.type,
  minor: BigInt(row.amount),
  final: row.final,
  status: row.status,
  reference: row.reference,
  providerRequest: row.provider_request,
  providerReference: row.provider_reference,
  responseCode: row.response_code,
  fields: row.fields,
  availableFrom: millis(row.available_from),
  error: row.error,
  createdAt: Date.parse(row.created_at),
  deadline: millis(row.deadline),
  completedAt: millis(row.completed_at)
})

const decodePaymentRow = Schema.decodeUnknownSync(PaymentRow)

/** A row of `payments` with its `attempts` and `operations` as JSON; throws where it does not decode, which is a defect. */
export const paymentFromRow = (input: unknown): Payment => {
  const row = decodePaymentRow(input)
  const { card, description, installment, is3DS, metadata, routing } = row.details
  return {
    id: row.id,
    organizationId: row.organization_id,
    clientId: row.client_id,
    merchantReference: row.merchant_reference,
    contentFingerprint: row.content_fingerprint,
    livemode: row.livemode,
    money: new Money({ currency: row.currency, minor: row.amount }),
    installment,
    is3DS,
    description,
    metadata,
    card,
    routing,
    createdAt: row.created_at.getTime(),
    authorization: row.authorization_state,
    sums: {
      authorized: row.authorized,
      captured: row.captured,
      capturePending: row.capture_pending,
      released: row.released,
      refunded: row.refunded,
      refundPending: row.refund_pending,
      disputed: row.disputed
    },
    lapsed: row.lapsed,
    error: row.error,
    attempts: row.attempts.map(attemptOf),
    operations: row.operations.map(operationOf),
    expiresAt: row.expires_at?.getTime() ?? null,
    updatedAt: row.updated_at.getTime(),
    version: row.version
  }
}
