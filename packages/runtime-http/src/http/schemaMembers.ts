/** A member of a JSON object, for a person to read. */
export interface SchemaMember {
  /** With where it is: `limits.per_day`, `lines[].amount`. */
  readonly name: string
  /** `number or null`, `PENDING, APPROVED or REJECTED`. */
  readonly type: string
  readonly isRequired: boolean
  readonly description: string
}

type JsonSchema = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const schemasIn = (value: unknown): ReadonlyArray<JsonSchema> => (Array.isArray(value) ? value.filter(isObject) : [])

/** What a value is where it is not null. */
const presentForm = (schema: JsonSchema): JsonSchema =>
  schemasIn(schema.anyOf).find(({ type }) => type !== "null") ?? schema

const isNullable = (schema: JsonSchema) => schemasIn(schema.anyOf).some(({ type }) => type === "null")

const wordOf = (schema: JsonSchema): string => {
  if (Array.isArray(schema.enum)) return schema.enum.join(", ")
  if (schema.type === "array") return isObject(schema.items) ? `array of ${wordOf(presentForm(schema.items))}` : "array"
  if (schema.format === "date-time") return "time"
  if (schema.format === "date") return "date"
  return typeof schema.type === "string" ? schema.type : "any"
}

const descriptionOf = (schema: JsonSchema): string => {
  const { description } = typeof schema.description === "string" ? schema : presentForm(schema)
  return typeof description === "string" ? description : ""
}

/** The members of an object's JSON Schema (2020-12, without references), each followed by those inside of it. */
export const schemaMembers = (schema: JsonSchema, within = ""): ReadonlyArray<SchemaMember> => {
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(isObject(schema.properties) ? schema.properties : {}).flatMap(([key, member]) => {
    if (!isObject(member)) return []
    const name = within + key
    const form = presentForm(member)
    const items = isObject(form.items) ? presentForm(form.items) : {}
    const own = {
      name,
      type: wordOf(form) + (isNullable(member) ? " or null" : ""),
      isRequired: required.includes(key),
      description: descriptionOf(member)
    }
    return [own, ...schemaMembers(form, `${name}.`), ...schemaMembers(items, `${name}[].`)]
  })
}
