import { randomUUID } from "node:crypto"
import { Context } from "effect"

/**
 * The identifier of the request being handled (contract section 1: in every log line, error and provider call).
 * `undefined` outside a request, in background work.
 */
export const RequestId: Context.Reference<string | undefined> = Context.Reference(
  "@sarraf/runtime-http/http/RequestId",
  { defaultValue: (): string | undefined => undefined }
)

/** The client's `x-request-id` if it has 1 to 128 visible ASCII characters, else a new random UUID. */
export const requestIdFrom = (given: string | undefined): string =>
  given !== undefined && /^[\x21-\x7e]{1,128}$/.test(given) ? given : randomUUID()
