import { amexNumber, cardCvc, cardNumber, hostileJson, spoil } from "./hostile.ts"
import type { Random } from "./Random.ts"
import type { JsonSchema, Specification } from "./Specification.ts"

/** Bodies as a schema describes them, and such bodies spoilt. */

/** A tree that is written as JSON: raw texts for what no JavaScript value can say. */
type Node =
  | { readonly kind: "raw"; readonly text: string }
  | { readonly kind: "array"; readonly items: Array<Node> }
  | { readonly kind: "object"; readonly entries: Array<[name: string, value: Node]> }

const raw = (value: unknown): Node => ({ kind: "raw", text: JSON.stringify(value) ?? "null" })

const write = (node: Node): string => {
  if (node.kind === "raw") return node.text
  if (node.kind === "array") return `[${node.items.map(write).join(",")}]`
  return `{${node.entries.map(([name, value]) => `${JSON.stringify(name)}:${write(value)}`).join(",")}}`
}

/** A text that is not used a second time, in all likelihood. */
const fresh = (random: Random) => `fuzz-${random.below(2 ** 31).toString(36)}`

/** What a field of this name is likely to mean, wherever it stands; the service refuses most else as not well-formed. */
const likely: Readonly<Record<string, (random: Random) => unknown>> = {
  amount: (random) => random.pick([1, 149.9, 20, 0.5, 99_999_999.99, 12.345]),
  currency: (random) => random.pick(["TRY", "USD", "EUR", "AED", "GBP", "JPY", "XXX"]),
  merchantreference: fresh,
  cardnumber: (random) =>
    random.pick([cardNumber, cardNumber, cardNumber, amexNumber, "4000000000009995", "4000000000000119"]),
  cardexpmonth: (random) => random.pick(["12", "1", "13"]),
  cardexpyear: () => String(new Date().getUTCFullYear() + 3),
  cardcvc: (random) => random.pick(["123", "123", cardCvc]),
  email: (random) => random.pick(["fuzz@example.com", "owner@sandbox.test", "nobody@sandbox.test"]),
  password: (random) => random.pick(["sandbox", "another-long-password-9", "x"]),
  country: (random) => random.pick(["TR", "DE", "AE"]),
  date: (random) => random.pick(["2026-11-20", "2026-02-28", "2030-01-01"]),
  url: () => "https://example.com/hook",
  returnurl: () => "https://example.com/back",
  field: (random) => random.pick(["amount", "category", "merchant", "currency", "department", "weekday"]),
  op: (random) => random.pick(["eq", "gt", "in", "between", "exists", "contains"]),
  reference: fresh,
  name: fresh
}

const nodesMax = 4

/** Makes values by schema; `ids` are those that the service has given out. */
export const makeBodies = ({ resolve }: Specification, ids: (random: Random) => string) => {
  const scalar = (schema: JsonSchema, name: string, random: Random): Node => {
    const type = typeof schema.type === "string" ? schema.type : schema.type?.[0]
    const guess = likely[name.toLowerCase().replaceAll("_", "")]
    if (guess !== undefined && random.chance(0.9)) return raw(guess(random))
    if (type === "boolean") return raw(random.chance(0.5))
    if (type === "integer") return raw(Math.max(schema.minimum ?? 0, -5) + random.below(6))
    if (type === "number") return raw(random.pick([1, 10.5, 100, 499.99]))
    if (type === "null") return raw(null)
    if (/(?:^|_)ids?$|Id$/.test(name) && random.chance(0.8)) return raw(ids(random))
    if (/(?:_at|^from|^to|until|starts|ends)$/.test(name)) return raw("2026-12-01T00:00:00.000Z")
    return raw(random.pick(["fuzz", "Ayşe", "10", "2026-11-20", "TRY", "ADMIN", fresh(random)]))
  }

  const fields = (schema: JsonSchema, random: Random, depth: number): Node => {
    const required = new Set(schema.required)
    const entries = Object.entries(schema.properties ?? {})
      .filter(([name]) => required.has(name) || random.chance(depth > 6 ? 0 : 0.4))
      .map(([name, property]): [string, Node] => [name, value(property, name, random, depth + 1)])
    const { additionalProperties: more } = schema
    if (typeof more === "object") {
      for (let count = random.below(3); count > 0; count--)
        entries.push([fresh(random), value(more, "", random, depth + 1)])
    }
    return { kind: "object", entries }
  }

  const value = (given: JsonSchema, name: string, random: Random, depth = 0): Node => {
    const schema = resolve(given)
    if (schema.const !== undefined) return raw(schema.const)
    if (schema.enum !== undefined) return raw(schema.enum[random.below(schema.enum.length)])
    const choices = schema.anyOf ?? schema.oneOf
    if (choices !== undefined) {
      // The deeper, the more of the first, which is seldom the recursive one.
      const chosen = choices[depth > 6 ? 0 : random.below(choices.length)]
      return value(chosen ?? {}, name, random, depth + 1)
    }
    if (schema.allOf !== undefined) return value(schema.allOf[0] ?? {}, name, random, depth + 1)
    if (schema.properties !== undefined || schema.type === "object") return fields(schema, random, depth)
    if (schema.type === "array" || schema.items !== undefined) {
      const items = typeof schema.items === "object" ? schema.items : (schema.prefixItems?.[0] ?? {})
      const count = depth > 6 ? 0 : random.below(nodesMax)
      return { kind: "array", items: Array.from({ length: count }, () => value(items, name, random, depth + 1)) }
    }
    return scalar(schema, name, random)
  }

  return {
    /** A body that fits the schema, as far as a schema can say. */
    fitting: (schema: JsonSchema, random: Random): string => write(value(schema, "", random)),
    /** Such a body with some of its parts replaced, left out, doubled or added. */
    spoilt: (schema: JsonSchema, random: Random): Buffer => {
      const node = value(schema, "", random)
      for (let count = 1 + random.below(3); count > 0; count--) disturb(node, random)
      const text = write(node)
      return random.chance(0.25) ? spoil(text, random) : Buffer.from(text)
    },
    /** A text for a query or a path. */
    text: (schema: JsonSchema, name: string, random: Random): string => {
      const node = value(schema, name, random)
      return node.kind === "raw" ? String(JSON.parse(node.text)) : write(node)
    }
  }
}

const replacement = (random: Random): Node => ({ kind: "raw", text: hostileJson(random) })

/** Goes down at random, and disturbs where it ends. */
const disturb = (node: Node, random: Random) => {
  if (node.kind === "raw") return
  const count = node.kind === "array" ? node.items.length : node.entries.length
  const at = random.below(count + 1)
  const inner = node.kind === "array" ? node.items[at] : node.entries[at]?.[1]
  if (inner !== undefined && inner.kind !== "raw" && random.chance(0.6)) {
    disturb(inner, random)
    return
  }
  const other = replacement(random)
  if (node.kind === "array") {
    if (random.chance(0.1)) node.items.push(...Array.from({ length: 3_000 }, () => inner ?? other))
    else node.items[at] = other
    return
  }
  const [name = "surprise"] = node.entries[at] ?? []
  switch (random.below(5)) {
    case 0:
      node.entries.splice(at, 1)
      return
    case 1:
      node.entries.push([name, other])
      return
    case 2:
      node.entries.push([
        random.pick(["__proto__", "constructor", "prototype", "toString", "", "a\u0000", "ids"]),
        other
      ])
      return
    default:
      node.entries[at] = [name, other]
  }
}
