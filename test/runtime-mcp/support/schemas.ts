import { Ajv2020 } from "ajv/dist/2020.js"

/** What is read of a JSON Schema. */
export interface JsonSchema {
  readonly type?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: boolean
  readonly items?: JsonSchema
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly enum?: ReadonlyArray<string>
  readonly pattern?: string
  readonly format?: string
}

const ajv = new Ajv2020({ allErrors: true, strict: true, validateFormats: false })
const validators = new Map<object, ReturnType<typeof ajv.compile>>()

/** What an independent validator has against a value; empty: nothing. */
export const faultsAgainst = (schema: object, value: unknown): ReadonlyArray<string> => {
  const validate = validators.get(schema) ?? ajv.compile(schema)
  validators.set(schema, validate)
  validate(value)
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

const innerOf = ({ anyOf = [], items }: JsonSchema): ReadonlyArray<JsonSchema> => [
  ...anyOf,
  ...(items === undefined ? [] : [items])
]

/** The members of an object's schema and of everything in it, by their paths. */
export const membersOf = (schema: JsonSchema, path = ""): ReadonlyArray<readonly [string, JsonSchema]> => [
  ...Object.entries(schema.properties ?? {}).flatMap(([name, member]) => [
    [`${path}.${name}`, member] as const,
    ...membersOf(member, `${path}.${name}`)
  ]),
  ...innerOf(schema).flatMap((inner) => membersOf(inner, path))
]

/** Every object within a schema, itself included. */
export const objectsOf = (schema: JsonSchema): ReadonlyArray<JsonSchema> => [
  ...(schema.properties === undefined ? [] : [schema]),
  ...Object.values(schema.properties ?? {}).flatMap(objectsOf),
  ...innerOf(schema).flatMap(objectsOf)
]
