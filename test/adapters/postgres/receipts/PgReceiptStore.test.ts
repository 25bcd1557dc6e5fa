import { assert, layer } from "@effect/vitest"
import * as MemoryReceiptFiles from "@sarraf/adapters/memory/MemoryReceiptFiles"
import * as PgUnitOfWork from "@sarraf/adapters/postgres/organizations/PgUnitOfWork"
import * as PgReceiptStore from "@sarraf/adapters/postgres/receipts/PgReceiptStore"
import { sweepReceipts } from "@sarraf/adapters/postgres/receipts/ReceiptSweeper"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import { type Receipt, receiptUrl } from "@sarraf/domain/receipts/Receipt"
import { ReceiptFiles } from "@sarraf/domain/receipts/ReceiptFiles"
import { ReceiptStore } from "@sarraf/domain/receipts/ReceiptStore"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as Database from "../../../support/Database.ts"
import { insertOrganization } from "../support/Shop.ts"

const stores = Layer.mergeAll(PgUnitOfWork.layer, PgReceiptStore.layer, MemoryReceiptFiles.layer).pipe(
  Layer.provideMerge(Database.layer)
)

const as = (organizationId: string) =>
  Effect.provideService(Caller, {
    organizationId,
    role: "MEMBER",
    name: "user:usr_ayse",
    kind: "user",
    userId: "usr_ayse",
    createdBy: null
  })

const idOf = (number: number) => `rcp_${String(number).padStart(26, "0")}`
const receipt = (number: number, changes: Partial<Receipt> = {}): Receipt => ({
  id: idOf(number),
  fileName: "öğle yemeği.pdf",
  mediaType: "application/pdf",
  bytes: 4,
  sha256: number.toString(16).padStart(64, "0"),
  uploadedBy: "user:usr_ayse",
  userId: "usr_ayse",
  createdAt: 1_000,
  ...changes
})

const keep = Effect.fnUntraced(function* (kept: Receipt) {
  const store = yield* ReceiptStore
  const files = yield* ReceiptFiles
  const { organizationId } = yield* Caller
  yield* (yield* UnitOfWork).run(
    Effect.gen(function* () {
      yield* store.claim(kept)
      yield* files.write({ organizationId, sha256: kept.sha256 }, Uint8Array.of(1, 2, 3, 4))
      yield* store.insert(kept)
    })
  )
})

const expense = (id: string, url: string) =>
  Effect.gen(function* () {
    const { organizationId } = yield* Caller
    const sql = yield* SqlClient.SqlClient
    yield* sql`INSERT INTO expenses (organization_id, id, version, status, currency, amount, merchant, date, receipt_url,
        created_by, creators, submitters, violations, duplicates, created_at, updated_at)
      VALUES (${organizationId}, ${id}, 1, 'DRAFT', 'TRY', 100, 'Cafe', '2026-01-30', ${url}, 'key:test', '{}', '{}',
        '[]', '[]', now(), now())`
  })

