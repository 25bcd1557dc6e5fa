import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, layer } from "@effect/vitest"
import { StrictDecoding as StrictDecodingMiddleware } from "@sarraf/runtime-http/api/middleware"
import * as StrictDecoding from "@sarraf/runtime-http/http/StrictDecoding"
import { Effect, Layer, Schema } from "effect"
import { HttpClient, HttpClientRequest, HttpRouter } from "effect/http"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"

const echo = HttpApiEndpoint.post("echo", "/echo/:id", {
  params: { id: Schema.String.check(Schema.isMaxLength(3)) },
  headers: { "x-client-id": Schema.String },
  query: { limit: Schema.optionalKey(Schema.FiniteFromString.check(Schema.isBetween({ minimum: 1, maximum: 100 }))) },
  payload: Schema.Struct({ name: Schema.String, age: Schema.Int }),
  success: Schema.Struct({ even: Schema.Finite.check(Schema.isGreaterThan(0)) })
})
const api = HttpApi.make("strict")
  .add(HttpApiGroup.make("group").add(echo).middleware(StrictDecodingMiddleware))
  .annotate(HttpApi.ParseOptions, { errors: "all", onExcessProperty: "error" })
  .annotate(HttpApi.HeadersParseOptions, { errors: "all" })

const handlers = HttpApiBuilder.group(api, "group", (group) =>
  group.handle("echo", ({ payload }) => Effect.succeed({ even: payload.age }))
)
const routes = HttpApiBuilder.layer(api).pipe(Layer.provide(handlers), Layer.provide(StrictDecoding.layer))
const server = HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(
  Layer.provideMerge(NodeHttpServer.layerTest)
)

const post = (path: string, body: string, headers: Record<string, string> = { "x-client-id": "client" }) =>
  HttpClientRequest.post(path).pipe(
    HttpClientRequest.bodyText(body, "application/json"),
    HttpClientRequest.setHeaders(headers),
    HttpClient.execute,
    Effect.flatMap((response) =>
      Effect.map(response.text, (text) => ({
        status: response.status,
        body: text === "" ? undefined : JSON.parse(text)
      }))
    )
  )

layer(server)("StrictDecoding", (it) => {
  it.effect("answers INVALID_REQUEST with every fault of the body", () =>
    Effect.gen(function* () {
      const { body, status } = yield* post("/echo/1", JSON.stringify({ age: 1.5, extra: true }))
      assert.strictEqual(status, 400)
      assert.strictEqual(body.code, "INVALID_REQUEST")
      assert.deepStrictEqual(body.errors, [
        { path: "extra", message: "is not a known field: remove it" },
        { path: "name", message: "is required" },
        { path: "age", message: "must be an integer" }
      ])
    })
  )

  it.effect("names the fault of a path, a query and a header", () =>
    Effect.gen(function* () {
      const valid = JSON.stringify({ name: "a", age: 1 })
      const wrongPath = yield* post("/echo/long", valid)
      const wrongQuery = yield* post("/echo/1?limit=0&page=2", valid)
      const wrongHeaders = yield* post("/echo/1", valid, {})
      assert.deepStrictEqual(wrongPath.body.errors, [{ path: "id", message: "must have at most 3 characters" }])
      assert.deepStrictEqual(wrongQuery.body.errors, [
        { path: "page", message: "is not a known field: remove it" },
        { path: "limit", message: "must be between 1 and 100" }
      ])
      assert.deepStrictEqual(wrongHeaders.body.errors, [{ path: "x-client-id", message: "is required" }])
    })
  )

  it.effect("says that a body is not JSON, or not an object, or missing", () =>
    Effect.gen(function* () {
      const message = (body: string) => Effect.map(post("/echo/1", body), (answer) => answer.body.errors[0].message)
      assert.strictEqual(yield* message("{"), "the body must be well-formed JSON")
      assert.strictEqual(yield* message("[]"), "the body must be an object")
      assert.strictEqual(yield* message(""), "the body must be an object")
    })
  )

  it.effect("does not blame the client for an answer that does not encode", () =>
    Effect.gen(function* () {
      const { status } = yield* post("/echo/1", JSON.stringify({ name: "a", age: -2 }))
      assert.strictEqual(status, 500)
    })
  )
})
