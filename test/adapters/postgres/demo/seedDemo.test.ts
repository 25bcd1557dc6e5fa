import { assert, layer } from "@effect/vitest"
import * as MemoryReceiptFiles from "@sarraf/adapters/memory/MemoryReceiptFiles"
import * as PgApprovalStore from "@sarraf/adapters/postgres/approvals/PgApprovalStore"
import * as PgDelegationStore from "@sarraf/adapters/postgres/approvals/PgDelegationStore"
import { makeSealer } from "@sarraf/adapters/postgres/audit/AuditSealer"
import * as PgBillStore from "@sarraf/adapters/postgres/bills/PgBillStore"
import * as PgCardStore from "@sarraf/adapters/postgres/cards/PgCardStore"
import { demoCalendar } from "@sarraf/adapters/postgres/demo/DemoCalendar"
import { otherSandbox, persons, sandbox } from "@sarraf/adapters/postgres/demo/DemoPeople"
import { withoutDemo } from "@sarraf/adapters/postgres/demo/demoMark"
import { makeDemo } from "@sarraf/adapters/postgres/demo/makeDemo"
import { seedDemo } from "@sarraf/adapters/postgres/demo/seedDemo"
import * as PgExpenseStore from "@sarraf/adapters/postgres/expenses/PgExpenseStore"
import * as PgMembers from "@sarraf/adapters/postgres/organizations/PgMembers"
import * as PgUnitOfWork from "@sarraf/adapters/postgres/organizations/PgUnitOfWork"
import * as PgPolicyStore from "@sarraf/adapters/postgres/policies/PgPolicyStore"
import * as PgReceiptStore from "@sarraf/adapters/postgres/receipts/PgReceiptStore"
import { seedSandbox } from "@sarraf/adapters/postgres/seedSandbox"
import * as PgVendorStore from "@sarraf/adapters/postgres/vendors/PgVendorStore"
import { EncryptionKeys } from "@sarraf/adapters/signing/EncryptionKeys"
import { makeVault } from "@sarraf/adapters/signing/Vault"
import { ApprovalStore } from "@sarraf/domain/approvals/ApprovalStore"
import { DelegationStore } from "@sarraf/domain/approvals/DelegationStore"
import { BillStore } from "@sarraf/domain/bills/BillStore"
import { CardStore } from "@sarraf/domain/cards/CardStore"
import { ExpenseStore } from "@sarraf/domain/expenses/ExpenseStore"
import type { Page, PageRequest } from "@sarraf/domain/lists/Page"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { Members } from "@sarraf/domain/organizations/Members"
import { PolicyStore } from "@sarraf/domain/policies/PolicyStore"
import { receiptIdIn } from "@sarraf/domain/receipts/Receipt"
import { ReceiptFiles } from "@sarraf/domain/receipts/ReceiptFiles"
import { ReceiptStore } from "@sarraf/domain/receipts/ReceiptStore"
import { startOfDay } from "@sarraf/domain/time/CalendarDate"
import { VendorStore } from "@sarraf/domain/vendors/VendorStore"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../../support/Database.ts"

const keys = Layer.succeed(EncryptionKeys, { current: Redacted.make(new Uint8Array(32).fill(7)), old: [] })
const stores = Layer.mergeAll(
  PgUnitOfWork.layer,
  PgExpenseStore.layer,
  PgPolicyStore.layer,
  PgApprovalStore.layer,
  PgDelegationStore.layer,
  PgReceiptStore.layer,
  PgCardStore.layer,
  PgVendorStore.layer,
  PgBillStore.layer,
  PgMembers.layer,
  MemoryReceiptFiles.layer,
  keys
).pipe(Layer.provideMerge(Database.layer))

const now = Date.parse("2026-11-21T12:00:00Z")
const baseUrl = "https://sarraf.example.com"
const demo = Effect.runSync(Effect.cached(makeDemo(now)))

const ownerOf = (organizationId: string): Caller["Service"] => ({
  organizationId,
  role: "OWNER",
  name: `user:${persons.elif}`,
  kind: "user",
  userId: persons.elif,
  createdBy: null
})

