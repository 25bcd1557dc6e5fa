import { type Agent, Agent as HttpAgent, request as httpRequest, type RequestListener } from "node:http"
import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { listen, type Options } from "@sarraf/runtime-http/http/Server"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"

const local = (options: Partial<Options> = {}): Options => ({ host: "127.0.0.1", port: 0, ...options })

interface Answer {
  readonly status: number
  readonly headers: Record<string, unknown>
  readonly body: string
}

const get = (port: number, agent?: Agent) =>
  Effect.callback<Answer, Error>((resume) => {
    const sent = httpRequest({ host: "127.0.0.1", port, agent: agent ?? false }, (response) => {
      let body = ""
      response.on("data", (chunk) => (body += chunk))
      response.on("end", () =>
        resume(Effect.succeed({ status: response.statusCode ?? 0, headers: response.headers, body }))
      )
      response.on("error", (error) => resume(Effect.fail(error)))
    })
    sent.on("error", (error) => resume(Effect.fail(error)))
    sent.end()
  })

/** Writes bytes as they are and reads until the server closes. */
const raw = (port: number, bytes: string) =>
  Effect.callback<string>((resume) => {
    let received = ""
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes))
    socket.on("data", (chunk) => (received += chunk))
    socket.on("error", () => {})
    socket.on("close", () => resume(Effect.succeed(received)))
  })

const parse = (received: string) => {
  const [head = "", body = ""] = received.split("\r\n\r\n")
  const [statusLine = "", ...fields] = head.split("\r\n")
  const headers = Object.fromEntries(fields.map((field) => field.toLowerCase().split(": ")))
  return { statusLine, headers, body: JSON.parse(body) }
}

/** Answers once the gate is open, and tells when a request has arrived. */
const gated = Effect.gen(function* () {
  const arrived = yield* Deferred.make<void>()
  const gate = yield* Deferred.make<void>()
  const dispatch: RequestListener = (_, response) => {
    Effect.runFork(
      Deferred.succeed(arrived, undefined).pipe(
        Effect.andThen(Deferred.await(gate)),
        Effect.andThen(Effect.sync(() => response.end("done")))
      )
    )
  }
  return { arrived: Deferred.await(arrived), open: Deferred.succeed(gate, undefined), dispatch }
})

const ok: RequestListener = (_, response) => {
  response.end("ok")
}

describe("listen", () => {
  it.live("takes a free port for 0 and tells which", () =>
    Effect.gen(function* () {
      const { host, port, url } = yield* listen(ok, local())
      assert.isAbove(port, 0)
      assert.deepStrictEqual([host, url], ["127.0.0.1", `http://127.0.0.1:${port}`])
      assert.strictEqual((yield* get(port)).body, "ok")
    })
  )

  it.live("gives an address that a browser understands when every interface is meant", () =>
    Effect.gen(function* () {
      const { port, url } = yield* listen(ok, local({ host: "0.0.0.0" }))
      assert.strictEqual(url, `http://localhost:${port}`)
    })
  )

  it.live("says which port is taken and how to choose another", () =>
    Effect.gen(function* () {
      const { port } = yield* listen(ok, local())
      const error = yield* Effect.flip(listen(ok, local({ port })))
      assert.strictEqual(error.code, "EADDRINUSE")
      assert.strictEqual(
        error.message,
        `Port ${port} on 127.0.0.1 is taken by another program: stop that one, or choose another port with PORT=${port + 1} (PORT=0 takes a free one).`
      )
    })
  )

  it.live("says that the host is not an address of this machine", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(listen(ok, local({ host: "192.0.2.1" })))
      assert.strictEqual(error.code, "EADDRNOTAVAIL")
      assert.include(error.message, "set HOST to one that is")
    })
  )
})

