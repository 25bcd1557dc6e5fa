import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { eventCatalogue, examplePayload } from "@sarraf/domain/events/EventCatalogue"
import { type EventType, eventTypes } from "@sarraf/domain/events/EventLog"
import * as Documentation from "@sarraf/runtime-http/http/Documentation"
import * as Responses from "@sarraf/runtime-http/http/Responses"
import { schemaMembers } from "@sarraf/runtime-http/http/schemaMembers"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect, Layer } from "effect"
import { SampleApi } from "../support/SampleApi.ts"
import { serving } from "../support/serving.ts"

const start = serving(
  Layer.mergeAll(Responses.layer(SampleApi, { alsoServed: Documentation.routes }), Documentation.layer(SampleApi))
).pipe(Effect.provide(NodeHttpServer.layerHttpServices))

/** An independent reading of the published schema: formats are checked too, as far as the events have them. */
const validatorOf = (text: string) => {
  const ajv = new Ajv2020({ strict: true, allErrors: true })
  ajv.addFormat("date-time", (value: string) => !Number.isNaN(Date.parse(value)) && value.includes("T"))
  ajv.addFormat("date", (value: string) => !Number.isNaN(Date.parse(value)) && value.length === 10)
  return ajv.compile(JSON.parse(text))
}

const asJson = (value: unknown) => JSON.parse(JSON.stringify(value))

/** Each member of the object left out, one after the other. */
const objectsShortOfOne = (object: Readonly<Record<string, unknown>>) =>
  Object.keys(object).map((name) => Object.fromEntries(Object.entries(object).filter(([key]) => key !== name)))

describe.each(eventTypes)("/docs/events/%s.json", (type: EventType) => {
  it.live("is a JSON Schema of 2020-12 that the example fits, and nothing that is short of a member", () =>
    Effect.gen(function* () {
      const send = yield* start
      const answer = yield* send("GET", `/docs/events/${type}.json`)
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.headers["content-type"], "application/schema+json; charset=utf-8")
      const schema = JSON.parse(answer.text)
      assert.strictEqual(schema.$schema, "https://json-schema.org/draft/2020-12/schema")
      assert.strictEqual(schema.$id, `/docs/events/${type}.json`)
      const isValid = validatorOf(answer.text)
      const payload = asJson(examplePayload(type))
      assert.isTrue(isValid(payload), JSON.stringify(isValid.errors))
      for (const object of objectsShortOfOne(payload.data.object)) {
        assert.isFalse(isValid({ ...payload, data: { ...payload.data, object } }))
      }
      for (const other of [
        ...objectsShortOfOne(payload),
        { ...payload, type: "card.melted" },
        { ...payload, sequence: 0 },
        { ...payload, created_at: "yesterday" },
        { ...payload, api_version: "2020-01-01" }
      ]) {
        assert.isFalse(isValid(other), JSON.stringify(other).slice(0, 200))
      }
      // What is added later does not break who validates by today's schema.
      const more = { ...payload, data: { ...payload.data, object: { ...payload.data.object, added: 1 } }, added: 1 }
      assert.isTrue(isValid(more))
    })
  )
})

describe("/docs/events", () => {
  it.live("shows every event with its example and its schema, the envelope, and the headers", () =>
    Effect.gen(function* () {
      const send = yield* start
      const page = yield* send("GET", "/docs/events")
      assert.strictEqual(page.status, 200)
      assert.strictEqual(page.headers["content-type"], "text/html; charset=utf-8")
      assert.match(String(page.headers["content-security-policy"]), /^default-src 'none'; style-src 'sha256-/u)
      for (const type of eventTypes) {
        assert.include(page.text, `<section id="${type}">`)
        assert.include(page.text, `href="#${type}"`)
        assert.include(page.text, eventCatalogue[type].happens)
        assert.include(page.text, `href="/docs/events/${type}.json"`)
        assert.include(page.text, `&quot;id&quot;: &quot;${eventCatalogue[type].example.object.id}&quot;`)
      }
      for (const name of ["api_version", "sequence", "data.previous"]) {
        assert.include(page.text, `<td><code>${name}</code></td>`)
      }
      for (const name of ["limits.per_day", "steps[].decisions[].by_name", "lines[].unit_price", "exchange_rate"]) {
        assert.include(page.text, `<td><code>${name}</code></td>`)
      }
      for (const name of ["x-service-signature", "webhook-id", "webhook-timestamp", "webhook-signature"]) {
        assert.include(page.text, `<td><code>${name}</code></td>`)
      }
      assert.notMatch(page.text, /undefined|\[object/u)
    })
  )

  it.live("links to nothing that is not there", () =>
    Effect.gen(function* () {
      const send = yield* start
      const page = yield* send("GET", "/docs/events")
      const links = [...page.text.matchAll(/href="([^"]+)"/gu)].map(([, link = ""]) => link)
      assert.isAbove(links.length, eventTypes.length * 2)
      for (const link of links) {
        if (link.startsWith("#")) assert.include(page.text, `id="${link.slice(1)}"`)
        else assert.strictEqual((yield* send("GET", link)).status, 200, link)
      }
    })
  )

  it.live("has nothing below it but the schemas", () =>
    Effect.gen(function* () {
      const send = yield* start
      for (const file of ["card.melted.json", "card.frozen", "constructor", "__proto__"]) {
        const answer = yield* send("GET", `/docs/events/${file}`)
        assert.strictEqual(answer.status, 404, file)
        assert.strictEqual(JSON.parse(answer.text).code, "NOT_FOUND")
      }
      assert.strictEqual((yield* send("POST", "/docs/events/card.frozen.json")).status, 405)
    })
  )
})

describe("The members of a schema", () => {
  it("are named with their place, their type in words, and whether they must be there", () => {
    const schema = {
      type: "object",
      properties: {
        limits: {
          type: "object",
          properties: { total: { anyOf: [{ type: "number", description: "Major units" }, { type: "null" }] } },
          required: ["total"]
        },
        lines: {
          type: "array",
          items: { type: "object", properties: { at: { type: "string", format: "date-time" } } },
          description: "All"
        },
        status: { type: "string", enum: ["A", "B"] },
        anything: {}
      },
      required: ["limits", "status"]
    }
    assert.deepStrictEqual(schemaMembers(schema), [
      { name: "limits", type: "object", isRequired: true, description: "" },
      { name: "limits.total", type: "number or null", isRequired: true, description: "Major units" },
      { name: "lines", type: "array of object", isRequired: false, description: "All" },
      { name: "lines[].at", type: "time", isRequired: false, description: "" },
      { name: "status", type: "A, B", isRequired: true, description: "" },
      { name: "anything", type: "any", isRequired: false, description: "" }
    ])
  })
})
