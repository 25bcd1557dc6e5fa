import { assert, describe, it } from "@effect/vitest"
import { rateText } from "@sarraf/domain/money/Conversion"
import type { RateSource } from "@sarraf/domain/money/ExchangeRates"
import { ratesOf } from "@sarraf/domain/money/RateLookup"
import { Schema } from "effect"

/** "EUR TRY 41.235", of the operator and the day before unless it says otherwise. */
const quoted = (text: string, date = "2026-01-30", source: RateSource = "operator") => {
  const [base = "", quote = "", rate = ""] = text.split(" ")
  return { base, quote, rate, date, source }
}

const found = (quotations: ReadonlyArray<ReturnType<typeof quoted>>, from: string, to: string) => {
  const rate = ratesOf(quotations, [from], to).get(from)
  return rate === undefined ? undefined : [rateText(rate), rate.date, rate.source, rate.via]
}

describe("ratesOf", () => {
  it("finds a pair as it was quoted, and the other way round", () => {
    const quotations = [quoted("EUR TRY 40")]
    assert.deepStrictEqual(found(quotations, "EUR", "TRY"), ["40", "2026-01-30", "operator", undefined])
    assert.deepStrictEqual(found(quotations, "TRY", "EUR"), ["0.025", "2026-01-30", "operator", undefined])
  })

  it("crosses through what both were quoted against, exactly, with the date of the older one", () => {
    const quotations = [quoted("EUR TRY 42"), quoted("EUR USD 1.4", "2026-01-29")]
    assert.deepStrictEqual(found(quotations, "USD", "TRY"), ["30", "2026-01-29", "operator", "EUR"])
    const rate = ratesOf(quotations, ["USD"], "TRY").get("USD")
    assert.strictEqual((rate?.numerator ?? 0n) * 14n, 420n * (rate?.denominator ?? 0n))
  })

  it("takes the organization's own quotation, also where the operator's is newer", () => {
    const quotations = [quoted("USD TRY 40", "2026-01-31"), quoted("TRY USD 0.02", "2026-01-25", "organization")]
    assert.deepStrictEqual(found(quotations, "USD", "TRY"), ["50", "2026-01-25", "organization", undefined])
  })

  it("takes the newest of one owner, and of one day the one in this direction", () => {
    const newer = [quoted("USD TRY 40", "2026-01-29"), quoted("TRY USD 0.02", "2026-01-30")]
    assert.strictEqual(found(newer, "USD", "TRY")?.[0], "50")
    const sameDay = [quoted("TRY USD 0.02"), quoted("USD TRY 40")]
    assert.strictEqual(found(sameDay, "USD", "TRY")?.[0], "40")
    assert.strictEqual(found(sameDay, "TRY", "USD")?.[0], "0.02")
  })

  it("takes a pair that was quoted before one that has to be crossed", () => {
    const legs = [quoted("EUR TRY 42", "2026-01-31", "organization"), quoted("EUR USD 1.4", "2026-01-31")]
    assert.deepStrictEqual(found(legs, "USD", "TRY"), ["30", "2026-01-31", "organization", "EUR"])
    assert.strictEqual(found([...legs, quoted("USD TRY 29", "2026-01-22")], "USD", "TRY")?.[0], "29")
  })

  it("prefers a cross with more of the organization's own, then the newer, then by the code", () => {
    const throughGbp = (date: string, source: RateSource) => [
      quoted("GBP TRY 60", date, source),
      quoted("GBP USD 2", date, source)
    ]
    const throughEur = [quoted("EUR TRY 42"), quoted("EUR USD 1.4")]
    const via = (date: string, source: RateSource) =>
      found([...throughGbp(date, source), ...throughEur], "USD", "TRY")?.[3]
    assert.strictEqual(via("2026-01-30", "operator"), "EUR")
    assert.strictEqual(via("2026-01-31", "operator"), "GBP")
    assert.strictEqual(via("2026-01-22", "organization"), "GBP")
  })

  it("has none where two steps do not lead there, and none for a currency against itself", () => {
    const chain = [quoted("USD EUR 0.9"), quoted("EUR GBP 0.8"), quoted("GBP TRY 60")]
    assert.isUndefined(found(chain, "USD", "TRY"))
    assert.isUndefined(found(chain, "TRY", "TRY"))
    assert.deepStrictEqual([...ratesOf(chain, ["EUR", "USD", "JPY", "TRY"], "TRY").keys()], ["EUR"])
  })

  const codes = ["AED", "EUR", "GBP", "TRY", "USD"]
  const Quotation = Schema.Struct({
    base: Schema.Literals(codes),
    quote: Schema.Literals(codes),
    rate: Schema.Literals(["0.5", "1.25", "3", "41.2350000001"]),
    date: Schema.Literals(["2026-01-29", "2026-01-30"]),
    source: Schema.Literals(["organization", "operator"])
  })

  it.prop(
    "the order of the quotations does not matter, and the way back is the inverse",
    [Schema.Array(Quotation).check(Schema.isMaxLength(12))],
    ([all]) => {
      // One quotation a day, pair and owner, as the table has them.
      const byKey = new Map(all.map((one) => [[one.base, one.quote, one.date, one.source].join(), one]))
      const quotations = [...byKey.values()].filter(({ base, quote }) => base !== quote)
      const rates = ratesOf(quotations, codes, "TRY")
      assert.deepStrictEqual(ratesOf([...quotations].reverse(), codes, "TRY"), rates)
      const pairs = new Set(quotations.flatMap(({ base, quote }) => [`${base} ${quote}`, `${quote} ${base}`]))
      for (const [from, there] of rates) {
        const back = ratesOf(quotations, ["TRY"], from).get("TRY")
        assert.strictEqual(back === undefined, false)
        assert.strictEqual(there.via === undefined, pairs.has(`${from} TRY`))
        assert.strictEqual(back?.via, there.via)
      }
    }
  )
})
