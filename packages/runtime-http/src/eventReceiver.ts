import { createServer, type IncomingMessage, request as requestHttp, type ServerResponse } from "node:http"
import { request as requestHttps } from "node:https"
import { Effect } from "effect"
import { CommandRefused } from "./operator.ts"

/** A delivery as it came: the body's very bytes, and the headers by their names and values in turn. */
export interface Delivery {
  readonly rawHeaders: ReadonlyArray<string>
  readonly body: Uint8Array
}

/** What the service is answered. */
export interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** No payload is near it: what is longer was not sent by the service. */
const bodyBytesMax = 4_194_304
/** Of the target's answer; the service keeps 2 KiB of it. */
const answerBytesMax = 65_536
/** As long as the service itself waits for a receiver (contract section 7). */
const patienceMillis = 10_000

/** They are about one connection (RFC 9110, section 7.6.1), or are made anew for the next one. */
const ofConnection = new Set([
  "connection",
  "content-length",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
])

/** The bytes of a message until it ends; undefined where there are more of them than `max`. */
const bytesOf = async (message: IncomingMessage, max: number): Promise<Uint8Array | undefined> => {
  const parts: Array<Uint8Array> = []
  let length = 0
  for await (const part of message) {
    length += part.length
    if (length > max) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts)
}

const forwardedHeaders = (rawHeaders: ReadonlyArray<string>): Array<string> =>
  rawHeaders.flatMap((name, place) =>
    place % 2 === 0 && !ofConnection.has(name.toLowerCase()) ? [name, rawHeaders[place + 1] ?? ""] : []
  )

/** Why the target gave no answer, for the person who waits for it. */
const reasonOf = (error: NodeJS.ErrnoException): string => error.code ?? error.message

/** Hands a delivery on as it came. The target's answer is the reply; 502 where it cannot be reached, as a proxy says. */
export const forward = (target: URL, { body, rawHeaders }: Delivery): Promise<Reply> =>
  new Promise((resolve) => {
    const failed = (error: NodeJS.ErrnoException) =>
      resolve({ status: 502, body: `${target.origin} could not be reached: ${reasonOf(error)}` })
    const headers = [...forwardedHeaders(rawHeaders), "host", target.host, "content-length", String(body.length)]
    const send = target.protocol === "https:" ? requestHttps : requestHttp
    const sent = send(target, { method: "POST", headers, agent: false, signal: AbortSignal.timeout(patienceMillis) })
    sent.once("error", failed)
    sent.once("response", (answer) => {
      const { "content-type": contentType, "retry-after": retryAfter } = answer.headers
      bytesOf(answer, answerBytesMax).then(
        (content) =>
          resolve({
            status: answer.statusCode ?? 502,
            headers: {
              ...(contentType === undefined ? {} : { "content-type": contentType }),
              ...(retryAfter === undefined ? {} : { "retry-after": retryAfter })
            },
            ...(content === undefined ? {} : { body: content })
          }),
        failed
      )
    })
    sent.end(body)
  })

/**
 * A receiver of deliveries on a free loopback port, until the scope closes. Only who knows its path is heard. Gives the
 * URL for the endpoint.
 */
export const openReceiver = (path: string, receive: (delivery: Delivery) => Promise<Reply>) => {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method !== "POST" || request.url !== path) return response.writeHead(404).end()
    const body = await bytesOf(request, bodyBytesMax)
    if (body === undefined) return response.writeHead(413, { connection: "close" }).end()
    const reply = await receive({ rawHeaders: request.rawHeaders, body })
    return response.writeHead(reply.status, reply.headers ?? {}).end(reply.body)
  }
  const opened = Effect.callback<ReturnType<typeof createServer>, CommandRefused>((resume) => {
    const server = createServer((request, response) => {
      // Whoever is cut off asks again: nothing else can be done for them.
      answer(request, response).catch(() => response.destroy())
    })
    server.once("error", ({ message }) =>
      resume(Effect.fail(new CommandRefused({ message: `No port could be opened for deliveries: ${message}` })))
    )
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
  })
  return Effect.acquireRelease(opened, (server) =>
    Effect.sync(() => {
      server.close()
      server.closeAllConnections()
    })
  ).pipe(
    Effect.map((server) => {
      const address = server.address()
      const port = address !== null && typeof address === "object" ? address.port : 0
      return `http://127.0.0.1:${port}${path}`
    })
  )
}
