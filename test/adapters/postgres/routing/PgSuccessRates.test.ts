import { assert, layer } from "@effect/vitest"
import * as PgSuccessRates from "@sarraf/adapters/postgres/routing/PgSuccessRates"
import { SuccessRates } from "@sarraf/domain/routing/SuccessRates"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as Database from "../../../support/Database.ts"

/** The test clock begins at the epoch. */
const now = 0
const hour = 3_600_000

/** A process that has counted nothing yet; it lives as long as the test. */
const freshRates = Effect.gen(function* () {
  const context = yield* Layer.build(Layer.fresh(PgSuccessRates.layer))
  return yield* Effect.provide(
    Effect.gen(function* () {
      return yield* SuccessRates
    }),
    context
  )
})

/** Payments in one state, that count from `first`; the later the number, the newer. */
const addPayments = Effect.fnUntraced(function* (
  organizationId: string,
  provider: string,
  state: string,
  count: number,
  first: number,
  at = now
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO payments (organization_id, id, client_id, merchant_reference, holds_reference, currency, amount,
      status, authorization_state, provider, authorized, captured, capture_pending, released, refunded, refund_pending,
      disputed, created_at, updated_at, version)
    SELECT ${organizationId}, 'txn_' || lpad(n::text, 8, '0'), 'shop', n::text, false, 'TRY', 100, ${state}, ${state},
      ${provider}, 0, 0, 0, 0, 0, 0, 0, ${new Date(at)}, ${new Date(at)}, 1
    FROM generate_series(${first}::int, ${first + count - 1}::int) AS n`
})

const ratesOf = (rates: SuccessRates, organizationId: string) =>
  Effect.map(rates.of(organizationId), (found) => Object.fromEntries(found))

layer(Database.layer)("PgSuccessRates", (it) => {
  it.effect("counts the share of approved payments by provider, of those that were decided", () =>
    Effect.gen(function* () {
      yield* addPayments("org_counted", "isbank", "AUTHORIZED", 150, 1)
      yield* addPayments("org_counted", "isbank", "DECLINED", 40, 1_001)
      yield* addPayments("org_counted", "isbank", "FAILED", 10, 2_001)
      for (const [index, state] of ["PENDING", "REQUIRES_ACTION", "VOIDED"].entries()) {
        yield* addPayments("org_counted", "isbank", state, 100, 3_001 + index * 100)
      }
      yield* addPayments("org_counted", "stripe", "AUTHORIZED", 100, 4_001)
      yield* addPayments("org_elsewhere", "isbank", "DECLINED", 200, 1)
      assert.deepStrictEqual(yield* ratesOf(yield* freshRates, "org_counted"), { isbank: 0.75, stripe: 1 })
    })
  )

  it.effect("says nothing of a provider with fewer than a hundred decided payments", () =>
    Effect.gen(function* () {
      yield* addPayments("org_few", "isbank", "DECLINED", 99, 1)
      yield* addPayments("org_few", "stripe", "DECLINED", 100, 1_001)
      assert.deepStrictEqual(yield* ratesOf(yield* freshRates, "org_few"), { stripe: 0 })
      assert.deepStrictEqual(yield* ratesOf(yield* freshRates, "org_none"), {})
    })
  )

  it.effect("looks at the newest two thousand payments of the last seven days", () =>
    Effect.gen(function* () {
      yield* addPayments("org_old", "isbank", "DECLINED", 200, 1, now - 7 * 24 * hour)
      yield* addPayments("org_old", "isbank", "AUTHORIZED", 100, 1_001, now - 7 * 24 * hour + 1)
      assert.deepStrictEqual(yield* ratesOf(yield* freshRates, "org_old"), { isbank: 1 })
      yield* addPayments("org_many", "isbank", "DECLINED", 500, 1)
      yield* addPayments("org_many", "isbank", "AUTHORIZED", 2_000, 1_001)
      assert.deepStrictEqual(yield* ratesOf(yield* freshRates, "org_many"), { isbank: 1 })
    })
  )

  it.effect("counts again beside the payments when half a minute has passed", () =>
    Effect.gen(function* () {
      const rates = yield* freshRates
      yield* addPayments("org_later", "isbank", "AUTHORIZED", 100, 1)
      assert.deepStrictEqual(yield* ratesOf(rates, "org_later"), { isbank: 1 })
      yield* addPayments("org_later", "isbank", "DECLINED", 100, 1_001)
      yield* TestClock.adjust("29 seconds")
      assert.deepStrictEqual(yield* ratesOf(rates, "org_later"), { isbank: 1 })
      yield* TestClock.adjust("1 second")
      // The first to ask does not wait for it.
      assert.deepStrictEqual(yield* ratesOf(rates, "org_later"), { isbank: 1 })
      const counted = Effect.filterOrFail(ratesOf(rates, "org_later"), ({ isbank }) => isbank === 0.5)
      assert.deepStrictEqual(yield* Effect.eventually(counted), { isbank: 0.5 })
    })
  )

  it.effect("leaves routing with the prior while there is no database, and counts when it is back", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rates = yield* freshRates
      yield* addPayments("org_returning", "isbank", "AUTHORIZED", 100, 1)
      yield* sql`ALTER TABLE payments RENAME TO away`
      assert.deepStrictEqual(yield* ratesOf(rates, "org_returning"), {})
      yield* sql`ALTER TABLE away RENAME TO payments`
      const counted = Effect.filterOrFail(ratesOf(rates, "org_returning"), ({ isbank }) => isbank === 1)
      yield* Effect.eventually(counted)
    })
  )
})
