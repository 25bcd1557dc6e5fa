import { assert, layer } from "@effect/vitest"
import * as PgUnitOfWork from "@sarraf/adapters/postgres/organizations/PgUnitOfWork"
import { makeOperatorRates } from "@sarraf/adapters/postgres/rates/OperatorRates"
import * as PgExchangeRates from "@sarraf/adapters/postgres/rates/PgExchangeRates"
import { rateText } from "@sarraf/domain/money/Conversion"
import { ExchangeRates } from "@sarraf/domain/money/ExchangeRates"
import { type NewQuotation, Quotations, quotationPlace } from "@sarraf/domain/money/Quotation"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../../support/Database.ts"
import { insertOrganization } from "../support/Shop.ts"

const stores = Layer.merge(PgUnitOfWork.layer, PgExchangeRates.layer).pipe(Layer.provideMerge(Database.layer))

const as = (organizationId: string) =>
  Effect.provideService(Caller, {
    organizationId,
    role: "ADMIN",
    name: "key:test",
    kind: "key",
    userId: null,
    createdBy: null
  })

/** "2026-01-30 EUR TRY 41.235". */
const quoted = (...texts: ReadonlyArray<string>): ReadonlyArray<NewQuotation> =>
  texts.map((text) => {
    const [date = "", base = "", quote = "", rate = ""] = text.split(" ")
    return { date, base, quote, rate }
  })

const operatorHas = (...texts: ReadonlyArray<string>) =>
  Effect.flatMap(makeOperatorRates, ({ save }) =>
    save({ origin: "ecb", quotations: quoted(...texts), skipped: [] }, undefined)
  )

const ownHas = (...texts: ReadonlyArray<string>) =>
  Effect.flatMap(Quotations, (quotations) => quotations.save(quoted(...texts), "api"))

const on = Effect.fnUntraced(function* (date: string, froms: ReadonlyArray<string>, to: string) {
  const rates = yield* (yield* ExchangeRates).on(date, froms, to)
  return [...rates.values()].map((rate) => `${rate.from} ${rateText(rate)} ${rate.date} ${rate.source}`)
})

layer(stores)("Rates of a day", (it) => {
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
})

layer(stores)("Quotations", (it) => {
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

  it.effect("of the operator are read by every organization and written by none", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const units = yield* UnitOfWork
      yield* operatorHas("2023-01-02 EUR TRY 20")
      const operators = sql`SELECT rate FROM exchange_rates WHERE organization_id = ''
        AND exchange_rates.date = '2023-01-02'`
      assert.strictEqual((yield* units.run(operators)).length, 1)
      const changed = sql`UPDATE exchange_rates SET rate = 1 WHERE organization_id = '' RETURNING 1`
      assert.deepStrictEqual(yield* units.run(changed), [])
      for (const owner of ["", "org_victim"]) {
        const added = sql`INSERT INTO exchange_rates VALUES (${owner}, '2023-01-03', 'EUR', 'TRY', 1, 'api', now())`
        assert.strictEqual((yield* Effect.exit(units.run(Effect.orDie(added))))._tag, "Failure")
      }
    }).pipe(as("org_thief"))
  )

  it.effect("of an organization may be given by the operator, where there is one", () =>
    Effect.gen(function* () {
      const { list, save } = yield* makeOperatorRates
      const file = {
        origin: "csv",
        quotations: quoted("2022-05-02 EUR TRY 15", "2022-05-03 EUR USD 1"),
        skipped: []
      } as const
      const refused = yield* Effect.flip(save(file, "org_given"))
      assert.strictEqual(refused._tag, "RatesRefused")
      yield* insertOrganization("org_given", true)
      assert.strictEqual(yield* save(file, "org_given"), 2)
      assert.strictEqual(yield* save(file, "org_given"), 0)
      assert.deepStrictEqual(
        (yield* list).filter(({ organization_id }) => organization_id === "org_given"),
        [{ organization_id: "org_given", base: "EUR", quotes: 2, count: 2, from: "2022-05-02", to: "2022-05-03" }]
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
})
