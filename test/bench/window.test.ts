import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import { assert, it } from "@effect/vitest"
import { describe } from "vitest"
import { runWindow } from "../../bench/load/window.ts"

/** Puts load on a server for a moment, and gives what came of it. */
const load = async (listener: RequestListener, connections = 2) => {
  const server = createServer(listener)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  try {
    const window = { scenario: "authorize", side: "subject", currency: "USD", connections, seconds: 0.1, port } as const
    return await runWindow(window)
  } finally {
    server.closeAllConnections()
    server.close()
    await once(server, "close")
  }
}

describe("a window of load", () => {
  it("sends valid requests with one reference each over as many connections as asked", async () => {
    const references: Array<string> = []
    const sockets = new Set<unknown>()
    const { requests, unexpected } = await load(async (request, response) => {
      const body = JSON.parse((await buffer(request)).toString())
      references.push(body.merchantReference)
      assert.strictEqual(body.currency, "USD")
      sockets.add(request.socket)
      response.setHeader("content-length", 2).end("{}")
    }, 3)
    assert.deepStrictEqual(unexpected, {})
    assert.isAbove(requests, 3)
    assert.strictEqual(references.length, requests)
    assert.strictEqual(new Set(references).size, requests)
    assert.strictEqual(sockets.size, 3)
  })
  it("reads an answer that comes in pieces", async () => {
    const { unexpected } = await load((_, response) => {
      response.setHeader("content-length", 6).write("{  ")
      setImmediate(() => response.end("  }"))
    })
    assert.deepStrictEqual(unexpected, {})
  })
  it("tells latencies in milliseconds, with the slow ones in the upper percentile", async () => {
    let count = 0
    const { p50Millis, p99Millis } = await load((_, response) => {
      const answer = () => response.setHeader("content-length", 2).end("{}")
      // One of the two connections waits at its first request.
      if (count++ === 0) setTimeout(answer, 60)
      else setTimeout(answer, 5)
    })
    assert.isAtLeast(p50Millis, 4)
    assert.isBelow(p50Millis, p99Millis)
    assert.isAtLeast(p99Millis, 55)
    assert.isBelow(p99Millis, 5_000)
  })
  it("counts every answer that is not 200 by its status, and keeps the first", async () => {
    let count = 0
    const { example, requests, unexpected } = await load((_, response) => {
      const status = count++ % 2 === 0 ? 200 : 503
      const body = JSON.stringify({ status })
      response.writeHead(status, { "content-length": body.length }).end(body)
    })
    assert.strictEqual(unexpected["503"], Math.floor(requests / 2))
    assert.deepStrictEqual(Object.keys(unexpected), ["503"])
    assert.include(example, '{"status":503}')
  })
  it("counts a connection that breaks and goes on with the others", async () => {
    let count = 0
    const { requests, unexpected } = await load((request, response) => {
      if (count++ === 0) request.socket.destroy()
      else response.setHeader("content-length", 2).end("{}")
    })
    assert.deepStrictEqual(unexpected, { 0: 1 })
    assert.isAbove(requests, 1)
  })
})
