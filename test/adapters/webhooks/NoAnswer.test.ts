import { once } from "node:events"
import type { Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import * as HttpWebhookSender from "@sarraf/adapters/webhooks/HttpWebhookSender"
import type { Network } from "@sarraf/adapters/webhooks/Network"
import { WebhookSender } from "@sarraf/domain/webhooks/WebhookSender"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { connected, messageTo, receiving, saying } from "./receivers.ts"
import { outcomeOf, reach, sending } from "./sending.ts"

describe("there is no answer where", () => {
  const cases: ReadonlyArray<readonly [string, string | Uint8Array, string]> = [
    ["the connection is closed", "", "The connection was closed without an answer"],
    [
      "it is closed in the middle of the headers",
      "HTTP/1.1 200 OK\r\ncontent-",
      "The connection was closed without an answer"
    ],
    [
      "it is closed in the middle of the answer",
      "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nbegun",
      "The connection was closed in the middle of the answer"
    ],
    [
      "a part of it is left out",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nbegun\r\n",
      "The connection was closed in the middle of the answer"
    ],
    ["something else is spoken", "SSH-2.0-OpenSSH_9.6\r\n", "The answer is not HTTP"],
    ["bytes come", Uint8Array.from({ length: 500 }, (_, index) => index % 256), "The answer is not HTTP"],
    [
      "the headers have no end",
      `HTTP/1.1 200 OK\r\nx-a: ${"a".repeat(70_000)}`,
      "The headers of the answer are too long"
    ],
    [
      "there are too many headers",
      `HTTP/1.1 200 OK\r\n${"x-a: 1234567890\r\n".repeat(5_000)}\r\n`,
      "The headers of the answer are too long"
    ],
    [
      "it is framed in two ways",
      "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
      "The length of the answer is not the one that it says"
    ]
  ]
  for (const [name, bytes, sentence] of cases) {
    it.effect(name, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* outcomeOf(yield* saying(bytes)), [sentence, null])
      })
    )
  }

  it.effect("nobody listens", () =>
    Effect.gen(function* () {
      const origin = yield* Effect.scoped(receiving(() => {}))
      assert.deepStrictEqual(yield* outcomeOf(origin), ["The connection was refused", null])
    })
  )

  const failing = (resolve: Network["resolve"]) => ({ resolve, dial: () => assert.fail("nothing is dialled") })
  const resolving = (resolve: Network["resolve"]) =>
    Effect.flatMap(WebhookSender, ({ send }) => send(messageTo("http://hooks.example.com"))).pipe(
      Effect.map(({ error }) => error),
      Effect.provide(HttpWebhookSender.layerOn(failing(resolve), reach))
    )

  it.effect("the name has no address, or nobody says which", () =>
    Effect.gen(function* () {
      const refusing = (code: string) => () => Promise.reject(Object.assign(new Error("internal"), { code }))
      assert.strictEqual(yield* resolving(() => Promise.resolve([])), "The name has no address")
      assert.strictEqual(yield* resolving(refusing("ENOTFOUND")), "The name has no address")
      assert.strictEqual(yield* resolving(refusing("ESERVFAIL")), "The name could not be looked up")
      assert.strictEqual(yield* resolving(refusing("ECONNREFUSED")), "The name could not be looked up")
    })
  )
})

describe("after ten seconds nobody is waited for", () => {
  const limit = "No answer within 10 seconds"

  /** Lets ten seconds pass once the receiver has got so far, and awaits the end of its connection. */
  const hanging = (begin: (socket: Socket) => void, scheme = "http") =>
    Effect.gen(function* () {
      const reached = yield* Deferred.make<void>()
      const closed = yield* Deferred.make<void>()
      const origin = yield* connected((socket) => {
        socket.on("close", () => Effect.runSync(Deferred.succeed(closed, undefined)))
        socket.once("data", () => {
          begin(socket)
          Effect.runSync(Deferred.succeed(reached, undefined))
        })
      })
      const fiber = yield* Effect.forkChild(sending(messageTo(origin.replace("http:", `${scheme}:`))))
      yield* Deferred.await(reached)
      yield* TestClock.adjust("10 seconds")
      const [{ answer, durationMillis, error, status }] = yield* Fiber.join(fiber)
      assert.deepStrictEqual([status, error, answer, durationMillis], [null, limit, null, 10_000])
      yield* Deferred.await(closed)
    })

  it.effect("that says nothing", () => hanging(() => {}))
  it.effect("that stops in the headers", () => hanging((socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-")))
  it.effect("that stops in the answer", () =>
    hanging((socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nbegun"))
  )
  it.effect("that goes on announcing an answer", () =>
    hanging((socket) => {
      const announce = () => {
        if (!socket.destroyed) socket.write("HTTP/1.1 102 Processing\r\n\r\n", () => setImmediate(announce))
      }
      announce()
    })
  )
  it.effect("that does not come to an encrypted connection", () => hanging(() => {}, "https"))

  it.effect("whose name nobody answers for", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const network: Network = {
        resolve: () => {
          Effect.runSync(Deferred.succeed(asked, undefined))
          return new Promise(() => {})
        },
        dial: () => assert.fail("nothing is dialled")
      }
      const { send } = yield* WebhookSender.pipe(Effect.provide(HttpWebhookSender.layerOn(network, reach)))
      const fiber = yield* Effect.forkChild(send(messageTo("http://hooks.example.com")))
      yield* Deferred.await(asked)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(fiber)).error, limit)
    })
  )

  it.effect("and whoever gives up before closes the connection", () =>
    Effect.gen(function* () {
      const arrived = yield* Deferred.make<Socket>()
      const origin = yield* connected((socket) => {
        socket.once("data", () => Effect.runSync(Deferred.succeed(arrived, socket)))
      })
      const fiber = yield* Effect.forkChild(sending(messageTo(origin)))
      const socket = yield* Deferred.await(arrived)
      const closed = Effect.promise(() => once(socket, "close"))
      yield* Effect.all([Fiber.interrupt(fiber), closed], { concurrency: 2 })
    })
  )
})
