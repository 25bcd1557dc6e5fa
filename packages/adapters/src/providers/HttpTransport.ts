import { Effect, Layer } from "effect"
import { Agent, buildConnector } from "undici"
import {
  ConnectFailed,
  NoAnswer,
  type ProviderRequest,
  type ProviderResponse,
  ProviderTransport
} from "./ProviderTransport.ts"

/** The longest recorded answers are a few kilobytes; more than this is no answer of a provider's. */
const bodyBytesMax = 1_048_576
/** Connections to one provider, one request at a time on each: what comes in above waits for a free one. */
const connectionsMax = 256
/** Longer than any attempt may take: its own deadline ends it by interruption (contract section 4). */
const answerMillisMax = 60_000

/** The header by which our own server of simulators says that it stands for a provider that takes no connection. */
export const connectFailedHeader = "x-simulated-connect-failed"

interface Options {
  /** Name, connection and TLS together. */
  readonly connectTimeoutMillis: number
}

/** No connection came about, so that no byte of a request can have arrived. */
class NotConnected extends Error {}

/** `ECONNREFUSED`, `UND_ERR_SOCKET`: the code alone, since messages name addresses. */
const codeOf = (error: unknown): string =>
  error instanceof Error ? ("code" in error ? String(error.code) : error.name) : "unknown"

const failureOf = (error: unknown): ConnectFailed | NoAnswer => {
  if (error instanceof NotConnected) return new ConnectFailed({ reason: error.message })
  const reason = codeOf(error)
  // A header or an address that no client would send is refused before there is a connection.
  return reason === "UND_ERR_INVALID_ARG" || reason === "ERR_INVALID_URL"
    ? new ConnectFailed({ reason })
    : new NoAnswer({ reason })
}

/**
 * An error while connecting must be told from the same error afterwards, so that it is marked where it happens. It goes
 * without its code: by some codes the client would keep its requests back for another try.
 */
const connectorOf = ({ connectTimeoutMillis }: Options): buildConnector.connector => {
  const connect = buildConnector({ allowH2: false, rejectUnauthorized: true, timeout: connectTimeoutMillis })
  return (options, callback) =>
    connect(options, (...[error, socket]) =>
      error === null ? callback(null, socket) : callback(new NotConnected(codeOf(error)), null)
    )
}

interface Target {
  readonly origin: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

const exchange = async (
  agent: Agent,
  { body, method }: ProviderRequest,
  target: Target,
  signal: AbortSignal
): Promise<ProviderResponse> => {
  const answer = await agent.request({
    origin: target.origin,
    path: target.path,
    method,
    headers: { ...target.headers },
    body: body ?? null,
    signal
  })
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(answer.headers)) {
    if (value !== undefined) headers[name] = typeof value === "string" ? value : value.join(", ")
  }
  return { status: answer.statusCode, headers, body: await answer.body.bytes() }
}

const transport = (options: Options, targetOf: (request: ProviderRequest) => Target) =>
  Effect.gen(function* () {
    const agent = yield* Effect.acquireRelease(
      Effect.sync(
        () =>
          new Agent({
            connect: connectorOf(options),
            connections: connectionsMax,
            bodyTimeout: answerMillisMax,
            headersTimeout: answerMillisMax,
            maxResponseSize: bodyBytesMax
          })
      ),
      // Nobody is left who waits for an answer.
      (open) => Effect.promise(() => open.destroy())
    )
    return ProviderTransport.of({
      send: (request) =>
        Effect.tryPromise({
          try: (signal) => exchange(agent, request, targetOf(request), signal),
          catch: failureOf
        })
    })
  })

/**
 * Carries bytes to the providers' own hosts: a pool of connections for each, certificates verified, redirects not
 * followed, answers up to 1 MiB. A call that is interrupted closes its connection.
 */
export const layer = (options: Options) =>
  Layer.effect(
    ProviderTransport,
    transport(options, ({ headers, url }) => {
      const { origin, pathname, search } = new URL(url)
      return { origin, path: pathname + search, headers }
    })
  )

/**
 * Carries every provider's bytes to a server of simulators instead, `http://127.0.0.1:9090/{provider}/{path}`, with the
 * host that they were for in `x-simulated-host`. No connection is ever opened to that host.
 */
export const layerSimulators = (options: Options & { readonly baseUrl: string }) => {
  const { origin, pathname: prefix } = new URL(options.baseUrl)
  const targetOf = ({ headers, provider, url }: ProviderRequest): Target => {
    const { host, pathname, search } = new URL(url)
    const path = `${prefix.replace(/\/$/u, "")}/${provider}${pathname}${search}`
    return { origin, path, headers: { ...headers, "x-simulated-host": host } }
  }
  return Layer.effect(
    ProviderTransport,
    Effect.map(transport(options, targetOf), ({ send }) => ({
      send: (request: ProviderRequest) =>
        Effect.flatMap(send(request), (response): ReturnType<typeof send> => {
          const reason = response.headers[connectFailedHeader]
          return reason === undefined ? Effect.succeed(response) : Effect.fail(new ConnectFailed({ reason }))
        })
    }))
  )
}
