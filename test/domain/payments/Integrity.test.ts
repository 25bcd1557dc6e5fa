import { assert, describe, it } from "@effect/vitest"
import { Money } from "@sarraf/domain/money/Money"
import { compare, type Integrity } from "@sarraf/domain/payments/Integrity"
import type { Echo } from "@sarraf/domain/payments/Outcome"
import { Schema } from "effect"

const expected = { reference: "REF1", money: new Money({ currency: "TRY", minor: 14_990n }), last4: "1111" }

const matches: Integrity = { _tag: "matches" }
const differs = (...fields: Extract<Integrity, { _tag: "differs" }>["fields"]): Integrity => ({
  _tag: "differs",
  fields
})

const cases: ReadonlyArray<readonly [string, Echo, Integrity]> = [
  ["says nothing", {}, matches],
  ["says all of it", { reference: "REF1", minor: 14_990n, currency: "TRY", last4: "1111" }, matches],
  ["writes the currency in small letters", { currency: "try" }, matches],
  ["is about another reference", { reference: "REF2" }, differs("reference")],
  ["writes the reference in small letters", { reference: "ref1" }, differs("reference")],
  ["is about another currency", { currency: "EUR" }, differs("currency")],
  ["names the currency by its number", { currency: "949" }, differs("currency")],
  ["is about another card", { last4: "1112" }, differs("last4")],
  ["is about more money", { minor: 14_991n }, differs("amount")],
  ["is about no money", { minor: 0n }, differs("amount")],
  ["is about negative money", { minor: -14_990n }, differs("amount")],
  ["is about less money", { minor: 14_989n }, { _tag: "less", minor: 14_989n }],
  ["is about less money of another payment", { minor: 1n, reference: "REF2" }, differs("reference")],
  [
    "is about all of another payment",
    { reference: "", minor: 15_000n, currency: "USD", last4: "" },
    differs("reference", "currency", "last4", "amount")
  ]
]

const AnyEcho = Schema.Struct({
  reference: Schema.optionalKey(Schema.Literals(["REF1", "REF2"])),
  minor: Schema.optionalKey(Schema.Literals([-1n, 0n, 1n, 14_989n, 14_990n, 14_991n])),
  currency: Schema.optionalKey(Schema.Literals(["TRY", "try", "EUR"])),
  last4: Schema.optionalKey(Schema.Literals(["1111", "2222"]))
})

describe("compare", () => {
  it.each(cases)("judges a message that %s", (_, echo, integrity) => {
    assert.deepStrictEqual(compare(expected, echo), integrity)
  })

  it("does not look at the card where none is expected", () => {
    const { last4: _, ...without } = expected
    assert.deepStrictEqual(compare(without, { last4: "9999" }), matches)
  })

  it.prop(
    "matches exactly where each field that is there is right",
    [AnyEcho],
    ([echo]) => {
      const wrong = [
        echo.reference === "REF2",
        echo.currency === "EUR",
        echo.last4 === "2222",
        echo.minor !== undefined && (echo.minor <= 0n || echo.minor > 14_990n)
      ]
      const integrity = compare(expected, echo)
      const isLess = echo.minor === 1n || echo.minor === 14_989n
      assert.strictEqual(integrity._tag, wrong.includes(true) ? "differs" : isLess ? "less" : "matches")
      if (integrity._tag === "differs") assert.strictEqual(integrity.fields.length, wrong.filter(Boolean).length)
    },
    { arbitrary: { runs: 500 } }
  )
})
