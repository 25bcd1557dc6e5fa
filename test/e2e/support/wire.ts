import { once } from "node:events"
import { request as httpRequest } from "node:http"
import { connect } from "node:net"
import { type Answer, answerOf, type SignedRequest } from "./Client.ts"

/** What `fetch` cannot do: choose the own address, write bytes piece by piece, hang up halfway. */

export interface WireOptions {
  /** One of 127.0.0.0/8, to be another caller than the rest of the test. */
  readonly localAddress?: string
  /** Sends the body in chunks, so that its length is not announced. */
  readonly chunked?: boolean
}

/** Takes the first answer, also when the server closes the connection before it has read everything. */
export const sendOverHttp = (
  url: string,
  { body, headers, method, path }: SignedRequest,
  { chunked = false, localAddress }: WireOptions = {}
) =>
  new Promise<Answer>((resolve, reject) => {
    const length = body === undefined || chunked ? {} : { "content-length": String(body.length) }
    const options = { method, headers: { ...headers, ...length }, agent: false, ...(localAddress && { localAddress }) }
    const sent = httpRequest(new URL(path, url), options, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (piece: string) => (text += piece))
      const finish = () => resolve(answerOf(response.statusCode ?? 0, headersOf(response.rawHeaders), text))
      response.on("end", finish).on("error", finish)
    })
    sent.on("error", reject)
    for (let offset = 0; body !== undefined && offset < body.length; offset += 65_536) {
      sent.write(body.subarray(offset, offset + 65_536))
    }
    sent.end()
  })

const headersOf = (raw: ReadonlyArray<string>) => {
  const headers = new Headers()
  for (let index = 0; index + 1 < raw.length; index += 2) headers.append(raw[index] ?? "", raw[index + 1] ?? "")
  return headers
}

/** The bytes of a request as they go over the connection. */
const bytesOnTheWire = ({ body = new Uint8Array(), headers, method, path }: SignedRequest) => {
  const fields = Object.entries({ host: "localhost", ...headers, "content-length": String(body.length) })
  const head = `${method} ${path} HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`
  return Buffer.concat([Buffer.from(head), body])
}

/** Sends the whole request, waits so many milliseconds, and hangs up without reading the answer. */
export const sendAndHangUp = async (url: string, request: SignedRequest, afterMillis: number) => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, "connect")
  await new Promise<void>((resolve) => socket.write(bytesOnTheWire(request), () => resolve()))
  if (afterMillis > 0) await new Promise((resolve) => setTimeout(resolve, afterMillis))
  socket.destroy()
  await once(socket, "close")
}
