import type { RequestListener } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Scope } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"

/**
 * Serves each request in a scope that no other one is in, and takes the scope again when the answer has gone out. A scope
 * with one fiber keeps it by itself; one for all of them would keep a map, whose old tables refer to the newer ones and
 * to the fibers in them: every request would stay in memory until the next full collection.
 *
 * The scopes close with one that is forked now from the scope that is there, which interrupts what is still under way.
 */
export const make = Effect.fnUntraced(function* <E, R>(
  app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.fn.Return<
  RequestListener,
  never,
  Scope.Scope | Exclude<R, HttpServerRequest.HttpServerRequest | Scope.Scope>
> {
  const all = yield* Scope.fork(yield* Effect.scope, "parallel")
  const context = yield* Effect.context<Exclude<R, HttpServerRequest.HttpServerRequest | Scope.Scope>>()
  const handlerOf = Effect.suspend(() => NodeHttpServer.makeHandler(app, { scope: Scope.forkUnsafe(all, "parallel") }))
  const free: Array<RequestListener> = []
  return (request, response) => {
    const handler = free.pop() ?? Effect.runSyncWith(context)(handlerOf)
    response.once("close", () => free.push(handler))
    handler(request, response)
  }
})
