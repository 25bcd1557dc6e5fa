import { assert, layer } from "@effect/vitest"
import * as MemoryReceiptFiles from "@sarraf/adapters/memory/MemoryReceiptFiles"
import * as PgApprovalStore from "@sarraf/adapters/postgres/approvals/PgApprovalStore"
import * as PgDelegationStore from "@sarraf/adapters/postgres/approvals/PgDelegationStore"
import { makeSealer } from "@sarraf/adapters/postgres/audit/AuditSealer"
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
import { EncryptionKeys } from "@sarraf/adapters/signing/EncryptionKeys"
import { ApprovalStore } from "@sarraf/domain/approvals/ApprovalStore"
import { DelegationStore } from "@sarraf/domain/approvals/DelegationStore"
import { ExpenseStore } from "@sarraf/domain/expenses/ExpenseStore"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { Members } from "@sarraf/domain/organizations/Members"
import { PolicyStore } from "@sarraf/domain/policies/PolicyStore"
import { receiptIdIn } from "@sarraf/domain/receipts/Receipt"
import { ReceiptFiles } from "@sarraf/domain/receipts/ReceiptFiles"
import { ReceiptStore } from "@sarraf/domain/receipts/ReceiptStore"
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
