import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { RequestId } from "@sarraf/runtime-http/http/RequestId"
import * as Responses from "@sarraf/runtime-http/http/Responses"
import { ByteSize, Cause, Deferred, Effect, Fiber, Layer, Logger, Metric, References, Schema } from "effect"
import { HttpEffect, HttpIncomingMessage, HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiError, HttpApiGroup } from "effect/http-api"
import { serving } from "../support/serving.ts"

class Locked extends HttpApiError.Problem<Locked>()(
  "INVALID_STATE",
  { type: "/docs/errors/INVALID_STATE", status: 409, title: "Not allowed in this state" },
  { code: Schema.tag("INVALID_STATE"), allowed: Schema.Array(Schema.String) }
) {}

const params = { id: Schema.String }
const find = HttpApiEndpoint.get("find", "/things/:id", {
  params,
  success: Schema.Struct({ requestId: Schema.String })
})
const change = HttpApiEndpoint.post("change", "/things/:thing", {
  params: { thing: Schema.String },
  payload: Schema.Struct({ name: Schema.String }),
  success: Schema.Struct({ name: Schema.String }),
  error: Locked
})
const remove = HttpApiEndpoint.delete("remove", "/things/:id/parts/:part", {
  params: { ...params, part: Schema.String }
})
const api = HttpApi.make("things").add(HttpApiGroup.make("things").add(find).add(change).add(remove))

interface Line {
  readonly level: string
  readonly message: unknown
  readonly cause: string
  readonly annotations: Readonly<Record<string, unknown>>
}

/** A server with one route for each way to fail, and the lines that it logs. */
const start = (level: "Debug" | "Info" = "Debug") =>
  Effect.gen(function* () {
    const lines: Array<Line> = []
    const logger = Logger.make(({ cause, fiber, logLevel, message }) => {
      const annotations = fiber.getRef(References.CurrentLogAnnotations)
      lines.push({ level: logLevel, message, cause: Cause.pretty(cause), annotations })
    })
    const entered = yield* Deferred.make<void>()
    const handlers = HttpApiBuilder.group(api, "things", (group) =>
      group
        .handle("find", () => Effect.map(RequestId, (requestId) => ({ requestId: requestId ?? "none" })))
        .handle("change", ({ payload }) =>
          payload.name === "locked"
            ? Effect.fail(new Locked({ detail: "It is closed.", allowed: ["reopen"] }))
            : payload.name === "broken"
              ? Effect.die(new Error("password=hunter2"))
              : Effect.succeed(payload)
        )
        .handle("remove", () => Effect.andThen(Deferred.succeed(entered, undefined), Effect.never))
    )
    const routes = Layer.mergeAll(
      Responses.layer(api, {
        alsoServed: [
          ["POST", "/upload"],
          ["GET", "/page", "page"]
        ]
      }),
      HttpApiBuilder.layer(api).pipe(Layer.provide(handlers)),
      HttpRouter.add("POST", "/upload", HttpServerResponse.text("too big", { status: 413 })),
      HttpRouter.add("GET", "/gone", HttpServerResponse.text("secret inner words", { status: 410 })),
      HttpRouter.add("GET", "/page", ({ url }) =>
        url.endsWith("?broken")
          ? Effect.die(new Error("password=hunter2"))
          : Effect.succeed(HttpServerResponse.text("<p>gone</p>", { status: 410, contentType: "text/html" }))
      ),
      HttpRouter.add("GET", "/away", HttpServerResponse.empty({ status: 503, headers: { "retry-after": "7" } })),
      HttpRouter.add(
        "GET",
        "/cookie",
        HttpServerResponse.setCookieUnsafe(HttpServerResponse.empty({ status: 401 }), "a", "b")
      ),
      HttpRouter.add(
        "GET",
        "/limited",
        Effect.as(
          HttpEffect.appendPreResponseHandler((_, response) =>
            Effect.succeed(HttpServerResponse.setHeader(response, "ratelimit", "r=0"))
          ),
          HttpServerResponse.empty({ status: 429 })
        )
      ),
      HttpRouter.add("GET", "/stopping", Effect.interrupt),
      HttpRouter.add("PUT", "/stopping", Effect.interrupt)
    )
    const send = yield* serving(routes).pipe(
      Effect.provide([
        NodeHttpServer.layerHttpServices,
        Logger.layer([logger]),
        Layer.succeed(References.MinimumLogLevel, level),
        Layer.succeed(HttpIncomingMessage.MaxBodySize, ByteSize.kibibytes(1)),
        Layer.succeed(Metric.MetricRegistry, new Map())
      ])
    )
    return { entered: Deferred.await(entered), lines, send }
  })

