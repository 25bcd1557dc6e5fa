import { Context, Option } from "effect"
import { type HttpApi, type HttpApiGroup, OpenApi } from "effect/http-api"

type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject
interface JsonObject {
  readonly [key: string]: Json
}

export interface DocumentOptions {
  /** Where the API is reached: an absolute address, or a path relative to the document. Default: the same server. */
  readonly serverUrl?: string
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const componentPrefix = "#/components/schemas/"
const encodedSuffix = "Encoded"

/** A class describes its encoded form under its name and this suffix; clients know no other form. */
const renamed = (names: ReadonlyArray<string>) => {
  const taken = new Set(names)
  const short = names
    .filter((name) => name.endsWith(encodedSuffix))
    .map((name) => [name, name.slice(0, -encodedSuffix.length)] as const)
    .filter(([, shorter]) => !taken.has(shorter))
  return new Map(short)
}

const mapReferences = (value: Json, names: ReadonlyMap<string, string>): Json => {
  if (Array.isArray(value)) return value.map((item: Json) => mapReferences(item, names))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => {
      if (key !== "$ref" || typeof child !== "string") return [key, mapReferences(child, names)]
      const shorter = child.startsWith(componentPrefix) ? names.get(child.slice(componentPrefix.length)) : undefined
      return [key, shorter === undefined ? child : componentPrefix + shorter]
    })
  )
}

const withShortNames = (document: JsonObject): JsonObject => {
  const components = isObject(document.components) ? document.components : {}
  const schemas = isObject(components.schemas) ? components.schemas : {}
  const names = renamed(Object.keys(schemas))
  const mapped = mapReferences({ ...document, components: { ...components, schemas: {} } }, names)
  const shortSchemas = Object.entries(schemas).map(
    ([name, schema]) => [names.get(name) ?? name, mapReferences(schema, names)] as const
  )
  return isObject(mapped)
    ? { ...mapped, components: { ...components, schemas: Object.fromEntries(shortSchemas) } }
    : document
}

/** What the answering middleware puts into every problem, whatever its class declares. */
const problemMembers = { type: "string", title: "string", status: "integer", detail: "string", instance: "string" }
const ownMembers = { code: "string", requestId: "string" }

const isProblem = (schema: JsonObject) =>
  isObject(schema.properties) && ["type", "title", "status", "code"].every((name) => name in Object(schema.properties))

/** Problems leave complete (contract section 2), so a client may rely on every member that they all have. */
const withCompleteProblems = (schema: JsonObject): JsonObject => {
  if (!isProblem(schema)) return schema
  const members = { ...problemMembers, ...ownMembers }
  const properties = Object.fromEntries(Object.entries(members).map(([name, type]) => [name, { type }]))
  const given = isObject(schema.properties) ? schema.properties : {}
  const required = Array.isArray(schema.required) ? schema.required : []
  return {
    ...schema,
    // Clients must ignore members that they do not know (RFC 9457, section 3.2).
    additionalProperties: true,
    properties: { ...properties, ...given },
    required: [...new Set([...Object.keys(members), ...required])]
  }
}

const mapSchemas = (document: JsonObject, change: (schema: JsonObject) => JsonObject): JsonObject => {
  const components = isObject(document.components) ? document.components : {}
  const schemas = isObject(components.schemas) ? components.schemas : {}
  const changed = Object.entries(schemas).map(([name, schema]) => [name, isObject(schema) ? change(schema) : schema])
  return { ...document, components: { ...components, schemas: Object.fromEntries(changed) } }
}

/**
 * The API with what its document needs besides the typed contract: short component names, complete problems, and the
 * server's address. Whatever reads the API's document, such as a rendered reference, then shows the same one.
 */
export const documented = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  options: DocumentOptions = {}
): HttpApi.HttpApi<Id, Groups> => {
  const earlier = Option.getOrElse(Context.getOption(api.annotations, OpenApi.Transform), () => (spec: object) => spec)
  return api.annotate(OpenApi.Transform, (spec) => {
    const document = mapSchemas(withShortNames(spec), withCompleteProblems)
    return { ...earlier(document), servers: [{ url: options.serverUrl ?? "/" }] }
  })
}

/** OpenAPI 3.1 of the API: what it declares, and nothing else. */
export const toOpenApi31 = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  options?: DocumentOptions
): OpenApi.OpenAPISpec => OpenApi.fromApi(documented(api, options))
