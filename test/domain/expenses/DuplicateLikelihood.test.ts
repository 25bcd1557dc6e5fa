import { assert, describe, it } from "@effect/vitest"
import { duplicateLikelihood, duplicatesAmong } from "@sarraf/domain/expenses/DuplicateLikelihood"
import { merchantSimilarity, merchantWords } from "@sarraf/domain/expenses/MerchantName"
import { Money } from "@sarraf/domain/money/Money"
import { Schema } from "effect"
import { sampleExpense } from "./support/SampleExpense.ts"

const Name = Schema.String.check(Schema.isMaxLength(40))
const KnownName = Schema.Literals([
  "Migros",
  "MİGROS T.A.Ş. #0123",
  "Migros Ticaret",
  "Shell",
  "Uber BV",
  "Über",
  "Opet"
])
const Minor = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 9_500n, maximum: 10_500n }))
const Day = Schema.Literals(["2026-02-26", "2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02", "2026-03-03"])
const Person = Schema.NullOr(Schema.Literals(["usr_1", "usr_2"]))
const Compared = Schema.Struct({ merchant: KnownName, minor: Minor, date: Day, userId: Person })

const expenseOf = ({ date, merchant, minor, userId }: typeof Compared.Type) =>
  sampleExpense({ amount: new Money({ currency: "TRY", minor }), date, merchant, userId })

const score = (changes: Parameters<typeof sampleExpense>[0], of = sampleExpense()) =>
  duplicateLikelihood(of, sampleExpense(changes)).score
const lira = (minor: bigint) => new Money({ currency: "TRY", minor })

describe("The likelihood of a duplicate", () => {
  it.prop(
    "is the same both ways round, from 0 to 100, with reasons where there is one",
    [Compared, Compared],
    ([one, other]) => {
      const [a, b] = [expenseOf(one), expenseOf(other)]
      const found = duplicateLikelihood(a, b)
      assert.deepStrictEqual(duplicateLikelihood(b, a), found)
      assert.isTrue(Number.isInteger(found.score) && found.score >= 0 && found.score <= 100)
      assert.strictEqual(found.reasons.length, found.score === 0 ? 0 : 3)
      if (one.userId !== other.userId) assert.strictEqual(found.score, 0)
    }
  )

  it.prop("of an expense with its own copy is 100", [Compared], ([one]) => {
    assert.strictEqual(duplicateLikelihood(expenseOf(one), expenseOf(one)).score, 100)
  })

  it.prop("is never less for a nearer amount", [Minor, Minor], ([one, other]) => {
    const present = lira(10_000n)
    const distance = (minor: bigint) => (minor > 10_000n ? minor - 10_000n : 10_000n - minor)
    // On the same side, so that nearer means the same in liras and in percent.
    const [near, far] = distance(one) <= distance(other) ? [one, other] : [other, one]
    if (near > 10_000n !== far > 10_000n) return
    const of = sampleExpense({ amount: present })
    assert.isAtLeast(score({ amount: lira(near) }, of), score({ amount: lira(far) }, of))
  })

  it("falls with the days between them, and ends after three", () => {
    const scores = ["14", "15", "16", "17", "18"].map((day) => score({ date: `2026-03-${day}` }))
    assert.deepStrictEqual(scores, [100, 95, 90, 85, 0])
  })

  it("ends where amounts are more than 2 % apart, in another currency, and for another merchant", () => {
    const of = sampleExpense({ amount: lira(10_000n) })
    assert.deepStrictEqual(
      [10_000n, 9_900n, 9_800n, 9_799n].map((minor) => score({ amount: lira(minor) }, of)),
      [100, 90, 80, 0]
    )
    assert.strictEqual(score({ amount: new Money({ currency: "USD", minor: 14_990n }) }), 0)
    assert.strictEqual(score({ merchant: "Shell" }), 0)
  })

  it("says why", () => {
    const other = sampleExpense({ amount: lira(14_900n), date: "2026-03-12", merchant: "Migros Jet" })
    assert.deepStrictEqual(duplicateLikelihood(sampleExpense(), other).reasons, [
      "a similar merchant",
      "amounts 0.61 % apart",
      "2 days apart"
    ])
  })

  it("keeps the three likeliest, and never the expense itself", () => {
    const others = ["14", "13", "12", "11"].map((day) => sampleExpense({ id: `exp_of_${day}`, date: `2026-03-${day}` }))
    const found = duplicatesAmong(sampleExpense(), [sampleExpense(), ...others.toReversed()])
    assert.deepStrictEqual(
      found.map(({ expenseId, score }) => [expenseId, score]),
      [
        ["exp_of_14", 100],
        ["exp_of_13", 95],
        ["exp_of_12", 90]
      ]
    )
  })
})

describe("A merchant's name", () => {
  for (const [name, words] of [
    ["MİGROS T.A.Ş. #0123", ["migros"]],
    ["Migros Ticaret A.Ş.", ["migros"]],
    ["Starbucks Coffee Co. Ltd. 4711", ["coffee", "starbucks"]],
    ["amazon.com", ["amazon"]],
    ["McDonald's", ["mcdonalds"]],
    ["Café Zürich GmbH", ["cafe", "zurich"]],
    ["1453", ["1453"]],
    ["A.Ş.", ["as"]],
    ["!!!", []]
  ] as const) {
    it(`${name} is known by ${words.join(" ") || "nothing"}`, () => {
      assert.deepStrictEqual(merchantWords(name), words)
    })
  }

  it.prop(
    "is as similar to another as that is to it, wholly to itself, and no more than wholly to any",
    [Name, Name],
    ([one, other]) => {
      const similarity = merchantSimilarity(one, other)
      assert.strictEqual(merchantSimilarity(other, one), similarity)
      assert.isTrue(similarity >= 0 && similarity <= 1)
      assert.strictEqual(merchantSimilarity(one, one), 1)
    }
  )

  it("is found in spite of a typing mistake", () => {
    assert.isAbove(merchantSimilarity("Starbucks", "Starbuks"), 0.8)
    assert.isBelow(merchantSimilarity("Shell", "Opet"), 0.5)
  })
})
