import SwaggerParser from "@apidevtools/swagger-parser"
import { assert, describe, it } from "@effect/vitest"
import { toOpenApi31 } from "@sarraf/runtime-http/api/openapi"
import { toOpenApi30 } from "@sarraf/runtime-http/api/openapi30"
import { Effect, Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { SampleApi } from "../support/SampleApi.ts"

/** Fails with the validator's own words. It changes what it is given, so it gets a copy. */
const validate = (document: object) =>
  Effect.promise(() => SwaggerParser.validate(JSON.parse(JSON.stringify(document))))

describe("toOpenApi31", () => {
  const document = toOpenApi31(SampleApi)

  it.effect("gives a valid document", () => validate(document))

  it("names a class as the code does, not after its encoding", () => {
    assert.sameMembers(Object.keys(document.components.schemas), ["Sample", "Money", "NOT_FOUND"])
    assert.notInclude(JSON.stringify(document), "Encoded")
  })

  it("keeps the longer name where the short one is taken", () => {
    class Both extends Schema.Class<Both>("Both")({ a: Schema.String }) {}
    const Plain = Schema.Struct({ b: Both }).annotate({ identifier: "Both" })
    const get = HttpApiEndpoint.get("get", "/both", { success: Plain })
    const both = toOpenApi31(HttpApi.make("both").add(HttpApiGroup.make("group").add(get)))
    assert.hasAllKeys(both.components.schemas, ["Both", "BothEncoded"])
    assert.deepStrictEqual(both.components.schemas.Both?.properties, {
      b: { $ref: "#/components/schemas/BothEncoded" }
    })
  })

  it("promises every member that all problems have, and leaves room for more", () => {
    const problem = document.components.schemas.NOT_FOUND
    assert.includeMembers(Object(problem).required, [
      "type",
      "title",
      "status",
      "detail",
      "instance",
      "code",
      "requestId"
    ])
    assert.strictEqual(Object(problem).additionalProperties, true)
  })

  it("keeps the documentation of headers", () => {
    const names = document.paths["/samples/{id}"]?.get?.parameters.map(({ name }) => name)
    assert.includeMembers(names ?? [], ["x-client-id", "x-request-id"])
  })

  it("names the server, by default the one that gave the document", () => {
    assert.deepStrictEqual(document.servers, [{ url: "/" }])
    const elsewhere = toOpenApi31(SampleApi, { serverUrl: "https://pay.example.com" })
    assert.deepStrictEqual(elsewhere.servers, [{ url: "https://pay.example.com" }])
  })

  it("applies a change that the API itself asks for", () => {
    const changed = SampleApi.annotate(OpenApi.Transform, (spec) => ({ ...spec, "x-changed": true }))
    assert.propertyVal(toOpenApi31(changed), "x-changed", true)
  })
})

describe("toOpenApi30 of a whole document", () => {
  const document = toOpenApi30(toOpenApi31(SampleApi))

  it.effect("gives a valid document", () => validate(document))

  it("says its version and drops what 3.0 does not know of a licence", () => {
    assert.strictEqual(document.openapi, "3.0.3")
    assert.deepStrictEqual(document.info, { title: "Samples", version: "0.0.1", license: { name: "MIT" } })
  })

  it("describes the same operations", () => {
    assert.deepStrictEqual(Object.keys(Object(document.paths)), ["/samples/{id}", "/samples"])
  })

  it("does not take a field's name for a keyword", () => {
    const { properties } = Object(document.components).schemas.Sample
    assert.deepStrictEqual(properties.const, { type: "string" })
    assert.deepStrictEqual(properties.exclusiveMinimum, { type: "number" })
  })
})
