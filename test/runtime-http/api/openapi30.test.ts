import { assert, describe, it } from "@effect/vitest"
import { toOpenApi30 } from "@sarraf/runtime-http/api/openapi30"

/** The 3.0 form of one 3.1 schema. */
const converted = (schema: unknown) =>
  Object(toOpenApi30({ openapi: "3.1.0", info: {}, paths: {}, components: { schemas: { It: schema } } }).components)
    .schemas.It

const cases: ReadonlyArray<readonly [name: string, schema: unknown, expected: unknown]> = [
  ["null beside one type", { anyOf: [{ type: "string" }, { type: "null" }] }, { type: "string", nullable: true }],
  [
    "null beside listed values",
    { anyOf: [{ type: "string", enum: ["a"] }, { type: "null" }], description: "d" },
    { type: "string", enum: ["a", null], nullable: true, description: "d" }
  ],
  [
    "null beside a reference",
    { oneOf: [{ $ref: "#/components/schemas/A" }, { const: null }] },
    { allOf: [{ $ref: "#/components/schemas/A" }], nullable: true }
  ],
  [
    "null beside several forms",
    { anyOf: [{ type: "string" }, { type: "number" }, { type: "null" }] },
    { anyOf: [{ type: "string" }, { type: "number" }], nullable: true }
  ],
  ["null in a list of types", { type: ["integer", "null"] }, { type: "integer", nullable: true }],
  ["several types", { type: ["string", "number"] }, { anyOf: [{ type: "string" }, { type: "number" }] }],
  ["null alone", { type: "null" }, { enum: [null], nullable: true }],
  ["a union without null", { anyOf: [{ const: 1 }, { const: 2 }] }, { anyOf: [{ enum: [1] }, { enum: [2] }] }],
  [
    "exclusive bounds",
    { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 9 },
    { type: "number", minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: true }
  ],
  [
    "an exclusive bound looser than the inclusive one",
    { type: "number", minimum: 5, exclusiveMinimum: 0, maximum: 9, exclusiveMaximum: 5 },
    { type: "number", minimum: 5, maximum: 5, exclusiveMaximum: true }
  ],
  [
    "a tuple",
    {
      type: "array",
      prefixItems: [{ type: "string" }, { type: "number" }, { type: "string" }],
      items: false,
      minItems: 3
    },
    { type: "array", items: { anyOf: [{ type: "string" }, { type: "number" }] }, minItems: 3, maxItems: 3 }
  ],
  [
    "a tuple with further elements of the same form",
    { type: "array", prefixItems: [{ type: "string" }], items: { type: "string" } },
    { type: "array", items: { type: "string" } }
  ],
  ["a list of anything", { type: "array" }, { type: "array", items: {} }],
  ["a single value", { const: "a", type: "string" }, { type: "string", enum: ["a"] }],
  ["examples", { type: "string", examples: ["a", "b"] }, { type: "string", example: "a" }],
  ["an example that is there already", { example: "x", examples: ["a"] }, { example: "x" }],
  [
    "words beside a reference",
    { $ref: "#/components/schemas/A", description: "d" },
    { allOf: [{ $ref: "#/components/schemas/A" }], description: "d" }
  ],
  ["a reference alone", { $ref: "#/components/schemas/A" }, { $ref: "#/components/schemas/A" }],
  ["anything", true, {}],
  ["nothing", { not: true, additionalProperties: false }, { not: {}, additionalProperties: false }],
  ["no property", { properties: { a: false } }, { properties: { a: { not: {} } } }],
  ["an encoding", { type: "string", contentEncoding: "base64", format: "byte" }, { type: "string", format: "byte" }],
  ["what only narrows", { type: "object", propertyNames: { pattern: "a" }, if: {}, $comment: "c" }, { type: "object" }],
  [
    "schemas within schemas",
    {
      allOf: [{ const: 1 }],
      additionalProperties: { type: ["string", "null"] },
      properties: { const: { items: { exclusiveMinimum: 1 } } }
    },
    {
      allOf: [{ enum: [1] }],
      additionalProperties: { type: "string", nullable: true },
      properties: { const: { items: { minimum: 1, exclusiveMinimum: true } } }
    }
  ],
  [
    "values that look like schemas",
    { default: { const: 1 }, enum: [{ const: 1 }] },
    { default: { const: 1 }, enum: [{ const: 1 }] }
  ],
  ["extensions", { "x-order": { const: 1 } }, { "x-order": { const: 1 } }]
]

describe("toOpenApi30", () => {
  it.each(cases)("converts %s", (_, schema, expected) => {
    assert.deepStrictEqual(converted(schema), expected)
  })

  it("leaves out methods and parts that 3.0 cannot name", () => {
    const document = toOpenApi30({
      openapi: "3.1.0",
      info: { title: "t", summary: "s" },
      jsonSchemaDialect: "d",
      webhooks: { w: {} },
      paths: { "/a": { "x-oai-additionalOperations": { QUERY: {} }, get: { responses: {} } } },
      components: { pathItems: {}, schemas: {} }
    })
    assert.deepStrictEqual(document, {
      openapi: "3.0.3",
      info: { title: "t" },
      paths: { "/a": { get: { responses: {} } } },
      components: { schemas: {} }
    })
  })

  it("converts the schemas of parameters, bodies and headers, and leaves examples alone", () => {
    const content = { "application/json": { schema: { const: 1 }, example: { schema: { const: 1 } } } }
    const { paths } = toOpenApi30({
      paths: {
        "/a": {
          get: {
            parameters: [{ name: "p", in: "query", schema: { type: ["string", "null"] } }],
            requestBody: { content },
            responses: { 200: { content, headers: { h: { schema: { const: "x" } } } } }
          }
        }
      }
    })
    const expected = { "application/json": { schema: { enum: [1] }, example: { schema: { const: 1 } } } }
    assert.deepStrictEqual(Object(paths)["/a"].get, {
      parameters: [{ name: "p", in: "query", schema: { type: "string", nullable: true } }],
      requestBody: { content: expected },
      responses: { 200: { content: expected, headers: { h: { schema: { enum: ["x"] } } } } }
    })
  })
})
