import { assert, layer } from "@effect/vitest"
import * as RandomIdentifiers from "@sarraf/adapters/identifiers/RandomIdentifiers"
import * as MemoryChallengeSteps from "@sarraf/adapters/memory/MemoryChallengeSteps"
import * as PgRequestLedger from "@sarraf/adapters/postgres/PgRequestLedger"
import * as PgPaymentStore from "@sarraf/adapters/postgres/payments/PgPaymentStore"
import { EncryptionKeys } from "@sarraf/adapters/signing/EncryptionKeys"
import * as HmacFingerprints from "@sarraf/adapters/signing/HmacFingerprints"
import { GatewayCaller } from "@sarraf/domain/organizations/GatewayCaller"
import { GatewayLimits } from "@sarraf/domain/payments/GatewayLimits"
import { rebuild } from "@sarraf/domain/payments/PaymentEvent"
import { PaymentLocks } from "@sarraf/domain/payments/PaymentLocks"
import { PaymentProviders } from "@sarraf/domain/payments/PaymentProvider"
import { PaymentStore } from "@sarraf/domain/payments/PaymentStore"
import { Payments } from "@sarraf/domain/payments/Payments"
import { PaymentWork } from "@sarraf/domain/payments/PaymentWork"
import { isSound } from "@sarraf/domain/payments/Sums"
import { Context, Effect, Layer, Redacted, Result } from "effect"
import { SqlClient } from "effect/sql"
import { admitted, authorization } from "../../domain/payments/support/Gateway.ts"
import * as ReadableTokens from "../../domain/payments/support/ReadableTokens.ts"
import { accepted } from "../../domain/payments/support/SamplePayment.ts"
import { lost, type Script, scriptedProvider } from "../../domain/payments/support/ScriptedProvider.ts"
import * as Database from "../../support/Database.ts"

const caller = { organizationId: "org_shop", clientId: "shop", livemode: false }
const asCaller = Effect.provideService(GatewayCaller, caller)

const keys = Layer.succeed(EncryptionKeys, { current: Redacted.make(new Uint8Array(32).fill(7)), old: [] })

/** Long enough that only the work, and never the clock, ends a wait. */
const patient = Layer.succeed(GatewayLimits, {
  attemptMillis: 3_600_000,
  requestMillis: 7_200_000,
  failoverMillisLeft: 8_000,
  queueMillis: 7_200_000,
  finalWordMillis: 5_000
})

const challenges = Layer.merge(MemoryChallengeSteps.layer, ReadableTokens.tokens)

/** Processes of the service on one database and one provider. */
const openProcesses = Effect.fnUntraced(function* (count: number, script: Script = {}) {
  const provider = scriptedProvider("akbank", [], script, { query: { byReference: false } })
  const providers = Layer.succeed(PaymentProviders, new Map([[provider.id, provider]]))
  const own = Layer.mergeAll(
    PgPaymentStore.layer,
    PgRequestLedger.layer,
    PaymentLocks.layer,
    PaymentWork.layer,
    RandomIdentifiers.layer
  )
  const process = Payments.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(own, HmacFingerprints.layer, providers, challenges)),
    Layer.provide([keys, patient])
  )
  const contexts = yield* Effect.all(Array.from({ length: count }, () => Layer.build(Layer.fresh(process))))
  const processes = contexts.map((context) => Context.get(context, Payments))
  const [first] = processes
  const [context] = contexts
  if (first === undefined || context === undefined) return yield* Effect.die(new Error("No process"))
  const authorize = (merchantReference: string) =>
    asCaller(
      first.authorize(authorization({ merchantReference }), admitted(`key of ${merchantReference}`, merchantReference))
    )
  return { provider, processes, first, authorize, store: Context.get(context, PaymentStore) }
})

const operate = (
  payments: Payments["Service"],
  id: string,
  type: "CAPTURE" | "REFUND" | "VOID",
  minor: bigint,
  key: string
) => asCaller(payments.operate(id, { type, ...(type === "VOID" ? {} : { minor }) }, admitted(key, `${key} ${minor}`)))

