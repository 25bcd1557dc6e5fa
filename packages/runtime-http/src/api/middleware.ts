import type { GatewayCaller } from "@sarraf/domain/organizations/GatewayCaller"
import type { AdmittedRequest } from "@sarraf/domain/payments/Payments"
import { Context } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import {
  IdempotencyConflict,
  InvalidRequest,
  InvalidSignature,
  PayloadTooLarge,
  RateLimited,
  ServiceUnavailable,
  SignatureReused,
  SignatureReusedUnderNewKey,
  TimestampExpired,
  UnsupportedMediaType,
  VerificationRequired
} from "./problems.ts"

/** What the signature's check found out about the request, for the handler. */
export class SignedRequestContext extends Context.Service<SignedRequestContext, AdmittedRequest>()(
  "@sarraf/runtime-http/api/SignedRequestContext"
) {}

/** Size, headers, timestamp, signature, rate, spent signatures and idempotency, in this order (contract section 3). */
export class Signature extends HttpApiMiddleware.Service<
  Signature,
  { provides: GatewayCaller | SignedRequestContext }
>()("@sarraf/runtime-http/api/Signature", {
  error: [
    PayloadTooLarge,
    InvalidSignature,
    TimestampExpired,
    RateLimited,
    SignatureReused,
    SignatureReusedUnderNewKey,
    VerificationRequired,
    IdempotencyConflict,
    InvalidRequest,
    ServiceUnavailable,
    UnsupportedMediaType
  ]
}) {}

/** Unknown fields are refused, and all faults of a body are told at once (contract section 1). */
export class StrictDecoding extends HttpApiMiddleware.Service<StrictDecoding>()(
  "@sarraf/runtime-http/api/StrictDecoding",
  { error: InvalidRequest }
) {}
