import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/**
 * The receiver of the deliveries, a process of its own: answers 204 to everything, and tells what came. Messages: `begin`
 * forgets what came before, `report` asks for what came since.
 */
export interface Received {
  readonly count: number
  /** Deliveries of each tenth of a second since the first one. */
  readonly tenths: ReadonlyArray<number>
  /** From the event's `created_at` to its arrival, in milliseconds; of the first hundred thousand. */
  readonly latencies: ReadonlyArray<number>
}

const latenciesMax = 100_000
let count = 0
let firstAt = 0
let tenths: Array<number> = []
let latencies: Array<number> = []

const arrived = (body: string) => {
  const now = Date.now()
  if (count++ === 0) firstAt = now
  const tenth = Math.floor((now - firstAt) / 100)
  tenths[tenth] = (tenths[tenth] ?? 0) + 1
  if (latencies.length >= latenciesMax) return
  const createdAt = /"created_at":"([^"]+)"/.exec(body)?.[1]
  if (createdAt !== undefined) latencies.push(now - Date.parse(createdAt))
}

const server = createServer((request, response) => {
  const parts: Array<Buffer> = []
  request.on("data", (part: Buffer) => parts.push(part))
  request.on("end", () => {
    arrived(Buffer.concat(parts).toString())
    response.writeHead(204).end()
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }))

process.on("message", (order: "begin" | "report") => {
  if (order === "report") {
    process.send?.({ count, tenths: Array.from(tenths, (each) => each ?? 0), latencies })
    return
  }
  count = 0
  tenths = []
  latencies = []
  process.send?.({ begun: true })
})
