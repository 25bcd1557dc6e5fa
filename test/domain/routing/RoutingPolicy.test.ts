import { assert, describe, it } from "@effect/vitest"
import { RoutingRules } from "@sarraf/domain/routing/RoutingPolicy"
import { Schema } from "effect"

const isValid = Schema.is(RoutingRules)
const only = { type: "only", providers: ["isbank"] } as const
const rule = (changes: object = {}) => ({ name: "mine", when: {}, action: only, ...changes })

describe("RoutingRules", () => {
  it.each([
    ["no rules at all", []],
    ["a rule for everything", [rule()]],
    ["equal bounds", [rule({ when: { minMinor: 5n, maxMinor: 5n, minInstallment: 2, maxInstallment: 2 } })]],
    ["a weight of nothing beside another", [rule({ action: { type: "split", weights: { isbank: 0, stripe: 0.5 } } })]]
  ])("take %s", (_, rules) => {
    assert.isTrue(isValid(rules))
  })

  it.each([
    ["two rules of one name", [rule(), rule()]],
    ["a name of spaces", [rule({ name: "  " })]],
    ["a name that PostgreSQL cannot store", [rule({ name: "a\u0000" })]],
    ["an empty list of currencies", [rule({ when: { currencies: [] } })]],
    ["a currency twice", [rule({ when: { currencies: ["TRY", "TRY"] } })]],
    ["a country that is not alpha-2", [rule({ when: { countries: ["tr"] } })]],
    ["a smallest amount above the largest", [rule({ when: { minMinor: 2n, maxMinor: 1n } })]],
    ["a smallest installment above the largest", [rule({ when: { minInstallment: 3, maxInstallment: 2 } })]],
    ["thirteen installments", [rule({ when: { maxInstallment: 13 } })]],
    ["an action without providers", [rule({ action: { type: "prefer", providers: [] } })]],
    ["weights that are all nothing", [rule({ action: { type: "split", weights: { isbank: 0 } } })]],
    ["a negative weight", [rule({ action: { type: "split", weights: { isbank: -1, stripe: 1 } } })]],
    ["an unknown action", [rule({ action: { type: "avoid", providers: ["isbank"] } })]],
    ["more than fifty rules", Array.from({ length: 51 }, (_, index) => rule({ name: `rule ${index}` }))]
  ])("do not take %s", (_, rules) => {
    assert.isFalse(isValid(rules))
  })

  it.prop("survive their way through JSON", [RoutingRules], ([rules]) => {
    const Json = Schema.toCodecJson(RoutingRules)
    const text = JSON.stringify(Schema.encodeSync(Json)(rules))
    assert.deepStrictEqual(Schema.decodeUnknownSync(Json)(JSON.parse(text)), rules)
  })
})
