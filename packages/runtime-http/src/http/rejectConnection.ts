import { type ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import { ProblemDetails } from "effect/http"
import { errorCodeOf } from "../api/errorCatalogue.ts"
import { problemBody } from "./Problem.ts"
import { requestIdFrom } from "./RequestId.ts"

interface Rejection {
  readonly status: number
  readonly detail: string
}

const notHttp: Rejection = { status: 400, detail: "Send well-formed HTTP/1.1." }

/** What Node's parser and timers report, by their codes. */
const rejections: Readonly<Record<string, Rejection>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, detail: "Send the headers within 10 seconds and the body within 30." },
  HPE_HEADER_OVERFLOW: { status: 431, detail: "Send less than 16 KiB of headers." },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, detail: "Send the body without chunk extensions." }
}

const render = ({ detail, status }: Rejection, requestId: string) =>
  JSON.stringify({ ...problemBody(errorCodeOf(status), { detail, requestId }), status })

/**
 * Answers bytes that never became a request, and closes the connection. Not into the middle of an answer that has
 * begun: the client would take the problem for a part of it.
 */
export const rejectConnection = (code: string | undefined, socket: Socket, answering: ServerResponse | undefined) => {
  if (!socket.writable || code === "ECONNRESET" || answering?.headersSent === true) {
    socket.destroy()
    return
  }
  const rejection = rejections[code ?? ""] ?? notHttp
  const requestId = requestIdFrom(undefined)
  const body = render(rejection, requestId)
  const head = [
    `HTTP/1.1 ${rejection.status} ${STATUS_CODES[rejection.status]}`,
    `content-type: ${ProblemDetails.contentType}`,
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    "connection: close"
  ]
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy())
}

/** For a request without the Host that HTTP/1.1 demands. */
export const rejectWithoutHost = (response: ServerResponse) => {
  const requestId = requestIdFrom(undefined)
  const body = render({ status: 400, detail: "Send a Host header (RFC 9112, section 3.2)." }, requestId)
  response
    .writeHead(400, {
      "content-type": ProblemDetails.contentType,
      "content-length": Buffer.byteLength(body),
      "x-request-id": requestId,
      connection: "close"
    })
    .end(body)
}
