import { assert, describe, it } from "@effect/vitest"
import { currencyCodes, exponentOf } from "@sarraf/domain/money/Currency"
import { fromDecimal, Money, toDecimal } from "@sarraf/domain/money/Money"
import { Result, Schema } from "effect"

const minorMax = 2n ** 63n - 1n

const faultOf = (currency: string, text: string) => {
  const result = fromDecimal(currency, text)
  return Result.isFailure(result) ? result.failure : `accepted as ${result.success.minor}`
}

const Minor = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: minorMax }))
const AnyCurrency = Schema.Literals(currencyCodes)

describe("fromDecimal and toDecimal", () => {
  it.prop("give the same money back for every currency", [AnyCurrency, Minor], ([currency, minor]) => {
    const text = toDecimal(currency, minor)
    assert.deepStrictEqual(fromDecimal(currency, text), Result.succeed(new Money({ currency, minor })))
    assert.strictEqual(text.split(".")[1]?.length ?? 0, exponentOf(currency))
  })

  it("agree for each currency at zero, at one and at the largest amount", () => {
    for (const currency of currencyCodes) {
      for (const minor of [0n, 1n, 10n ** BigInt(exponentOf(currency)), minorMax]) {
        assert.deepStrictEqual(
          fromDecimal(currency, toDecimal(currency, minor)),
          Result.succeed(new Money({ currency, minor }))
        )
      }
    }
  })

  it.each([
    ["TRY", "149.90", 14990n],
    ["TRY", "149.9", 14990n],
    ["TRY", "149", 14900n],
    ["USD", "0.01", 1n],
    ["USD", "0", 0n],
    ["EUR", "0010.5", 1050n],
    ["EUR", "99999999.99", 9999999999n],
    ["JPY", "1050", 1050n],
    ["JPY", "1050.000", 1050n],
    ["KWD", "1.050", 1050n],
    ["KWD", "1.05", 1050n],
    ["CLF", "1.0001", 10001n],
    ["TRY", "149.900000", 14990n]
  ] as const)("%s %s is %s minor units", (currency, text, minor) => {
    assert.deepStrictEqual(fromDecimal(currency, text), Result.succeed(new Money({ currency, minor })))
  })

  it.prop(
    "refuse one digit more than the currency has, however small",
    [
      AnyCurrency,
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 })),
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 12 }))
    ],
    ([currency, digit, zeros]) => {
      const fraction = "0".repeat(exponentOf(currency) + zeros) + digit
      assert.strictEqual(faultOf(currency, `12.${fraction}`), "more decimals than the currency has")
    }
  )

  it.prop(
    "refuse what does not fit a bigint column",
    [AnyCurrency, Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: minorMax + 1n, maximum: 2n ** 200n }))],
    ([currency, minor]) => {
      assert.strictEqual(faultOf(currency, toDecimal(currency, minor)), "too large")
    }
  )

  it.each(["9223372036854775808", "99999999999999999999", `${"9".repeat(5_000)}.5`])(
    "refuse a number of too many digits (%#)",
    (text) => {
      assert.strictEqual(faultOf("JPY", text), "too large")
    }
  )

  it.each(["", " ", "-1", "+1", "1e2", "1,50", ".5", "5.", "1.2.3", "0x10", "١٢", "NaN", "Infinity", "1 000"])(
    "refuse %j, which is no decimal number",
    (text) => {
      assert.strictEqual(faultOf("EUR", text), "not a decimal number")
    }
  )
})

describe("Money", () => {
  it.each([-1n, minorMax + 1n])("cannot be made of %s minor units", (minor) => {
    assert.throws(() => new Money({ currency: "EUR", minor }))
  })

  it("cannot be made in a currency that does not exist", () => {
    assert.throws(() => new Money({ currency: "XXX", minor: 1n }))
  })
})
