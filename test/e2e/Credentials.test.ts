import { assert, beforeAll, describe, it } from "vitest"
import { faultPaths, problemOf, replayed, transactionOf } from "./support/answers.ts"
import { type Bearer, bearerOf, bodyOf, rowsOf } from "./support/bearer.ts"
import { makeClient } from "./support/Client.ts"
import { signIn } from "./support/members.ts"
import { order } from "./support/orders.ts"
import { useService } from "./support/Service.ts"

/** API keys, gateway clients and assistant tokens, as their organizations manage them. */

const service = useService()
const client = makeClient(service)
const owner = bearerOf(client, "key_test_sandbox")
const other = bearerOf(client, "key_test_other")

interface ApiKey {
  readonly id: string
  readonly key: string
  readonly last4: string | null
  readonly created_by: string | null
  readonly last_used_at: string | null
}
interface GatewayClient {
  readonly id: string
  readonly version: number
  readonly secret: string
  readonly number: number
  readonly secrets: ReadonlyArray<{ readonly number: number; readonly expires_at: string | null }>
}
interface AssistantToken {
  readonly id: string
  readonly token: string
  readonly user_id: string
  readonly expires_at: string
}

const makeKey = async (role: string, fields: object = {}, as: Bearer = owner) =>
  bodyOf<ApiKey>(await as("POST", "/api/api-keys", { name: `a ${role}`, role, ...fields }), 201)
const makeGatewayClient = async (as: Bearer = owner) =>
  bodyOf<GatewayClient>(await as("POST", "/api/payment-clients", { name: "Shop" }), 201)

/** Everybody who may sign in to the sandbox, by role. */
const roles = ["owner", "admin", "approver", "member", "auditor"] as const
const persons = new Map<string, Bearer>()
const person = (role: (typeof roles)[number]) => persons.get(role) ?? assert.fail(role)

beforeAll(async () => {
  for (const role of roles) persons.set(role, bearerOf(client, await signIn(client, `${role}@sandbox.test`)))
})

describe("An API key", () => {
  it("is shown once, has the role that it was made with, and is listed by its last four characters", async () => {
    const made = await owner(
      "POST",
      "/api/api-keys",
      { name: "Bookkeeping", role: "AUDITOR" },
      { "idempotency-key": "key-1" }
    )
    const { id, key, last4 } = bodyOf<ApiKey>(made, 201)
    assert.match(key, /^key_test_[\w-]{43}$/u)
    assert.match(id, /^key_[0-7][0-9a-hjkmnp-tv-z]{25}$/u)
    assert.strictEqual(made.headers.get("location"), `/api/api-keys/${id}`)
    assert.strictEqual(last4, key.slice(-4))
    const again = await owner(
      "POST",
      "/api/api-keys",
      { name: "Bookkeeping", role: "AUDITOR" },
      { "idempotency-key": "key-1" }
    )
    assert.isTrue(replayed(again))
    assert.strictEqual(bodyOf<ApiKey>(again, 201).id, id)
    const shown = await owner("GET", `/api/api-keys/${id}`)
    assert.strictEqual(shown.headers.get("etag"), '"1"')
    for (const answer of [again, shown, await owner("GET", "/api/api-keys"), await owner("GET", "/api/audit")]) {
      assert.notInclude(answer.text, key)
    }
    assert.notInclude(service().output, key)
    const auditor = bearerOf(client, key)
    bodyOf(await auditor("GET", "/api/audit"))
    problemOf(await auditor("POST", "/api/api-keys", { name: "x", role: "OWNER" }), 403, "FORBIDDEN")
  })

  it("is refused from the moment that it is revoked", async () => {
    const { id, key } = await makeKey("ADMIN")
    const revoked = bearerOf(client, key)
    bodyOf(await revoked("GET", "/api/organization"))
    problemOf(await owner("DELETE", `/api/api-keys/${id}`, undefined, { "if-match": '"7"' }), 412, "VERSION_CONFLICT")
    bodyOf(await revoked("GET", "/api/organization"))
    assert.strictEqual((await owner("DELETE", `/api/api-keys/${id}`, undefined, { "if-match": '"1"' })).status, 204)
    problemOf(await revoked("GET", "/api/organization"), 401, "UNAUTHENTICATED")
    problemOf(await owner("GET", `/api/api-keys/${id}`), 404, "NOT_FOUND")
    problemOf(await owner("DELETE", `/api/api-keys/${id}`), 404, "NOT_FOUND")
    assert.isFalse(rowsOf<ApiKey>(await owner("GET", "/api/api-keys?limit=100")).some((row) => row.id === id))
  })

  it("ends when its time is over", async () => {
    const expiresAt = new Date(Date.now() + 1_500).toISOString()
    const { key } = await makeKey("MEMBER", { expires_at: expiresAt })
    const brief = bearerOf(client, key)
    bodyOf(await brief("GET", "/api/organization"))
    const deadline = Date.now() + 10_000
    while ((await brief("GET", "/api/organization")).status === 200) assert.isBelow(Date.now(), deadline)
    problemOf(await brief("GET", "/api/organization"), 401, "UNAUTHENTICATED")
  })

  it("tells when it was used last", async () => {
    const { id, key, last_used_at } = await makeKey("MEMBER")
    assert.isNull(last_used_at)
    bodyOf(await bearerOf(client, key)("GET", "/api/organization"))
    const deadline = Date.now() + 5_000
    const lastUse = async () => bodyOf<ApiKey>(await owner("GET", `/api/api-keys/${id}`)).last_used_at
    let noted = await lastUse()
    while (noted === null && Date.now() < deadline) noted = await lastUse()
    assert.isAtLeast(Date.parse(noted ?? ""), Date.now() - 60_000)
  })

  it("keeps the person who made it, also when a key of theirs makes another", async () => {
    const { user_id } = bodyOf<AssistantToken>(
      await person("owner")("POST", "/api/assistant-tokens", { name: "who am I" }),
      201
    )
    const first = await makeKey("OWNER", {}, person("owner"))
    assert.strictEqual(first.created_by, user_id)
    assert.strictEqual((await makeKey("ADMIN", {}, bearerOf(client, first.key))).created_by, user_id)
    assert.isNull((await makeKey("ADMIN")).created_by)
  })

  it("is refused with all its faults at once", async () => {
    const answer = await owner("POST", "/api/api-keys", { name: " ", role: "KING", expires_at: "soon" })
    assert.deepStrictEqual(faultPaths(answer), ["expires_at", "name", "role"])
    const over = await owner("POST", "/api/api-keys", { name: "a", role: "MEMBER", expires_at: "2020-01-01" })
    assert.deepStrictEqual(faultPaths(over), ["expires_at"])
  })
})