layer(stores)("Receipts in PostgreSQL", (it) => {
  it.effect("are found as they were kept, by their organization alone", () =>
    Effect.gen(function* () {
      const store = yield* ReceiptStore
      yield* Effect.forEach(["org_one", "org_two"], (id) => insertOrganization(id, true))
      yield* as("org_one")(keep(receipt(1)))
      assert.deepStrictEqual(yield* as("org_one")(store.find(idOf(1))), receipt(1))
      assert.isUndefined(yield* as("org_two")(store.find(idOf(1))))
      assert.isUndefined(yield* as("org_two")((yield* UnitOfWork).run(store.lock(idOf(1), "shared"))))
      yield* as("org_two")(store.remove(idOf(1)))
      assert.deepStrictEqual(yield* as("org_one")(store.find(idOf(1))), receipt(1))
    })
  )

  it.effect("know the expenses that name them, whatever the address was, and those of others not", () =>
    Effect.gen(function* () {
      const store = yield* ReceiptStore
      yield* Effect.forEach(["org_naming", "org_foreign"], (id) => insertOrganization(id, true))
      const id = idOf(1)
      yield* expense("exp_1", receiptUrl("http://127.0.0.1:8080", id))
      yield* expense("exp_2", receiptUrl("https://pay.example.com", id))
      yield* expense("exp_3", receiptUrl("https://pay.example.com", idOf(2)))
      yield* expense("exp_4", `https://pay.example.com/?${id}`)
      yield* as("org_foreign")(expense("exp_5", receiptUrl("https://pay.example.com", id)))
      assert.deepStrictEqual(yield* store.namedBy(id), ["exp_2", "exp_1"])
    }).pipe(as("org_naming"))
  )

  it.effect("are not removed while an expense begins to rely on them", () =>
    Effect.gen(function* () {
      yield* insertOrganization("org_race", true)
      yield* keep(receipt(1))
      const store = yield* ReceiptStore
      const units = yield* UnitOfWork
      const held = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      const naming = yield* Effect.forkChild(
        units.run(
          Effect.gen(function* () {
            yield* store.lock(idOf(1), "shared")
            yield* Deferred.succeed(held, undefined)
            yield* Deferred.await(go)
            yield* expense("exp_1", receiptUrl("https://pay.example.com", idOf(1)))
          })
        )
      )
      yield* Deferred.await(held)
      const removing = yield* Effect.forkChild(
        units.run(Effect.andThen(store.lock(idOf(1), "exclusive"), store.namedBy(idOf(1))))
      )
      const sql = yield* SqlClient.SqlClient
      const waiting = sql`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
      yield* Effect.repeat(waiting, { until: (rows) => rows.length === 1 })
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(naming)
      assert.deepStrictEqual(yield* Fiber.join(removing), ["exp_1"])
    }).pipe(as("org_race"))
  )
})

layer(stores)("The sweeper of receipts", (it) => {
  it.effect("removes a file a day after its last receipt was removed", () =>
    Effect.gen(function* () {
      yield* insertOrganization("org_sweep", true)
      const store = yield* ReceiptStore
      const files = yield* ReceiptFiles
      const sql = yield* SqlClient.SqlClient
      const shared = receipt(0xa1)
      const kept = receipt(0xb1)
      yield* Effect.forEach([shared, { ...shared, id: idOf(2) }, kept], keep)
      const isThere = ({ sha256 }: Receipt) => files.has({ organizationId: "org_sweep", sha256 })
      yield* store.remove(shared.id)
      yield* TestClock.adjust("25 hours")
      yield* sweepReceipts
      assert.deepStrictEqual([yield* isThere(shared), yield* isThere(kept)], [true, true])
      yield* store.remove(idOf(2))
      yield* TestClock.adjust("23 hours")
      yield* sweepReceipts
      assert.isTrue(yield* isThere(shared))
      yield* TestClock.adjust("2 hours")
      yield* sweepReceipts
      assert.deepStrictEqual([yield* isThere(shared), yield* isThere(kept)], [false, true])
      const rows = yield* sql`SELECT sha256 FROM receipt_contents WHERE organization_id = 'org_sweep'`
      assert.deepStrictEqual(rows, [{ sha256: kept.sha256 }])
      yield* keep(receipt(3, { sha256: shared.sha256 }))
      assert.isTrue(yield* isThere(shared))
    }).pipe(as("org_sweep"))
  )

  it.effect("leaves what is being uploaded again, and an upload during a sweep writes its file again", () =>
    Effect.gen(function* () {
      yield* insertOrganization("org_again", true)
      const store = yield* ReceiptStore
      const files = yield* ReceiptFiles
      yield* keep(receipt(1))
      yield* store.remove(idOf(1))
      yield* TestClock.adjust("25 hours")
      const place = { organizationId: "org_again", sha256: receipt(1).sha256 }
      const claimed = yield* Deferred.make<void>()
      const swept = yield* Deferred.make<void>()
      const uploading = yield* Effect.forkChild(
        (yield* UnitOfWork).run(
          Effect.gen(function* () {
            yield* store.claim(receipt(1))
            yield* Deferred.succeed(claimed, undefined)
            yield* Deferred.await(swept)
            if (!(yield* files.has(place))) yield* files.write(place, Uint8Array.of(1, 2, 3, 4))
            yield* store.insert(receipt(1))
          })
        )
      )
      yield* Deferred.await(claimed)
      yield* sweepReceipts
      yield* Deferred.succeed(swept, undefined)
      yield* Fiber.join(uploading)
      yield* sweepReceipts
      assert.isTrue(yield* files.has(place))
    }).pipe(as("org_again"))
  )
})
