import { assert, layer } from "@effect/vitest"
import * as PgUnitOfWork from "@sarraf/adapters/postgres/organizations/PgUnitOfWork"
import { makeOperatorRates } from "@sarraf/adapters/postgres/rates/OperatorRates"
import * as PgExchangeRates from "@sarraf/adapters/postgres/rates/PgExchangeRates"
import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../../support/Database.ts"
import { Arrangement, layerPostgres } from "../support/Arrangement.ts"
import { insertOrganization } from "../support/Shop.ts"
import { as, exchangeRatesContract, quotationsContract, quoted } from "./exchangeRatesContract.ts"

const stores = Layer.mergeAll(PgUnitOfWork.layer, PgExchangeRates.layer, layerPostgres).pipe(
  Layer.provideMerge(Database.layer)
)

layer(stores)("Rates of a day", (it) => exchangeRatesContract(it))

layer(stores)("Quotations", (it) => {
  quotationsContract(it)

  it.effect("of the operator are read by every organization and written by none", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const units = yield* UnitOfWork
      yield* (yield* Arrangement).quotations(quoted("2023-01-02 EUR TRY 20"))
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
})
