import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { Identifiers } from "@sarraf/domain/identifiers/TypeId"
import { type ApiKey, ApiKeys } from "@sarraf/domain/organizations/ApiKeys"
import { SessionStore } from "@sarraf/domain/organizations/SessionStore"
import { PaymentProviders } from "@sarraf/domain/payments/PaymentProvider"
import {
  RoutingPolicies,
  RoutingPolicyChanged,
  type SavedRoutingPolicy,
  unsaved
} from "@sarraf/domain/routing/RoutingPolicies"
import { RoutingSettings } from "@sarraf/domain/routing/RoutingSettings"
import { RoutingPolicyApi } from "@sarraf/runtime-http/api/routingPolicy"
import * as Bearer from "@sarraf/runtime-http/auth/Bearer"
import { GatewayMode } from "@sarraf/runtime-http/auth/GatewayMode"
import { GatewayRateLimit } from "@sarraf/runtime-http/auth/GatewayRateLimit"
import { PublicAddress } from "@sarraf/runtime-http/auth/PublicAddress"
import * as routingPolicy from "@sarraf/runtime-http/handlers/routingPolicy"
import * as Responses from "@sarraf/runtime-http/http/Responses"
import * as StrictDecoding from "@sarraf/runtime-http/http/StrictDecoding"
import { ByteSize, Effect, Layer, Redacted } from "effect"
import { HttpIncomingMessage } from "effect/http"
import { HttpApi, HttpApiBuilder } from "effect/http-api"
import { type ScriptedProvider, scriptedProvider } from "../../domain/payments/support/ScriptedProvider.ts"
import { serving } from "../support/serving.ts"

/** The group alone, under the name of the whole API. */
const Api = HttpApi.make("sarraf").add(RoutingPolicyApi).annotate(HttpApi.ParseOptions, { errors: "all" })

const keyOf = (changes: Partial<ApiKey>): ApiKey => ({
  organizationId: "org_1",
  id: "mine",
  role: "OWNER",
  createdBy: null,
  livemode: false,
  isVerified: true,
  ...changes
})

const keys: Readonly<Record<string, ApiKey>> = {
  key_test_owner: keyOf({}),
  key_test_other: keyOf({ organizationId: "org_2", id: "other" }),
  key_test_auditor: keyOf({ id: "auditor", role: "AUDITOR" }),
  key_test_member: keyOf({ id: "member", role: "MEMBER" }),
  key_live_owner: keyOf({ livemode: true }),
  key_live_unverified: keyOf({ id: "unverified", livemode: true, isVerified: false })
}

const policies = Layer.sync(RoutingPolicies, () => {
  const saved = new Map<string, SavedRoutingPolicy>()
  const find = (organizationId: string) => Effect.sync(() => saved.get(organizationId) ?? unsaved)
  return {
    current: find,
    find,
    save: ({ actor, at, expected, organizationId, rules }) =>
      Effect.flatMap(find(organizationId), ({ version }) => {
        if (version !== expected) return Effect.fail(new RoutingPolicyChanged({ version }))
        const next = { version: version + 1, rules, changedAt: at, changedBy: actor.name }
        saved.set(organizationId, next)
        return Effect.succeed(next)
      })
  }
})

const providers = Layer.sync(
  PaymentProviders,
  () => new Map(["isbank", "stripe"].map((id): [string, ScriptedProvider] => [id, scriptedProvider(id, [])]))
)
const identifiers = Layer.succeed(
  Identifiers,
  Identifiers.of({
    next: (prefix) => Effect.succeed(`${prefix}_01h455vb4pex5vsknk084sn02q`),
    randomBytes: () => Effect.die("unused")
  })
)

const routes = (livemode: boolean) => {
  const authentication = Bearer.layer.pipe(
    Layer.provide(Layer.mock(SessionStore, {})),
    Layer.provide(Layer.succeed(ApiKeys, { find: (key) => Effect.succeed(keys[Redacted.value(key)]) })),
    Layer.provide(GatewayRateLimit.layer({ burst: 1_000, perSecond: 1_000 })),
    Layer.provide([
      Layer.succeed(GatewayMode, { livemode }),
      Layer.succeed(PublicAddress, { baseUrl: "http://localhost" })
    ])
  )
  return HttpApiBuilder.layer(Api).pipe(
    Layer.provide(Layer.provide(routingPolicy.layer, RoutingSettings.layer)),
    Layer.provide([authentication, StrictDecoding.layer]),
    Layer.provide([policies, providers, identifiers]),
    Layer.provideMerge(Responses.layer(Api))
  )
}

