import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { Unavailable } from "@sarraf/domain/errors/Unavailable"
import { ApiKeys } from "@sarraf/domain/organizations/ApiKeys"
import { Caller } from "@sarraf/domain/organizations/Caller"
import type { Membership } from "@sarraf/domain/organizations/People"
import { CurrentSession, SessionStore, type SignedIn } from "@sarraf/domain/organizations/SessionStore"
import { Bearer, OpenToEnrolment } from "@sarraf/runtime-http/api/bearer"
import * as BearerAuthentication from "@sarraf/runtime-http/auth/Bearer"
import { GatewayMode } from "@sarraf/runtime-http/auth/GatewayMode"
import { GatewayRateLimit } from "@sarraf/runtime-http/auth/GatewayRateLimit"
import { PublicAddress } from "@sarraf/runtime-http/auth/PublicAddress"
import { csrfToken, sessionCookie } from "@sarraf/runtime-http/auth/sessionCookie"
import * as Responses from "@sarraf/runtime-http/http/Responses"
import { Effect, Layer, Redacted, Schema } from "effect"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { serving } from "../support/serving.ts"

const Seen = Schema.Struct({ caller: Schema.String, session: Schema.NullOr(Schema.String) })

class Group extends HttpApiGroup.make("group")
  .add(HttpApiEndpoint.get("read", "/api/read", { success: Seen }))
  .add(HttpApiEndpoint.post("write", "/api/write", { success: Seen }))
  .add(HttpApiEndpoint.get("enrol", "/api/enrol", { success: Seen }).annotate(OpenToEnrolment, true))
  .middleware(Bearer) {}
class Api extends HttpApi.make("sample").add(Group) {}

const seen = Effect.gen(function* () {
  const { name, role } = yield* Caller
  return { caller: `${name} ${role}`, session: (yield* CurrentSession)?.session.id ?? null }
})

const handlers = HttpApiBuilder.group(Api, "group", (all) =>
  all
    .handle("read", () => seen)
    .handle("write", () => seen)
    .handle("enrol", () => seen)
)

const token = (name: string) => `sess_${name.padEnd(43, "_")}`

const signedIn = (name: string, changes: Partial<Membership> = {}): SignedIn => ({
  session: { id: `ses_${name}`, createdAt: 0, lastUsedAt: 0, expiresAt: 1, address: null, userAgent: null },
  person: { id: `usr_${name}`, email: `${name}@example.com` },
  membership: {
    organizationId: "org_1",
    organizationName: "Shop",
    baseCurrency: "TRY",
    timezone: "Europe/Istanbul",
    isSandbox: true,
    requiresSecondFactor: false,
    role: "APPROVER",
    status: "ACTIVE",
    name,
    ...changes
  },
  hasSecondFactor: false
})

const sessions = new Map([
  [token("test"), signedIn("test")],
  [token("live"), signedIn("live", { isSandbox: false })],
  [token("demanded"), signedIn("demanded", { requiresSecondFactor: true })]
])

const store = Layer.mock(SessionStore, {
  find: (secret) =>
    Redacted.value(secret) === token("lost")
      ? Effect.fail(new Unavailable())
      : Effect.succeed(sessions.get(Redacted.value(secret)))
})

const sending = (livemode = false, burst = 100, baseUrl = "http://localhost") => {
  const bearer = BearerAuthentication.layer.pipe(
    Layer.provide([
      store,
      Layer.succeed(ApiKeys, { find: () => Effect.succeed(undefined) }),
      GatewayRateLimit.layer({ burst, perSecond: burst }),
      Layer.succeed(GatewayMode, { livemode }),
      Layer.succeed(PublicAddress, { baseUrl })
    ])
  )
  return serving(
    HttpApiBuilder.layer(Api).pipe(
      Layer.provide(handlers),
      Layer.provide(bearer),
      Layer.provideMerge(Responses.layer(Api))
    )
  )
}

const as = (name: string) => ({ authorization: `Bearer ${token(name)}` })
const services = Effect.provide(NodeHttpServer.layerHttpServices)

