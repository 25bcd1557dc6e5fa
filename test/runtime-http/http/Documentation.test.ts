import { createHash } from "node:crypto"
import { gunzipSync } from "node:zlib"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { errorCodes } from "@sarraf/runtime-http/api/errorCatalogue"
import * as Documentation from "@sarraf/runtime-http/http/Documentation"
import * as Responses from "@sarraf/runtime-http/http/Responses"
import { Effect, Layer } from "effect"
import { SampleApi } from "../support/SampleApi.ts"
import { serving } from "../support/serving.ts"

const start = serving(
  Layer.mergeAll(
    Responses.layer(SampleApi, { alsoServed: Documentation.routes }),
    Documentation.layer(SampleApi, { serverUrl: "https://pay.example.com" })
  )
).pipe(Effect.provide(NodeHttpServer.layerHttpServices))

const policyOf = (answer: { readonly headers: Readonly<Record<string, unknown>> }) =>
  Object.fromEntries(
    String(answer.headers["content-security-policy"])
      .split("; ")
      .map((directive) => [directive.split(" ")[0], directive])
  )

const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

describe("the documents", () => {
  it.live("are served as OpenAPI 3.0 and 3.1", () =>
    Effect.gen(function* () {
      const send = yield* start
      const old = yield* send("GET", "/openapi.json")
      const recent = yield* send("GET", "/openapi-3.1.json")
      assert.strictEqual(old.headers["content-type"], "application/json; charset=utf-8")
      assert.strictEqual(JSON.parse(old.text).openapi, "3.0.3")
      assert.strictEqual(JSON.parse(recent.text).openapi, "3.1.0")
      assert.deepStrictEqual(JSON.parse(recent.text).servers, [{ url: "https://pay.example.com" }])
    })
  )

  it.live("are sent again only when they changed", () =>
    Effect.gen(function* () {
      const send = yield* start
      const first = yield* send("GET", "/openapi.json")
      const again = yield* send("GET", "/openapi.json", { "if-none-match": `"other", ${first.headers.etag}` })
      assert.deepStrictEqual([again.status, again.text, again.headers.etag], [304, "", first.headers.etag])
      assert.strictEqual((yield* send("GET", "/openapi.json", { "if-none-match": '"other"' })).status, 200)
    })
  )

  it.live("are compressed for those who can read it", () =>
    Effect.gen(function* () {
      const send = yield* start
      const plain = yield* send("GET", "/docs/errors", { "accept-encoding": "br, gzip;q=0" })
      assert.isUndefined(plain.headers["content-encoding"])
      const compressed = yield* send("GET", "/docs/errors", { "accept-encoding": "br, GZIP" })
      assert.strictEqual(compressed.headers["content-encoding"], "gzip")
      assert.strictEqual(gunzipSync(compressed.bytes).toString(), plain.text)
      assert.strictEqual(compressed.headers.vary, "accept-encoding")
    })
  )

  it.live("answer HEAD, and other methods with 405", () =>
    Effect.gen(function* () {
      const send = yield* start
      assert.strictEqual((yield* send("HEAD", "/openapi.json")).status, 200)
      assert.strictEqual((yield* send("POST", "/docs/errors/TIMEOUT")).headers.allow, "GET, HEAD")
    })
  )
})

describe("the reference page", () => {
  it.live("contains all that it shows, and lets nothing else in", () =>
    Effect.gen(function* () {
      const send = yield* start
      const page = yield* send("GET", "/docs")
      assert.strictEqual(page.headers["content-type"], "text/html; charset=utf-8")
      assert.notMatch(page.text, /<(script|link|img)[^>]*\s(src|href)=/)
      assert.include(page.text, '"/samples/{id}"')
      const policy = policyOf(page)
      assert.strictEqual(policy["default-src"], "default-src 'none'")
      assert.strictEqual(policy["connect-src"], "connect-src 'self' https://pay.example.com")
      assert.strictEqual(policy["frame-ancestors"], "frame-ancestors 'none'")
      assert.notInclude(page.headers["content-security-policy"], "unsafe")
    })
  )

  it.live("may run its own scripts and styles", () =>
    Effect.gen(function* () {
      const send = yield* start
      const page = yield* send("GET", "/docs")
      const policy = policyOf(page)
      const scripts = [...page.text.matchAll(/<script>([\s\S]*?)<\/script>/g)]
      assert.isAbove(scripts.length, 0)
      for (const [, text = ""] of scripts) assert.include(policy["script-src"], hash(text))
      const [, style = ""] = /<style>([\s\S]*?)<\/style>/.exec(page.text) ?? []
      assert.include(policy["style-src"], hash(style))
    })
  )
})

describe("the pages of the error codes", () => {
  it.live("are listed, and each says what happened and what to do", () =>
    Effect.gen(function* () {
      const send = yield* start
      const index = yield* send("GET", "/docs/errors")
      for (const code of errorCodes) {
        assert.include(index.text, `href="/docs/errors/${code}"`)
        const page = yield* send("GET", `/docs/errors/${code}`)
        assert.strictEqual(page.status, 200)
        assert.include(page.text, "What to do")
      }
    })
  )

  it.live("have no script, and of styles only their own", () =>
    Effect.gen(function* () {
      const send = yield* start
      const page = yield* send("GET", "/docs/errors/TIMEOUT")
      assert.notInclude(page.text, "<script")
      const [, style = ""] = /<style>([\s\S]*?)<\/style>/.exec(page.text) ?? []
      assert.strictEqual(
        page.headers["content-security-policy"],
        `default-src 'none'; style-src ${hash(style)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
      )
    })
  )

  it.live("of a code that does not exist are NOT_FOUND", () =>
    Effect.gen(function* () {
      const send = yield* start
      const answer = yield* send("GET", "/docs/errors/constructor")
      assert.deepStrictEqual([answer.status, JSON.parse(answer.text).code], [404, "NOT_FOUND"])
    })
  )
})
