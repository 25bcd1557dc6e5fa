import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import * as Telemetry from "@sarraf/runtime-http/telemetry/Telemetry"
import { Effect, Layer, References, Tracer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { serving } from "../support/serving.ts"

/** Receives what is exported, by path. */
const collector = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly received: Map<string, string>; readonly close: () => void }>(
    (resume) => {
      const received = new Map<string, string>()
      const server = createServer((request, response) => {
        let body = ""
        request.on("data", (chunk) => (body += chunk))
        request.on("end", () => {
          const path = request.url ?? ""
          received.set(path, (received.get(path) ?? "") + body)
          response.end("{}")
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = address !== null && typeof address === "object" ? address.port : 0
        const close = () => {
          server.closeAllConnections()
          server.close()
        }
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, received, close }))
      })
    }
  ),
  ({ close }) => Effect.sync(close)
)

const routes = Layer.mergeAll(
  HttpRouter.add("GET", "/things/:id", Effect.as(Effect.logInfo("handled"), HttpServerResponse.text("ok"))),
  HttpRouter.add("GET", "/pf/v1/3ds/:token", HttpServerResponse.text("ok")),
  HttpRouter.add("GET", "/account/:token", HttpServerResponse.text("ok"))
)

describe("Telemetry", () => {
  it.live("exports traces, logs and metrics to the collector, without tokens of paths and queries", () =>
    Effect.gen(function* () {
      const { received, url } = yield* collector
      const telemetry = Telemetry.layer({ logLevel: "Info", otlpEndpoint: url, isTerminal: false })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const send = yield* serving(routes)
          yield* send("GET", "/things/1?page=2&token=hunter2")
          yield* send("GET", "/pf/v1/3ds/hunter3")
          yield* send("GET", "/PF//v1/3ds/hunter4")
          yield* send("GET", "/Account/hunter5")
        })
      ).pipe(Effect.provide([telemetry, NodeHttpServer.layerHttpServices]))
      assert.includeMembers([...received.keys()], ["/v1/traces", "/v1/logs"])
      assert.include(received.get("/v1/traces"), "/things/:id")
      assert.include(received.get("/v1/traces"), '"sarraf"')
      assert.include(received.get("/v1/logs"), "handled")
      assert.notInclude([...received.values()].join(), "hunter")
    })
  )

  it.effect("exports nothing without a collector", () =>
    Effect.gen(function* () {
      const telemetry = Telemetry.layer({ logLevel: "Error", otlpEndpoint: undefined, isTerminal: false })
      const [level, tracer] = yield* Effect.all([References.MinimumLogLevel, Tracer.Tracer]).pipe(
        Effect.provide(telemetry)
      )
      assert.strictEqual(level, "Error")
      assert.strictEqual(tracer, Tracer.nativeTracer)
    })
  )
})
