import { assert, type Vitest } from "@effect/vitest"
import { rateText } from "@sarraf/domain/money/Conversion"
import { ExchangeRates } from "@sarraf/domain/money/ExchangeRates"
import { type NewQuotation, Quotations, quotationPlace } from "@sarraf/domain/money/Quotation"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { Effect } from "effect"
import { Arrangement } from "../support/Arrangement.ts"

export const as = (organizationId: string) =>
  Effect.provideService(Caller, {
    organizationId,
    role: "ADMIN",
    name: "key:test",
    kind: "key",
    userId: null,
    createdBy: null
  })

/** "2026-01-30 EUR TRY 41.235". */
export const quoted = (...texts: ReadonlyArray<string>): ReadonlyArray<NewQuotation> =>
  texts.map((text) => {
    const [date = "", base = "", quote = "", rate = ""] = text.split(" ")
    return { date, base, quote, rate }
  })

const operatorHas = (...texts: ReadonlyArray<string>) =>
  Effect.flatMap(Arrangement, ({ quotations }) => quotations(quoted(...texts)))

const ownHas = (...texts: ReadonlyArray<string>) =>
  Effect.flatMap(Quotations, (quotations) => quotations.save(quoted(...texts), "api"))

const on = Effect.fnUntraced(function* (date: string, froms: ReadonlyArray<string>, to: string) {
  const rates = yield* (yield* ExchangeRates).on(date, froms, to)
  return [...rates.values()].map((rate) => `${rate.from} ${rateText(rate)} ${rate.date} ${rate.source}`)
})

type Stores = Arrangement | ExchangeRates | Quotations

/** What rates of a day are, wherever they are kept. */
export const exchangeRatesContract = (it: Vitest.MethodsNonLive<Stores>) => {
  // Friday, 2026-01-30, is the last day that was quoted before the weekend.
  it.effect("hold over a weekend and for ten days, and not before they were quoted", () =>
    Effect.gen(function* () {
      yield* operatorHas("2026-01-29 EUR TRY 40", "2026-01-30 EUR TRY 50")
      assert.deepStrictEqual(yield* on("2026-01-29", ["EUR"], "TRY"), ["EUR 40 2026-01-29 operator"])
      for (const day of ["2026-01-30", "2026-02-01", "2026-02-09"]) {
        assert.deepStrictEqual(yield* on(day, ["EUR"], "TRY"), ["EUR 50 2026-01-30 operator"])
      }
      assert.deepStrictEqual(yield* on("2026-02-10", ["EUR"], "TRY"), [])
      assert.deepStrictEqual(yield* on("2026-01-28", ["EUR"], "TRY"), [])
    }).pipe(as("org_weekend"))
  )

  it.effect("are crossed through the euro, for all currencies at once, without those that nobody quoted", () =>
    Effect.gen(function* () {
      yield* operatorHas("2025-06-02 EUR USD 1.25", "2025-06-02 EUR TRY 45", "2025-06-02 EUR JPY 160")
      assert.deepStrictEqual(yield* on("2025-06-03", ["USD", "JPY", "EUR", "XOF", "TRY"], "TRY"), [
        "USD 36 2025-06-02 operator",
        "JPY 0.28125 2025-06-02 operator",
        "EUR 45 2025-06-02 operator"
      ])
      assert.deepStrictEqual(yield* on("2025-06-03", ["TRY"], "TRY"), [])
    }).pipe(as("org_cross"))
  )

  it.effect("are the organization's own where it has any that holds, and nobody else's", () =>
    Effect.gen(function* () {
      yield* operatorHas("2025-03-10 GBP TRY 47")
      yield* as("org_own")(ownHas("2025-03-05 GBP TRY 50.1234567891"))
      yield* as("org_rich")(ownHas("2025-03-10 GBP TRY 99"))
      const rate = (day: string) => on(day, ["GBP"], "TRY")
      assert.deepStrictEqual(yield* as("org_own")(rate("2025-03-11")), ["GBP 50.1234567891 2025-03-05 organization"])
      assert.deepStrictEqual(yield* as("org_own")(rate("2025-03-16")), ["GBP 47 2025-03-10 operator"])
      assert.deepStrictEqual(yield* as("org_poor")(rate("2025-03-11")), ["GBP 47 2025-03-10 operator"])
    })
  )
}

/** What every store of quotations keeps. */
export const quotationsContract = (it: Vitest.MethodsNonLive<Stores>) => {
  const listed = Effect.fnUntraced(function* (limit: number, filter = {}) {
    const quotations = yield* Quotations
    const found: Array<string> = []
    let after: string | undefined
    for (;;) {
      const page = yield* quotations.list(filter, { limit, after })
      for (const one of page.items) found.push(`${quotationPlace(one)} ${one.rate} ${one.origin}`)
      const last = page.items.at(-1)
      if (!page.hasMore || last === undefined) return found
      after = quotationPlace(last)
    }
  })

  it.effect("take the place of earlier ones, and only what differs counts as written", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* ownHas("2026-01-30 EUR TRY 50", "2026-01-30 USD TRY 40"), 2)
      assert.strictEqual(yield* ownHas("2026-01-30 EUR TRY 50.0", "2026-01-30 USD TRY 41"), 1)
      assert.deepStrictEqual(yield* listed(10), [
        "2026-01-30 EUR TRY organization 50 api",
        "2026-01-30 USD TRY organization 41 api"
      ])
    }).pipe(as("org_saving"))
  )

  it.effect("are listed page by page, the newest day first, each once", () =>
    Effect.gen(function* () {
      yield* operatorHas("2024-01-02 EUR TRY 33", "2024-01-02 EUR USD 1.1", "2024-01-03 EUR TRY 34")
      yield* as("org_listing")(ownHas("2024-01-02 EUR TRY 30", "2024-01-03 AED TRY 8"))
      yield* as("org_unseen")(ownHas("2024-01-02 EUR TRY 31"))
      const expected = [
        "2024-01-03 AED TRY organization 8 api",
        "2024-01-03 EUR TRY operator 34 ecb",
        "2024-01-02 EUR TRY operator 33 ecb",
        "2024-01-02 EUR TRY organization 30 api",
        "2024-01-02 EUR USD operator 1.1 ecb"
      ]
      for (const limit of [1, 2, 10]) assert.deepStrictEqual(yield* as("org_listing")(listed(limit)), expected)
      assert.deepStrictEqual(
        yield* as("org_listing")(listed(10, { date: "2024-01-02", base: "EUR", quote: "TRY" })),
        expected.slice(2, 4)
      )
    })
  )

  it.effect("of a whole history are saved in one unit", () =>
    Effect.gen(function* () {
      const days = Array.from({ length: 28 }, (_, day) => `2021-02-${String(day + 1).padStart(2, "0")}`)
      const currencies = Array.from(
        { length: 250 },
        (_, index) => `A${String.fromCharCode(65 + (index % 25))}${String.fromCharCode(65 + Math.floor(index / 25))}`
      )
      const all = days.flatMap((day) => currencies.map((code) => `${day} EUR ${code} 1.5`))
      assert.strictEqual(yield* ownHas(...all), 7000)
    }).pipe(as("org_history"))
  )
}
