import { assert, describe, layer } from "@effect/vitest"
import { migrate } from "@sarraf/adapters/postgres/migrate"
import * as PgChallengeSteps from "@sarraf/adapters/postgres/payments/PgChallengeSteps"
import { EncryptionKeys } from "@sarraf/adapters/signing/EncryptionKeys"
import { ChallengeSteps } from "@sarraf/domain/payments/ChallengeSteps"
import type { ChallengeOwner } from "@sarraf/domain/payments/ChallengeTokens"
import type { BuyerStep } from "@sarraf/domain/payments/Outcome"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../support/Database.ts"
import { challengeStepsContract } from "./challengeStepsContract.ts"

const cardNumber = "4000000000003220"

const ownerOf = (paymentId: string, organizationId = "org_1"): ChallengeOwner => ({
  caller: { organizationId, clientId: "shop", livemode: false },
  paymentId
})

const form: BuyerStep = {
  type: "form",
  action: "https://acs.example/auth",
  fields: Redacted.make({ pan: cardNumber, cv2: "917", callbackUrl: "https://pay.example/ç?a=1&b=2" })
}

const key = (fill: number) => Redacted.make(new Uint8Array(32).fill(fill))
const withKey = (fill: number) => Effect.provideService(EncryptionKeys, { current: key(fill), old: [] })
const steps = PgChallengeSteps.make.pipe(withKey(1))

/** The database's clock decides, so that tests count from its time. */
const inMillis = (millis: number) =>
  Effect.map(
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql<{ now: Date }>`SELECT now() AS now`),
    ([row]) => Number(row?.now) + millis
  )

const count = Effect.map(
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql<{ rows: bigint }>`SELECT count(*) AS rows FROM challenge_steps`),
  ([row]) => Number(row?.rows)
)

describe("challenge steps in PostgreSQL", () => {
  const onDatabase = Layer.provideMerge(Layer.effect(ChallengeSteps, steps), Database.layer)
  layer(onDatabase)("in a database", (it) => challengeStepsContract(it, Effect.orDie(inMillis(0))))

  layer(Database.layer)("in one database", (it) => {
    it.effect("do not open in another payment's row, nor under another key", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { keep, take } = yield* steps
        yield* keep(ownerOf("txn_6"), form, yield* inMillis(60_000))
        yield* sql`UPDATE challenge_steps SET payment_id = 'txn_7' WHERE payment_id = 'txn_6'`
        assert.isUndefined(yield* take(ownerOf("txn_7")))
        yield* keep(ownerOf("txn_6"), form, yield* inMillis(60_000))
        const other = yield* PgChallengeSteps.make.pipe(withKey(2))
        assert.isUndefined(yield* other.take(ownerOf("txn_6")))
        // What cannot be opened is erased all the same.
        assert.isUndefined(yield* take(ownerOf("txn_6")))
      })
    )

    it.effect("hold nothing that can be read", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { keep, take } = yield* steps
        yield* keep(ownerOf("txn_8"), form, yield* inMillis(60_000))
        const [row] = yield* sql<{ sealed: string }>`SELECT sealed FROM challenge_steps WHERE payment_id = 'txn_8'`
        assert.match(row?.sealed ?? "", /^v1\./u)
        for (const secret of [cardNumber, "callbackUrl", "acs.example", Buffer.from(cardNumber).toString("base64")]) {
          assert.notInclude(row?.sealed, secret)
        }
        yield* take(ownerOf("txn_8"))
      })
    )

    it.effect("are gone when their time is over: not given out, and swept", () =>
      Effect.gen(function* () {
        const { keep, sweep, take } = yield* steps
        yield* keep(ownerOf("txn_9"), form, yield* inMillis(-1_000))
        assert.isUndefined(yield* take(ownerOf("txn_9")))
        yield* keep(ownerOf("txn_9"), form, yield* inMillis(-1_000))
        yield* keep(ownerOf("txn_10"), form, yield* inMillis(60_000))
        yield* sweep
        assert.strictEqual(yield* count, 1)
        assert.isDefined(yield* take(ownerOf("txn_10")))
      })
    )

    it.effect("lie in a table that no log, replica or base backup holds", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const relations = yield* sql<{ relname: string; relpersistence: string }>`SELECT relname, relpersistence
          FROM pg_class WHERE relname LIKE 'challenge_steps%' ORDER BY relname`
        assert.deepStrictEqual(
          relations.map(({ relpersistence }) => relpersistence),
          ["u", "u", "u"]
        )
      })
    )
  })

  layer(Database.layerUnmigrated)("in a database without the table", (it) => {
    it.effect("are made by the migration", () =>
      Effect.gen(function* () {
        yield* migrate
        assert.strictEqual(yield* count, 0)
      })
    )
  })
})
