import { createServer, get, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import * as RequestScopes from "@sarraf/runtime-http/http/RequestScopes"
import { Deferred, Effect, Exit, Latch, Scope } from "effect"
import { HttpServerResponse } from "effect/http"

/** The port of a server for as long as the test runs. */
const served = (listener: RequestListener) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer(listener)
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return server
    }),
    (server) =>
      Effect.promise(async () => {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      })
  ).pipe(Effect.map((server) => (server.address() as AddressInfo).port))

/** The status of an answer; interrupted, it hangs up. */
const ask = (port: number) =>
  Effect.callback<number, Error>((resume) => {
    const request = get({ port, agent: false }, (response) => {
      response.resume().once("end", () => resume(Effect.succeed(response.statusCode ?? 0)))
    })
    request.once("error", (error) => resume(Effect.fail(error)))
    return Effect.sync(() => request.destroy())
  })

/** Never ends. It says that it has begun once the server knows of it, and can be interrupted as the router's handlers can. */
const unending = (begun: Deferred.Deferred<void>, interrupted: Effect.Effect<unknown>) =>
  Effect.yieldNow.pipe(
    Effect.andThen(Deferred.succeed(begun, undefined)),
    Effect.andThen(Effect.never),
    Effect.onInterrupt(() => interrupted),
    Effect.interruptible
  )

describe("RequestScopes", () => {
  it.live("serves one request after another, and several at once", () =>
    Effect.gen(function* () {
      const all = yield* Latch.make()
      let waiting = 0
      const app = Effect.suspend(() => {
        waiting += 1
        if (waiting === 3) all.openUnsafe()
        return Effect.as(all.await, HttpServerResponse.empty({ status: 204 }))
      })
      const port = yield* served(yield* RequestScopes.make(app))
      assert.deepStrictEqual(yield* Effect.all([ask(port), ask(port), ask(port)], { concurrency: 3 }), [204, 204, 204])
      assert.strictEqual(yield* ask(port), 204)
      assert.strictEqual(yield* ask(port), 204)
    })
  )

  it.live("interrupts a request whose client hangs up, and serves the next", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const left = yield* Deferred.make<void>()
      let isFirst = true
      const app = Effect.suspend(() => {
        if (!isFirst) return Effect.succeed(HttpServerResponse.empty({ status: 204 }))
        isFirst = false
        return unending(begun, Deferred.succeed(left, undefined))
      })
      const port = yield* served(yield* RequestScopes.make(app))
      yield* Effect.raceFirst(ask(port), Deferred.await(begun))
      yield* Deferred.await(left)
      assert.strictEqual(yield* ask(port), 204)
    })
  )

  it.live("interrupts what is under way when its scope closes", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      let isInterrupted = false
      const interrupted = Effect.sync(() => {
        isInterrupted = true
      })
      const app = unending(begun, interrupted)
      const scope = yield* Scope.make()
      const port = yield* served(yield* Scope.provide(RequestScopes.make(app), scope))
      yield* Effect.forkScoped(Effect.exit(ask(port)))
      yield* Deferred.await(begun)
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(isInterrupted)
    })
  )
})
