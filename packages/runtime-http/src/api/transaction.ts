import { PaymentCurrency } from "@sarraf/domain/money/Currency"
import { paymentErrorCodes } from "@sarraf/domain/payments/Operation"
import { paymentStatuses } from "@sarraf/domain/payments/PaymentStatus"
import { Schema } from "effect"

/** Major units, with at most the currency's decimals: 149.9 is 149.90. */
const Amount = Schema.Finite.annotate({ description: "Major units: 149.90", examples: [149.9] })
/** ISO 8601, UTC, milliseconds. */
const Time = Schema.String.annotate({ format: "date-time", examples: ["2026-11-21T09:30:00.000Z"] })
const OptionalText = Schema.NullOr(Schema.String)

/** Why a payment or an operation ended without success, or is not settled yet. */
const PaymentErrorBody = Schema.Struct({
  code: Schema.Literals(paymentErrorCodes),
  detail: Schema.String
}).annotate({ identifier: "PaymentError" })

/** A capture, refund or void (contract section 4). */
export const OperationBody = Schema.Struct({
  operationId: Schema.String,
  type: Schema.Literals(["CAPTURE", "REFUND", "VOID"]),
  amount: Amount,
  status: Schema.Literals(["PENDING", "SUCCEEDED", "FAILED"]),
  reference: Schema.optionalKey(Schema.String),
  availableFrom: Schema.optionalKey(Time),
  error: Schema.optionalKey(PaymentErrorBody),
  createdAt: Time,
  completedAt: Schema.optionalKey(Time)
}).annotate({ identifier: "Operation" })

const CardBody = Schema.Struct({
  brand: Schema.String,
  first6: Schema.String,
  last4: Schema.String,
  expMonth: Schema.Finite,
  expYear: Schema.Finite,
  fingerprint: Schema.String
}).annotate({ identifier: "CardSummary" })

const NextAction = Schema.Struct({ type: Schema.Literal("redirect"), url: Schema.String }).annotate({
  identifier: "NextAction"
})

const fields = {
  transactionId: Schema.String,
  status: Schema.Literals(paymentStatuses),
  amount: Amount,
  currency: PaymentCurrency,
  provider: OptionalText,
  pspResponseCode: OptionalText,
  merchantReference: Schema.String,
  authorizedAmount: Amount,
  capturedAmount: Amount,
  refundedAmount: Amount,
  capturableAmount: Amount,
  releasedAmount: Amount,
  refundableAmount: Amount,
  pendingAmount: Amount,
  disputedAmount: Amount,
  installment: Schema.Finite,
  is3DS: Schema.Boolean,
  livemode: Schema.Boolean,
  card: CardBody,
  description: Schema.optionalKey(Schema.String),
  expiresAt: Schema.optionalKey(Time),
  createdAt: Time,
  updatedAt: Time,
  nextAction: Schema.optionalKey(NextAction),
  operation: Schema.optionalKey(OperationBody),
  error: Schema.optionalKey(PaymentErrorBody)
}

/** The body of every gateway answer (specification 2.2, contract section 4). Its own first six fields are always there. */
export const Transaction = Schema.Struct({
  ...fields,
  metadata: Schema.Record(Schema.String, Schema.String)
}).annotate({ identifier: "Transaction" })

const AttemptBody = Schema.Struct({
  number: Schema.Finite,
  provider: Schema.String,
  reference: Schema.String,
  outcome: Schema.String,
  responseCode: OptionalText,
  detail: OptionalText,
  durationMs: Schema.NullOr(Schema.Finite),
  /** Fields that the request lacked and the provider got a stand-in for. */
  standIns: Schema.optionalKey(Schema.Array(Schema.String))
}).annotate({ identifier: "Attempt" })

const RoutingBody = Schema.Struct({
  order: Schema.Array(Schema.String),
  rule: OptionalText,
  policyVersion: Schema.Finite,
  reasons: Schema.Record(Schema.String, Schema.String)
}).annotate({ identifier: "Routing" })

/** What retrieval adds: all operations, the provider's own fields, how the payment was routed and tried. */
export const TransactionDetails = Schema.Struct({
  ...fields,
  operations: Schema.Array(OperationBody),
  providerResponse: Schema.Record(Schema.String, Schema.String),
  metadata: Schema.StructWithRest(Schema.Struct({ attempts: Schema.Array(AttemptBody), routing: RoutingBody }), [
    Schema.Record(Schema.String, Schema.Unknown)
  ])
}).annotate({ identifier: "TransactionDetails" })

/** A page of payments, newest first. */
export const TransactionPage = Schema.Struct({
  data: Schema.Array(Transaction),
  has_more: Schema.Boolean,
  next_cursor: OptionalText
}).annotate({ identifier: "TransactionPage" })

/** What one provider can do at this installation. */
const ProviderCapabilities = Schema.Struct({
  provider: Schema.String,
  currencies: Schema.Array(PaymentCurrency),
  brands: Schema.Array(Schema.String),
  threeDS: Schema.Boolean,
  installmentsMax: Schema.Finite,
  partialCapture: Schema.Literals(["none", "single", "multiple"]),
  partialRefund: Schema.Boolean
}).annotate({ identifier: "ProviderCapabilities" })

export const CapabilitiesBody = Schema.Struct({
  currencies: Schema.Array(PaymentCurrency),
  providers: Schema.Array(ProviderCapabilities)
}).annotate({ identifier: "Capabilities" })