describe("closing", () => {
  it.live("finishes what is under way, accepts nothing new, and does not wait for idle connections", () =>
    Effect.gen(function* () {
      const { arrived, dispatch, open } = yield* gated
      const scope = yield* Scope.make()
      const { port } = yield* Scope.provide(listen(dispatch, local()), scope)
      const agent = new HttpAgent({ keepAlive: true })
      const idle = connect(port, "127.0.0.1")
      const underWay = yield* Effect.forkChild(get(port, agent))
      yield* arrived
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* Effect.yieldNow
      const refused = yield* Effect.flip(get(port))
      assert.include(String(refused), "ECONNREFUSED")
      yield* open
      const answer = yield* Fiber.join(underWay)
      assert.deepStrictEqual([answer.status, answer.body, answer.headers.connection], [200, "done", "close"])
      yield* Fiber.join(closing)
      idle.destroy()
      agent.destroy()
    })
  )

  it.live("ends a connection whose answer had promised to stay open", () =>
    Effect.gen(function* () {
      const arrived = yield* Deferred.make<() => void>()
      const scope = yield* Scope.make()
      const dispatch: RequestListener = (_, response) => {
        response.writeHead(200, { "content-length": "4" })
        response.write("ab")
        Deferred.doneUnsafe(
          arrived,
          Effect.succeed(() => void response.end("cd"))
        )
      }
      const { port } = yield* Scope.provide(listen(dispatch, local()), scope)
      const agent = new HttpAgent({ keepAlive: true })
      const underWay = yield* Effect.forkChild(get(port, agent))
      const finish = yield* Deferred.await(arrived)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* Effect.yieldNow
      finish()
      assert.strictEqual((yield* Fiber.join(underWay)).body, "abcd")
      yield* Fiber.join(closing)
      agent.destroy()
    })
  )

  it.live("gives up a request that does not end in time", () =>
    Effect.gen(function* () {
      const { arrived, dispatch } = yield* gated
      const scope = yield* Scope.make()
      const { port } = yield* Scope.provide(listen(dispatch, local({ drainMillisMax: 50 })), scope)
      const underWay = yield* Effect.forkChild(Effect.flip(get(port)))
      yield* arrived
      yield* Scope.close(scope, Exit.void)
      assert.include(String(yield* Fiber.join(underWay)), "socket hang up")
    })
  )
})

describe("bytes that are no request", () => {
  it.live("are answered with a problem, and the connection closes", () =>
    Effect.gen(function* () {
      const { port } = yield* listen(ok, local())
      const { body, headers, statusLine } = parse(yield* raw(port, "nonsense\r\n\r\n"))
      assert.strictEqual(statusLine, "HTTP/1.1 400 Bad Request")
      assert.strictEqual(headers["content-type"], "application/problem+json")
      assert.strictEqual(headers["x-request-id"], body.requestId)
      assert.deepStrictEqual(
        [body.type, body.status, body.code, body.detail],
        ["/docs/errors/INVALID_REQUEST", 400, "INVALID_REQUEST", "Send well-formed HTTP/1.1."]
      )
    })
  )

  it.live("with too many headers are answered with 431", () =>
    Effect.gen(function* () {
      const { port } = yield* listen(ok, local())
      const received = yield* raw(port, `GET / HTTP/1.1\r\nhost: a\r\nx: ${"y".repeat(20_000)}\r\n\r\n`)
      const { body, statusLine } = parse(received)
      assert.strictEqual(statusLine, "HTTP/1.1 431 Request Header Fields Too Large")
      assert.strictEqual(body.status, 431)
    })
  )

  it.live("without the Host that HTTP/1.1 demands are answered with 400", () =>
    Effect.gen(function* () {
      const { port } = yield* listen(ok, local())
      const { body, statusLine } = parse(yield* raw(port, "GET / HTTP/1.1\r\n\r\n"))
      assert.strictEqual(statusLine, "HTTP/1.1 400 Bad Request")
      assert.strictEqual(body.detail, "Send a Host header (RFC 9112, section 3.2).")
    })
  )

  it.live("do not break into an answer that has begun", () =>
    Effect.gen(function* () {
      const dispatch: RequestListener = (request, response) => {
        request.resume()
        response.writeHead(200, { "content-length": "10" })
        response.write("begun")
      }
      const { port } = yield* listen(dispatch, local())
      const head = "POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n"
      const received = yield* raw(port, `${head}3\r\nabc\r\nnot a chunk\r\n`)
      assert.isFalse(received.includes("problem+json"))
    })
  )

  it.live("with an unknown expectation are a request like any other", () =>
    Effect.gen(function* () {
      const { port } = yield* listen(ok, local())
      const received = yield* raw(port, "GET / HTTP/1.1\r\nhost: a\r\nexpect: tea\r\nconnection: close\r\n\r\n")
      assert.match(received, /^HTTP\/1\.1 200 /)
    })
  )
})
