import { Data } from "effect"

/** JSON-RPC 2.0, section 5.1. */
export const faultCodes = { methodNotFound: -32601, invalidParams: -32602, internal: -32603, refused: -32000 } as const

/** A request that is answered with an error of JSON-RPC; `message` goes to the client. */
export class ProtocolFault extends Data.TaggedError("ProtocolFault")<{
  readonly code: number
  readonly message: string
  readonly data?: Readonly<Record<string, unknown>>
}> {}

export const invalidParams = (message: string, data?: Readonly<Record<string, unknown>>) =>
  new ProtocolFault({ code: faultCodes.invalidParams, message, ...(data === undefined ? {} : { data }) })

/** A fault of the service. What it was stands in the log. */
export const internalFault = () => new ProtocolFault({ code: faultCodes.internal, message: "Internal error" })
