import { assert, beforeAll, describe, it } from "vitest"
import { authorized, faultPaths, problemOf, transactionOf } from "./support/answers.ts"
import { makeClient, otherSandbox } from "./support/Client.ts"
import { order } from "./support/orders.ts"
import { useService } from "./support/Service.ts"

/** An organization's routing policy, and what it does to its payments. Both sandbox organizations have a key. */

const service = useService()
const client = makeClient(service)
const other = makeClient(service, otherSandbox)
const path = "/api/routing-policy"

interface Policy {
  readonly version: number
  readonly rules: ReadonlyArray<object>
  readonly changed_at: string | null
  readonly changed_by: string | null
}
interface Simulated {
  readonly order: ReadonlyArray<string>
  readonly rule: string | null
  readonly policy_version: number | null
  readonly reasons: Readonly<Record<string, string>>
}
interface Routing {
  readonly order: ReadonlyArray<string>
  readonly rule: string | null
  readonly policyVersion: number
  readonly reasons: Readonly<Record<string, string>>
}

const send = (
  method: string,
  to = path,
  body?: unknown,
  { headers = {}, key = "key_test_sandbox" }: { headers?: Readonly<Record<string, string>>; key?: string } = {}
) =>
  client.send({
    method,
    path: to,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: body === undefined ? undefined : new TextEncoder().encode(JSON.stringify(body))
  })

const present = async (key?: string) =>
  (await send("GET", path, undefined, key === undefined ? {} : { key })).json as Policy

const change = async (rules: ReadonlyArray<object>) => {
  const answer = await send("PUT", path, { rules })
  assert.strictEqual(answer.status, 200, answer.text)
  return answer.json as Policy
}

const rule = (type: string, provider: string, when: object = {}) => ({
  name: `${type} ${provider}`,
  when,
  action: { type, providers: [provider] }
})

const routingOf = async (transactionId: string) => {
  const { metadata } = transactionOf(await client.find(transactionId))
  return metadata?.routing as Routing
}

describe("Before there is a policy", () => {
  it("its version is 0 and it has no rules", async () => {
    const none = { version: 0, rules: [], changed_at: null, changed_by: null }
    assert.deepStrictEqual(await present("key_test_other"), none)
  })

  it("nobody reads it without a key, with an unknown one, or with an assistant's token", async () => {
    problemOf(await client.visit(path), 401, "UNAUTHENTICATED")
    problemOf(await send("GET", path, undefined, { key: "key_test_nobody" }), 401, "UNAUTHENTICATED")
    problemOf(await send("GET", path, undefined, { key: "key_live_sandbox" }), 401, "UNAUTHENTICATED")
    problemOf(await send("GET", path, undefined, { key: "mcp_sandbox" }), 403, "FORBIDDEN")
    problemOf(await send("PUT", path, { rules: [] }, { key: "mcp_sandbox" }), 403, "FORBIDDEN")
  })
})

