import { assert, describe, it } from "@effect/vitest"
import { currencyCodes } from "@sarraf/domain/money/Currency"
import { readRateFile } from "@sarraf/domain/money/RateFile"
import { Effect, Fiber } from "effect"

const read = (...lines: ReadonlyArray<string>) => readRateFile(lines.join("\n"))
const faults = (...lines: ReadonlyArray<string>) =>
  Effect.map(Effect.flip(read(...lines)), (error) => error.faults.map(({ message, path }) => `${path}: ${message}`))

describe("A file in the European Central Bank's form", () => {
  it.effect("has a row for each day and a column for each currency against the euro", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* read(
          "Date,USD,JPY,CYP,TRY,",
          "2026-01-30,1.1919,183.59,N/A,51.8153,",
          "2026-01-29,1.1968,N/A,0.58,,",
          ""
        ),
        {
          origin: "ecb",
          quotations: [
            { date: "2026-01-30", base: "EUR", quote: "USD", rate: "1.1919" },
            { date: "2026-01-30", base: "EUR", quote: "JPY", rate: "183.59" },
            { date: "2026-01-30", base: "EUR", quote: "TRY", rate: "51.8153" },
            { date: "2026-01-29", base: "EUR", quote: "USD", rate: "1.1968" }
          ],
          skipped: ["CYP"]
        }
      )
    })
  )

  it.effect("may be the one of a single day, with spaces and the date in words", () =>
    Effect.gen(function* () {
      const { quotations } = yield* read("Date, USD, JPY, ", "5 January 2026, 1.1664, 183.11, ")
      assert.deepStrictEqual(
        quotations.map(({ date, quote, rate }) => [date, quote, rate]),
        [
          ["2026-01-05", "USD", "1.1664"],
          ["2026-01-05", "JPY", "183.11"]
        ]
      )
    })
  )

  it.effect("is refused with each fault and its line", () =>
    Effect.gen(function* () {
      const lines = [
        "Date,USD,dollars,EUR,",
        "2026-02-30,1,2,3,",
        "2026-01-30,0,2,1,",
        "2026-01-29,1",
        "2026-01-30,1,,,"
      ]
      assert.deepStrictEqual(yield* faults(...lines), [
        "line 1: column 3 must be an ISO 4217 currency code such as USD",
        "line 2, Date: must be a date such as 2026-01-31",
        "line 3, USD: must be above 0",
        "line 3, EUR: must differ from base",
        "line 4: must have 5 fields and has 2",
        "line 5: repeats the rate of line 3"
      ])
    })
  )
})

describe("A file in the long form", () => {
  it.effect("has a row for each rate, its columns in any order and spelling, and Windows' ends of lines", () =>
    Effect.gen(function* () {
      const file = yield* read('\uFEFF"Quote",date,RATE,base\r', 'try,2026-01-30,"41.2350",usd\r', "\r")
      assert.deepStrictEqual(file, {
        origin: "csv",
        quotations: [{ date: "2026-01-30", base: "USD", quote: "TRY", rate: "41.2350" }],
        skipped: []
      })
    })
  )

  it.effect("is refused with each fault and its line", () =>
    Effect.gen(function* () {
      const lines = [
        "date,base,quote,rate",
        "30.01.2026,USD,TRY,41",
        "2026-01-30,USD,DEM,1.9",
        "2026-01-30,USD,TRY,41",
        "2026-01-30,USD,TRY,42",
        "2026-01-30,EUR,EUR,1",
        "2026-01-30,EUR,TRY,fifty",
        "2026-01-30,EUR,TRY",
        "2026-01-29,EUR,TRY,0.12345678901",
        "2026-01-28,EUR,TRY,12345678901"
      ]
      assert.deepStrictEqual(yield* faults(...lines), [
        "line 2, date: must be a date such as 2026-01-31",
        "line 3, quote: must be an ISO 4217 currency code such as EUR",
        "line 5: repeats the rate of line 4",
        "line 6, quote: must differ from base",
        "line 7, rate: must be a decimal number such as 41.235",
        "line 8: must have 4 fields and has 3",
        "line 9, rate: must have at most 10 decimals",
        "line 10, rate: must have at most 10 digits before the point"
      ])
    })
  )

  it.effect("tells a hundred faults and how many more there are", () =>
    Effect.gen(function* () {
      const rows = Array.from({ length: 150 }, (_, index) => `2026-01-30,USD,TRY${index},41`)
      const found = yield* faults("date,base,quote,rate", ...rows)
      assert.strictEqual(found.length, 101)
      assert.strictEqual(found.at(-1), ": and 50 more like these")
    })
  )
})

describe("A file of another form", () => {
  it.effect.each(["", "hello", "date", "date,rate", "base,quote,rate,day", "{}"])("%j is refused", (text) =>
    Effect.gen(function* () {
      const [fault = ""] = yield* faults(text, "2026-01-30,USD,TRY,41")
      assert.match(fault, /^line 1: must be a header/u)
    })
  )

  it.effect("that holds no rate is refused", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* faults("Date,USD,", "2026-01-30,N/A,"), ["line 2: the file holds no rate"])
    })
  )
})

describe("A large file", () => {
  const days = (count: number) =>
    Array.from({ length: count }, (_, day) => new Date(86_400_000 * day).toISOString().slice(0, 10))
  const row = Array.from({ length: 150 }, (_, index) => `1.${index + 1}`).join()

  it.effect("is read beside everything else", () =>
    Effect.gen(function* () {
      let turns = 0
      const others = yield* Effect.forkChild(
        Effect.forever(
          Effect.andThen(
            Effect.sync(() => ++turns),
            Effect.yieldNow
          )
        )
      )
      const { quotations } = yield* read("Date,USD", ...days(5000).map((day) => `${day},1.5`))
      yield* Fiber.interrupt(others)
      assert.strictEqual(quotations.length, 5000)
      assert.isAbove(turns, 10)
    })
  )

  it.effect("has at most 500,000 rates", () =>
    Effect.gen(function* () {
      const header = ["Date", ...currencyCodes.filter((code) => code !== "EUR").slice(0, 150)].join()
      const found = yield* faults(header, ...days(3334).map((day) => `${day},${row}`))
      assert.deepStrictEqual(found, ["line 3335: is beyond the 500000 rates of one file"])
    })
  )
})