const path = "/api/routing-policy"

const services = Layer.merge(
  NodeHttpServer.layerHttpServices,
  Layer.succeed(HttpIncomingMessage.MaxBodySize, ByteSize.kibibytes(256))
)

const open = (livemode = false) =>
  Effect.map(
    serving(routes(livemode)).pipe(Effect.provide(services)),
    (send) =>
      (
        method: string,
        body?: unknown,
        {
          headers = {},
          key = "key_test_owner",
          to = path
        }: { headers?: Record<string, string>; key?: string; to?: string } = {}
      ) =>
        send(
          method,
          to,
          {
            authorization: `Bearer ${key}`,
            ...(body === undefined ? {} : { "content-type": "application/json" }),
            ...headers
          },
          body === undefined ? "" : JSON.stringify(body)
        ).pipe(Effect.map(({ headers: sent, status, text }) => ({ status, headers: sent, json: JSON.parse(text) })))
  )

const only = (provider: string, changes: object = {}) => ({
  name: `only ${provider}`,
  when: {},
  action: { type: "only", providers: [provider] },
  ...changes
})

describe("The bearer key", () => {
  it.live("is demanded, and an unknown one is answered like none", () =>
    Effect.gen(function* () {
      const send = yield* open()
      const none = yield* send("GET", undefined, { headers: { authorization: "" } })
      assert.deepInclude(none.json, { status: 401, code: "UNAUTHENTICATED" })
      assert.strictEqual(none.headers["www-authenticate"], "Bearer")
      for (const key of ["key_test_nobody", "key_live_owner", "sess_abc", "key_test_", "x".repeat(10_000), "mcp"]) {
        const { json } = yield* send("GET", undefined, { key })
        assert.deepStrictEqual({ ...json, requestId: "" }, { ...none.json, requestId: "" }, key)
      }
      const basic = yield* send("GET", undefined, { headers: { authorization: "Basic a2V5X3Rlc3Rfb3duZXI=" } })
      assert.strictEqual(basic.status, 401)
    })
  )

  it.live("is not an assistant's token", () =>
    Effect.gen(function* () {
      const send = yield* open()
      const answer = yield* send("GET", undefined, { key: "mcp_sandbox" })
      assert.deepInclude(answer.json, { status: 403, code: "FORBIDDEN" })
    })
  )

  it.live("is of the mode, and in live mode of a verified business", () =>
    Effect.gen(function* () {
      const send = yield* open(true)
      assert.strictEqual((yield* send("GET", undefined, { key: "key_test_owner" })).json.code, "UNAUTHENTICATED")
      assert.strictEqual(
        (yield* send("GET", undefined, { key: "key_live_unverified" })).json.code,
        "VERIFICATION_REQUIRED"
      )
      assert.strictEqual((yield* send("GET", undefined, { key: "key_live_owner" })).status, 200)
    })
  )

  it.live("says by its role what it may do", () =>
    Effect.gen(function* () {
      const send = yield* open()
      assert.strictEqual((yield* send("GET", undefined, { key: "key_test_auditor" })).status, 200)
      for (const [method, key] of [
        ["PUT", "key_test_auditor"],
        ["PUT", "key_test_member"],
        ["GET", "key_test_member"]
      ] as const) {
        const body = method === "PUT" ? { rules: [] } : undefined
        assert.strictEqual((yield* send(method, body, { key })).json.code, "FORBIDDEN", `${method} ${key}`)
      }
    })
  )
})

