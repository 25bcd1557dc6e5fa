import { once } from "node:events"
import { createServer, type RequestListener, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import { assert, it } from "@effect/vitest"
import { describe } from "vitest"
import { prepare, runWindow } from "../../bench/load/window.ts"

/** Lets a server answer while something is done with its port. */
const withServer = async <A>(listener: RequestListener, use: (port: number) => Promise<A>) => {
  const server = createServer(listener)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  try {
    return await use(port)
  } finally {
    server.closeAllConnections()
    server.close()
    await once(server, "close")
  }
}

const window = { scenario: "authorize", side: "subject", currency: "USD", connections: 2, seconds: 0.1 } as const

/** Puts load on a server for a moment, and gives what came of it. */
const load = (listener: RequestListener, connections = 2) =>
  withServer(listener, (port) => runWindow({ ...window, connections, ports: [port] }))

const answer = (response: ServerResponse, content: object) => {
  const body = JSON.stringify(content)
  response.setHeader("content-length", body.length).end(body)
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
  it("gives the connections to several servers in turn", async () => {
    const counts = [0, 0]
    const server = (index: number) => (): RequestListener => (_, response) => {
      counts[index] = (counts[index] ?? 0) + 1
      answer(response, {})
    }
    const { requests } = await withServer(server(0)(), (first) =>
      withServer(server(1)(), (second) => runWindow({ ...window, ports: [first, second] }))
    )
    assert.isAbove(counts[0] ?? 0, 0)
    assert.isAbove(counts[1] ?? 0, 0)
    assert.strictEqual((counts[0] ?? 0) + (counts[1] ?? 0), requests)
  })
  it("ends when the payments that it is about are used up", async () => {
    const paths: Array<string | undefined> = []
    const { requests, unexpected } = await withServer(
      (request, response) => {
        paths.push(request.url)
        answer(response, {})
      },
      (port) =>
        runWindow({ ...window, scenario: "capture", seconds: 30, connections: 3, ports: [port], payments: ["a", "b"] })
    )
    assert.strictEqual(requests, 2)
    assert.deepStrictEqual(unexpected, {})
    assert.deepStrictEqual(paths.sort(), ["/pf/v1/payments/a/capture", "/pf/v1/payments/b/capture"])
  })
  it("tells the middle third from the last", async () => {
    let begin: number | undefined
    const since = () => {
      begin ??= performance.now()
      return performance.now() - begin
    }
    const { p50MillisLast, p50MillisMiddle } = await withServer(
      (_, response) => setTimeout(() => answer(response, {}), since() < 400 ? 2 : 60),
      (port) => runWindow({ ...window, seconds: 0.6, ports: [port] })
    )
    assert.isAtLeast(p50MillisLast, 50)
    assert.isBelow(p50MillisMiddle, p50MillisLast)
  })
})

describe("what a window needs", () => {
  it("is made step by step, each of the payments of the one before", async () => {
    const captured: Array<string> = []
    let count = 0
    const made = await withServer(
      (request, response) => {
        if (request.url === "/pf/v1/payments/authorize") return answer(response, { transactionId: `txn_${++count}` })
        const payment = request.url?.split("/")[4] ?? ""
        captured.push(payment)
        answer(response, { transactionId: payment })
      },
      (port) => prepare({ ...window, scenario: "refund", ports: [port] })
    )
    assert.isAbove(made.length, 0)
    assert.deepStrictEqual([...made].sort(), captured.sort())
    assert.isAtMost(made.length, count)
  })
  it("is as many as the scenario says, and no more are asked for", async () => {
    let count = 0
    const made = await withServer(
      (_, response) => answer(response, { transactionId: `txn_${++count}` }),
      (port) => prepare({ ...window, scenario: "mix", ports: [port] })
    )
    assert.strictEqual(made.length, 500)
    assert.strictEqual(count, 500)
  })
  it("is what was given, where payments were", async () =>
    assert.deepStrictEqual(await prepare({ ...window, scenario: "get", ports: [0], payments: ["a"] }), ["a"]))
  it("fails where a payment could not be made", async () => {
    const failed = withServer(
      (_, response) => {
        response.statusCode = 402
        answer(response, { code: "CARD_DECLINED" })
      },
      (port) => prepare({ ...window, scenario: "get", ports: [port] })
    )
    assert.match(String(await failed.catch(String)), /authorize was answered 402.*CARD_DECLINED/su)
  })
})
