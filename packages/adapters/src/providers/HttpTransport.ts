import { Effect, Layer } from "effect"
import { Agent, buildConnector, type Dispatcher } from "undici"
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

const headersOf = (given: Dispatcher.ResponseData["headers"]): ProviderResponse["headers"] => {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) headers[name] = typeof value === "string" ? value : value.join(", ")
  }
  return headers
}

/** In memory of its own: the chunks are parts of what was read from the connection. */
const joined = (chunks: ReadonlyArray<Uint8Array>, length: number): Uint8Array => {
  const whole = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    whole.set(chunk, offset)
    offset += chunk.byteLength
  }
  return whole
}

/** Answers are small and read whole, so that no stream is made for one. */
const exchange = (agent: Agent, { body, method }: ProviderRequest, { headers, origin, path }: Target) =>
  Effect.callback<ProviderResponse, ConnectFailed | NoAnswer>((resume) => {
    const chunks: Array<Uint8Array> = []
    let received = 0
    let begun: Pick<ProviderResponse, "status" | "headers"> | undefined
    let isInterrupted = false
    let abort = () => {}
    agent.dispatch(
      { origin, path, method, headers, body: body ?? null },
      {
        onRequestStart: (controller) => {
          abort = () => controller.abort(new Error("interrupted"))
          // Its turn on a connection comes when nobody waits for it any more.
          if (isInterrupted) abort()
        },
        onResponseStart: (_, status, given) => {
          // 1xx says that the answer is still to come.
          if (status >= 200) begun = { status, headers: headersOf(given) }
        },
        onResponseData: (_, chunk) => {
          chunks.push(chunk)
          received += chunk.byteLength
        },
        onResponseEnd: () => {
          if (begun !== undefined) resume(Effect.succeed({ ...begun, body: joined(chunks, received) }))
        },
        onResponseError: (_, error) => resume(Effect.fail(failureOf(error)))
      }
    )
    return Effect.sync(() => {
      isInterrupted = true
      abort()
    })
  })

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
        Effect.flatMap(Effect.try({ try: () => targetOf(request), catch: failureOf }), (target) =>
          exchange(agent, request, target)
        )
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
