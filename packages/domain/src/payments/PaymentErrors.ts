import { Schema } from "effect"
import { paymentStatuses } from "./PaymentStatus.ts"

/** The card's own fields cannot be right; no provider was asked. */
export class CardInvalid extends Schema.TaggedError<CardInvalid>()("CardInvalid", { detail: Schema.String }) {}

/** No provider can take this payment; `reasons` says of each why. Nothing was begun. */
export class NoProviderEligible extends Schema.TaggedError<NoProviderEligible>()("NoProviderEligible", {
  reasons: Schema.Record(Schema.String, Schema.String)
}) {}

/** No provider has installments for this currency, card and count. Nothing was begun. */
export class InstallmentsUnavailable extends Schema.TaggedError<InstallmentsUnavailable>()(
  "InstallmentsUnavailable",
  {}
) {}

/** Another payment of this client, or another operation of this payment, has this reference. */
export class ReferenceTaken extends Schema.TaggedError<ReferenceTaken>()("ReferenceTaken", {
  transactionId: Schema.String,
  reference: Schema.String
}) {}

/** The sums do not allow it now. `available` is what could be moved, as decimal text: "60.00 EUR". */
export class OperationRefused extends Schema.TaggedError<OperationRefused>()("OperationRefused", {
  transactionId: Schema.String,
  status: Schema.Literals(paymentStatuses),
  allowed: Schema.Array(Schema.Literals(["CAPTURE", "REFUND", "VOID"])),
  available: Schema.String,
  detail: Schema.String
}) {}

/** Something else is under way on this payment, or its outcome is not known yet. */
export class OperationRunning extends Schema.TaggedError<OperationRunning>()("OperationRunning", {
  transactionId: Schema.String
}) {}

/** Another request, with other content, was first to begin something under this Idempotency-Key. */
export class KeyTaken extends Schema.TaggedError<KeyTaken>()("KeyTaken", { key: Schema.String }) {}

/** The first request with this Idempotency-Key, or signature, is still at work. */
export class RequestStillRunning extends Schema.TaggedError<RequestStillRunning>()("RequestStillRunning", {
  transactionId: Schema.String
}) {}
