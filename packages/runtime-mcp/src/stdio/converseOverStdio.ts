import { serveStdio } from "@modelcontextprotocol/server/stdio"
import { Effect, type Redacted } from "effect"
import { type EntranceOptions, makeEntrance } from "../access/entrance.ts"
import type { Catalogue } from "../catalogue/Catalogue.ts"
import { makeCurrentServer } from "../protocol/currentServer.ts"
import { faultCodes, ProtocolFault } from "../protocol/ProtocolFault.ts"

interface StdioOptions extends EntranceOptions {
  readonly token: Redacted.Redacted<string>
}

/**
 * Speaks the protocol on standard input and output until the input ends. The token is checked before the first word and
 * again at each call, as if each came by HTTP.
 */
export const converseOverStdio = (catalogue: Catalogue, { token, ...options }: StdioOptions) =>
  Effect.gen(function* () {
    const { admit, conducts } = yield* makeEntrance(options)
    // Whoever started this process has the token already: nothing can be guessed here.
    const admitted = admit(token, undefined)
    yield* admitted
    const conduct = conducts(
      Effect.mapError(admitted, ({ message }) => new ProtocolFault({ code: faultCodes.refused, message })),
      { requestId: "", address: null }
    )
    const logs = Effect.runForkWith(yield* Effect.context<never>())
    yield* Effect.callback<void>((resume) => {
      const handle = serveStdio(() => makeCurrentServer(catalogue, conduct), {
        onerror: (error) => void logs(Effect.logDebug("The conversation reported an error", error.message))
      })
      process.stdin.once("close", () => resume(Effect.void))
      return Effect.promise(() => handle.close())
    })
  })
