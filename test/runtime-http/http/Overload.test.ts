import type { IncomingMessage, ServerResponse } from "node:http"
import { request as httpRequest } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { isErrorCode } from "@sarraf/runtime-http/api/errorCatalogue"
import * as Overload from "@sarraf/runtime-http/http/Overload"
import { listen } from "@sarraf/runtime-http/http/Server"
import { Effect, Fiber, Metric } from "effect"
import { TestClock } from "effect/testing"

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

const busy = { utilization: () => 1 }

/** A server without time to spare, whose requests are answered when the test says so. */
const strained = Effect.fn(function* (meter = busy) {
  const load = yield* Overload.make(meter)
  /** Those that have arrived as a whole. */
  const held: Array<[IncomingMessage, ServerResponse]> = []
  let begun = 0
  const { port } = yield* listen(
    load.guard((request, response) => {
      begun += 1
      request.resume().once("end", () => held.push([request, response]))
    }),
    { host: "127.0.0.1", port: 0, drainMillisMax: 10 }
  )
  const send = (method: string, path: string, body?: string, headers: Record<string, string> = {}) =>
    Effect.callback<Answer, Error>((resume) => {
      const options = { host: "127.0.0.1", port, method, path, headers, agent: false }
      const sent = httpRequest(options, (response) => {
        let text = ""
        response.on("data", (piece) => (text += piece))
        response.on("end", () =>
          resume(Effect.succeed({ status: response.statusCode ?? 0, headers: response.headers, body: text }))
        )
      })
      sent.on("error", (error) => resume(Effect.fail(error)))
      sent.end(body)
      return Effect.sync(() => sent.destroy())
    })
  const until = (count: number, seen = () => held.length) =>
    Effect.promise(async () => {
      while (seen() < count) await new Promise((resolve) => setImmediate(resolve))
    })
  const fill = Effect.fnUntraced(function* (count: number, path = "/pf/v1/payments/authorize", method = "POST") {
    const before = held.length
    for (let index = 0; index < count; index++)
      yield* Effect.forkChild(Effect.ignore(send(method, path, method === "GET" ? undefined : "{}")))
    yield* until(before + count)
  })
  return { load, held, send, fill, until, begun: () => begun }
})

/** The gate looks ten times a second. */
const passes = (millis: number) => TestClock.adjust(millis)

describe("A process without time to spare", () => {
  it.effect("refuses a write beyond its places with the complete problem, before its body", () =>
    Effect.gen(function* () {
      const { fill, send } = yield* strained()
      yield* fill(256)
      yield* passes(500)
      const { body, headers, status } = yield* send("POST", "/pf/v1/payments/authorize?x=1", "{", {
        "x-request-id": "mine",
        // Never sent: the answer does not wait for it.
        "content-length": "1000"
      })
      assert.strictEqual(status, 503)
      assert.strictEqual(headers["content-type"], "application/problem+json")
      assert.strictEqual(headers["x-request-id"], "mine")
      assert.match(String(headers["retry-after"]), /^[1-3]$/)
      const problem = JSON.parse(body)
      assert.isTrue(isErrorCode(problem.code))
      assert.deepInclude(problem, {
        type: "/docs/errors/UNAVAILABLE",
        status: 503,
        code: "UNAVAILABLE",
        instance: "/pf/v1/payments/authorize",
        requestId: "mine"
      })
      assert.include(problem.detail, "Nothing of this one was begun")
    })
  )

  it.effect("does not do so in the first 0.3 s, nor when it has time", () =>
    Effect.gen(function* () {
      const { fill } = yield* strained()
      yield* fill(600)
      const other = yield* strained({ utilization: () => 0.2 })
      yield* other.fill(257)
      yield* passes(5_000)
      yield* other.fill(50)
    })
  )

  it.effect("still takes reads, notifications and buyers on their pages, until twice as many are under way", () =>
    Effect.gen(function* () {
      const { fill, send } = yield* strained()
      yield* fill(256)
      yield* passes(500)
      const later = [
        ["GET", "/pf/v1/payments"],
        ["POST", "/pf/v1/providers/stripe/notifications"],
        ["POST", "/PF//v1/3ds/token/return"]
      ] as const
      for (const [method, path] of later) yield* fill(1, path, method)
      yield* fill(253, "/api/expenses", "GET")
      for (const [method, path] of later) assert.strictEqual((yield* send(method, path)).status, 503)
    })
  )

  it.effect("answers whoever asks how it is", () =>
    Effect.gen(function* () {
      const { fill, held, send, until } = yield* strained()
      yield* fill(600)
      yield* passes(500)
      for (const path of ["/healthz", "/readyz", "/metrics", "//HEALTHZ/?x"]) {
        const before = held.length
        const asked = yield* Effect.forkChild(send("GET", path))
        yield* until(before + 1)
        held.at(-1)?.[1].end("well")
        assert.strictEqual((yield* Fiber.join(asked)).status, 200)
      }
      assert.strictEqual((yield* send("GET", "/healthzz")).status, 503)
    })
  )

  it.effect("gives a place back with the answer, and while a provider has the request", () =>
    Effect.gen(function* () {
      const { fill, held, load, send } = yield* strained()
      yield* fill(256)
      yield* passes(500)
      const back = load.away(held[0]?.[0] ?? {})
      yield* fill(1)
      assert.strictEqual((yield* send("POST", "/api/expenses")).status, 503)
      back()
      held[1]?.[1].end("done")
      held[2]?.[1].end("done")
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20)))
      yield* fill(1)
      assert.strictEqual((yield* send("POST", "/api/expenses")).status, 503)
    })
  )

  it.effect("counts neither a body that is still being sent nor a question that asks to be kept waiting", () =>
    Effect.gen(function* () {
      const { begun, fill, held, send, until } = yield* strained()
      yield* fill(200, "/pf/v1/payments/txn_1?wait=20", "GET")
      for (let index = 0; index < 100; index++) {
        yield* Effect.forkChild(Effect.ignore(send("POST", "/api/expenses", "{", { "content-length": "10" })))
      }
      yield* until(300, begun)
      yield* passes(500)
      yield* fill(256)
      assert.strictEqual(held.length, 456)
      assert.strictEqual((yield* send("POST", "/api/expenses", "{}")).status, 503)
    })
  )

  it.effect("counts what it refused by group of routes", () =>
    Effect.gen(function* () {
      const { fill, send } = yield* strained()
      yield* fill(512)
      yield* passes(500)
      for (const path of ["/pf/v1/payments/authorize", "/api/expenses", "/api/policies", "/docs/x"]) {
        assert.strictEqual((yield* send("POST", path)).status, 503)
      }
      const shed = (yield* Metric.snapshot).filter(({ id }) => id === "requests_shed_total")
      const counts = Object.fromEntries(
        shed.map((metric) => [metric.attributes?.group, metric.type === "Counter" ? metric.state.count : undefined])
      )
      assert.deepInclude(counts, { payments: 1, api: 2, other: 1 })
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )
})

describe("A database without time to spare", () => {
  it.effect("is seen by how long questions wait for it, also by those that have had no answer", () =>
    Effect.gen(function* () {
      const { fill, load, send } = yield* strained({ utilization: () => 0.1 })
      const question = yield* Overload.waited(Effect.never).pipe(
        Effect.provideService(Overload.CurrentLoad, load),
        Effect.forkChild
      )
      yield* fill(256)
      yield* passes(1_000)
      assert.strictEqual((yield* send("POST", "/api/expenses")).status, 503)
      yield* Fiber.interrupt(question)
      yield* passes(1_000)
      yield* fill(1, "/api/expenses")
    })
  )
})
