import { once } from "node:events"
import { createServer, type RequestListener, type ServerResponse } from "node:http"
import * as https from "node:https"
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net"
import { text } from "node:stream/consumers"
import { assert, describe, it } from "@effect/vitest"
import * as HttpTransport from "@sarraf/adapters/providers/HttpTransport"
import { type ProviderRequest, ProviderTransport } from "@sarraf/adapters/providers/ProviderTransport"
import { Deferred, Effect, Fiber } from "effect"
import { selfSigned } from "./selfSigned.ts"

/** A server on the loopback address for the test's scope; answers its port. */
const listening = Effect.fnUntraced(function* (server: Server) {
  yield* Effect.acquireRelease(
    Effect.promise(async () => {
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
    }),
    () =>
      Effect.sync(() => {
        if ("closeAllConnections" in server) (server as https.Server).closeAllConnections()
        server.close()
      })
  )
  return (server.address() as AddressInfo).port
})

const serving = (listener: RequestListener) =>
  Effect.map(listening(createServer(listener)), (port) => `http://127.0.0.1:${port}`)

const get = (url: string): ProviderRequest => ({ provider: "stripe", method: "GET", url, headers: {} })

/** The transport's own number of connections to one provider. */
const connectionsMax = 256

const transport = HttpTransport.layer({ connectTimeoutMillis: 200 })
const sending = (request: ProviderRequest) =>
  Effect.flatMap(ProviderTransport, ({ send }) => send(request)).pipe(Effect.provide(transport))
const failing = (request: ProviderRequest) => Effect.flip(sending(request))

describe("a provider is reached over HTTP", () => {
  it.effect("with the exact bytes of the request, and those of the answer", () =>
    Effect.gen(function* () {
      const url = yield* serving(async (incoming, outgoing) => {
        const { headers, method, url: path } = incoming
        const body = await text(incoming)
        outgoing.writeHead(402, { "content-type": "text/plain", "set-cookie": ["a=1", "b=2"], "X-Name": "value" })
        outgoing.end(JSON.stringify({ method, path, body, own: headers["x-own"] }))
      })
      const body = new TextEncoder().encode("a=İ&b=%20")
      const headers = { "content-type": "application/x-www-form-urlencoded", "x-own": "yes" }
      const response = yield* sending({ provider: "stripe", method: "POST", url: `${url}/v1/x?q=%27a`, headers, body })
      assert.strictEqual(response.status, 402)
      assert.strictEqual(response.headers["x-name"], "value")
      assert.strictEqual(response.headers["set-cookie"], "a=1, b=2")
      assert.deepStrictEqual(JSON.parse(new TextDecoder().decode(response.body)), {
        method: "POST",
        path: "/v1/x?q=%27a",
        body: "a=İ&b=%20",
        own: "yes"
      })
    })
  )

  it.effect("and what is said before the answer is none", () =>
    Effect.gen(function* () {
      const url = yield* serving((_, outgoing) => {
        outgoing.writeEarlyHints({ link: "</style.css>; rel=preload" })
        outgoing.writeHead(201).write("in ")
        outgoing.end("parts")
      })
      const { body, status } = yield* sending(get(url))
      assert.deepStrictEqual([status, new TextDecoder().decode(body)], [201, "in parts"])
    })
  )

  it.effect("without following where it sends us", () =>
    Effect.gen(function* () {
      const paths: Array<string | undefined> = []
      const url = yield* serving(({ url: path }, outgoing) => {
        paths.push(path)
        outgoing.writeHead(302, { location: "/elsewhere" }).end()
      })
      assert.strictEqual((yield* sending(get(`${url}/here`))).status, 302)
      assert.deepStrictEqual(paths, ["/here"])
    })
  )
})