const countOf = (table: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ count: number }>`SELECT count(*)::int AS count FROM ${sql(table)}`
    return rows[0]?.count ?? 0
  })

/** Every row, by pages that are smaller than what there is. */
const everyPage = <A extends { readonly id: string }, E, R>(
  list: (page: PageRequest) => Effect.Effect<Page<A>, E, R>
): Effect.Effect<ReadonlyArray<A>, E, R> =>
  Effect.gen(function* () {
    const all: Array<A> = []
    for (;;) {
      const { hasMore, items } = yield* list({ limit: 40, after: all.at(-1)?.id })
      all.push(...items)
      if (!hasMore) return all
    }
  })

const newestFirst = <A extends { readonly id: string }>(rows: ReadonlyArray<A>) =>
  [...rows].sort((one, other) => (one.id < other.id ? 1 : -1))

/** The first on an empty database, each on what the one before left. */
layer(stores)("The demo year in PostgreSQL", (it) => {
  it.effect("is what was made, as the stores read it", () =>
    Effect.gen(function* () {
      yield* seedSandbox
      assert.deepStrictEqual(yield* withoutDemo, [sandbox, otherSandbox])
      const memory = yield* demo
      // Two processes that start at once.
      yield* Effect.all([seedDemo(memory, baseUrl), seedDemo(memory, baseUrl)], { concurrency: 2 })
      assert.deepStrictEqual(yield* withoutDemo, [])
      const [expenses, policies, approvals] = [yield* ExpenseStore, yield* PolicyStore, yield* ApprovalStore]
      const [delegations, members, receipts] = [yield* DelegationStore, yield* Members, yield* ReceiptStore]
      const files = yield* ReceiptFiles
      for (const organizationId of [sandbox, otherSandbox]) {
        const checks = Effect.gen(function* () {
          const made = memory.expenses.all(organizationId)
          const read = yield* expenses.findAll(
            made.map(({ id }) => id),
            "all"
          )
          const addressed = made.map(({ receiptUrl, ...expense }) => ({
            ...expense,
            receiptUrl: receiptUrl?.replace("http://sandbox.invalid", baseUrl) ?? null
          }))
          assert.deepStrictEqual(
            new Map(read.map((one) => [one.id, one])),
            new Map(addressed.map((one) => [one.id, one]))
          )
          for (const policy of memory.policies.all(organizationId)) {
            assert.deepStrictEqual(yield* policies.find(policy.id), policy)
          }
          for (const approval of memory.approvals.all(organizationId).slice(-60)) {
            assert.deepStrictEqual(yield* approvals.find(approval.id), approval)
          }
          for (const one of memory.delegations.all(organizationId)) {
            assert.deepStrictEqual(yield* delegations.find(one.id), one)
          }
          for (const member of memory.members.all(organizationId)) {
            assert.deepStrictEqual(yield* members.find(member.userId), member)
          }
          const [{ receiptUrl } = { receiptUrl: null }] = read.filter((one) => one.receiptUrl !== null)
          const receipt = yield* receipts.find(receiptIdIn(receiptUrl ?? "") ?? "")
          const content = yield* files.read({ organizationId, sha256: receipt?.sha256 ?? "0".repeat(64) })
          assert.strictEqual(content?.length, receipt?.bytes)
        })
        yield* Effect.provideService(checks, Caller, ownerOf(organizationId))
      }
    })
  )

  it.effect("has the cards, vendors and bills that were made, as the stores read them", () =>
    Effect.gen(function* () {
      const memory = yield* demo
      const [cards, vendors, bills] = [yield* CardStore, yield* VendorStore, yield* BillStore]
      const today = demoCalendar(now).dateOf(now)
      const [day, month] = [today, `${today.slice(0, 8)}01`].map((date) => startOfDay(date, "Europe/Istanbul"))
      const since = { day: day ?? 0, month: month ?? 0 }
      for (const [organizationId, baseCurrency] of [
        [sandbox, "TRY"],
        [otherSandbox, "USD"]
      ] as const) {
        const as = Effect.provideService(Caller, ownerOf(organizationId))
        const asOf = { date: today, baseCurrency }
        assert.deepStrictEqual(
          yield* as(everyPage((page) => cards.list({}, since, "all", page))),
          newestFirst(memory.cards.all(organizationId))
        )
        assert.deepStrictEqual(
          yield* as(everyPage((page) => cards.transactions({}, "all", page))),
          newestFirst(memory.cardTransactions.all(organizationId))
        )
        assert.deepStrictEqual(
          yield* as(everyPage((page) => vendors.list({}, asOf, page))),
          newestFirst(memory.vendors.all(organizationId)).map((vendor) => ({
            ...vendor,
            contracts: [...vendor.contracts].sort((one, other) =>
              (one.renewsOn ?? "9") < (other.renewsOn ?? "9") ? -1 : 1
            )
          }))
        )
        assert.deepStrictEqual(
          yield* as(everyPage((page) => bills.list({}, page))),
          newestFirst(memory.bills.all(organizationId))
        )
      }
    })
  )

  it.effect("has bank accounts that are sealed, each for its vendor, and nowhere in the clear", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const vault = yield* makeVault
      const rows = yield* sql<{
        organization_id: string
        id: string
        bank_account: string | null
        bank_last4: string | null
        row: string
      }>`SELECT organization_id, id, bank_account, bank_last4, to_jsonb(vendors)::text AS row FROM vendors`
      assert.isAbove(rows.filter(({ bank_account }) => bank_account !== null).length, 20)
      for (const { bank_account, bank_last4, id, organization_id, row } of rows) {
        if (bank_account === null) continue
        const opened = yield* vault.open(bank_account, `vendor bank account ${organization_id} ${id}`)
        const { account }: { account: string } = JSON.parse(Redacted.value(opened))
        assert.strictEqual(account.slice(-4), bank_last4)
        assert.notInclude(row, account)
        const elsewhere = `vendor bank account ${organization_id} ${id}x`
        assert.strictEqual((yield* Effect.flip(vault.open(bank_account, elsewhere)))._tag, "SealBroken")
      }
    })
  )

  it.effect("is sealed by the audit chain, with the note that it was added", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const memory = yield* demo
      yield* Effect.flatten(makeSealer)
      const rows = yield* sql<{ action: string; sequence: number; organization_id: string }>`SELECT organization_id,
        action, sequence::int AS sequence FROM audit_log ORDER BY organization_id, id`
      for (const organizationId of [sandbox, otherSandbox]) {
        const own = rows.filter((row) => row.organization_id === organizationId)
        assert.deepStrictEqual(
          own.map(({ action }) => action),
          [...memory.auditRecords.all(organizationId).map(({ action }) => action), "organization.demo_added"]
        )
        assert.deepStrictEqual(
          own.map(({ sequence }) => sequence),
          own.map((_, index) => index + 1)
        )
      }
    })
  )

  it.effect("is added once, also where somebody has deleted all expenses", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const events = yield* countOf("events")
      yield* sql`DELETE FROM expenses`
      yield* sql`DELETE FROM policy_versions`
      yield* sql`DELETE FROM policies`
      assert.deepStrictEqual(yield* withoutDemo, [])
      yield* seedDemo(yield* demo, baseUrl)
      assert.strictEqual(yield* countOf("expenses"), 0)
      assert.strictEqual(yield* countOf("events"), events)
    })
  )
})

layer(stores)("A sandbox that somebody has begun to use", (it) => {
  it.effect("gets no demo year, and the other one does", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* seedSandbox
      yield* sql`INSERT INTO departments (organization_id, id, name) VALUES (${sandbox}, 'dep_own', 'Engineering')`
      assert.deepStrictEqual(yield* withoutDemo, [otherSandbox])
      yield* seedDemo(yield* demo, baseUrl)
      const rows = yield* sql<{ organization_id: string }>`SELECT DISTINCT organization_id FROM expenses`
      assert.deepStrictEqual(rows, [{ organization_id: otherSandbox }])
    })
  )
})