describe("A policy", () => {
  it("decides where the next payment goes, and is named in its routing", async () => {
    for (const provider of ["stripe", "isbank"]) {
      const { version } = await change([rule("only", provider, { currencies: ["EUR"] })])
      const payment = await authorized(client, { currency: "EUR" })
      assert.strictEqual(payment.provider, provider)
      const routing = await routingOf(payment.transactionId)
      assert.deepInclude(routing, { order: [provider], rule: `only ${provider}`, policyVersion: version })
      assert.deepStrictEqual(Object.keys(routing).sort(), ["order", "policyVersion", "reasons", "rule"])
      assert.isNull((await routingOf((await authorized(client, { currency: "TRY" })).transactionId)).rule)
    }
  })

  it("belongs to its organization", async () => {
    const { version } = await change([rule("only", "stripe")])
    assert.isAbove(version, 0)
    assert.strictEqual((await present("key_test_other")).version, 0)
    assert.strictEqual((await authorized(other, { currency: "TRY" })).provider, "isbank")
  })

  it("that leaves nobody is told to the payment, and nothing is begun", async () => {
    const everybody = (await client.request("GET", "/pf/v1/capabilities")).json as {
      readonly providers: ReadonlyArray<{ readonly provider: string }>
    }
    const providers = everybody.providers.map(({ provider }) => provider)
    await change([{ name: "nobody", when: { currencies: ["GBP"] }, action: { type: "exclude", providers } }])
    const body = order({ currency: "GBP" })
    const { detail } = problemOf(await client.authorize(body), 502, "PROVIDER_ERROR")
    assert.include(detail, 'left out by the rule "nobody"')
    await change([])
    assert.strictEqual((await client.authorize(body)).status, 200)
  })

  it("keeps who changed it, and its version as ETag", async () => {
    const saved = await change([])
    assert.strictEqual(saved.changed_by, "key:sandbox")
    const answer = await send("GET")
    assert.strictEqual(answer.headers.get("etag"), `"${saved.version}"`)
    assert.deepStrictEqual(answer.json, saved)
  })

  it("is changed by one of two who read the same version", async () => {
    const { version } = await present()
    const both = await Promise.all(
      ["stripe", "isbank"].map((name) => send("PUT", path, { version, rules: [rule("only", name)] }))
    )
    assert.deepStrictEqual(both.map(({ status }) => status).sort(), [200, 412])
    problemOf(
      await send("PUT", path, { rules: [] }, { headers: { "if-match": `"${version}"` } }),
      412,
      "VERSION_CONFLICT"
    )
    assert.strictEqual((await present()).version, version + 1)
  })

  it("is refused with all its faults at once", async () => {
    const before = await present()
    const rules = [rule("only", "nobody", { currencies: ["JPY"] }), { name: "b", action: { type: "avoid" } }]
    assert.deepStrictEqual(faultPaths(await send("PUT", path, { rules })), [
      "rules[0].action.providers[0]",
      "rules[0].when.currencies[0]",
      "rules[1].action"
    ])
    assert.deepStrictEqual(await present(), before)
  })
})

describe("A simulation", () => {
  const simulated = async (body: object) => {
    const answer = await send("POST", `${path}/simulate`, body)
    assert.strictEqual(answer.status, 200, answer.text)
    return answer.json as Simulated
  }
  const payment = { currency: "USD", amount: 149.9, card_bin: "411111", billing_country: "TR" }
  const split = { name: "split", when: {}, action: { type: "split", weights: { stripe: 1, isbank: 1 } } }

  beforeAll(() => change([split]))

  it("goes where the payments went: a split by their identifiers too", async () => {
    const seen = new Set<string>()
    for (let count = 0; count < 12; count++) {
      const { transactionId } = await authorized(client)
      const routing = await routingOf(transactionId)
      const again = await simulated({ ...payment, payment_id: transactionId, present_fields: [] })
      assert.deepStrictEqual(
        [again.order, again.rule, again.policy_version, again.reasons],
        [routing.order, routing.rule, routing.policyVersion, routing.reasons]
      )
      seen.add(String(routing.order[0]))
    }
    assert.strictEqual(seen.size, 2)
  })

  it("tries rules that are not saved, and makes no payment", async () => {
    const before = await present()
    const tried = await simulated({ ...payment, rules: [rule("only", "stripe")] })
    assert.deepInclude(tried, { order: ["stripe"], rule: "only stripe", policy_version: null })
    assert.notMatch(JSON.stringify(tried), /cost/iu)
    assert.deepStrictEqual(await present(), before)
  })
})

describe("The documents", () => {
  for (const document of ["/openapi.json", "/openapi-3.1.json"]) {
    it(`describe it and its key at ${document}`, async () => {
      const { text } = await client.visit(document)
      for (const word of [`"${path}"`, `"${path}/simulate"`, '"bearer"', '"VERSION_CONFLICT"'])
        assert.include(text, word)
    })
  }
})
