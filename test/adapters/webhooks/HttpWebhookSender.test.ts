import { text } from "node:stream/consumers"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { WebhookSender } from "@sarraf/domain/webhooks/WebhookSender"
import { Deferred, Effect, Fiber, Redacted, Schema } from "effect"
import { TestClock } from "effect/testing"
import { connected, messageTo, present, receiving, saying } from "./receivers.ts"
import { outcomeOf, sender, sending } from "./sending.ts"

describe("a message is handed over", () => {
  it.effect("as one signed POST with exactly its text, and the headers of its endpoint", () =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const origin = yield* receiving(async (incoming, outgoing) => {
        const { headers, method, url } = incoming
        seen.push({ method, url, headers, body: await text(incoming) })
        outgoing.writeHead(201, { "retry-after": "120" }).end("thanks")
      })
      yield* TestClock.setTime(1_767_225_600_123)
      const message = messageTo(`${origin}/hook/%C3%A7?a=b&c=%27#never`, {
        headers: { Authorization: Redacted.make("Bearer theirs"), "X-Own": Redacted.make("1") }
      })
      const [outcome] = yield* sending(message)
      assert.deepStrictEqual(outcome, {
        at: 1_767_225_600_123,
        durationMillis: 0,
        status: 201,
        error: null,
        answer: "thanks",
        retryAfter: 1_767_225_720_123
      })
      const [{ headers, ...request }] = seen as [{ headers: Record<string, string> }]
      assert.deepStrictEqual(request, { method: "POST", url: "/hook/%C3%A7?a=b&c=%27", body: message.body })
      const { "webhook-signature": standard, "x-service-signature": own, ...others } = headers
      assert.deepStrictEqual(others, {
        host: new URL(origin).host,
        connection: "keep-alive",
        authorization: "Bearer theirs",
        "x-own": "1",
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(message.body)),
        "user-agent": "Sarraf-Webhooks/1",
        "webhook-id": message.id,
        "webhook-timestamp": "1767225600"
      })
      assert.match(own ?? "", /^t=1767225600123,v1=[0-9a-f]{64}$/u)
      assert.match(standard ?? "", /^v1,[A-Za-z0-9+/]{43}=$/u)
    })
  )

  it.effect("over one connection after the other message, and over new ones beside others", () =>
    Effect.gen(function* () {
      let connections = 0
      const origin = yield* connected((socket) => {
        connections++
        socket.on("data", () => socket.write("HTTP/1.1 204 No Content\r\n\r\n"))
      })
      const outcomes = yield* sending(messageTo(origin), messageTo(origin), messageTo(origin))
      assert.deepStrictEqual([outcomes.map(({ status }) => status), connections], [[204, 204, 204], 1])
    })
  )

  it.effect("at once although sixty others to the same receiver hang", () =>
    Effect.gen(function* () {
      let hanging = 0
      const all = yield* Deferred.make<void>()
      const origin = yield* receiving(({ url }, outgoing) => {
        if (url === "/answered") outgoing.end()
        else if (++hanging === 60) Effect.runSync(Deferred.succeed(all, undefined))
      })
      const { send } = yield* WebhookSender
      const hung = Effect.forEach(Array.from({ length: 60 }), () => send(messageTo(origin)), { concurrency: 60 })
      const fiber = yield* Effect.forkChild(hung)
      yield* Deferred.await(all)
      assert.strictEqual((yield* send(messageTo(`${origin}/answered`))).status, 200)
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide(sender))
  )

  it.effect("again where the receiver had closed a kept connection, and not where it closes a new one", () =>
    Effect.gen(function* () {
      const requests: Array<number> = []
      const origin = yield* connected((socket, number) => {
        socket.on("data", () => {
          requests.push(number)
          const isSecondOfFirst = requests.length === 2
          if (isSecondOfFirst || number === 3) socket.destroy()
          else if (number === 2) socket.end("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
          else socket.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
        })
      })
      const outcomes = yield* sending(messageTo(origin), messageTo(origin), messageTo(origin))
      assert.deepStrictEqual(
        outcomes.map(({ error, status }) => error ?? status),
        [200, 200, "The connection was closed without an answer"]
      )
      assert.deepStrictEqual(requests, [1, 1, 2, 3])
    })
  )

  it.effect("without any proxy that the environment names", () =>
    Effect.gen(function* () {
      let proxied = 0
      const proxy = yield* receiving((_, outgoing) => {
        proxied++
        outgoing.end()
      })
      const origin = yield* receiving((_, outgoing) => outgoing.end("direct"))
      const variables = ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "NODE_USE_ENV_PROXY"]
      const before = variables.map((name) => [name, process.env[name]] as const)
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          for (const name of variables) process.env[name] = name === "NODE_USE_ENV_PROXY" ? "1" : proxy
        }),
        () =>
          Effect.sync(() => {
            for (const [name, value] of before) {
              if (value === undefined) delete process.env[name]
              else process.env[name] = value
            }
          })
      )
      assert.deepStrictEqual([yield* outcomeOf(origin), proxied], [[200, "direct"], 0])
    })
  )
})

