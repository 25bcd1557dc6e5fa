import { assert, describe, it } from "@effect/vitest"
import { type SpendTally, tallyOf } from "@sarraf/domain/reports/Spend"
import { Schema } from "effect"

const Minor = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 2n ** 70n }))
const Cell = Schema.Struct({
  currency: Schema.Literals(["TRY", "USD", "KWD"]),
  baseCurrency: Schema.NullOr(Schema.Literals(["TRY", "EUR"])),
  expenses: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000 })),
  minor: Minor,
  baseMinor: Minor,
  part: Schema.Literals([0, 1, 2])
})

const minorsOf = (tallies: ReadonlyArray<SpendTally>, of: (tally: SpendTally) => SpendTally["amounts"]) => {
  const sums: Record<string, readonly [number, bigint]> = {}
  for (const { currency, expenses, minor } of tallies.flatMap(of)) {
    const [count, sum] = sums[currency] ?? [0, 0n]
    sums[currency] = [count + expenses, sum + minor]
  }
  return sums
}

describe("A tally", () => {
  it.prop("is the sum of the tallies of its parts, however they are divided", [Schema.Array(Cell)], ([cells]) => {
    const whole = tallyOf(cells, "TRY")
    const parts = [0, 1, 2].map((part) =>
      tallyOf(
        cells.filter((cell) => cell.part === part),
        "TRY"
      )
    )
    assert.strictEqual(
      parts.reduce((sum, { expenses }) => sum + expenses, 0),
      whole.expenses
    )
    assert.strictEqual(
      parts.reduce((sum, { baseMinor }) => sum + baseMinor, 0n),
      whole.baseMinor
    )
    for (const of of [({ amounts }: SpendTally) => amounts, ({ unconverted }: SpendTally) => unconverted.amounts]) {
      assert.deepStrictEqual(minorsOf(parts, of), minorsOf([whole], of))
    }
  })

  it.prop("leaves no expense out: each is converted or counted as not", [Schema.Array(Cell)], ([cells]) => {
    const { amounts, expenses, unconverted } = tallyOf(cells, "TRY")
    const converted = cells.filter(({ baseCurrency }) => baseCurrency === "TRY")
    assert.strictEqual(
      expenses - unconverted.expenses,
      converted.reduce((sum, cell) => sum + cell.expenses, 0)
    )
    assert.strictEqual(
      expenses,
      amounts.reduce((sum, amount) => sum + amount.expenses, 0)
    )
  })

  it("counts what was converted to another currency than the present one as unconverted", () => {
    const cell = { currency: "USD", baseCurrency: "EUR", expenses: 1, minor: 100n, baseMinor: 90n }
    const amounts = [{ currency: "USD", expenses: 1, minor: 100n }]
    assert.deepStrictEqual(tallyOf([cell], "TRY"), {
      expenses: 1,
      baseMinor: 0n,
      amounts,
      unconverted: { expenses: 1, amounts }
    })
    assert.strictEqual(tallyOf([cell], "EUR").baseMinor, 90n)
  })
})
