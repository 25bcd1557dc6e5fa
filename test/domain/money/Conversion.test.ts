import { assert, describe, it } from "@effect/vitest"
import { convert, inverse, parseRate, product, rateText } from "@sarraf/domain/money/Conversion"
import { currencyCodes, exponentOf } from "@sarraf/domain/money/Currency"
import { Money } from "@sarraf/domain/money/Money"
import { Result, Schema } from "effect"

const AnyCurrency = Schema.Literals(currencyCodes)
const between = (minimum: bigint, maximum: bigint) => Schema.BigInt.check(Schema.isBetweenBigInt({ minimum, maximum }))
/** Fits in any currency at any of these rates: 10^8 times 10^6, and four digits more, is below 2^63. */
const Minor = between(0n, 10n ** 8n)
const Rate = Schema.Struct({ numerator: between(1n, 10n ** 6n), denominator: between(1n, 10n ** 6n) })

const money = (currency: string, minor: bigint) => new Money({ currency, minor })
const distance = (one: bigint, other: bigint) => (one > other ? one - other : other - one)
const rate = (text: string) => Result.getOrThrow(parseRate(text))
const faultOf = (text: string) => Result.match(parseRate(text), { onFailure: String, onSuccess: () => "accepted" })

describe("convert", () => {
  it.prop(
    "is within half a minor unit of the exact value, and on the even side of a tie",
    [AnyCurrency, AnyCurrency, Minor, Rate],
    ([from, to, minor, { denominator, numerator }]) => {
      const converted = convert(money(from, minor), { numerator, denominator }, to)
      assert.strictEqual(converted?.currency, to)
      const exact = {
        numerator: minor * numerator * 10n ** BigInt(exponentOf(to)),
        denominator: denominator * 10n ** BigInt(exponentOf(from))
      }
      const off = 2n * distance((converted?.minor ?? -1n) * exact.denominator, exact.numerator)
      assert.isTrue(off <= exact.denominator, `${off} of ${exact.denominator}`)
      if (off === exact.denominator) assert.strictEqual((converted?.minor ?? 1n) % 2n, 0n)
    }
  )

  it.prop("changes nothing at one to one in the same currency", [AnyCurrency, Minor], ([currency, minor]) => {
    assert.deepStrictEqual(convert(money(currency, minor), rate("1"), currency), money(currency, minor))
  })

  it.prop(
    "never gives less for more money",
    [AnyCurrency, AnyCurrency, Minor, Minor, Rate],
    ([from, to, one, other, fraction]) => {
      const [small, large] = one < other ? [one, other] : [other, one]
      const results = [small, large].map((minor) => convert(money(from, minor), fraction, to)?.minor ?? -1n)
      assert.isTrue((results[0] ?? 0n) <= (results[1] ?? 0n))
    }
  )

  it.each([
    ["USD", 100n, "0.125", "EUR", 12n],
    ["USD", 300n, "0.125", "EUR", 38n],
    ["USD", 1n, "0.5", "EUR", 0n],
    ["USD", 3n, "0.5", "EUR", 2n],
    ["USD", 1n, "0.5000000001", "EUR", 1n],
    ["KWD", 1050n, "500", "JPY", 525n],
    ["KWD", 1n, "500", "JPY", 0n],
    ["KWD", 3n, "500", "JPY", 2n],
    ["JPY", 1050n, "0.002", "KWD", 2100n],
    ["EUR", 14990n, "41.235", "TRY", 618113n]
  ] as const)("%s %s at %s is in %s %s", (from, minor, text, to, expected) => {
    assert.strictEqual(convert(money(from, minor), rate(text), to)?.minor, expected)
  })

  it("gives nothing that could not be stored", () => {
    assert.isUndefined(convert(money("USD", 2n ** 62n), rate("2"), "TRY"))
    assert.strictEqual(convert(money("USD", 2n ** 62n - 1n), rate("2"), "TRY")?.minor, 2n ** 63n - 2n)
  })
})

describe("parseRate and rateText", () => {
  const Units = between(1n, 10n ** 20n - 1n)

  it.prop("give the same rate back", [Units], ([units]) => {
    const digits = units.toString().padStart(11, "0")
    const text = `${digits.slice(0, -10)}.${digits.slice(-10)}`
    const { denominator, numerator } = rate(text)
    assert.strictEqual(numerator * 10n ** 10n, units * denominator)
    const again = rate(rateText({ numerator, denominator }))
    assert.strictEqual(again.numerator * denominator, numerator * again.denominator)
  })

  it.each([
    ["41.2350", "41.235"],
    ["1", "1"],
    ["100", "100"],
    ["0.0000000001", "0.0000000001"],
    ["41.23500000000000", "41.235"],
    ["0000000000041", "41"]
  ])("%s is shown as %s", (text, shown) => {
    assert.strictEqual(rateText(rate(text)), shown)
  })

  it("round what has no end half to even", () => {
    assert.strictEqual(rateText({ numerator: 1n, denominator: 3n }), "0.3333333333")
    assert.strictEqual(rateText({ numerator: 2n, denominator: 3n }), "0.6666666667")
    assert.strictEqual(rateText({ numerator: 25n, denominator: 10n ** 12n }), "0")
    assert.strictEqual(rateText({ numerator: 15n, denominator: 10n ** 11n }), "0.0000000002")
    assert.strictEqual(rateText({ numerator: 25n, denominator: 10n ** 11n }), "0.0000000002")
  })

  it.each([
    ["0", "zero"],
    ["0.0000000000", "zero"],
    ["0.00000000001", "more than 10 decimals"],
    ["10000000000", "too large"],
    ["-1", "not a decimal number"],
    ["1e3", "not a decimal number"],
    ["1,5", "not a decimal number"],
    ["", "not a decimal number"],
    ["NaN", "not a decimal number"]
  ])("refuse %j as %s", (text, fault) => {
    assert.strictEqual(faultOf(text), fault)
  })
})

describe("inverse and product", () => {
  it.prop("a rate times its inverse is one", [Rate], ([fraction]) => {
    const { denominator, numerator } = product(fraction, inverse(fraction))
    assert.strictEqual(numerator, denominator)
  })
})