const problem = (answer: { readonly text: string }) => JSON.parse(answer.text)

describe("the request's identifier", () => {
  it.live("is the client's when it is visible ASCII, and reaches the handler, the answer and the log", () =>
    Effect.gen(function* () {
      const { lines, send } = yield* start()
      const answer = yield* send("GET", "/things/1", { "x-request-id": 'order#1/"a"' })
      assert.strictEqual(answer.headers["x-request-id"], 'order#1/"a"')
      assert.strictEqual(problem(answer).requestId, 'order#1/"a"')
      assert.strictEqual(lines[0]?.annotations.requestId, 'order#1/"a"')
    })
  )

  it.live("is made when the client sent none, a blank, too long a one or other characters", () =>
    Effect.gen(function* () {
      const { send } = yield* start()
      for (const given of [undefined, "", "a b", "x".repeat(129), "caf\u00e9"]) {
        const answer = yield* send("GET", "/things/1", given === undefined ? {} : { "x-request-id": given })
        assert.match(String(answer.headers["x-request-id"]), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
      }
    })
  )

  it.effect("is nothing outside a request", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* RequestId)
    })
  )
})

describe("a failure", () => {
  it.live("that a handler made is completed, and nothing of it is lost", () =>
    Effect.gen(function* () {
      const { send } = yield* start()
      const answer = yield* send("POST", "/things/1?secret=1", { "x-request-id": "r1" }, '{"name":"locked"}')
      assert.strictEqual(answer.headers["content-type"], "application/problem+json")
      assert.deepStrictEqual(problem(answer), {
        type: "/docs/errors/INVALID_STATE",
        title: "Not allowed in this state",
        status: 409,
        detail: "It is closed.",
        code: "INVALID_STATE",
        allowed: ["reopen"],
        instance: "/things/1",
        requestId: "r1"
      })
    })
  )

  it.live("of a path that does not exist is NOT_FOUND", () =>
    Effect.gen(function* () {
      const { send } = yield* start()
      const answer = yield* send("GET", "/nothing?a=b")
      assert.deepStrictEqual(
        [answer.status, problem(answer).code, problem(answer).instance],
        [404, "NOT_FOUND", "/nothing"]
      )
      assert.isUndefined(answer.headers.allow)
    })
  )

  it.live("of a path with other methods is METHOD_NOT_ALLOWED and lists them", () =>
    Effect.gen(function* () {
      const { send } = yield* start()
      for (const [method, path, allow] of [
        ["DELETE", "/things/1", "GET, HEAD, POST"],
        ["GET", "/things/1/parts/2/", "DELETE"],
        ["HEAD", "/things/1/parts/2", "DELETE"],
        ["GET", "/upload?a=b", "POST"]
      ] as const) {
        const answer = yield* send(method, path)
        assert.deepStrictEqual([answer.status, answer.headers.allow], [405, allow])
      }
      assert.strictEqual(problem(yield* send("PUT", "/things/1")).code, "METHOD_NOT_ALLOWED")
    })
  )

  it.live("of an address with U+0000 is NOT_FOUND in the path and names the field in the query", () =>
    Effect.gen(function* () {
      const { send } = yield* start()
      for (const path of ["/things/%00", "/things/1%00?x=1", "/%00"]) {
        const answer = yield* send("GET", path)
        assert.deepStrictEqual([answer.status, problem(answer).code], [404, "NOT_FOUND"], path)
      }
      const answer = yield* send("GET", "/things/1?first=a&second=%00&a%00=b")
      assert.deepStrictEqual([answer.status, problem(answer).code], [400, "INVALID_REQUEST"])
      assert.deepStrictEqual(
        (problem(answer).errors as ReadonlyArray<{ path: string }>).map(({ path }) => path),
        ["second", "a\ufffd"]
      )
      assert.strictEqual((yield* send("GET", "/things/%2500")).status, 200)
    })
  )

  it.live("of a parameter that is too long for the router is NOT_FOUND", () =>
    Effect.gen(function* () {
      const { send } = yield* start()
      assert.strictEqual((yield* send("GET", `/things/${"x".repeat(101)}`)).status, 404)
    })
  )

  it.live("keeps the status and the headers of whoever made it, but not a body that is no problem", () =>
    Effect.gen(function* () {
      const { send } = yield* start()
      const gone = yield* send("GET", "/gone")
      assert.deepStrictEqual([gone.status, problem(gone).status, problem(gone).code], [410, 410, "INVALID_REQUEST"])
      assert.notInclude(gone.text, "secret")
      assert.strictEqual((yield* send("GET", "/away")).headers["retry-after"], "7")
      assert.deepStrictEqual((yield* send("GET", "/cookie")).headers["set-cookie"], ["a=b"])
      assert.strictEqual((yield* send("GET", "/limited")).headers.ratelimit, "r=0")
      assert.strictEqual(problem(yield* send("POST", "/upload")).code, "PAYLOAD_TOO_LARGE")
    })
  )

  it.live("of a page leaves as the page that it is, but not where the server broke", () =>
    Effect.gen(function* () {
      const { send } = yield* start()
      const answer = yield* send("GET", "/page")
      assert.deepStrictEqual(
        [answer.status, answer.headers["content-type"], answer.text],
        [410, "text/html", "<p>gone</p>"]
      )
      assert.isString(answer.headers["x-request-id"])
      const broken = yield* send("GET", "/page?broken")
      assert.deepStrictEqual([broken.status, problem(broken).code], [500, "INTERNAL_ERROR"])
      assert.notInclude(broken.text, "hunter2")
    })
  )

  it.live("of a body that is too large or of a foreign type is a problem", () =>
    Effect.gen(function* () {
      const { send } = yield* start()
      const large = yield* send("POST", "/things/1", {}, JSON.stringify({ name: "x".repeat(2000) }))
      assert.deepStrictEqual([large.status, problem(large).code], [413, "PAYLOAD_TOO_LARGE"])
      const foreign = yield* send("POST", "/things/1", { "content-type": "text/csv" }, "a,b")
      assert.deepStrictEqual([foreign.status, problem(foreign).code], [415, "UNSUPPORTED_MEDIA_TYPE"])
    })
  )

  it.live("of the server tells the log its cause, and the client only where to find it", () =>
    Effect.gen(function* () {
      const { lines, send } = yield* start("Info")
      const answer = yield* send("POST", "/things/1", { "x-request-id": "r2" }, '{"name":"broken"}')
      assert.deepStrictEqual(
        [answer.status, problem(answer).code, problem(answer).requestId],
        [500, "INTERNAL_ERROR", "r2"]
      )
      assert.notInclude(answer.text, "hunter2")
      assert.strictEqual(lines.length, 1)
      assert.strictEqual(lines[0]?.level, "Error")
      assert.include(lines[0]?.cause, "hunter2")
      assert.strictEqual(lines[0]?.annotations.requestId, "r2")
    })
  )

  it.live("by interruption says whether anything may have happened", () =>
    Effect.gen(function* () {
      const { send } = yield* start()
      const read = yield* send("GET", "/stopping")
      assert.deepStrictEqual([read.status, problem(read).code], [503, "UNAVAILABLE"])
      const written = yield* send("PUT", "/stopping")
      assert.deepStrictEqual([written.status, problem(written).code], [504, "TIMEOUT"])
    })
  )
})

