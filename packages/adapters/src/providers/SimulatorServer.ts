import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { Data, Deferred, Effect } from "effect"
import { connectFailedHeader } from "./HttpTransport.ts"
import type { ProviderRequest, ProviderResponse } from "./ProviderTransport.ts"
import * as SimulatedTransport from "./SimulatedTransport.ts"
import type { Simulator } from "./Simulator.ts"

/** No provider's request is longer. */
const bodyBytesMax = 1_048_576
/** How long requests may go on after the end was asked for. */
const drainMillis = 5_000

/** The port is taken, or not allowed. */
export class ListenFailed extends Data.TaggedError("ListenFailed")<{ readonly reason: string }> {
  override get message() {
    return this.reason
  }
}

/** Nothing where the body is too long, or breaks off. */
const bodyOf = async (incoming: IncomingMessage): Promise<Uint8Array | undefined> => {
  const chunks: Array<Uint8Array> = []
  let length = 0
  try {
    for await (const chunk of incoming) {
      const bytes: Uint8Array = chunk
      length += bytes.length
      if (length > bodyBytesMax) return undefined
      chunks.push(bytes)
    }
    return Buffer.concat(chunks)
  } catch {
    return undefined
  }
}

/** A gateway's call carries the provider's host with it; without one it is a buyer's browser on the simulator's pages. */
const simulatedHost = "x-simulated-host"
const methods = ["GET", "POST", "PUT", "DELETE"] as const

/**
 * `/stripe/v1/refunds` → `stripe` and the address that the request was for: `https://{x-simulated-host}/v1/refunds`, or
 * the same below the address of this server, `http://127.0.0.1:9090/stripe/v1/refunds`. Undefined for another method.
 */
const requestOf = (
  { headers: given, method, url = "/" }: IncomingMessage,
  body: Uint8Array,
  ownUrl: string
): ProviderRequest | undefined => {
  const known = methods.find((one) => one === method)
  if (known === undefined) return undefined
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(given)) if (typeof value === "string") headers[name] = value
  const { [simulatedHost]: host, ...own } = headers
  const [, provider = "", path = ""] = /^\/([^/?]*)(.*)$/u.exec(url) ?? []
  return {
    provider,
    method: known,
    url: host === undefined ? `${ownUrl}/${provider}${path}` : `https://${host}${path}`,
    headers: own,
    ...(known === "GET" ? {} : { body })
  }
}

const write = (outgoing: ServerResponse, { body, headers, status }: ProviderResponse): void => {
  outgoing.writeHead(status, { ...headers, "content-length": body.byteLength })
  outgoing.end(body)
}

const nothing = new Uint8Array()

/**
 * Answers as the simulator does, and fails as a network does: a lost answer closes the connection, and a refused
 * connection, which cannot be shown on an open one, is said in a header. A caller that hangs up changes nothing.
 */
const handle = (send: ReturnType<typeof SimulatedTransport.make>["send"], ownUrl: string) =>
  Effect.fnUntraced(function* (incoming: IncomingMessage, outgoing: ServerResponse) {
    const body = yield* Effect.promise(() => bodyOf(incoming))
    if (body === undefined) return write(outgoing, { status: 413, headers: { connection: "close" }, body: nothing })
    const host = incoming.headers[simulatedHost] ?? "provider.invalid"
    if (!URL.canParse(`https://${host}`)) return write(outgoing, { status: 400, headers: {}, body: nothing })
    const request = requestOf(incoming, body, ownUrl)
    if (request === undefined)
      return write(outgoing, { status: 405, headers: { allow: methods.join(", ") }, body: nothing })
    yield* send(request).pipe(
      Effect.match({
        onSuccess: (response) => write(outgoing, response),
        onFailure: (failure) => {
          if (failure._tag === "NoAnswer") return void outgoing.destroy()
          return write(outgoing, { status: 503, headers: { [connectFailedHeader]: failure.reason }, body: nothing })
        }
      })
    )
  })

const listen = (server: Server, port: number) =>
  Effect.callback<string, ListenFailed>((resume) => {
    const fail = (error: Error) => resume(Effect.fail(new ListenFailed({ reason: error.message })))
    if (!Number.isInteger(port) || port < 0 || port > 65_535) return fail(new Error(`${port} is no port`))
    server.once("error", fail)
    // Simulators trust whoever reaches them, so that nobody outside this machine does.
    server.listen(port, "127.0.0.1", () => {
      server.off("error", fail)
      const address = server.address()
      resume(Effect.succeed(`http://127.0.0.1:${typeof address === "object" ? address?.port : port}`))
    })
  })

/** Takes no new connection, lets requests come to their end, and closes what is left. */
const close = (server: Server) =>
  Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
    server.closeIdleConnections()
    const timer = setTimeout(() => server.closeAllConnections(), drainMillis)
    timer.unref()
    return Effect.sync(() => clearTimeout(timer))
  })

/**
 * Serves simulators over HTTP on the loopback address until the scope closes, for gateways that run with
 * `SARRAF_SIMULATORS_URL` and for the browsers of their buyers. Port 0 takes a free one. Answers the address,
 * `http://127.0.0.1:9090`, which `simulators` is given too: a simulator's `pagesUrl` is that and `/{provider}`.
 */
export const serve = Effect.fnUntraced(function* (options: {
  readonly simulators: (url: string) => ReadonlyArray<Simulator>
  readonly port: number
}) {
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const open = yield* Deferred.make<ReturnType<typeof handle>>()
  const server: Server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      createServer((incoming, outgoing) => {
        // A connection that was busy when the end was asked for would stay open for its caller's next request.
        outgoing.once("close", () => server.listening || server.closeIdleConnections())
        const answered = Effect.flatMap(Deferred.await(open), (answer) => answer(incoming, outgoing)).pipe(
          Effect.catchCause((cause) =>
            Effect.andThen(
              Effect.logError("A simulator failed", cause),
              Effect.sync(() => outgoing.destroy())
            )
          )
        )
        run(answered)
      })
    ),
    close
  )
  const url = yield* listen(server, options.port)
  const { send } = SimulatedTransport.make(options.simulators(url))
  yield* Deferred.succeed(open, handle(send, url))
  return url
})