describe("A session's token", () => {
  it.live("makes its person the caller, with their role", () =>
    Effect.gen(function* () {
      const send = yield* sending()
      const { text } = yield* send("GET", "/api/read", as("test"))
      assert.deepStrictEqual(JSON.parse(text), { caller: "user:usr_test APPROVER", session: "ses_test" })
    }).pipe(services)
  )

  it.live("is of the mode of its organization, and unknown in the other", () =>
    Effect.gen(function* () {
      const inTest = yield* sending()
      const inLive = yield* sending(true)
      assert.strictEqual((yield* inTest("GET", "/api/read", as("live"))).status, 401)
      assert.strictEqual((yield* inLive("GET", "/api/read", as("live"))).status, 200)
      assert.strictEqual((yield* inLive("GET", "/api/read", as("test"))).status, 401)
    }).pipe(services)
  )

  it.live("opens nothing but the enrolment where a second factor is demanded", () =>
    Effect.gen(function* () {
      const send = yield* sending()
      assert.strictEqual((yield* send("GET", "/api/read", as("demanded"))).status, 403)
      assert.strictEqual((yield* send("POST", "/api/write", as("demanded"))).status, 403)
      assert.strictEqual((yield* send("GET", "/api/enrol", as("demanded"))).status, 200)
    }).pipe(services)
  )

  it.live("is not what assistants have: those open nothing here", () =>
    Effect.gen(function* () {
      const send = yield* sending()
      for (const credential of ["mcp_sandbox", "ugGcq2nBdILIE9Oc7DpN59VLGecUgW32EkAOvBAmdeT"]) {
        const { status, text } = yield* send("GET", "/api/read", { authorization: `Bearer ${credential}` })
        assert.strictEqual(status, 403)
        assert.notInclude(text, credential)
      }
    }).pipe(services)
  )

  it.live("is limited by its person, and a database that is away is told as such", () =>
    Effect.gen(function* () {
      const send = yield* sending(false, 1)
      assert.strictEqual((yield* send("GET", "/api/read", as("test"))).status, 200)
      assert.strictEqual((yield* send("GET", "/api/read", as("test"))).status, 429)
      assert.strictEqual((yield* send("GET", "/api/read", as("lost"))).status, 503)
    }).pipe(services)
  )
})

describe("A session's cookie", () => {
  const cookie = (name: string, isSecure = false) => ({ cookie: `${sessionCookie(isSecure)}=${token(name)}` })
  const csrf = (name: string) => ({ "x-csrf-token": csrfToken(Redacted.make(token(name))) })

  it.live("is read where there is no Authorization, and changes something with its own CSRF token alone", () =>
    Effect.gen(function* () {
      const send = yield* sending()
      const statusOf = (method: string, path: string, headers: Readonly<Record<string, string>>) =>
        Effect.map(send(method, path, headers), ({ status }) => status)
      assert.strictEqual(yield* statusOf("GET", "/api/read", cookie("test")), 200)
      assert.strictEqual(yield* statusOf("POST", "/api/write", cookie("test")), 403)
      assert.strictEqual(yield* statusOf("POST", "/api/write", { ...cookie("test"), ...csrf("demanded") }), 403)
      assert.strictEqual(yield* statusOf("POST", "/api/write", { ...cookie("test"), ...csrf("test") }), 200)
      const other = { ...cookie("test"), ...csrf("test"), authorization: "Basic dGVzdA==" }
      assert.strictEqual(yield* statusOf("POST", "/api/write", other), 401)
      const ofKey = { cookie: `${sessionCookie(false)}=key_test_sandbox` }
      assert.strictEqual(yield* statusOf("GET", "/api/read", ofKey), 401)
    }).pipe(services)
  )

  it.live("counts over https under the name alone that no other host of the domain can set", () =>
    Effect.gen(function* () {
      assert.match(sessionCookie(true), /^__Host-/)
      const send = yield* sending(false, 100, "https://pay.example.com")
      assert.strictEqual((yield* send("GET", "/api/read", cookie("test", true))).status, 200)
      const planted = cookie("test", false)
      assert.strictEqual((yield* send("GET", "/api/read", planted)).status, 401)
      const both = { cookie: `${cookie("test", true).cookie}; ${cookie("demanded", false).cookie}` }
      assert.include((yield* send("GET", "/api/read", both)).text, "ses_test")
    }).pipe(services)
  )
})