describe("nothing has arrived where", () => {
  it.effect("nobody listens", () =>
    Effect.gen(function* () {
      const url = yield* Effect.scoped(serving(() => {}))
      const failure = yield* failing(get(url))
      assert.deepStrictEqual([failure._tag, failure.reason], ["ConnectFailed", "ECONNREFUSED"])
    })
  )

  it.effect("the certificate is signed by nobody that is trusted", () =>
    Effect.gen(function* () {
      let requests = 0
      const server = https.createServer(selfSigned, (_, outgoing) => {
        requests++
        outgoing.end("ok")
      })
      const failure = yield* failing(get(`https://127.0.0.1:${yield* listening(server)}`))
      assert.deepStrictEqual([failure._tag, failure.reason], ["ConnectFailed", "DEPTH_ZERO_SELF_SIGNED_CERT"])
      assert.strictEqual(requests, 0)
    })
  )

  it.effect("the other side does not speak TLS", () =>
    Effect.gen(function* () {
      const port = yield* listening(createServer((_, outgoing) => outgoing.end("ok")))
      assert.strictEqual((yield* failing(get(`https://127.0.0.1:${port}`)))._tag, "ConnectFailed")
    })
  )

  it.effect("a connection is not ready within its time", () =>
    Effect.gen(function* () {
      const port = yield* listening(createTcpServer(() => {}))
      const failure = yield* failing(get(`https://127.0.0.1:${port}`))
      assert.deepStrictEqual([failure._tag, failure.reason], ["ConnectFailed", "UND_ERR_CONNECT_TIMEOUT"])
    })
  )

  it.effect("a header or an address is none", () =>
    Effect.gen(function* () {
      const url = yield* serving((_, outgoing) => outgoing.end("ok"))
      const request = { ...get(url), headers: { "x-own": "line\nbreak" } }
      assert.strictEqual((yield* failing(request))._tag, "ConnectFailed")
      assert.strictEqual((yield* failing(get("nowhere")))._tag, "ConnectFailed")
    })
  )
})

describe("it is not known what has arrived where", () => {
  const answers: Readonly<Record<string, (outgoing: ServerResponse) => void>> = {
    "the connection is closed without an answer": (outgoing) => outgoing.destroy(),
    "the answer breaks off": (outgoing) => {
      outgoing.writeHead(200, { "content-length": 10 })
      outgoing.write("half", () => outgoing.destroy())
    },
    "the answer has more than a megabyte": (outgoing) => void outgoing.end(new Uint8Array(1_048_577)),
    "the answer is no HTTP": (outgoing) => void outgoing.socket?.end("SSH-2.0-OpenSSH_9.9\r\n")
  }
  for (const [name, answer] of Object.entries(answers)) {
    it.effect(name, () =>
      Effect.gen(function* () {
        const url = yield* serving((_, outgoing) => answer(outgoing))
        assert.strictEqual((yield* failing(get(url)))._tag, "NoAnswer")
      })
    )
  }

  it.effect("not even with a megabyte to the byte", () =>
    Effect.gen(function* () {
      const url = yield* serving((_, outgoing) => outgoing.end(new Uint8Array(1_048_576)))
      assert.lengthOf((yield* sending(get(url))).body, 1_048_576)
    })
  )
})

it.effect("a call that is interrupted closes its connection", () =>
  Effect.gen(function* () {
    const arrived = yield* Deferred.make<void>()
    const closed = yield* Deferred.make<void>()
    const url = yield* serving((_, outgoing) => {
      outgoing.on("close", () => Deferred.doneUnsafe(closed, Effect.void))
      Deferred.doneUnsafe(arrived, Effect.void)
    })
    const fiber = yield* Effect.forkChild(sending(get(url)))
    yield* Deferred.await(arrived)
    yield* Fiber.interrupt(fiber)
    yield* Deferred.await(closed)
  })
)

it.effect("a call that is interrupted while it waits for a free connection is never sent", () =>
  Effect.gen(function* () {
    const waiting: Array<ServerResponse> = []
    const paths: Array<string | undefined> = []
    const full = yield* Deferred.make<void>()
    const url = yield* serving((incoming, outgoing) => {
      paths.push(incoming.url)
      waiting.push(outgoing)
      if (waiting.length === connectionsMax) Deferred.doneUnsafe(full, Effect.void)
      if (waiting.length > connectionsMax) outgoing.end()
    })
    const { send } = yield* ProviderTransport
    const busy = yield* Effect.forEach(Array.from({ length: connectionsMax }), () =>
      Effect.forkChild(send(get(`${url}/busy`)))
    )
    yield* Deferred.await(full)
    const late = yield* Effect.forkChild(send(get(`${url}/late`)), { startImmediately: true })
    yield* Fiber.interrupt(late)
    for (const outgoing of waiting) outgoing.end()
    yield* Fiber.joinAll(busy)
    assert.strictEqual((yield* send(get(`${url}/after`))).status, 200)
    assert.deepStrictEqual([...new Set(paths)], ["/busy", "/after"])
  }).pipe(Effect.provide(HttpTransport.layer({ connectTimeoutMillis: 30_000 })))
)
