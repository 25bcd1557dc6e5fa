import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { Effect, Schema, type Scope } from "effect"
import { rejectConnection, rejectWithoutHost } from "./rejectConnection.ts"

/** Nobody can connect. The message says in one sentence what stands in the way and which variable changes it. */
export class CannotListen extends Schema.TaggedError<CannotListen>()("CannotListen", {
  message: Schema.String,
  /** Node's code, such as EADDRINUSE. */
  code: Schema.String
}) {}

export interface Listening {
  readonly host: string
  /** The actual port, where 0 was asked for. */
  readonly port: number
  /** Where a browser on this machine finds it. */
  readonly url: string
  /** Accepts nothing more and waits for what is under way; of no effect the second time. */
  readonly close: Effect.Effect<void>
}

export interface Options {
  readonly host: string
  /** 0 takes a free port. */
  readonly port: number
  /** How long requests under way may go on after the scope closes. Contract section 8: 35 s at most. */
  readonly drainMillisMax?: number
}

const drainMillis = 35_000

/** A slow sender holds a connection, so each part has a bound; the idle time is above what proxies keep (60 s). */
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000
}

const explain = (error: NodeJS.ErrnoException, { host, port }: Options) => {
  const another = port >= 65_535 ? 8080 : port + 1
  switch (error.code) {
    case "EADDRINUSE":
      return `Port ${port} on ${host} is taken by another program: stop that one, or choose another port with PORT=${another} (PORT=0 takes a free one).`
    case "EACCES":
      return `Port ${port} on ${host} may not be opened by this user: choose one above 1023 with PORT, for example PORT=8080.`
    case "EADDRNOTAVAIL":
      return `${host} is not an address of this machine: set HOST to one that is, for example HOST=127.0.0.1.`
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `The host name ${host} was not found: set HOST to an address of this machine, for example HOST=127.0.0.1.`
    default:
      return `Port ${port} on ${host} could not be opened (${error.code ?? error.message}): check HOST and PORT.`
  }
}

const urlOf = (host: string, port: number) => {
  const anywhere = host === "0.0.0.0" || host === "::"
  const shown = anywhere ? "localhost" : host.includes(":") ? `[${host}]` : host
  return `http://${shown}:${port}`
}

const addressOf = (server: Server, options: Options): Omit<Listening, "close"> => {
  const address = server.address()
  const port = address !== null && typeof address === "object" ? address.port : options.port
  return { host: options.host, port, url: urlOf(options.host, port) }
}

/** Knows for each connection which answer is under way, so that none is broken into and none is waited for too long. */
const makeConnections = () => {
  const answers = new Map<Socket, ServerResponse | undefined>()
  let closing = false
  const closeAfter = (answer: ServerResponse) => {
    if (!answer.headersSent) answer.setHeader("connection", "close")
  }
  return {
    opened: (socket: Socket) => {
      answers.set(socket, undefined)
      socket.once("close", () => answers.delete(socket))
    },
    answering: (answer: ServerResponse) => {
      const { socket } = answer.req
      if (answers.has(socket)) answers.set(socket, answer)
      if (closing) closeAfter(answer)
    },
    /** The answer that the client is reading or waiting for. */
    current: (socket: Socket) => {
      const answer = answers.get(socket)
      return answer === undefined || answer.writableFinished ? undefined : answer
    },
    /**
     * Tells clients not to send more here. A connection whose answer already promised to stay open is ended after it,
     * and one that has not sent a request at once: Node counts it as busy, and browsers open some in advance.
     */
    closeAll: () => {
      closing = true
      for (const [socket, answer] of answers) {
        if (answer === undefined) {
          socket.destroy()
        } else if (!answer.writableFinished) {
          closeAfter(answer)
          answer.once("finish", () => socket.end())
        }
      }
    }
  }
}

const open = (dispatch: RequestListener, options: Options) =>
  Effect.callback<{ readonly server: Server; readonly close: Effect.Effect<void> }, CannotListen>((resume) => {
    const connections = makeConnections()
    // Node would answer a missing Host without a body; RFC 9112 section 3.2 demands the 400, ours says why.
    const server = createServer({ ...timeouts, requireHostHeader: false })
    const answer: RequestListener = (request, response) => {
      connections.answering(response)
      if (request.headers.host === undefined && request.httpVersion === "1.1") rejectWithoutHost(response)
      else dispatch(request, response)
    }
    server.on("connection", connections.opened)
    server.on("request", answer)
    // An unknown expectation may be ignored (RFC 9110 section 10.1.1); Node would answer 417 without a body.
    server.on("checkExpectation", answer)
    server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) =>
      rejectConnection(error.code, socket, connections.current(socket))
    )
    const close = Effect.callback<void>((closed) => {
      const deadline = setTimeout(() => server.closeAllConnections(), options.drainMillisMax ?? drainMillis)
      server.close(() => {
        clearTimeout(deadline)
        closed(Effect.void)
      })
      connections.closeAll()
    })
    const failed = (error: NodeJS.ErrnoException) =>
      resume(Effect.fail(new CannotListen({ message: explain(error, options), code: error.code ?? "UNKNOWN" })))
    server.once("error", failed)
    server.listen({ host: options.host, port: options.port }, () => {
      server.off("error", failed)
      resume(Effect.succeed({ server, close }))
    })
  })

/**
 * Opens the port. Whoever opens it before its services stand closes it before they are released, and gives the requests
 * a scope that was forked before: then nothing new is accepted, what is under way is finished (35 s at most), and only
 * then are services released.
 */
export const listen = (
  dispatch: RequestListener,
  options: Options
): Effect.Effect<Listening, CannotListen, Scope.Scope> =>
  Effect.acquireRelease(open(dispatch, options), ({ close }) => close).pipe(
    Effect.tap(({ server }) =>
      Effect.withFiber((fiber) => {
        const run = Effect.runForkWith(fiber.context)
        server.on("error", (error) => run(Effect.logError("The listening socket reported an error", error.message)))
        return Effect.void
      })
    ),
    Effect.map(({ close, server }) => ({ ...addressOf(server, options), close }))
  )
