import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net"
import type { WebhookMessage } from "@sarraf/domain/webhooks/WebhookSender"
import { Effect, Redacted } from "effect"

/** A server on the loopback address for the test's scope; answers its port. */
export const listening = Effect.fnUntraced(function* (server: Server) {
  const open = new Set<Socket>()
  server.on("connection", (socket) => {
    open.add(socket)
    socket.on("close", () => open.delete(socket))
    // The other side may go away at any time.
    socket.on("error", () => {})
  })
  yield* Effect.acquireRelease(
    Effect.promise(async () => {
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
    }),
    () =>
      Effect.sync(() => {
        server.close()
        for (const socket of open) socket.destroy()
      })
  )
  return (server.address() as AddressInfo).port
})

/** A receiver that speaks HTTP; answers its origin. */
export const receiving = (listener: RequestListener) =>
  Effect.map(listening(createServer(listener)), (port) => `http://127.0.0.1:${port}`)

/** A receiver that does as it likes on each connection, the first of which has number 1; answers its origin. */
export const connected = (handle: (socket: Socket, number: number) => void) => {
  let count = 0
  return Effect.map(
    listening(createTcpServer((socket) => handle(socket, ++count))),
    (port) => `http://127.0.0.1:${port}`
  )
}

const secretOf = (byte: number) => Redacted.make(`whsec_${Buffer.alloc(32, byte).toString("base64")}`)
export const present = secretOf(1)
export const former = secretOf(2)

/** A message with a Turkish letter in it, so that characters and bytes differ. */
export const messageTo = (url: string, more: Partial<WebhookMessage> = {}): WebhookMessage => ({
  url,
  id: "evt_01kd8z0000e0080000000000e1",
  body: '{"type":"expense.approved","data":{"merchant":"Çiğdem"}}',
  headers: {},
  secrets: { current: present, former: null },
  ...more
})

/** Answers every connection with the same bytes, once something has come over it. */
export const saying = (bytes: string | Uint8Array, isLast = true) =>
  connected((socket) => {
    socket.once("data", () => (isLast ? socket.end(bytes) : socket.write(bytes)))
  })
