/** What the running service says of itself in `/openapi-3.1.json`; whatever it serves is tried, and nothing else is known. */

export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | ReadonlyArray<string>
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly items?: JsonSchema | boolean
  readonly prefixItems?: ReadonlyArray<JsonSchema>
  readonly additionalProperties?: JsonSchema | boolean
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly oneOf?: ReadonlyArray<JsonSchema>
  readonly allOf?: ReadonlyArray<JsonSchema>
  readonly enum?: ReadonlyArray<unknown>
  readonly const?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly format?: string
}

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema?: JsonSchema
}

export interface Operation {
  readonly method: string
  /** With parameters in braces: `/api/expenses/{id}`. */
  readonly path: string
  readonly parameters: ReadonlyArray<Parameter>
  /** The first kind of body that it takes. */
  readonly body: { readonly contentType: string; readonly schema: JsonSchema } | undefined
  /** Signed like the gateway's, rather than with a bearer. */
  readonly isSigned: boolean
}

export interface Specification {
  readonly operations: readonly [Operation, ...Array<Operation>]
  readonly resolve: (schema: JsonSchema) => JsonSchema
}

interface Document {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly parameters?: ReadonlyArray<Parameter>
            readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: JsonSchema }>> }
            readonly security?: ReadonlyArray<Readonly<Record<string, unknown>>>
          }
        >
      >
    >
  >
  readonly components?: { readonly schemas?: Readonly<Record<string, JsonSchema>> }
}

const operationsOf = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody, security = [] }]): Operation => {
      const [content] = Object.entries(requestBody?.content ?? {})
      return {
        method: method.toUpperCase(),
        path,
        parameters,
        body: content && { contentType: content[0], schema: content[1].schema ?? {} },
        isSigned: security.some((scheme) => "signature" in scheme)
      }
    })
  )

export const readSpecification = async (url: string): Promise<Specification> => {
  const document = (await (await fetch(new URL("/openapi-3.1.json", url))).json()) as Document
  const [first, ...others] = operationsOf(document)
  if (first === undefined) throw new Error("The specification names no operation.")
  const schemas = document.components?.schemas ?? {}
  return {
    operations: [first, ...others],
    resolve: (schema) => schemas[schema.$ref?.split("/").at(-1) ?? ""] ?? schema
  }
}
