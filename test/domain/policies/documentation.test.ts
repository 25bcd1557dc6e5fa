import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { type Field, fieldNames, fields } from "@sarraf/domain/policies/fields"
import { type FieldType, operators, operatorsOf } from "@sarraf/domain/policies/operators"
import { applyPolicies } from "@sarraf/domain/policies/Policy"
import { Enforcement } from "@sarraf/domain/policies/Violation"
import { Schema } from "effect"
import { lunch, policyOf } from "./support/facts.ts"

/** docs/policies.md against the code: what it says of fields and operators, and the sentence of each example. */

const text = readFileSync(new URL("../../../docs/policies.md", import.meta.url), "utf8")

/** The rows of the table that begins with this heading, as cells. */
const tableOf = (heading: string): ReadonlyArray<ReadonlyArray<string>> => {
  const lines = text.slice(text.indexOf(heading)).split("\n").slice(2)
  const end = lines.findIndex((line) => !line.startsWith("|"))
  return lines.slice(0, end).map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim())
  )
}

const codes = (cell = "") => [...cell.matchAll(/`([^`]+)`/gu)].map(([, code = ""]) => code)

const Example = Schema.Struct({
  name: Schema.String,
  enforcement: Enforcement,
  message: Schema.optionalKey(Schema.String),
  conditions: Schema.Unknown
})
const examples = [...text.matchAll(/```json\n([\s\S]*?)```\n\n> (.*)\n/gu)].map(
  ([, json = "", sentence = ""]) => [sentence, Schema.decodeUnknownSync(Example)(JSON.parse(json))] as const
)

describe("docs/policies.md", () => {
  it("names every field with its aliases and its type", () => {
    const documented = tableOf("| Field | Aliases").map(([field, aliases, type]) => [
      ...codes(field),
      codes(aliases),
      type
    ])
    const written = fieldNames.map((name) => {
      const { aliases, type }: Field = fields[name]
      return [name, aliases, type]
    })
    assert.deepStrictEqual<unknown>(documented, written)
  })

  it("names every operator with the types that take it", () => {
    const types: ReadonlyArray<FieldType> = ["money", "number", "date", "text", "choice", "id", "boolean"]
    const documented = tableOf("| Operators | Types").flatMap(([names, taking = ""]) =>
      codes(names).map((name) => [name, taking === "all" ? types : taking.split(", ")])
    )
    const written = operators.map((name) => [name, types.filter((type) => operatorsOf[type].includes(name))])
    assert.deepStrictEqual<unknown>(documented, written)
  })

  it("has ten worked examples", () => {
    assert.lengthOf(examples, 10)
    assert.lengthOf([...text.matchAll(/```json/gu)], 10)
  })

  it.each(examples)(
    "gives as the sentence of its example: %s",
    (sentence, { conditions, enforcement, message, name }) => {
      const policy = policyOf(conditions, { name, enforcement, message: message ?? null })
      assert.strictEqual(applyPolicies([policy], lunch).results[0]?.message, sentence)
    }
  )
})
