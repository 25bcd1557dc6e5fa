import { assert, layer } from "@effect/vitest"
import * as PgPaymentStore from "@sarraf/adapters/postgres/payments/PgPaymentStore"
import type { Payment } from "@sarraf/domain/payments/Payment"
import { PaymentStore } from "@sarraf/domain/payments/PaymentStore"
import type { Sums } from "@sarraf/domain/payments/Sums"
import { Context, Effect, Exit, Fiber, Latch, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import {
  accepted,
  begunOperation,
  carriedOut,
  operation,
  settledBy,
  type Told,
  tell
} from "../../domain/payments/support/SamplePayment.ts"
import * as Database from "../../support/Database.ts"
import { paymentListContract } from "./paymentListContract.ts"
import { paymentStoreContract } from "./paymentStoreContract.ts"
import { actor, commit, insertOrganization, type Shop, shop, store, storeHistory } from "./support/Shop.ts"

const authorize = (begun: Told): Told => tell(begun, settledBy(begun.payment, accepted()))

const onDatabase = Layer.provideMerge(PgPaymentStore.layer, Database.layer)

const find = ({ as }: Shop, id: string) => Effect.flatMap(PaymentStore, (payments) => as(payments.find(id)))

layer(onDatabase)("PgPaymentStore", (it) => {
  paymentStoreContract(it, insertOrganization)
  paymentListContract(it)
})

/** Sums that the domain never makes, and the tables must not take. */
const unsound: ReadonlyArray<readonly [string, Partial<Sums>]> = [
  ["more captured than authorized", { captured: 10_001n }],
  ["more refunded than captured", { captured: 1n, refunded: 2n }],
  ["more refunds under way than captured", { captured: 1n, refunded: 1n, refundPending: 1n }],
  ["more released than is left", { captured: 9_000n, released: 1_001n }],
  ["more captures under way than is left", { captured: 9_000n, capturePending: 1_001n }],
  ["something negative captured", { captured: -1n }],
  ["something negative refunded", { refunded: -1n }],
  ["something negative released", { released: -1n }],
  ["a part authorized", { authorized: 9_999n }],
  ["more authorized than was asked for", { authorized: 10_001n }]
]

layer(onDatabase)("The tables of PgPaymentStore", (it) => {
  it.effect.each(unsound)("refuse %s, and the payment stays as it was", ([name, sums]) =>
    Effect.gen(function* () {
      const owner = shop(`unsound ${name}`)
      const authorized = authorize(owner.payment(1))
      yield* storeHistory(owner, [owner.payment(1), authorized])
      const event = begunOperation(operation())
      const after: Payment = {
        ...authorized.payment,
        sums: { ...authorized.payment.sums, ...sums },
        version: authorized.payment.version + 1
      }
      const payments = yield* PaymentStore
      const exit = yield* Effect.exit(payments.commit({ before: authorized.payment, after, events: [event], actor }))
      assert.isTrue(Exit.hasDies(exit))
      assert.deepStrictEqual(yield* find(owner, authorized.payment.id), authorized.payment)
    })
  )

  it.effect("never change or lose an event once it is written", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const owner = shop("appendOnly")
      const captured = carriedOut(authorize(owner.payment(1)), operation({ minor: 1n, final: false }))
      const begun = tell(captured, begunOperation(operation({ id: "op_2", minor: 1n })))
      // A row that is written anew gets another xmin.
      const rows = sql`SELECT sequence, xmin::text AS written, type, at, data FROM payment_events
        WHERE organization_id = ${owner.caller.organizationId} ORDER BY sequence`
      yield* storeHistory(owner, [owner.payment(1), captured])
      const before = yield* rows
      yield* commit(captured, begun)
      assert.deepStrictEqual((yield* rows).slice(0, -1), before)
      assert.deepStrictEqual(
        (yield* rows).map(({ sequence }) => sequence),
        begun.events.map((_, index) => index + 1)
      )
    })
  )

  it.effect("keep who changed what with every change", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const owner = shop("audited")
      const captured = carriedOut(authorize(owner.payment(1)), operation())
      yield* storeHistory(owner, [owner.payment(1), captured])
      const rows = yield* sql`SELECT actor, request_id, action FROM audit_log
        WHERE organization_id = ${owner.caller.organizationId} AND subject = ${captured.payment.id} ORDER BY id`
      assert.deepStrictEqual(
        rows.map(({ action, actor: name, request_id }) => [name, request_id, action]),
        ["authorization.settled", "operation.begun", "operation.settled"].map((action) => [
          actor.name,
          actor.requestId,
          action
        ])
      )
    })
  )

  it.effect("let one of two processes begin with a merchantReference, and one of two commit", () =>
    Effect.gen(function* () {
      const owner = shop("processes")
      const elsewhere = Effect.map(Layer.build(Layer.fresh(PgPaymentStore.layer)), (context) =>
        Context.get(context, PaymentStore)
      )
      const processes = [yield* elsewhere, yield* elsewhere, yield* elsewhere, yield* elsewhere]
      const rivals = processes.map((_, index) => owner.payment(index + 1, { merchantReference: "order-x" }))
      const begun = yield* Effect.all(
        processes.map((process, index) =>
          Effect.provideService(store(owner, rivals[index] ?? assert.fail()), PaymentStore, process)
        ),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(begun.filter(Boolean).length, 1)
      const holder = rivals[begun.indexOf(true)] ?? assert.fail()
      const commits = yield* Effect.all(
        processes.map((process) =>
          Effect.result(Effect.provideService(commit(holder, authorize(holder)), PaymentStore, process))
        ),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(commits.filter(Result.isSuccess).length, 1)
    })
  )
})

