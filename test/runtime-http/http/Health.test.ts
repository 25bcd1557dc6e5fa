import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import * as Health from "@sarraf/runtime-http/http/Health"
import * as Responses from "@sarraf/runtime-http/http/Responses"
import { Effect, Layer } from "effect"
import { SampleApi } from "../support/SampleApi.ts"
import { serving } from "../support/serving.ts"

const start = (reasons: ReadonlyArray<string>, ready = reasons.length === 0) =>
  serving(
    Layer.mergeAll(
      Responses.layer(SampleApi, { alsoServed: Health.routes }),
      Health.layer.pipe(Layer.provide(Layer.succeed(Health.Readiness, { check: Effect.succeed({ ready, reasons }) })))
    )
  ).pipe(Effect.provide(NodeHttpServer.layerHttpServices))

describe("/healthz", () => {
  it.live("says that the process is up, whether it is ready or not", () =>
    Effect.gen(function* () {
      const send = yield* start(["the database does not answer"])
      const answer = yield* send("GET", "/healthz")
      assert.deepStrictEqual([answer.status, JSON.parse(answer.text)], [200, { status: "ok" }])
      assert.strictEqual(answer.headers["cache-control"], "no-store")
    })
  )
})

describe("/readyz", () => {
  it.live("is only read", () =>
    Effect.gen(function* () {
      const send = yield* start([])
      const answer = yield* send("POST", "/readyz")
      assert.deepStrictEqual([answer.status, answer.headers.allow], [405, "GET, HEAD"])
    })
  )

  it.live("says that requests can be served", () =>
    Effect.gen(function* () {
      const send = yield* start([])
      const answer = yield* send("GET", "/readyz")
      assert.deepStrictEqual([answer.status, JSON.parse(answer.text)], [200, { status: "ready" }])
    })
  )

  it.live("is UNAVAILABLE with the reasons when they cannot", () =>
    Effect.gen(function* () {
      const send = yield* start(["the database does not answer", "the server is stopping"])
      const answer = yield* send("GET", "/readyz")
      const { code, detail, reasons } = JSON.parse(answer.text)
      assert.deepStrictEqual([answer.status, code], [503, "UNAVAILABLE"])
      assert.deepStrictEqual(reasons, ["the database does not answer", "the server is stopping"])
      assert.strictEqual(
        detail,
        "Not ready: the database does not answer, the server is stopping. Ask again in a moment."
      )
    })
  )
})