describe("the log", () => {
  it.live("has one line per request with the route's pattern and no path", () =>
    Effect.gen(function* () {
      const { lines, send } = yield* start()
      yield* send("GET", "/things/secret-token?key=secret")
      yield* send("GET", "/nothing/secret-token")
      assert.deepStrictEqual(
        lines.map(({ annotations, level, message }) => [level, message, annotations.code]),
        [
          ["Debug", ["GET /things/:id 200"], undefined],
          ["Debug", ["GET unmatched 404"], "NOT_FOUND"]
        ]
      )
      assert.isNumber(lines[0]?.annotations.durationMillis)
      assert.notInclude(JSON.stringify(lines), "secret")
    })
  )

  it.live("has no line for a request that went well when the level is above", () =>
    Effect.gen(function* () {
      const { lines, send } = yield* start("Info")
      yield* send("GET", "/things/1")
      yield* send("GET", "/nothing")
      assert.deepStrictEqual(lines, [])
    })
  )

  it.live("counts a client that left as 499", () =>
    Effect.gen(function* () {
      const { entered, lines, send } = yield* start()
      const leaving = yield* Effect.forkChild(send("DELETE", "/things/1/parts/2"))
      yield* entered
      yield* Fiber.interrupt(leaving)
      yield* Effect.repeat(Effect.yieldNow, { until: () => lines.length > 0 })
      assert.deepStrictEqual(lines[0]?.message, ["DELETE /things/:id/parts/:part 499"])
    })
  )
})