describe("A gateway client", () => {
  const pay = (clientId: string, secret: string) =>
    makeClient(service, { clientId, secret }).authorize(order({ currency: "TRY" }))

  it("pays with the secret that was shown once", async () => {
    const answer = await owner("POST", "/api/payment-clients", undefined, { "idempotency-key": "client-1" })
    const { id, secret, secrets } = bodyOf<GatewayClient>(answer, 201)
    assert.match(id, /^client_[0-7][0-9a-hjkmnp-tv-z]{25}$/u)
    assert.deepStrictEqual(
      secrets.map(({ expires_at, number }) => [number, expires_at]),
      [[1, null]]
    )
    transactionOf(await pay(id, secret))
    problemOf(await pay(id, `${secret}x`), 401, "INVALID_SIGNATURE")
    const again = await owner("POST", "/api/payment-clients", undefined, { "idempotency-key": "client-1" })
    assert.isTrue(replayed(again))
    for (const shown of [again, await owner("GET", `/api/payment-clients/${id}`), await owner("GET", "/api/audit")]) {
      assert.notInclude(shown.text, secret)
    }
    assert.notInclude(service().output, secret)
  })

  it("has two valid secrets while one takes the other's place, and never three", async () => {
    const { id, secret: first } = await makeGatewayClient()
    const rotate = async (body?: object) =>
      bodyOf<GatewayClient>(await owner("POST", `/api/payment-clients/${id}/rotate-secret`, body))
    const { secret: second, secrets } = await rotate()
    assert.deepStrictEqual(
      secrets.map(({ number }) => number),
      [2, 1]
    )
    const kept = Date.parse(secrets[1]?.expires_at ?? "") - Date.now()
    assert.isTrue(kept > 23.9 * 3_600_000 && kept <= 24 * 3_600_000, `${kept} ms`)
    for (const secret of [first, second]) transactionOf(await pay(id, secret))
    const third = await rotate({ keep_hours: 168 })
    assert.deepStrictEqual(
      third.secrets.map(({ number }) => number),
      [3, 2]
    )
    problemOf(await pay(id, first), 401, "INVALID_SIGNATURE")
    for (const secret of [second, third.secret]) transactionOf(await pay(id, secret))
    const fourth = await rotate({ keep_hours: 0 })
    assert.deepStrictEqual(
      fourth.secrets.map(({ number }) => number),
      [4]
    )
    for (const secret of [second, third.secret]) problemOf(await pay(id, secret), 401, "INVALID_SIGNATURE")
    transactionOf(await pay(id, fourth.secret))
    assert.deepStrictEqual(
      faultPaths(await owner("POST", `/api/payment-clients/${id}/rotate-secret`, { keep_hours: 169 })),
      ["keep_hours"]
    )
  })

  it("loses one secret at once, or all of them and itself; what it was paid stays", async () => {
    const { id, secret } = await makeGatewayClient()
    const path = `/api/payment-clients/${id}`
    const rotated = bodyOf<GatewayClient>(await owner("POST", `${path}/rotate-secret`))
    assert.strictEqual(rotated.version, 2)
    const { transactionId } = transactionOf(await pay(id, secret))
    problemOf(await owner("DELETE", `${path}/secrets/9`), 404, "NOT_FOUND")
    problemOf(await owner("DELETE", `${path}/secrets/1`, undefined, { "if-match": '"1"' }), 412, "VERSION_CONFLICT")
    assert.strictEqual((await owner("DELETE", `${path}/secrets/1`)).status, 204)
    problemOf(await pay(id, secret), 401, "INVALID_SIGNATURE")
    const mine = makeClient(service, { clientId: id, secret: rotated.secret })
    assert.strictEqual(transactionOf(await mine.find(transactionId)).transactionId, transactionId)
    assert.strictEqual((await owner("DELETE", path)).status, 204)
    problemOf(await mine.find(transactionId), 401, "INVALID_SIGNATURE")
    problemOf(await owner("GET", path), 404, "NOT_FOUND")
    problemOf(await owner("POST", `${path}/rotate-secret`), 404, "NOT_FOUND")
  })

  it("signs with version 2 alone from the moment that its organization asks for it", async () => {
    const { id, secret } = await makeGatewayClient(other)
    const shop = makeClient(service, { clientId: id, secret })
    transactionOf(await shop.authorize(order()))
    bodyOf(await other("PATCH", "/api/organization", { strict_signatures: true }))
    problemOf(await shop.authorize(order()), 401, "INVALID_SIGNATURE")
    transactionOf(await shop.authorize(order(), { version2: true }))
    bodyOf(await other("PATCH", "/api/organization", { strict_signatures: false }))
    transactionOf(await shop.authorize(order()))
  })
})