describe("custom headers", () => {
  const Header = Schema.Tuple([
    Schema.Union([
      Schema.String.check(Schema.isMaxLength(12)),
      Schema.Literals(["Host", "CONTENT-TYPE", "content-length", "Webhook-Id", "webhook-x", "X-Service-Signature"]),
      Schema.Literals([
        "User-Agent",
        "Transfer-Encoding",
        "connection",
        "Expect",
        "x-a\r\nx-b",
        "__proto__",
        "toString"
      ])
    ]),
    Schema.Union([
      Schema.String.check(Schema.isMaxLength(20)),
      Schema.Literals([
        "a\r\nwebhook-id: evil",
        "0\r\n\r\nPOST /evil HTTP/1.1\r\n",
        "chunked",
        "close",
        "a\0b",
        "é",
        "\n"
      ])
    ])
  ])

  it.effect.prop(
    "never change what is ours, nor where a request ends",
    [Schema.Array(Header).check(Schema.isMaxLength(4))],
    ([drawn]) =>
      Effect.gen(function* () {
        const requests: Array<{ url: string | undefined; raw: ReadonlyArray<string>; body: string }> = []
        const origin = yield* receiving(async (incoming, outgoing) => {
          requests.push({ url: incoming.url, raw: incoming.rawHeaders, body: await text(incoming) })
          outgoing.end()
        })
        const headers = Object.fromEntries(drawn.map(([name, value]) => [name, Redacted.make(value)]))
        const message = messageTo(`${origin}/hook`, { headers })
        const [{ error, status }] = yield* sending(message)
        if (status === null) {
          assert.deepStrictEqual([error, requests], ["A header of the endpoint cannot be sent", []])
          return
        }
        const [request, ...others] = requests
        assert.deepStrictEqual([status, request?.url, request?.body, others], [200, "/hook", message.body, []])
        const raw = request?.raw ?? []
        const valuesOf = (name: string) => raw.filter((_, i) => i % 2 === 1 && raw[i - 1]?.toLowerCase() === name)
        assert.deepStrictEqual(valuesOf("host"), [new URL(origin).host])
        assert.deepStrictEqual(valuesOf("content-type"), ["application/json"])
        assert.deepStrictEqual(valuesOf("content-length"), [String(Buffer.byteLength(message.body))])
        assert.deepStrictEqual(valuesOf("user-agent"), ["Sarraf-Webhooks/1"])
        assert.deepStrictEqual(valuesOf("webhook-id"), [message.id])
        assert.deepStrictEqual(valuesOf("connection"), ["keep-alive"])
        assert.strictEqual(valuesOf("x-service-signature").length, 1)
        assert.strictEqual(valuesOf("webhook-signature").length, 1)
        assert.deepStrictEqual([valuesOf("transfer-encoding"), valuesOf("expect"), valuesOf("webhook-x")], [[], [], []])
      })
  )

  it.effect("with a line break are not sent at all, and the sentence does not hold their values", () =>
    Effect.gen(function* () {
      let requests = 0
      const origin = yield* receiving((_, outgoing) => {
        requests++
        outgoing.end()
      })
      const headers = { "x-own": Redacted.make("secret\r\nx-other: 1") }
      const [{ error }] = yield* sending(messageTo(origin, { headers }))
      assert.deepStrictEqual([error, requests], ["A header of the endpoint cannot be sent", 0])
    })
  )
})

