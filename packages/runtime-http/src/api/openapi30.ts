type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject
interface JsonObject {
  readonly [key: string]: Json
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isList = (value: unknown): value is ReadonlyArray<Json> => Array.isArray(value)

const mapValues = (object: JsonObject, change: (value: Json, key: string) => Json): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]))

/** The keywords of OpenAPI 3.0's schema object (section 4.7.24) that mean in 3.1 what they mean there. */
const kept = new Set(
  (
    "title multipleOf maximum minimum maxLength minLength pattern maxItems minItems uniqueItems maxProperties " +
    "minProperties required enum description format default nullable discriminator readOnly writeOnly example " +
    "externalDocs deprecated xml"
  ).split(" ")
)

const isNull = (schema: Json) =>
  isObject(schema) &&
  (schema.type === "null" ||
    schema.const === null ||
    (isList(schema.enum) && schema.enum.every((value) => value === null)))

/** 3.0 has no type "null": a member of that type becomes a flag, and where values are listed, null is one of them. */
const nullable = (schema: JsonObject): JsonObject => ({
  ...schema,
  nullable: true,
  ...(isList(schema.enum) && !schema.enum.includes(null) ? { enum: [...schema.enum, null] } : {})
})

/** 3.0 ignores what stands beside a `$ref`. */
const besideReference = (schema: JsonObject): JsonObject => ("$ref" in schema ? { allOf: [schema] } : schema)

const bound = (schema: JsonObject, side: "minimum" | "maximum", exclusive: "exclusiveMinimum" | "exclusiveMaximum") => {
  const open = schema[exclusive]
  const closed = schema[side]
  if (typeof open !== "number") return {}
  const closedIsStricter = typeof closed === "number" && (side === "minimum" ? closed > open : closed < open)
  return closedIsStricter ? {} : { [side]: open, [exclusive]: true }
}

const union = (key: "anyOf" | "oneOf", schema: JsonObject): JsonObject => {
  const members = schema[key]
  if (!isList(members)) return {}
  const others = members.filter((member) => !isNull(member)).map(convert)
  const [only] = others
  if (others.length === members.length) return { [key]: others }
  if (only === undefined) return { enum: [null], nullable: true }
  return nullable(others.length === 1 ? besideReference(only) : { [key]: others })
}

/** 3.0 has one schema for all elements: of a tuple, any of them, at the tuple's length. */
const elements = (schema: JsonObject): JsonObject => {
  const { items, maxItems, prefixItems } = schema
  if (!isList(prefixItems)) {
    const isArray = schema.type === "array" || (isList(schema.type) && schema.type.includes("array"))
    return items === undefined && !isArray ? {} : { items: convert(items ?? true) }
  }
  const rest = items === undefined || items === false ? [] : [items]
  const distinct = new Map([...prefixItems, ...rest].map((item) => [JSON.stringify(item), convert(item)]))
  const [only, ...more] = [...distinct.values()]
  return {
    items: only === undefined || more.length > 0 ? { anyOf: [...distinct.values()] } : only,
    ...(rest.length === 0 ? { maxItems: maxItems ?? prefixItems.length } : {})
  }
}

const type = (schema: JsonObject): JsonObject => {
  if (schema.type === "null") return { enum: [null], nullable: true }
  if (!isList(schema.type)) return schema.type === undefined ? {} : { type: schema.type }
  const types = schema.type.filter((name) => name !== "null")
  const [only] = types
  const flag = types.length < schema.type.length ? { nullable: true } : {}
  return only !== undefined && types.length === 1
    ? { type: only, ...flag }
    : { anyOf: types.map((name) => ({ type: name })), ...flag }
}

/** One schema. Keywords that 3.0 does not have and that only narrow (`propertyNames`, `if`, …) are left out. */
const convert = (schema: Json): JsonObject => {
  if (!isObject(schema)) return schema === false ? { not: {} } : {}
  const { additionalProperties, allOf, examples, not, properties } = schema
  const rest = Object.fromEntries(Object.entries(schema).filter(([key]) => kept.has(key) || key.startsWith("x-")))
  const converted: JsonObject = {
    ...rest,
    ...type(schema),
    ...("const" in schema ? { enum: [schema.const ?? null] } : {}),
    ...bound(schema, "minimum", "exclusiveMinimum"),
    ...bound(schema, "maximum", "exclusiveMaximum"),
    ...elements(schema),
    ...(isObject(properties) ? { properties: mapValues(properties, convert) } : {}),
    ...(isObject(additionalProperties) ? { additionalProperties: convert(additionalProperties) } : {}),
    ...(typeof additionalProperties === "boolean" ? { additionalProperties } : {}),
    ...(not === undefined ? {} : { not: convert(not) }),
    ...(isList(allOf) ? { allOf: allOf.map(convert) } : {}),
    ...union("anyOf", schema),
    ...union("oneOf", schema),
    ...(isList(examples) && examples[0] !== undefined && rest.example === undefined ? { example: examples[0] } : {})
  }
  if (typeof schema.$ref !== "string") return converted
  const reference = { $ref: schema.$ref }
  return Object.keys(converted).length === 0 ? reference : { ...converted, allOf: [reference] }
}

/** Outside of schemas the two versions differ only in what 3.1 added. Examples are the writer's own and stay. */
const walk = (value: Json, key: string): Json => {
  if (key === "schema") return convert(value)
  if (key.startsWith("x-") || key === "example" || key === "examples") return value
  if (isList(value)) return value.map((item) => walk(item, ""))
  if (!isObject(value)) return value
  return key === "schemas" ? mapValues(value, convert) : mapValues(value, walk)
}

const without = (object: Json | undefined, ...names: ReadonlyArray<string>): JsonObject =>
  isObject(object) ? Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name))) : {}

/** A method that 3.0 cannot name stands below this key. */
const additional = "x-oai-additionalOperations"

/**
 * OpenAPI 3.1 → 3.0.3, for the keywords that a generated document contains. Everything that 3.0 can say is kept; what it
 * cannot is said more loosely (a tuple as an array of any of its elements), never more strictly.
 */
export const toOpenApi30 = (document: object): JsonObject => {
  const plain: unknown = JSON.parse(JSON.stringify(document))
  const { components, info, paths, ...rest } = without(plain as Json, "webhooks", "jsonSchemaDialect", "openapi")
  const { license, ...about } = without(info, "summary")
  return {
    openapi: "3.0.3",
    info: license === undefined ? about : { ...about, license: without(license, "identifier") },
    ...mapValues(rest, walk),
    paths: isObject(paths) ? mapValues(paths, (path) => walk(without(path, additional), "")) : {},
    components: mapValues(without(components, "pathItems"), walk)
  }
}