describe("An assistant token", () => {
  it("is of the person who asks, is shown once, and opens nothing of /api", async () => {
    for (const role of roles) {
      const answer = await person(role)(
        "POST",
        "/api/assistant-tokens",
        { name: "Assistant" },
        { "idempotency-key": "t-1" }
      )
      const { expires_at, id, token } = bodyOf<AssistantToken>(answer, 201)
      assert.match(token, /^mcp_[\w-]{43}$/u)
      const days = (Date.parse(expires_at) - Date.now()) / 86_400_000
      assert.isTrue(days > 89.9 && days <= 90, `${days} days`)
      const list = await person(role)("GET", "/api/assistant-tokens")
      assert.isTrue(rowsOf<AssistantToken>(list).some((row) => row.id === id))
      for (const shown of [list, await owner("GET", "/api/audit")]) assert.notInclude(shown.text, token)
      problemOf(await bearerOf(client, token)("GET", "/api/organization"), 403, "FORBIDDEN")
    }
  })

  it("is seen and revoked by its person and by an OWNER, and by nobody else", async () => {
    const { id } = bodyOf<AssistantToken>(
      await person("member")("POST", "/api/assistant-tokens", { name: "Mine" }),
      201
    )
    const sees = async (as: Bearer) =>
      rowsOf<AssistantToken>(await as("GET", "/api/assistant-tokens?limit=100")).some((row) => row.id === id)
    assert.deepStrictEqual(
      await Promise.all(roles.map((role) => sees(person(role)))),
      roles.map((role) => role === "owner" || role === "member")
    )
    assert.isFalse(await sees(other))
    for (const as of [person("admin"), person("approver"), person("auditor"), other]) {
      problemOf(await as("DELETE", `/api/assistant-tokens/${id}`), 404, "NOT_FOUND")
    }
    assert.strictEqual((await person("owner")("DELETE", `/api/assistant-tokens/${id}`)).status, 204)
    problemOf(await person("member")("DELETE", `/api/assistant-tokens/${id}`), 404, "NOT_FOUND")
  })

  it("is made by no API key, which no person stands behind, and lives a year at most", async () => {
    const { detail } = problemOf(await owner("POST", "/api/assistant-tokens", { name: "a" }), 403, "FORBIDDEN")
    assert.include(detail, "belongs to a person")
    const { key } = await makeKey("MEMBER")
    problemOf(await bearerOf(client, key)("GET", "/api/assistant-tokens"), 403, "FORBIDDEN")
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
    for (const expires_at of [inDays(366), inDays(-1)]) {
      const answer = await person("member")("POST", "/api/assistant-tokens", { name: "a", expires_at })
      assert.deepStrictEqual(faultPaths(answer), ["expires_at"])
    }
    bodyOf(await person("member")("POST", "/api/assistant-tokens", { name: "a", expires_at: inDays(364) }), 201)
  })
})