describe("an answer", () => {
  it.effect("may come in parts, after others of the hundreds, or without anything in it", () =>
    Effect.gen(function* () {
      const chunked = yield* saying(
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"
      )
      assert.deepStrictEqual(yield* outcomeOf(chunked), [200, "onetwo"])
      const hinted = yield* saying(
        "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
      )
      assert.deepStrictEqual(yield* outcomeOf(hinted), [200, "ok"])
      assert.deepStrictEqual(yield* outcomeOf(yield* saying("HTTP/1.1 204 No Content\r\n\r\n")), [204, ""])
      assert.deepStrictEqual(yield* outcomeOf(yield* saying("HTTP/1.0 200 OK\r\n\r\nuntil the end")), [
        200,
        "until the end"
      ])
      const failing = yield* saying("HTTP/1.1 503 Wait\r\nretry-after: 7\r\ncontent-length: 4\r\n\r\nlate")
      const [{ answer, at, error, retryAfter, status }] = yield* sending(messageTo(failing))
      assert.deepStrictEqual([status, error, answer, retryAfter], [503, null, "late", at + 7_000])
    })
  )

  it.effect("that never ends costs its first 2 KiB, and its connection is closed", () =>
    Effect.gen(function* () {
      const closed = yield* Deferred.make<void>()
      const origin = yield* receiving((_, outgoing) => {
        const more = () => {
          while (!outgoing.destroyed && outgoing.write("x".repeat(1_000))) {}
        }
        outgoing.on("drain", more).on("close", () => Effect.runSync(Deferred.succeed(closed, undefined)))
        more()
      })
      assert.deepStrictEqual(yield* outcomeOf(origin), [200, "x".repeat(2_048)])
      yield* Deferred.await(closed)
    })
  )

  it.effect("that is compressed stays so, however much is inside", () =>
    Effect.gen(function* () {
      const bomb = gzipSync(Buffer.alloc(50_000_000))
      const origin = yield* receiving((_, outgoing) => {
        outgoing.writeHead(200, { "content-encoding": "gzip" }).end(bomb)
      })
      const [status, answer] = yield* outcomeOf(origin)
      assert.strictEqual(status, 200)
      const head = new TextDecoder().decode(bomb.subarray(0, 2_048), { stream: true })
      assert.strictEqual(answer, head.replaceAll("\0", ""))
    })
  )

  it.effect("is kept as text that a table takes, cut between characters", () =>
    Effect.gen(function* () {
      const broken = Buffer.from([0x61, 0x00, 0xff, 0xc3, 0x00, 0x62])
      assert.deepStrictEqual(yield* outcomeOf(yield* receiving((_, o) => o.end(broken))), [200, "a\uFFFD\uFFFDb"])
      const letters = `a${"ç".repeat(2_000)}`
      assert.deepStrictEqual(yield* outcomeOf(yield* receiving((_, o) => o.end(letters))), [
        200,
        `a${"ç".repeat(1_023)}`
      ])
      assert.deepStrictEqual(yield* outcomeOf(yield* receiving((_, o) => o.end("x".repeat(2_048)))), [
        200,
        "x".repeat(2_048)
      ])
    })
  )

  it.effect("that is longer keeps its connection where all of it has come", () =>
    Effect.gen(function* () {
      let connections = 0
      const body = "x".repeat(3_000)
      const origin = yield* connected((socket) => {
        connections++
        socket.on("data", () => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`))
      })
      yield* sending(messageTo(origin), messageTo(origin))
      assert.isAtMost(connections, 2)
    })
  )
})

it.effect("a secret is in nothing that comes out", () =>
  Effect.gen(function* () {
    const origin = yield* receiving((_, outgoing) => outgoing.end("ok"))
    const [outcome] = yield* sending(messageTo(origin))
    assert.notInclude(JSON.stringify(outcome), Redacted.value(present))
  })
)
