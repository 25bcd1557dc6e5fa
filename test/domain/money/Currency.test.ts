import { assert, describe, it } from "@effect/vitest"
import { Currency, currencyCodes, exponentOf, PaymentCurrency } from "@sarraf/domain/money/Currency"
import { Schema } from "effect"

/** ISO 4217, list one: every currency whose minor unit is not a hundredth, copied apart from the source's own table. */
const minorUnits = {
  0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
  3: "BHD IQD JOD KWD LYD OMR TND",
  4: "CLF UYW"
} as const

const isCurrency = Schema.is(Currency)

/** What the platform's own list leaves out: the codes of funds, and those that may be younger than it. */
const unlisted = "BOV CHE CHW CLF COU MXV USN UYI UYW VED XAD XCG ZWG".split(" ")

describe("exponentOf", () => {
  it.each(
    Object.entries(minorUnits).flatMap(([digits, codes]) => codes.split(" ").map((code) => [code, digits] as const))
  )("%s has %s digits after the point", (code, digits) => {
    assert.strictEqual(exponentOf(code), Number(digits))
    assert.isTrue(isCurrency(code))
  })

  it("is two for every other currency of the list", () => {
    const exceptions = new Set(Object.values(minorUnits).flatMap((codes) => codes.split(" ")))
    const others = currencyCodes.filter((code) => !exceptions.has(code))
    assert.deepStrictEqual(
      others.filter((code) => exponentOf(code) !== 2),
      []
    )
    assert.includeMembers(others, ["TRY", "USD", "EUR", "GBP", "AED", "HUF", "MGA", "MRU"])
  })
})

describe("Currency", () => {
  it("lists each code once, in alphabetical order, as three capital letters", () => {
    assert.deepStrictEqual([...currencyCodes], [...new Set(currencyCodes)].sort())
    assert.deepStrictEqual(
      currencyCodes.filter((code) => !/^[A-Z]{3}$/u.test(code)),
      []
    )
  })

  it("holds no code that the platform's own list of currencies does not know", () => {
    const known = new Set([...Intl.supportedValuesOf("currency"), ...unlisted])
    assert.deepStrictEqual(
      currencyCodes.filter((code) => !known.has(code)),
      []
    )
  })

  it("holds the currencies in which payments are taken", () => {
    assert.includeMembers([...currencyCodes], [...PaymentCurrency.literals])
  })

  it.each(["XXX", "XTS", "XAU", "DEM", "HRK", "ZWL", "try", "EURO", ""])(
    "refuses %j, which circulates nowhere",
    (code) => {
      assert.isFalse(isCurrency(code))
    }
  )
})