describe("Who manages credentials", () => {
  const lists = ["/api/api-keys", "/api/payment-clients"]

  it("is an OWNER; an AUDITOR reads them; nobody else does either", async () => {
    const { id: keyId } = await makeKey("MEMBER")
    const { id: clientId } = await makeGatewayClient()
    for (const role of roles) {
      const as = person(role)
      for (const path of [...lists, `/api/api-keys/${keyId}`, `/api/payment-clients/${clientId}`]) {
        const reads = await as("GET", path)
        if (role === "owner" || role === "auditor") bodyOf(reads)
        else problemOf(reads, 403, "FORBIDDEN")
      }
      if (role === "owner") continue
      for (const [method, path, body] of [
        ["POST", "/api/api-keys", { name: "a", role: "MEMBER" }],
        ["DELETE", `/api/api-keys/${keyId}`, undefined],
        ["POST", "/api/payment-clients", {}],
        ["POST", `/api/payment-clients/${clientId}/rotate-secret`, {}],
        ["DELETE", `/api/payment-clients/${clientId}/secrets/1`, undefined],
        ["DELETE", `/api/payment-clients/${clientId}`, undefined]
      ] as const) {
        problemOf(await as(method, path, body), 403, "FORBIDDEN")
      }
    }
    bodyOf(await owner("GET", `/api/api-keys/${keyId}`))
    bodyOf(await owner("GET", `/api/payment-clients/${clientId}`))
  })

  it("sees and touches nothing of another organization", async () => {
    const { id: keyId } = await makeKey("MEMBER")
    const { id: clientId, secret } = await makeGatewayClient()
    for (const path of lists) {
      const rows = rowsOf<{ readonly id: string }>(await other("GET", `${path}?limit=100`))
      assert.isFalse(rows.some(({ id }) => id === keyId || id === clientId))
    }
    for (const [method, path] of [
      ["GET", `/api/api-keys/${keyId}`],
      ["DELETE", `/api/api-keys/${keyId}`],
      ["GET", `/api/payment-clients/${clientId}`],
      ["POST", `/api/payment-clients/${clientId}/rotate-secret`],
      ["DELETE", `/api/payment-clients/${clientId}/secrets/1`],
      ["DELETE", `/api/payment-clients/${clientId}`]
    ] as const) {
      problemOf(await other(method, path), 404, "NOT_FOUND")
    }
    transactionOf(await makeClient(service, { clientId, secret }).authorize(order()))
  })

  it("reads long lists page by page, each row once", async () => {
    const made: Array<string> = []
    for (let count = 0; count < 5; count++) made.push((await makeKey("MEMBER")).id)
    const seen: Array<string> = []
    let cursor: string | null = ""
    while (cursor !== null) {
      const query: string = cursor === "" ? "?limit=2" : `?limit=2&cursor=${cursor}`
      const page = bodyOf<{ readonly data: ReadonlyArray<ApiKey>; readonly next_cursor: string | null }>(
        await owner("GET", `/api/api-keys${query}`)
      )
      seen.push(...page.data.map(({ id }) => id))
      cursor = page.next_cursor
    }
    assert.strictEqual(new Set(seen).size, seen.length)
    assert.isTrue(made.every((id) => seen.includes(id)))
  })
})