/** Ends the connections that wait for the tables as soon as there are this many, while the tables are locked. */
const endWaiting = Effect.fnUntraced(function* (count: number) {
  const sql = yield* SqlClient.SqlClient
  const waiting = sql`FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
  yield* Effect.repeat(sql<{ count: number }>`SELECT count(*)::integer AS count ${waiting}`, {
    until: ([row]) => row?.count === count
  })
  yield* sql`SELECT pg_terminate_backend(pid) ${waiting}`
})

layer(onDatabase)("PgPaymentStore without its database", (it) => {
  it.effect("is Unavailable in every method, and works again as soon as the database is back", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const payments = yield* PaymentStore
      const owner = shop("lost")
      const [first, second] = [owner.payment(1), owner.payment(2)]
      yield* store(owner, first)
      const methods = {
        begin: store(owner, second),
        commit: commit(first, authorize(first)),
        find: owner.as(payments.find(first.payment.id)),
        findByReference: owner.as(payments.findByReference("order-1")),
        events: owner.as(payments.events(first.payment.id)),
        list: owner.as(payments.list({ limit: 1 })),
        dueRefunds: payments.dueRefunds(0, 1)
      }
      const names = Object.keys(methods)
      const [locked, ended] = [yield* Latch.make(), yield* Latch.make()]
      const locking = sql.withTransaction(
        sql`LOCK TABLE payments, payment_events IN ACCESS EXCLUSIVE MODE`.pipe(
          Effect.andThen(locked.open),
          Effect.andThen(ended.await)
        )
      )
      const holder = yield* Effect.forkChild(locking)
      yield* locked.await
      const asking = yield* Effect.forEach(Object.values(methods), (method) =>
        Effect.forkChild(Effect.result<unknown, { readonly _tag: string }, PaymentStore>(method))
      )
      yield* endWaiting(names.length)
      yield* ended.open
      yield* Fiber.join(holder)
      const results = yield* Effect.forEach(asking, Fiber.join)
      assert.deepStrictEqual(
        results.map((result) => (Result.isFailure(result) ? result.failure._tag : "succeeded")),
        names.map(() => "Unavailable")
      )
      assert.deepStrictEqual(yield* find(owner, first.payment.id), first.payment)
      assert.isTrue(yield* store(owner, second))
    })
  )
})