describe("A change of the policy", () => {
  it.live("is read again, with its version as ETag, by its organization alone", () =>
    Effect.gen(function* () {
      const send = yield* open()
      const before = yield* send("GET")
      assert.deepStrictEqual(before.json, { version: 0, rules: [], changed_at: null, changed_by: null })
      assert.strictEqual(before.headers.etag, '"0"')
      const rules = [
        only("isbank", {
          when: {
            currencies: ["TRY"],
            countries: ["TR"],
            brands: ["troy"],
            min_amount: 10.5,
            max_amount: 99_999_999.99,
            min_installment: 2,
            max_installment: 6,
            is_3ds: true
          }
        }),
        { name: "split", when: {}, action: { type: "split", weights: { isbank: 3, stripe: 1 } } }
      ]
      const saved = yield* send("PUT", { rules })
      assert.deepInclude(saved.json, { version: 1, rules, changed_by: "key:mine" })
      assert.match(saved.json.changed_at, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
      assert.strictEqual(saved.headers.etag, '"1"')
      assert.deepStrictEqual((yield* send("GET")).json, saved.json)
      assert.strictEqual((yield* send("GET", undefined, { key: "key_test_other" })).json.version, 0)
    })
  )

  it.live("takes countries as people write them, null for absent, and rules without conditions", () =>
    Effect.gen(function* () {
      const send = yield* open()
      const when = { countries: ["Türkiye", "deu"], brands: null, is_3ds: null }
      const saved = yield* send("PUT", {
        version: null,
        rules: [only("isbank", { when }), { ...only("stripe"), when: undefined }]
      })
      assert.deepStrictEqual(saved.json.rules, [only("isbank", { when: { countries: ["TR", "DE"] } }), only("stripe")])
    })
  )

  it.live("is refused where it is not meant for the present version", () =>
    Effect.gen(function* () {
      const send = yield* open()
      const body = { rules: [only("isbank")] }
      const change = (version: number | undefined, ifMatch?: string) =>
        send(
          "PUT",
          { ...body, ...(version === undefined ? {} : { version }) },
          {
            headers: ifMatch === undefined ? {} : { "if-match": ifMatch }
          }
        )
      assert.strictEqual((yield* change(0)).json.version, 1)
      assert.strictEqual((yield* change(undefined, '"1"')).json.version, 2)
      assert.strictEqual((yield* change(2, '"7", "2"')).json.version, 3)
      assert.strictEqual((yield* change(undefined, "*")).json.version, 4)
      assert.strictEqual((yield* change(undefined)).json.version, 5)
      for (const [version, ifMatch] of [
        [4, undefined],
        [undefined, '"4"'],
        [undefined, '"five"'],
        [undefined, 'W/"5"'],
        [5, '"4"'],
        [4, '"5"']
      ] as const) {
        const { json } = yield* change(version, ifMatch)
        assert.deepInclude(json, { status: 412, code: "VERSION_CONFLICT" }, `${version} ${ifMatch}`)
        assert.include(json.detail, "present version is 5")
      }
      assert.strictEqual((yield* send("GET")).json.version, 5)
    })
  )

  it.live("is told all its faults at once, each with its path, and changes nothing", () =>
    Effect.gen(function* () {
      const send = yield* open()
      const { json } = yield* send("PUT", {
        version: -1,
        rules: [
          only("nobody", { name: " ", when: { currencies: ["JPY"], countries: ["Atlantis"], min_amount: 0.001 } }),
          {
            name: "b",
            when: { min_amount: 2, max_amount: 1 },
            action: { type: "split", weights: { isbank: -1, nobody: 1 } }
          },
          { name: "c", action: { type: "avoid" } },
          7
        ]
      })
      assert.strictEqual(json.code, "INVALID_REQUEST")
      assert.deepStrictEqual(
        json.errors.map((fault: { path: string }) => fault.path),
        [
          "version",
          "rules[0].name",
          "rules[0].when.currencies[0]",
          "rules[0].when.countries[0]",
          "rules[0].when.min_amount",
          "rules[0].action.providers[0]",
          "rules[1].when",
          "rules[1].action.weights.isbank",
          "rules[1].action.weights.nobody",
          "rules[2].action",
          "rules[3]"
        ]
      )
      assert.strictEqual((yield* send("GET")).json.version, 0)
    })
  )

  it.live("must be a policy", () =>
    Effect.gen(function* () {
      const send = yield* open()
      for (const [body, fault] of [
        [{}, "rules"],
        [[], ""],
        [{ rules: [only("isbank"), only("isbank")] }, "rules"]
      ] as const) {
        const { json } = yield* send("PUT", body)
        assert.deepStrictEqual(
          json.errors.map(({ path }: { path: string }) => path),
          [fault]
        )
      }
    })
  )

  it.live("must be JSON of at most 256 KiB, in a body that says so", () =>
    Effect.gen(function* () {
      const send = yield* Effect.map(
        serving(routes(false)).pipe(Effect.provide(services)),
        (raw) =>
          (body: string, contentType = "application/json") =>
            raw("PUT", path, { authorization: "Bearer key_test_owner", "content-type": contentType }, body).pipe(
              Effect.map(({ text }) => JSON.parse(text).code)
            )
      )
      assert.strictEqual(yield* send('{"rules": ['), "INVALID_REQUEST")
      assert.strictEqual(yield* send(""), "INVALID_REQUEST")
      assert.strictEqual(yield* send("null"), "INVALID_REQUEST")
      assert.strictEqual(yield* send("rules=", "application/x-www-form-urlencoded"), "UNSUPPORTED_MEDIA_TYPE")
      assert.strictEqual(yield* send(JSON.stringify({ rules: [], comment: "x".repeat(262_144) })), "PAYLOAD_TOO_LARGE")
      assert.strictEqual(yield* send("[".repeat(100_000)), "INVALID_REQUEST")
    })
  )

  it.live("may have fields that nobody knows: they are ignored and named", () =>
    Effect.gen(function* () {
      const send = yield* open()
      const rule = { ...only("isbank", { when: { weekday: 1 } }), priority: 3 }
      const { json } = yield* send("PUT", { rules: [rule], comment: "new" })
      assert.deepStrictEqual(json.rules, [only("isbank")])
      assert.sameMembers(
        json.warnings.map(({ path }: { path: string }) => path),
        ["comment", "rules[0].priority", "rules[0].when.weekday"]
      )
    })
  )
})

describe("A simulation", () => {
  const to = `${path}/simulate`
  const payment = { currency: "TRY", amount: 149.9, card_bin: "979203", billing_country: "Türkiye" }

  it.live("says where a payment would go and why, without cost, and changes nothing", () =>
    Effect.gen(function* () {
      const send = yield* open()
      yield* send("PUT", { rules: [{ ...only("stripe"), action: { type: "prefer", providers: ["stripe"] } }] })
      const { json, status } = yield* send("POST", payment, { to, key: "key_test_auditor" })
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(json.order, ["stripe", "isbank"])
      assert.deepInclude(json, { rule: "only stripe", policy_version: 1, payment_id: "txn_01h455vb4pex5vsknk084sn02q" })
      assert.deepStrictEqual(Object.keys(json.reasons).sort(), ["isbank", "stripe"])
      assert.deepStrictEqual(json.providers, [
        { provider: "isbank", health: "closed" },
        { provider: "stripe", health: "closed" }
      ])
      assert.notMatch(JSON.stringify(json), /cost|rate/iu)
      assert.strictEqual((yield* send("GET")).json.version, 1)
    })
  )

  it.live("tries rules that are not saved, with a card's brand, installments and 3D Secure", () =>
    Effect.gen(function* () {
      const send = yield* open()
      const when = { brands: ["troy"], min_amount: 149.9, max_amount: 149.9, min_installment: 3, is_3ds: true }
      const rules = [only("isbank", { when })]
      const tried = (changes: object) =>
        Effect.map(
          send("POST", { ...payment, installment: 3, is_3ds: true, rules, ...changes }, { to }),
          ({ json }) => json
        )
      assert.deepInclude(yield* tried({}), { rule: "only isbank", policy_version: null })
      for (const other of [
        { card_bin: "411111" },
        { card_bin: null, card_brand: "visa" },
        { amount: 149.89 },
        { installment: 2 },
        { is_3ds: false }
      ]) {
        assert.strictEqual((yield* tried(other)).rule, null, JSON.stringify(other))
      }
    })
  )

  it.live("is told its faults", () =>
    Effect.gen(function* () {
      const send = yield* open()
      const paths = (body: object) =>
        Effect.map(send("POST", body, { to }), ({ json }) => json.errors.map(({ path }: { path: string }) => path))
      assert.deepStrictEqual(yield* paths({}), ["currency", "amount", "billing_country"])
      assert.deepStrictEqual(yield* paths({ ...payment, card_bin: undefined }), ["card_brand"])
      assert.deepStrictEqual(yield* paths({ ...payment, card_brand: "troy" }), ["card_bin"])
      for (const [name, wrong] of Object.entries({
        card_bin: "4111111111111111",
        installment: 13,
        payment_id: "txn_1",
        present_fields: ["buyer.shoeSize"],
        amount: -1
      })) {
        assert.match((yield* paths({ ...payment, [name]: wrong })).join(), new RegExp(`^${name}`), name)
      }
    })
  )
})
