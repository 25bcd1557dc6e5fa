import SwaggerParser from "@apidevtools/swagger-parser"
import { assert, beforeAll, describe, it } from "vitest"
import { authorized } from "./support/answers.ts"
import { authorizePath, makeClient, sandbox } from "./support/Client.ts"
import { cards, order } from "./support/orders.ts"
import { useService } from "./support/Service.ts"

/** What the service serves without a signature. */

const service = useService()
const client = makeClient(service)

type Description = Parameters<typeof SwaggerParser.validate>[0] & {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}
const description = async (path: string) => {
  const answer = await client.visit(path)
  assert.strictEqual(answer.status, 200, answer.text)
  assert.include(answer.headers.get("content-type"), "json")
  return answer.json as Description
}

describe("Health", () => {
  for (const path of ["/healthz", "/readyz"]) {
    it(`is told at ${path}, to anybody`, async () => {
      assert.strictEqual((await client.visit(path)).status, 200)
    })
  }
})

describe("The metrics", () => {
  let metrics = ""
  beforeAll(async () => {
    await authorized(client, { merchantReference: "seen-in-no-metric" })
    await client.authorize(order({ cardNumber: cards.declined }))
    await client.find("abc")
    const answer = await client.visit("/metrics")
    assert.strictEqual(answer.status, 200)
    assert.include(answer.headers.get("content-type"), "text/plain")
    metrics = answer.text
  })

  it("are lines that Prometheus reads", () => {
    const labels = String.raw`(\{([a-zA-Z_]\w*="([^"\\\n]|\\.)*",?)*\})?`
    const sample = new RegExp(String.raw`^[a-zA-Z_:][\w:]*${labels} (NaN|[+-]Inf|[-+.eE\d]+)( \d+)?$`)
    const lines = metrics.split("\n").filter((line) => line !== "" && !line.startsWith("#"))
    assert.isNotEmpty(lines)
    for (const line of lines) assert.match(line, sample)
    assert.match(metrics, /^# TYPE \S+ (counter|gauge|histogram|summary)$/m)
  })

  it("count requests by their route, not by their address", () => {
    assert.notMatch(metrics, /txn_[0-9a-z]{26}/)
    assert.notInclude(metrics, "payments/abc")
  })

  it("name no organization, client, card or reference", () => {
    const never = [
      /org_[0-9a-z]{26}/,
      /organi[sz]ation/i,
      /sandbox_/,
      /411111/,
      /4000000000000002/,
      /seen-in-no-metric/
    ]
    for (const pattern of never) assert.notMatch(metrics, pattern)
  })
})

const gateway = [
  ["post", "/pf/v1/payments/authorize"],
  ["get", "/pf/v1/payments"],
  ["get", "/pf/v1/payments/{id}"],
  ["post", "/pf/v1/payments/{id}/capture"],
  ["post", "/pf/v1/payments/{id}/refund"],
  ["post", "/pf/v1/payments/{id}/void"],
  ["get", "/pf/v1/capabilities"]
] as const

for (const [path, version] of [
  ["/openapi.json", /^3\.0\.\d+$/],
  ["/openapi-3.1.json", /^3\.1\.\d+$/]
] as const) {
  describe(`The description at ${path}`, () => {
    it("is valid and of its version", async () => {
      const found = await description(path)
      assert.match(found.openapi, version)
      await SwaggerParser.validate(structuredClone(found), { resolve: { external: false } })
    })

    it("has every operation of the gateway", async () => {
      const { paths } = await description(path)
      for (const [method, route] of gateway) {
        const same = Object.keys(paths).find((known) => known.replace(/\{\w+\}/g, "{id}") === route)
        assert.isDefined(paths[same ?? ""]?.[method], `${method} ${route}`)
      }
    })

    it("lists only what works", async () => {
      const { paths } = await description(path)
      const listed = Object.entries(paths).flatMap(([route, methods]) =>
        ["get", "post", "put", "patch", "delete"]
          .filter((method) => method in methods)
          .map((method) => [method, route] as const)
      )
      for (const [method, route] of listed) {
        const address = route.replace(/\{\w+\}/g, "txn_01h455vb4pex5vsknk084sn02q")
        const request = client.sign(method.toUpperCase(), address, method === "post" ? {} : undefined)
        const { json, status, text } = await client.send(request)
        assert.notInclude([405, 500, 501], status, `${method} ${route}: ${text}`)
        // A route that is not there says so of the address; one that is says it of the payment.
        const { detail = "" } = (json ?? {}) as { readonly detail?: string }
        if (status === 404) assert.match(detail, /payment/i, `${method} ${route}`)
      }
    })
  })
}

describe("The description", () => {
  it("knows the fields of the specification by their names and types", async () => {
    const found = (await SwaggerParser.dereference(await description("/openapi.json"))) as unknown as {
      paths: Record<string, { post: { requestBody: { content: Record<string, { schema: Schema }> } } }>
    }
    interface Schema {
      readonly type?: string
      readonly required?: ReadonlyArray<string>
      readonly properties?: Readonly<Record<string, Schema>>
      readonly enum?: ReadonlyArray<string>
    }
    const schema = found.paths[authorizePath]?.post.requestBody.content["application/json"]?.schema
    const required = [
      "amount",
      "currency",
      "merchantReference",
      "cardNumber",
      "cardExpMonth",
      "cardExpYear",
      "cardCvc",
      "buyer",
      "billingAddress"
    ]
    assert.includeMembers([...(schema?.required ?? [])], required)
    for (const name of ["is3DS", "returnUrl", "installment"]) {
      assert.property(schema?.properties, name)
      assert.notInclude(schema?.required ?? [], name)
    }
    assert.strictEqual(schema?.properties?.amount?.type, "number")
    assert.sameMembers([...(schema?.properties?.currency?.enum ?? [])], ["USD", "EUR", "TRY", "AED", "GBP"])
    assert.sameMembers([...(schema?.properties?.buyer?.required ?? [])], ["firstName", "lastName", "email"])
  })
})

describe("The documentation", () => {
  it("is a page at /docs that needs nobody else's server", async () => {
    const page = await client.visit("/docs")
    assert.strictEqual(page.status, 200)
    assert.include(page.headers.get("content-type"), "text/html")
    assert.notMatch(page.text, /<(script|link|img|iframe)[^>]+(src|href)=["']?(https?:)?\/\//i)
    assert.notInclude(page.text, sandbox.secret.repeat(2))
  })
})