// On the real clock: the database's own decides what has expired, and processes look again at what another is at.
layer(Database.layer, { excludeTestServices: true })("Payments on PostgreSQL", (it) => {
  it.effect("take a payment from its authorization to its refund, and keep what happened", () =>
    Effect.gen(function* () {
      const { authorize, first, store } = yield* openProcesses(1)
      const { payment } = yield* authorize("order-1")
      yield* operate(first, payment.id, "CAPTURE", 6_000n, "c")
      yield* operate(first, payment.id, "REFUND", 1_000n, "r")
      const last = yield* operate(first, payment.id, "VOID", 0n, "v")
      const { authorized, captured, refunded, released } = last.payment.sums
      assert.deepStrictEqual([authorized, captured, refunded, released], [10_000n, 6_000n, 1_000n, 4_000n])
      const found = yield* asCaller(first.get(payment.id))
      assert.deepStrictEqual(found, last.payment)
      assert.deepStrictEqual(rebuild(yield* asCaller(store.events(payment.id))), found)
    })
  )

  it.effect("refund never more than was captured, when 64 refunds come to three processes at once", () =>
    Effect.gen(function* () {
      const { authorize, processes, first, provider } = yield* openProcesses(3)
      const { payment } = yield* authorize("order-refunds")
      yield* operate(first, payment.id, "CAPTURE", 5_000n, "capture-refunds")
      const refunds = Array.from({ length: 64 }, (_, index) => {
        const process = processes[index % 3] ?? first
        return Effect.result(operate(process, payment.id, "REFUND", 100n, `refund-${index}`))
      })
      const results = yield* Effect.all(refunds, { concurrency: "unbounded" })
      const failures = results.flatMap((result) => (Result.isFailure(result) ? [result.failure._tag] : []))
      assert.deepStrictEqual(failures, Array(14).fill("OperationRefused"))
      const { sums } = yield* asCaller(first.get(payment.id))
      assert.isTrue(isSound(sums))
      assert.deepStrictEqual([sums.refunded, sums.refundPending], [5_000n, 0n])
      assert.strictEqual(provider.mostAtOnce(), 1)
    })
  )

  it.effect("begin one payment, however many processes are sent the same request at once", () =>
    Effect.gen(function* () {
      const { first, processes, provider } = yield* openProcesses(4)
      const request = authorization({ merchantReference: "order-same" })
      const same = Array.from({ length: 32 }, (_, index) =>
        Effect.result(asCaller((processes[index % 4] ?? first).authorize(request, admitted("key-same", "same"))))
      )
      const results = yield* Effect.all(same, { concurrency: "unbounded" })
      const answers = results.filter(Result.isSuccess).map(({ success }) => success)
      const failures = results.flatMap((result) => (Result.isFailure(result) ? [result.failure._tag] : []))
      assert.strictEqual(answers.filter(({ replayed }) => !replayed).length, 1)
      assert.strictEqual(new Set(answers.map(({ payment }) => payment.id)).size, 1)
      assert.isTrue(
        failures.every((tag) => tag === "RequestStillRunning"),
        failures.join()
      )
      assert.strictEqual(provider.calls.length, 1)
    })
  )

  it.effect("keep no card number and no security code in any table", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const outcomes = [accepted(), lost]
      const { authorize, first } = yield* openProcesses(1, {
        authorize: () => Effect.succeed(outcomes.shift() ?? accepted())
      })
      const { payment } = yield* authorize("order-secret")
      yield* operate(first, payment.id, "CAPTURE", 100n, "capture-secret")
      yield* authorize("order-unknown")
      const tables = yield* sql<{ name: string }>`SELECT format('%I.%I', table_schema, table_name) AS name
        FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`
      const dump = yield* Effect.forEach(tables, ({ name }) =>
        sql.unsafe<{ row: string }>(`SELECT t::text AS row FROM ${name} t`)
      )
      const text = dump
        .flat()
        .map(({ row }) => row)
        .join("\n")
      assert.include(text, payment.id)
      assert.include(text, "order-unknown")
      for (const secret of ["4111111111111111", "4111 1111 1111 1111", '"123"', "cardCvc", "NDExMTExMTExMTExMTExMQ"]) {
        assert.notInclude(text, secret)
      }
      assert.notMatch(text, /411111\D{0,3}1111\D{0,3}11/u)
    })
  )
})
