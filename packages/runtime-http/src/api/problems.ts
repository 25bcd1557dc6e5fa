import { Schema } from "effect"
import { HttpApiError } from "effect/http-api"
import { type ErrorCode, errorCatalogue, problemType } from "./errorCatalogue.ts"
import { Transaction } from "./transaction.ts"

/** Type, status and title of a code, as the catalogue of errors has them. */
const declare = <const Code extends ErrorCode>(code: Code) => {
  const { status, title }: { status: (typeof errorCatalogue)[Code]["status"]; title: string } = errorCatalogue[code]
  return [code, { type: problemType(code), status, title }] as const
}

/** What the response middleware adds to each problem, so that no handler has to. */
const common = { requestId: Schema.optionalKey(Schema.String) }

/** What a problem says of a payment where one exists (contract section 2). */
const ofPayment = {
  ...common,
  transactionId: Schema.optionalKey(Schema.String),
  provider: Schema.optionalKey(Schema.String),
  pspResponseCode: Schema.optionalKey(Schema.String),
  transaction: Schema.optionalKey(Transaction)
}

const Fault = Schema.Struct({ path: Schema.String, message: Schema.String }).annotate({ identifier: "Fault" })

export class InvalidRequest extends HttpApiError.Problem<InvalidRequest>()(...declare("INVALID_REQUEST"), {
  ...common,
  code: Schema.tag("INVALID_REQUEST"),
  errors: Schema.Array(Fault)
}) {}
export class InvalidSignature extends HttpApiError.Problem<InvalidSignature>()(...declare("INVALID_SIGNATURE"), {
  ...common,
  code: Schema.tag("INVALID_SIGNATURE")
}) {}
export class TimestampExpired extends HttpApiError.Problem<TimestampExpired>()(...declare("TIMESTAMP_EXPIRED"), {
  ...common,
  code: Schema.tag("TIMESTAMP_EXPIRED")
}) {}
export class SignatureReused extends HttpApiError.Problem<SignatureReused>()(...declare("SIGNATURE_REUSED"), {
  ...common,
  code: Schema.tag("SIGNATURE_REUSED")
}) {}
const { title: reusedTitle } = errorCatalogue.SIGNATURE_REUSED
/** The same signature on the same target, under another Idempotency-Key (contract section 3). */
export class SignatureReusedUnderNewKey extends HttpApiError.Problem<SignatureReusedUnderNewKey>()(
  "SIGNATURE_REUSED_UNDER_NEW_KEY",
  { type: problemType("SIGNATURE_REUSED"), status: 409, title: reusedTitle },
  { ...common, code: Schema.tag("SIGNATURE_REUSED") }
) {}
export class Unauthenticated extends HttpApiError.Problem<Unauthenticated>()(...declare("UNAUTHENTICATED"), {
  ...common,
  code: Schema.tag("UNAUTHENTICATED")
}) {}
export class Forbidden extends HttpApiError.Problem<Forbidden>()(...declare("FORBIDDEN"), {
  ...common,
  code: Schema.tag("FORBIDDEN")
}) {}
export class VersionConflict extends HttpApiError.Problem<VersionConflict>()(...declare("VERSION_CONFLICT"), {
  ...common,
  code: Schema.tag("VERSION_CONFLICT")
}) {}
export class VerificationRequired extends HttpApiError.Problem<VerificationRequired>()(
  ...declare("VERIFICATION_REQUIRED"),
  { ...common, code: Schema.tag("VERIFICATION_REQUIRED") }
) {}
export class NotFound extends HttpApiError.Problem<NotFound>()(...declare("NOT_FOUND"), {
  ...common,
  code: Schema.tag("NOT_FOUND")
}) {}
export class PayloadTooLarge extends HttpApiError.Problem<PayloadTooLarge>()(...declare("PAYLOAD_TOO_LARGE"), {
  ...common,
  code: Schema.tag("PAYLOAD_TOO_LARGE")
}) {}
export class UnsupportedMediaType extends HttpApiError.Problem<UnsupportedMediaType>()(
  ...declare("UNSUPPORTED_MEDIA_TYPE"),
  { ...common, code: Schema.tag("UNSUPPORTED_MEDIA_TYPE") }
) {}
export class RateLimited extends HttpApiError.Problem<RateLimited>()(...declare("RATE_LIMITED"), {
  ...common,
  code: Schema.tag("RATE_LIMITED")
}) {}
export class IdempotencyConflict extends HttpApiError.Problem<IdempotencyConflict>()(
  ...declare("IDEMPOTENCY_CONFLICT"),
  { ...common, code: Schema.tag("IDEMPOTENCY_CONFLICT") }
) {}
export const ViolationBody = Schema.Struct({
  policy_id: Schema.String,
  policy_version: Schema.Int,
  name: Schema.String,
  enforcement: Schema.Literals(["BLOCK", "REQUIRE_APPROVAL", "WARN"]),
  message: Schema.String
}).annotate({ identifier: "Violation" })
/** `violations` lists every policy whose conditions are met, those that block first (contract section 2). */
export class PolicyBlocked extends HttpApiError.Problem<PolicyBlocked>()(...declare("POLICY_BLOCKED"), {
  ...common,
  code: Schema.tag("POLICY_BLOCKED"),
  violations: Schema.Array(ViolationBody)
}) {}
export class IdempotencyInProgress extends HttpApiError.Problem<IdempotencyInProgress>()(
  ...declare("IDEMPOTENCY_IN_PROGRESS"),
  { ...ofPayment, code: Schema.tag("IDEMPOTENCY_IN_PROGRESS") }
) {}
export class OperationInProgress extends HttpApiError.Problem<OperationInProgress>()(
  ...declare("OPERATION_IN_PROGRESS"),
  { ...ofPayment, code: Schema.tag("OPERATION_IN_PROGRESS") }
) {}
export class DuplicateReference extends HttpApiError.Problem<DuplicateReference>()(...declare("DUPLICATE_REFERENCE"), {
  ...ofPayment,
  code: Schema.tag("DUPLICATE_REFERENCE")
}) {}
export class InvalidState extends HttpApiError.Problem<InvalidState>()(...declare("INVALID_STATE"), {
  ...ofPayment,
  code: Schema.tag("INVALID_STATE")
}) {}
export class InsufficientFunds extends HttpApiError.Problem<InsufficientFunds>()(...declare("INSUFFICIENT_FUNDS"), {
  ...ofPayment,
  code: Schema.tag("INSUFFICIENT_FUNDS")
}) {}
export class CardDeclined extends HttpApiError.Problem<CardDeclined>()(...declare("CARD_DECLINED"), {
  ...ofPayment,
  code: Schema.tag("CARD_DECLINED")
}) {}
export class ThreeDSFailed extends HttpApiError.Problem<ThreeDSFailed>()(...declare("3DS_FAILED"), {
  ...ofPayment,
  code: Schema.tag("3DS_FAILED")
}) {}
export class InvalidCard extends HttpApiError.Problem<InvalidCard>()(...declare("INVALID_CARD"), {
  ...ofPayment,
  code: Schema.tag("INVALID_CARD")
}) {}
export class ProviderError extends HttpApiError.Problem<ProviderError>()(...declare("PROVIDER_ERROR"), {
  ...ofPayment,
  code: Schema.tag("PROVIDER_ERROR")
}) {}
export class Timeout extends HttpApiError.Problem<Timeout>()(...declare("TIMEOUT"), {
  ...ofPayment,
  code: Schema.tag("TIMEOUT")
}) {}
export class ServiceUnavailable extends HttpApiError.Problem<ServiceUnavailable>()(...declare("UNAVAILABLE"), {
  ...common,
  code: Schema.tag("UNAVAILABLE")
}) {}
