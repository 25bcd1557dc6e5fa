import { PaymentCurrency } from "@sarraf/domain/money/Currency"
import { paymentStatuses } from "@sarraf/domain/payments/PaymentStatus"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { isStorable, wholeNumber } from "./conventions.ts"
import { Signature, StrictDecoding } from "./middleware.ts"
import { AuthorizeRequest, CaptureRequest, RefundRequest, VoidRequest } from "./paymentRequests.ts"
import * as problems from "./problems.ts"
import { CapabilitiesBody, Transaction, TransactionDetails, TransactionPage } from "./transaction.ts"

/** Any text: what is no identifier of ours is NOT_FOUND like one that nobody has. */
const params = { id: Schema.String }

/** 200, or 202 while the outcome is PENDING (contract section 1). */
const outcome = [Transaction, Transaction.pipe(HttpApiSchema.status(202))] as const

const outcomeProblems = [
  problems.InsufficientFunds,
  problems.CardDeclined,
  problems.ThreeDSFailed,
  problems.InvalidCard,
  problems.ProviderError,
  problems.Timeout,
  problems.OperationInProgress,
  problems.IdempotencyConflict,
  problems.IdempotencyInProgress,
  problems.DuplicateReference,
  problems.ServiceUnavailable,
  problems.InvalidRequest
] as const

const operationProblems = [...outcomeProblems, problems.InvalidState, problems.NotFound] as const

const authorize = HttpApiEndpoint.post("authorize", "/pf/v1/payments/authorize", {
  payload: AuthorizeRequest,
  success: outcome,
  error: outcomeProblems
}).annotate(OpenApi.Summary, "Authorize a card payment")

const capture = HttpApiEndpoint.post("capture", "/pf/v1/payments/:id/capture", {
  params,
  payload: [CaptureRequest, Schema.Null],
  success: outcome,
  error: operationProblems
}).annotate(OpenApi.Summary, "Capture an authorized payment, or a part of it")

const refund = HttpApiEndpoint.post("refund", "/pf/v1/payments/:id/refund", {
  params,
  payload: [RefundRequest, Schema.Null],
  success: outcome,
  error: operationProblems
}).annotate(OpenApi.Summary, "Refund a captured payment, or a part of it")

const voidPayment = HttpApiEndpoint.post("void", "/pf/v1/payments/:id/void", {
  params,
  payload: [VoidRequest, Schema.Null],
  success: outcome,
  error: operationProblems
}).annotate(OpenApi.Summary, "Void what is not captured of a payment")

const Time = Schema.String.check(
  Schema.makeFilter(
    (value: string) =>
      (/^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/u.test(value) && !Number.isNaN(Date.parse(value))) ||
      "must be a date or a time in ISO 8601 such as 2026-01-31T09:30:00.000Z"
  )
)

const get = HttpApiEndpoint.get("get", "/pf/v1/payments/:id", {
  params,
  query: { wait: Schema.optionalKey(wholeNumber(60, 0)) },
  success: TransactionDetails,
  error: [problems.NotFound, problems.ServiceUnavailable]
}).annotate(OpenApi.Summary, "Retrieve a payment; with wait (seconds) as soon as it is no longer PENDING")

const list = HttpApiEndpoint.get("list", "/pf/v1/payments", {
  query: {
    status: Schema.optionalKey(Schema.Literals(paymentStatuses)),
    merchantReference: Schema.optionalKey(Schema.String.check(isStorable)),
    provider: Schema.optionalKey(Schema.String.check(isStorable)),
    currency: Schema.optionalKey(PaymentCurrency),
    from: Schema.optionalKey(Time),
    to: Schema.optionalKey(Time),
    updatedFrom: Schema.optionalKey(Time),
    limit: Schema.optionalKey(wholeNumber(100)),
    cursor: Schema.optionalKey(Schema.String)
  },
  success: TransactionPage,
  error: [problems.InvalidRequest, problems.ServiceUnavailable]
}).annotate(OpenApi.Summary, "List payments, newest first")

const capabilities = HttpApiEndpoint.get("capabilities", "/pf/v1/capabilities", {
  success: CapabilitiesBody
}).annotate(OpenApi.Summary, "What can be routed now")

/** The payment gateway (specification 4.1, contract section 4). */
export class PaymentsApi extends HttpApiGroup.make("payments")
  .add(authorize)
  .add(capture)
  .add(refund)
  .add(voidPayment)
  .add(list)
  .add(get)
  .add(capabilities)
  .middleware(StrictDecoding)
  .middleware(Signature) {}
