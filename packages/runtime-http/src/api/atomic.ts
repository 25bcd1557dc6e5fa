import type { Caller } from "@sarraf/domain/organizations/Caller"
import { Context } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import {
  IdempotencyConflict,
  IdempotencyInProgress,
  InvalidRequest,
  PayloadTooLarge,
  ServiceUnavailable,
  UnsupportedMediaType
} from "./problems.ts"

/**
 * Each request of `/api` that may change something is one unit of work, and its answer is kept under its Idempotency-Key
 * in that same unit (contract section 1). A request that fails leaves nothing behind, and its key is not used up.
 */
export class Atomic extends HttpApiMiddleware.Service<Atomic, { requires: Caller }>()(
  "@sarraf/runtime-http/api/Atomic",
  {
    error: [
      InvalidRequest,
      PayloadTooLarge,
      UnsupportedMediaType,
      IdempotencyConflict,
      IdempotencyInProgress,
      ServiceUnavailable
    ]
  }
) {}

/** On an endpoint: the members of its answer that are shown once, and are left out of the answer that is kept. */
export const ShownOnce = Context.Reference<ReadonlyArray<string>>("@sarraf/runtime-http/api/ShownOnce", {
  defaultValue: () => []
})

/** On an endpoint: what its body may have, in bytes; and whether it is JSON. */
export const BodyForm = Context.Reference<{ readonly bytesMax: number; readonly isJson: boolean }>(
  "@sarraf/runtime-http/api/BodyForm",
  { defaultValue: () => ({ bytesMax: 262_144, isJson: true }) }
)
