import { Schema } from "effect"

export const Texts = Schema.Record(Schema.String, Schema.String)
export const OptionalText = Schema.NullOr(Schema.String)

export const PaymentError = Schema.Struct({
  code: Schema.Literals([
    "INSUFFICIENT_FUNDS",
    "CARD_DECLINED",
    "INVALID_CARD",
    "3DS_FAILED",
    "PROVIDER_ERROR",
    "TIMEOUT"
  ]),
  detail: Schema.String
})

export const CardSummary = Schema.Struct({
  brand: Schema.Literals([
    "visa",
    "mastercard",
    "amex",
    "troy",
    "maestro",
    "discover",
    "diners",
    "jcb",
    "unionpay",
    "unknown"
  ]),
  first6: Schema.String,
  last4: Schema.String,
  expMonth: Schema.Finite,
  expYear: Schema.Finite,
  fingerprint: Schema.String
})

export const Routing = Schema.Struct({
  order: Schema.Array(Schema.String),
  rule: OptionalText,
  policyVersion: Schema.Finite,
  reasons: Texts
})

export const AttemptOutcome = Schema.Literals([
  "RUNNING",
  "NotSent",
  "Refused",
  "Accepted",
  "ActionRequired",
  "Pending",
  "Unknown"
])

export const OperationType = Schema.Literals(["CAPTURE", "REFUND", "VOID"])
export const OperationStatus = Schema.Literals(["PENDING", "SUCCEEDED", "FAILED"])
