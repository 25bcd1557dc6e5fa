import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import {
  ConnectFailed,
  NoAnswer,
  type ProviderRequest,
  type ProviderResponse
} from "@sarraf/adapters/providers/ProviderTransport"
import { Simulators } from "@sarraf/adapters/providers/Simulators"
import * as Responses from "@sarraf/runtime-http/http/Responses"
import * as SimulatorPages from "@sarraf/runtime-http/sandbox/SimulatorPages"
import { ByteSize, Effect, Layer } from "effect"
import { HttpIncomingMessage } from "effect/http"
import { HttpApi } from "effect/http-api"
import { serving } from "../support/serving.ts"

const page: ProviderResponse = {
  status: 200,
  headers: { "content-type": "text/html; charset=iso-8859-9", "referrer-policy": "no-referrer" },
  // An ş of that charset, which is no UTF-8.
  body: Uint8Array.of(0x3c, 0xfe, 0x3e)
}

type Answer = Effect.Effect<ProviderResponse, ConnectFailed | NoAnswer>

const sandbox = Effect.fnUntraced(function* (answer: Answer = Effect.succeed(page)) {
  const seen: Array<ProviderRequest> = []
  const bank = {
    provider: "bank",
    handle: (request: ProviderRequest) =>
      Effect.andThen(
        Effect.sync(() => seen.push(request)),
        answer
      )
  }
  const routes = Layer.merge(
    Responses.layer(HttpApi.make("none"), { alsoServed: SimulatorPages.routes }),
    Layer.provide(
      SimulatorPages.layer({
        pagesUrl: (provider) => `https://pay.example/sandbox/${provider}`,
        simulators: Simulators
      }),
      Layer.succeed(Simulators, new Map([["bank", bank]]))
    )
  )
  const send = yield* serving(routes).pipe(
    Effect.provide([
      NodeHttpServer.layerHttpServices,
      Layer.succeed(HttpIncomingMessage.MaxBodySize, ByteSize.kibibytes(256))
    ])
  )
  return { send, seen }
})

describe("the simulators' pages", () => {
  it.live("see what the browser sent, below their own address, and are shown as they are", () =>
    Effect.gen(function* () {
      const { seen, send } = yield* sandbox()
      const headers = { "content-type": "application/x-www-form-urlencoded", cookie: "a=b" }
      const answer = yield* send("POST", "/sandbox/bank/acs/Step?order=1&x=%2F", headers, "code=123456")
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual([...answer.bytes], [...page.body])
      assert.strictEqual(answer.headers["content-type"], "text/html; charset=iso-8859-9")
      assert.strictEqual(answer.headers["referrer-policy"], "no-referrer")
      assert.strictEqual(answer.headers["x-content-type-options"], "nosniff")
      // Without `allow-same-origin`: what runs in such a page reads nothing of the gateway's own.
      const policy = String(answer.headers["content-security-policy"]).split("; ")
      assert.include(policy, "sandbox allow-forms allow-scripts allow-top-navigation")
      assert.include(policy, "frame-ancestors 'none'")
      const [request] = seen
      assert.strictEqual(request?.url, "https://pay.example/sandbox/bank/acs/Step?order=1&x=%2F")
      assert.deepStrictEqual([request?.provider, request?.method], ["bank", "POST"])
      assert.deepStrictEqual(request?.headers, { "content-type": "application/x-www-form-urlencoded" })
      assert.strictEqual(new TextDecoder().decode(request?.body), "code=123456")
    })
  )

  it.live.each(["GET", "PUT", "DELETE"])("take a %s", (method) =>
    Effect.gen(function* () {
      const { seen, send } = yield* sandbox()
      assert.strictEqual((yield* send(method, "/sandbox/bank/acs")).status, 200)
      assert.deepStrictEqual(
        seen.map((request) => [request.method, request.url]),
        [[method, "https://pay.example/sandbox/bank/acs"]]
      )
    })
  )

  it.live("pass on redirects and refusals of their own", () =>
    Effect.gen(function* () {
      const headers = { location: "https://pay.example/pf/v1/3ds/t/return", "content-type": "text/plain" }
      const redirected = yield* sandbox(Effect.succeed({ status: 303, headers, body: new Uint8Array() }))
      const answer = yield* redirected.send("GET", "/sandbox/bank/acs")
      assert.deepStrictEqual([answer.status, answer.headers.location], [303, headers.location])
      const body = new TextEncoder().encode("<Error/>")
      const refused = yield* sandbox(Effect.succeed({ status: 404, headers: { "content-type": "text/xml" }, body }))
      const refusal = yield* refused.send("GET", "/sandbox/bank/nothing")
      assert.deepStrictEqual([refusal.status, refusal.text], [404, "<Error/>"])
    })
  )

  it.live.each([new ConnectFailed({ reason: "ECONNREFUSED" }), new NoAnswer({ reason: "ECONNRESET" })])(
    "are a problem where the provider is silent: %s",
    (failure) =>
      Effect.gen(function* () {
        const { send } = yield* sandbox(Effect.fail(failure))
        const answer = yield* send("GET", "/sandbox/bank/acs")
        assert.deepStrictEqual([answer.status, JSON.parse(answer.text).code], [502, "PROVIDER_ERROR"])
      })
  )

  it.live("are not there for other names, methods and bodies without end", () =>
    Effect.gen(function* () {
      const { seen, send } = yield* sandbox()
      assert.strictEqual((yield* send("GET", "/sandbox/other/acs")).status, 404)
      assert.strictEqual((yield* send("PATCH", "/sandbox/bank/acs")).status, 405)
      assert.strictEqual((yield* send("POST", "/sandbox/bank/acs", {}, "a".repeat(262_145))).status, 413)
      assert.strictEqual((yield* send("HEAD", "/sandbox/bank/acs")).status, 200)
      assert.deepStrictEqual(seen, [])
    })
  )
})
