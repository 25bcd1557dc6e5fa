import { generateKeyPairSync } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { AssistantConnections } from "@sarraf/domain/assistants/AssistantConnections"
import { AuthorizationKeys } from "@sarraf/domain/assistants/AuthorizationKeys"
import { ConnectionStore } from "@sarraf/domain/assistants/ConnectionStore"
import { type ArtifactPayload, OauthArtifacts } from "@sarraf/domain/assistants/OauthArtifacts"
import { Unavailable } from "@sarraf/domain/errors/Unavailable"
import { GatewayMode } from "@sarraf/runtime-http/auth/GatewayMode"
import { BesideAddresses } from "@sarraf/runtime-http/http/Beside"
import * as AuthorizationServer from "@sarraf/runtime-http/oauth/AuthorizationServer"
import { Limits } from "@sarraf/runtime-http/oauth/Limits"
import { Effect, Layer, Logger, Redacted } from "effect"

const jwk = {
  ...generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" }),
  alg: "ES256",
  use: "sig",
  kid: "k"
}

/** The authorization server of a public address, on a port of this machine. */
const serving = Effect.fnUntraced(function* (isAway = false, limits: Layer.Layer<Limits> = Limits.layer) {
  const kept = new Map<string, ArtifactPayload>()
  const logged: Array<string> = []
  const fetched: Array<string> = []
  const answering = <A>(answer: () => A) => (isAway ? Effect.fail(new Unavailable()) : Effect.sync(answer))
  const beside = BesideAddresses.make()
  const parts = Layer.mergeAll(
    Layer.mock(AssistantConnections, {}),
    Layer.mock(ConnectionStore, {}),
    Layer.mock(OauthArtifacts, {
      put: ({ id, model }, payload) => answering(() => void kept.set(`${model} ${id}`, payload)),
      find: ({ id, model }) => answering(() => kept.get(`${model} ${id}`))
    }),
    Layer.succeed(AuthorizationKeys, {
      signingKey: Redacted.make(JSON.stringify(jwk)),
      cookieKeys: [Redacted.make("cookie key")]
    }),
    Layer.succeed(BesideAddresses, beside),
    Layer.succeed(GatewayMode, { livemode: true }),
    limits,
    Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])
  )
  yield* Layer.build(
    Layer.provide(
      AuthorizationServer.layer({
        issuer: "https://pay.example.com",
        mcpUrl: "https://pay.example.com/mcp",
        deniedHosts: [],
        fetch: (input) => {
          fetched.push(String(input))
          return Promise.reject(new Error("nothing is there"))
        }
      }),
      parts
    )
  )
  const server = createServer((request, response) => {
    const handle = beside.find(request.url)
    if (handle === undefined) response.writeHead(404).end("not ours")
    else handle(request, response)
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => once(server.listen(0, "127.0.0.1"), "listening")),
    () =>
      Effect.promise(async () => {
        server.closeAllConnections()
        server.close()
        await once(server, "close")
      })
  )
  const { port } = server.address() as AddressInfo
  const send = (path: string, init: RequestInit = {}) =>
    Effect.promise(async () => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { redirect: "manual", ...init })
      return { status: answer.status, headers: answer.headers, text: await answer.text() }
    })
  return { fetched, logged, send }
})

const register = {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ redirect_uris: ["https://assistant.example/callback"] })
}
const authorize = (clientId: string) =>
  `/oauth/authorize?${new URLSearchParams({
    client_id: clientId,
    redirect_uri: "https://assistant.example/callback",
    response_type: "code",
    code_challenge: "x".repeat(43),
    code_challenge_method: "S256"
  })}`

describe("The authorization server", () => {
  it.live("has the public address, whatever a request says, and cookies for https alone", () =>
    Effect.gen(function* () {
      const { send } = yield* serving()
      const foreign = { host: "evil.example", "x-forwarded-host": "evil.example", "x-forwarded-proto": "http" }
      const { headers, text } = yield* send("/.well-known/oauth-authorization-server", { headers: foreign })
      assert.notInclude(text, "evil.example")
      assert.deepInclude(JSON.parse(text), {
        issuer: "https://pay.example.com",
        token_endpoint: "https://pay.example.com/oauth/token"
      })
      assert.isNotEmpty(headers.get("x-request-id"))
      const { client_id } = JSON.parse((yield* send("/oauth/register", register)).text)
      const begun = yield* send(authorize(client_id))
      assert.strictEqual(begun.status, 303, begun.text)
      assert.match(begun.headers.get("location") ?? "", /^\/connect\/[\w-]+$/u)
      assert.isAtLeast(begun.headers.getSetCookie().length, 4)
      for (const cookie of begun.headers.getSetCookie()) {
        assert.match(cookie, /; secure/iu)
        assert.match(cookie, /^__(?:Secure|Host)-/u)
      }
    }).pipe(Effect.scoped)
  )

  it.live("answers its own addresses and leaves the rest to others", () =>
    Effect.gen(function* () {
      const { send } = yield* serving()
      for (const path of ["/", "/oauth", "/oauth/authorize/a/b", "/oauth/userinfo", "/oauth/device", "/connect/x"]) {
        assert.strictEqual((yield* send(path)).text, "not ours", path)
      }
      assert.strictEqual((yield* send("/oauth/jwks?x=1")).status, 200)
    }).pipe(Effect.scoped)
  )

  it.live("takes so many registrations of one network, and then says when to come again", () =>
    Effect.gen(function* () {
      const { send } = yield* serving()
      const answers = yield* Effect.all(
        Array.from({ length: 60 }, () => send("/oauth/register", register)),
        { concurrency: 10 }
      )
      const refused = answers.filter(({ status }) => status === 429)
      assert.isAtLeast(refused.length, 10)
      assert.strictEqual(answers.filter(({ status }) => status === 201).length + refused.length, 60)
      assert.strictEqual(refused[0]?.headers.get("retry-after"), "30")
      assert.deepInclude(JSON.parse(refused[0]?.text ?? ""), { error: "rate_limited" })
    }).pipe(Effect.scoped)
  )

  it.live("asks a host for nothing more where that was asked too often", () =>
    Effect.gen(function* () {
      const path = authorize("https://victim.example/client.json")
      const asking = yield* serving()
      yield* asking.send(path)
      assert.include(asking.fetched, "https://victim.example/client.json")
      const spent = Layer.succeed(Limits, { take: (what) => Effect.succeed(what !== "hosts") })
      const { fetched, send } = yield* serving(false, spent)
      assert.strictEqual((yield* send(path)).status, 400)
      assert.deepStrictEqual(fetched, [])
    }).pipe(Effect.scoped)
  )

  it.live("tells nothing of its inside when the database is away, says to come again, and logs it", () =>
    Effect.gen(function* () {
      const { logged, send } = yield* serving(true)
      const page = yield* send(authorize("client"), { headers: { accept: "text/html" } })
      const token = yield* send("/oauth/token", {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: "grant_type=refresh_token&client_id=client&refresh_token=x"
      })
      const registration = yield* send("/oauth/register", register)
      for (const { headers, status, text } of [page, token, registration]) {
        assert.strictEqual(status, 503)
        assert.strictEqual(headers.get("retry-after"), "5")
        assert.notMatch(text, /Unavailable|\bat .*:\d+:\d+|node_modules/u)
      }
      assert.include(page.headers.get("content-security-policy") ?? "", "frame-ancestors 'none'")
      assert.strictEqual(JSON.parse(token.text).error, "server_error")
      assert.include(logged.join("\n"), "The authorization server could not answer a request")
    }).pipe(Effect.scoped)
  )
})
