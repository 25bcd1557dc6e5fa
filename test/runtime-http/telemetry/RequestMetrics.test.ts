import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import * as Responses from "@sarraf/runtime-http/http/Responses"
import * as RequestMetrics from "@sarraf/runtime-http/telemetry/RequestMetrics"
import { Effect, Layer, Metric, Option } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { SampleApi } from "../support/SampleApi.ts"
import { serving } from "../support/serving.ts"

const routes = Layer.mergeAll(
  Responses.layer(SampleApi, { alsoServed: RequestMetrics.routes }),
  RequestMetrics.layer,
  HttpRouter.add("GET", "/things/:id", HttpServerResponse.text("ok"))
)

const start = (extra: Layer.Layer<never, never, HttpRouter.HttpRouter> = Layer.empty) =>
  serving(Layer.merge(routes, extra)).pipe(
    Effect.provide([NodeHttpServer.layerHttpServices, Layer.succeed(Metric.MetricRegistry, new Map())])
  )

/** As if the connection came from there. */
const from = (address: string) =>
  HttpRouter.middleware(
    (httpEffect) =>
      Effect.updateService(httpEffect, HttpServerRequest.HttpServerRequest, (request) =>
        request.modify({ peerAddress: Option.some(address) })
      ),
    { global: true }
  )

describe("request metrics", () => {
  it.live("count requests by route, method and class of status", () =>
    Effect.gen(function* () {
      const send = yield* start()
      yield* send("GET", "/things/1")
      yield* send("GET", "/things/2?secret=1")
      yield* send("GET", "/nothing/at/all")
      yield* send("PUT", "/things/1")
      yield* send("PROPFIND", "/things/1")
      const { headers, text } = yield* send("GET", "/metrics")
      assert.strictEqual(headers["content-type"], "text/plain; version=0.0.4; charset=utf-8")
      const counts = text.split("\n").filter((line) => line.startsWith("sarraf_http_requests_total{"))
      assert.sameMembers(counts, [
        'sarraf_http_requests_total{method="GET",route="/things/:id",status="2xx"} 2',
        'sarraf_http_requests_total{method="GET",route="unmatched",status="4xx"} 1',
        'sarraf_http_requests_total{method="PUT",route="unmatched",status="4xx"} 1',
        'sarraf_http_requests_total{method="OTHER",route="unmatched",status="4xx"} 1'
      ])
      assert.notInclude(text, "secret")
    })
  )

  it.live("measure how long they took, in seconds", () =>
    Effect.gen(function* () {
      const send = yield* start()
      yield* send("GET", "/things/1")
      const { text } = yield* send("GET", "/metrics")
      assert.include(
        text,
        'sarraf_http_request_duration_seconds_bucket{method="GET",route="/things/:id",status="2xx",le="0.005"} 1'
      )
      assert.include(
        text,
        'sarraf_http_request_duration_seconds_count{method="GET",route="/things/:id",status="2xx"} 1'
      )
    })
  )
})

describe("/metrics", () => {
  for (const address of ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"]) {
    it.live(`answers ${address}`, () =>
      Effect.gen(function* () {
        const send = yield* start(from(address))
        assert.strictEqual((yield* send("GET", "/metrics")).status, 200)
      })
    )
  }

  for (const address of ["192.0.2.7", "::ffff:10.0.0.1", "2001:db8::1", "not an address"]) {
    it.live(`is FORBIDDEN to ${address}`, () =>
      Effect.gen(function* () {
        const send = yield* start(from(address))
        const answer = yield* send("GET", "/metrics")
        assert.deepStrictEqual([answer.status, JSON.parse(answer.text).code], [403, "FORBIDDEN"])
      })
    )
  }

  it.live("is FORBIDDEN to a client behind a proxy on the same machine", () =>
    Effect.gen(function* () {
      const send = yield* start()
      for (const header of ["forwarded", "via", "x-forwarded-for", "x-real-ip"]) {
        assert.strictEqual((yield* send("GET", "/metrics", { [header]: "for=127.0.0.1" })).status, 403)
      }
    })
  )
})
