import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { GroupWriter } from "@sarraf/adapters/postgres/GroupWriter"
import * as PgRequestLedger from "@sarraf/adapters/postgres/PgRequestLedger"
import * as PgPaymentStore from "@sarraf/adapters/postgres/payments/PgPaymentStore"
import { RequestLedger, type RequestRecord } from "@sarraf/domain/admission/RequestLedger"
import { PaymentStore } from "@sarraf/domain/payments/PaymentStore"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { begunEvent, request, start, told } from "../../domain/payments/support/SamplePayment.ts"
import * as Database from "../../support/Database.ts"
import { requestLedgerContract } from "./requestLedgerContract.ts"

const onDatabase = Layer.provideMerge(Layer.merge(PgRequestLedger.layer, PgPaymentStore.layer), Database.layer)

/** The database's time, by which what has expired is forgotten. */
const now = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.orDie(Effect.map(sql<{ at: Date }>`SELECT clock_timestamp() AS at`, ([row]) => row?.at.getTime() ?? 0))
)

const begin = Effect.fnUntraced(function* (record: RequestRecord, at: number) {
  const asked = request({
    id: record.paymentId,
    organizationId: record.organizationId,
    clientId: record.caller,
    merchantReference: `order of ${record.paymentId}`,
    createdAt: at
  })
  const attempt = start({ reference: `reference of ${record.paymentId}` })
  const begun = yield* (yield* PaymentStore).begin(told(asked, attempt).payment, begunEvent(asked, attempt), record)
  assert.isTrue(begun)
})

const signed = (digest: string, usedAt: number) => ({
  organizationId: "org_processes",
  clientId: "shop",
  signatureDigest: digest,
  isBodiless: false,
  signatureExpiresAt: usedAt + 300_000,
  use: { target: "POST /pf/v1/payments/authorize", operation: "authorize", idempotencyKey: null, usedAt },
  fingerprint: "f"
})

const nowhere = Layer.merge(
  PgClient.layer({ host: "/nonexistent", username: "postgres" }),
  Layer.succeed(GroupWriter, undefined)
)

layer(onDatabase)("PgRequestLedger", (it) => {
  requestLedgerContract(it, { begin, now })

  it.effect("admits a signature as fresh in one of several processes", () =>
    Effect.gen(function* () {
      const at = yield* now
      const open = Effect.map(Layer.build(Layer.fresh(PgRequestLedger.layer)), (context) =>
        Context.get(context, RequestLedger)
      )
      const processes = yield* Effect.all([open, open, open, open])
      const admissions = processes.flatMap(({ admit }) =>
        Array.from({ length: 16 }, () => admit(signed("d-processes", at)))
      )
      const verdicts = yield* Effect.all(admissions, { concurrency: "unbounded" })
      assert.strictEqual(verdicts.filter(({ verdict }) => verdict === "fresh").length, 1)
    })
  )

  it.effect("keeps no signature, only its digest", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const columns = yield* sql<{ name: string }>`SELECT column_name AS name FROM information_schema.columns
        WHERE table_name = 'signature_uses' ORDER BY ordinal_position`
      assert.deepStrictEqual(
        columns.map(({ name }) => name),
        ["organization_id", "client_id", "digest", "target", "operation", "idempotency_key", "used_at", "expires_at"]
      )
    })
  )

  it.effect("is Unavailable where nobody listens", () =>
    Effect.gen(function* () {
      const ledger = yield* RequestLedger.pipe(Effect.provide(Layer.fresh(PgRequestLedger.layer)))
      assert.strictEqual((yield* Effect.flip(ledger.admit(signed("d-away", 0))))._tag, "Unavailable")
      assert.strictEqual((yield* Effect.flip(ledger.find("org", "shop", "key")))._tag, "Unavailable")
    }).pipe(Effect.provide(nowhere))
  )
})
