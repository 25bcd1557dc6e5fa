import { createServer, type RequestListener, type Server, request as send } from "node:http"
import type { AddressInfo } from "node:net"

/** A server of a test on this machine, on a port that was free. */
export interface Loopback {
  readonly port: number
  close(): Promise<void>
}

export const listen = (listener: RequestListener): Promise<Loopback & { readonly server: Server }> =>
  new Promise((resolve) => {
    const server = createServer(listener)
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      const close = () =>
        new Promise<void>((closed) => {
          server.close(() => closed())
          server.closeAllConnections()
        })
      resolve({ server, port, close })
    })
  })

/**
 * Passes requests on with a token, which the conformance suite cannot send. Host and Origin stay as they are, so that the
 * guards of both see what the suite sent.
 */
export const addToken = (upstreamPort: number, token: string): Promise<Loopback> =>
  listen((request, response) => {
    const { headers, method, url } = request
    const upstream = send(
      {
        host: "127.0.0.1",
        port: upstreamPort,
        method,
        path: url,
        headers: { ...headers, authorization: `Bearer ${token}` },
        setHost: false
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
        answer.once("error", () => response.destroy())
      }
    )
    upstream.once("error", () => response.destroy())
    response.once("close", () => upstream.destroy())
    request.pipe(upstream)
  })
