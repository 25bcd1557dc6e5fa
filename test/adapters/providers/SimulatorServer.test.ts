import { assert, describe, it } from "@effect/vitest"
import * as HttpTransport from "@sarraf/adapters/providers/HttpTransport"
import * as MemoryOrderBook from "@sarraf/adapters/providers/MemoryOrderBook"
import {
  ConnectFailed,
  NoAnswer,
  type ProviderRequest,
  ProviderTransport
} from "@sarraf/adapters/providers/ProviderTransport"
import type { Simulator } from "@sarraf/adapters/providers/Simulator"
import { serve } from "@sarraf/adapters/providers/SimulatorServer"
import { make } from "@sarraf/adapters/providers/stripe/Adapter"
import * as StripeSimulator from "@sarraf/adapters/providers/stripe/Simulator"
import { DateTime, Deferred, Effect, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { authorizeCall } from "./stripe/Sample.ts"

const connected = (baseUrl: string) =>
  Effect.map(Layer.build(HttpTransport.layerSimulators({ baseUrl, connectTimeoutMillis: 1000 })), (context) =>
    Effect.provide(ProviderTransport, context)
  ).pipe(Effect.flatten)

const post = (provider: string): ProviderRequest => ({
  provider,
  method: "POST",
  url: "https://bank.example:8443/pay?step=1",
  headers: { "x-own": "yes" },
  body: new TextEncoder().encode("body")
})

const simulatorOf = (handle: Simulator["handle"]): Simulator => ({ provider: "bank", handle })
const only =
  (...simulators: ReadonlyArray<Simulator>) =>
  () =>
    simulators
const ok = { status: 201, headers: { "x-answer": "yes" }, body: new TextEncoder().encode("made") }

describe("simulators over HTTP", () => {
  it.effect("see the request as the provider would, and answer as in one process", () =>
    Effect.gen(function* () {
      const seen: Array<ProviderRequest> = []
      const bank = simulatorOf((request) =>
        Effect.as(
          Effect.sync(() => seen.push(request)),
          ok
        )
      )
      const { send } = yield* connected(yield* serve({ simulators: only(bank), port: 0 }))
      const { body, headers, status } = yield* send(post("bank"))
      assert.deepStrictEqual([status, headers["x-answer"], new TextDecoder().decode(body)], [201, "yes", "made"])
      const [request] = seen
      assert(request !== undefined)
      assert.deepStrictEqual(
        [request.provider, request.method, request.url, request.headers["x-own"]],
        ["bank", "POST", "https://bank.example:8443/pay?step=1", "yes"]
      )
      assert.notProperty(request.headers, "x-simulated-host")
      assert.strictEqual(new TextDecoder().decode(request.body), "body")
    })
  )

  it.effect.each(["GET", "PUT", "DELETE"] as const)("see a %s as it was sent", (method) =>
    Effect.gen(function* () {
      const seen: Array<ProviderRequest> = []
      const bank = simulatorOf((request) =>
        Effect.as(
          Effect.sync(() => seen.push(request)),
          ok
        )
      )
      const { send } = yield* connected(yield* serve({ simulators: only(bank), port: 0 }))
      const { body, ...bodiless } = post("bank")
      assert.strictEqual((yield* send({ ...bodiless, method, ...(method === "PUT" ? { body } : {}) })).status, 201)
      assert.strictEqual(seen[0]?.method, method)
      assert.strictEqual(new TextDecoder().decode(seen[0]?.body), method === "PUT" ? "body" : "")
    })
  )

  it.effect("show a browser their pages, below their own address", () =>
    Effect.gen(function* () {
      const seen: Array<ProviderRequest> = []
      const bank = simulatorOf((request) =>
        Effect.as(
          Effect.sync(() => seen.push(request)),
          ok
        )
      )
      const url = yield* serve({ simulators: only(bank), port: 0 })
      const headers = { "content-type": "application/x-www-form-urlencoded" }
      const answer = yield* Effect.promise(() =>
        fetch(`${url}/bank/acs?order=1`, { method: "POST", headers, body: "code=123456" })
      )
      assert.strictEqual(answer.status, 201)
      const [page] = seen
      assert.deepStrictEqual([page?.url, page?.method], [`${url}/bank/acs?order=1`, "POST"])
      assert.strictEqual(page?.headers["content-type"], headers["content-type"])
      assert.strictEqual(new TextDecoder().decode(page?.body), "code=123456")
      const other = yield* Effect.promise(() => fetch(`${url}/bank/acs`, { method: "PATCH" }))
      assert.deepStrictEqual([other.status, other.headers.get("allow")], [405, "GET, POST, PUT, DELETE"])
      assert.strictEqual(seen.length, 1)
    })
  )

  it.effect("fail as a network does", () =>
    Effect.gen(function* () {
      const failures = [new ConnectFailed({ reason: "down" }), new NoAnswer({ reason: "lost" })]
      const bank = simulatorOf(() =>
        Effect.suspend(() => Effect.fail(failures.shift() ?? new NoAnswer({ reason: "" })))
      )
      const { send } = yield* connected(yield* serve({ simulators: only(bank), port: 0 }))
      const refused = yield* Effect.flip(send(post("bank")))
      assert.deepStrictEqual([refused._tag, refused.reason], ["ConnectFailed", "down"])
      assert.strictEqual((yield* Effect.flip(send(post("bank"))))._tag, "NoAnswer")
      assert.strictEqual((yield* Effect.flip(send(post("unknown"))))._tag, "ConnectFailed")
    })
  )

  it.effect("lose the answer when they break, and go on", () =>
    Effect.gen(function* () {
      let calls = 0
      const bank = simulatorOf(() =>
        Effect.suspend(() => (++calls === 1 ? Effect.die(new Error("broken")) : Effect.succeed(ok)))
      )
      const { send } = yield* connected(yield* serve({ simulators: only(bank), port: 0 }))
      assert.strictEqual((yield* Effect.flip(send(post("bank"))))._tag, "NoAnswer")
      assert.strictEqual((yield* send(post("bank"))).status, 201)
    })
  )

  it.effect("take no request that is too long", () =>
    Effect.gen(function* () {
      const { send } = yield* connected(
        yield* serve({ simulators: only(simulatorOf(() => Effect.succeed(ok))), port: 0 })
      )
      const most = yield* send({ ...post("bank"), body: new Uint8Array(1_048_576) })
      assert.strictEqual(most.status, 201)
      const more = yield* Effect.exit(send({ ...post("bank"), body: new Uint8Array(1_048_577) }))
      assert.isFalse(more._tag === "Success" && more.value.status === 201)
    })
  )

  it.effect("have taken the request of a caller that hung up", () =>
    Effect.gen(function* () {
      const arrived = yield* Deferred.make<void>()
      const goOn = yield* Deferred.make<void>()
      const taken = yield* Deferred.make<void>()
      const bank = simulatorOf(() =>
        Deferred.succeed(arrived, undefined).pipe(
          Effect.andThen(Deferred.await(goOn)),
          Effect.andThen(Deferred.succeed(taken, undefined)),
          Effect.as(ok)
        )
      )
      const { send } = yield* connected(yield* serve({ simulators: only(bank), port: 0 }))
      const fiber = yield* Effect.forkChild(send(post("bank")))
      yield* Deferred.await(arrived)
      yield* Fiber.interrupt(fiber)
      yield* Deferred.succeed(goOn, undefined)
      yield* Deferred.await(taken)
    })
  )

  it.effect("let running requests come to their end, and then are gone", () =>
    Effect.gen(function* () {
      const arrived = yield* Deferred.make<void>()
      const goOn = yield* Deferred.make<void>()
      const bank = simulatorOf(() =>
        Effect.as(Effect.andThen(Deferred.succeed(arrived, undefined), Deferred.await(goOn)), ok)
      )
      const scope = yield* Scope.make()
      const url = yield* serve({ simulators: only(bank), port: 0 }).pipe(Scope.provide(scope))
      const { send } = yield* connected(url)
      const running = yield* Effect.forkChild(send(post("bank")))
      yield* Deferred.await(arrived)
      const closing = yield* Effect.forkChild(Scope.close(scope, yield* Effect.exit(Effect.void)))
      yield* Effect.yieldNow
      yield* Deferred.succeed(goOn, undefined)
      assert.strictEqual((yield* Fiber.join(running)).status, 201)
      yield* Fiber.join(closing)
      assert.strictEqual((yield* Effect.flip(send(post("bank"))))._tag, "ConnectFailed")
    })
  )

  it.effect("say so when their port is taken", () =>
    Effect.gen(function* () {
      const url = yield* serve({ simulators: only(), port: 0 })
      const failure = yield* Effect.flip(serve({ simulators: only(), port: Number(new URL(url).port) }))
      assert.strictEqual(failure._tag, "ListenFailed")
      assert.include(failure.reason, "EADDRINUSE")
    })
  )

  it.effect("take a payment through Stripe's adapter", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(DateTime.makeUnsafe("2026-11-21T09:00:00Z").epochMilliseconds)
      const orderBook = MemoryOrderBook.make()
      const simulators = (url: string) => [
        StripeSimulator.make({
          provider: "stripe",
          orderBook,
          settlement: "instant",
          pagesUrl: `${url}/stripe`,
          notify: () => Effect.void
        })
      ]
      const url = yield* serve({ simulators, port: 0 })
      const transport = yield* connected(url)
      const stripe = make({ transport, credentials: StripeSimulator.sandboxCredentials(`${url}/stripe`) })
      assert.strictEqual((yield* stripe.authorize(authorizeCall()))._tag, "Accepted")
    })
  )
})
