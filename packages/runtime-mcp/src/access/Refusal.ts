import type { ServerResponse } from "node:http"
import { Data } from "effect"
import { faultCodes } from "../protocol/ProtocolFault.ts"

/** A request that is answered before anything of it is looked at. */
export class Refusal extends Data.TaggedError("Refusal")<{
  readonly status: number
  /** What was wrong and what to do, for whoever reads the client's log. */
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}> {}

/** As the protocol's own transport refuses: an error of JSON-RPC that belongs to no request. */
export const refuse = (response: ServerResponse, { headers, message, status }: Refusal): void => {
  const body = JSON.stringify({ jsonrpc: "2.0", error: { code: faultCodes.refused, message }, id: null })
  response
    .writeHead(status, { ...headers, "content-type": "application/json", "content-length": Buffer.byteLength(body) })
    .end(body)
}

/** The database is away. Nothing was begun. */
export const unavailable = () =>
  new Refusal({
    status: 503,
    message: "The service cannot answer now. Send the request again.",
    headers: { "retry-after": "1" }
  })

/** RFC 6585, section 4. */
export const tooMany = (message: string, retryAfterSeconds: number) =>
  new Refusal({ status: 429, message, headers: { "retry-after": String(retryAfterSeconds) } })
