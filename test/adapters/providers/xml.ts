import { Schema } from "effect"

type Tree = { readonly [name: string]: string | Tree }

const unescaped = (text: string) => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")

/** Elements without attributes, as our requests have them: a reader apart from the adapters'. */
export const treeOf = (text: string): Tree => {
  const elements = [...text.matchAll(/<(\w+)>(.*?)<\/\1>/gsu)]
  return Object.fromEntries(
    elements.map(([, name = "", body = ""]) => [name, body.includes("<") ? treeOf(body) : unescaped(body)])
  )
}

/** Elements by name, a list where one comes several times; null is an empty one. */
export type Elements = { readonly [name: string]: Value }
type Value = string | number | null | Elements | ReadonlyArray<Elements>

const isList = (value: Value): value is ReadonlyArray<Elements> => Array.isArray(value)

const element = (name: string, value: Value): string => {
  if (isList(value)) return value.map((one) => element(name, one)).join("")
  const text = String(value ?? "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
  return `<${name}>${typeof value === "object" && value !== null ? xmlOf(value) : text}</${name}>`
}

export const xmlOf = (elements: Elements): string =>
  Object.entries(elements)
    .map(([name, value]) => element(name, value))
    .join("\n")

/** Of a recording that is kept as JSON. */
export const Elements: Schema.Codec<Elements> = Schema.Record(
  Schema.String,
  Schema.Union([
    Schema.String,
    Schema.Number,
    Schema.Null,
    Schema.Array(Schema.suspend(() => Elements)),
    Schema.suspend(() => Elements)
  ])
)
