import { assert, layer } from "@effect/vitest"
import { ExpenseSideMemory } from "@sarraf/adapters/memory/ExpenseSideMemory"
import * as MemoryApprovalStore from "@sarraf/adapters/memory/MemoryApprovalStore"
import * as MemoryAuditTrail from "@sarraf/adapters/memory/MemoryAuditTrail"
import * as MemoryExchangeRates from "@sarraf/adapters/memory/MemoryExchangeRates"
import * as MemoryExpenseStore from "@sarraf/adapters/memory/MemoryExpenseStore"
import * as MemoryOrganizations from "@sarraf/adapters/memory/MemoryOrganizations"
import * as MemoryPolicyStore from "@sarraf/adapters/memory/MemoryPolicyStore"
import { AuditTrail } from "@sarraf/domain/audit/AuditTrail"
import { ExpenseStore } from "@sarraf/domain/expenses/ExpenseStore"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import { PolicyEvaluator } from "@sarraf/domain/policies/PolicyEvaluator"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { sampleExpense } from "../../domain/expenses/support/SampleExpense.ts"
import { approvalStoreContract } from "../postgres/approvals/approvalStoreContract.ts"
import { expenseStoreContract } from "../postgres/expenses/expenseStoreContract.ts"
import { policyStoreContract } from "../postgres/policies/policyStoreContract.ts"
import { exchangeRatesContract, quotationsContract } from "../postgres/rates/exchangeRatesContract.ts"
import { layerMemory } from "../postgres/support/Arrangement.ts"

// The stores in memory keep the same contracts as the tables do.
const stores = PolicyEvaluator.layer.pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      MemoryOrganizations.layer,
      MemoryAuditTrail.layer,
      MemoryExpenseStore.layer,
      MemoryPolicyStore.layer,
      MemoryApprovalStore.layer,
      MemoryExchangeRates.layer,
      layerMemory
    )
  ),
  Layer.provideMerge(ExpenseSideMemory.layer)
)

layer(Layer.fresh(stores))("MemoryExpenseStore", (it) => expenseStoreContract(it))
layer(Layer.fresh(stores))("MemoryPolicyStore", (it) => policyStoreContract(it))
layer(Layer.fresh(stores))("MemoryApprovalStore", (it) => approvalStoreContract(it))
layer(Layer.fresh(stores))("MemoryExchangeRates, a day", (it) => exchangeRatesContract(it))
layer(Layer.fresh(stores))("MemoryExchangeRates, quotations", (it) => quotationsContract(it))

const shop: Caller["Service"] = {
  organizationId: "org_shop",
  role: "OWNER",
  name: "key:shop",
  kind: "key",
  userId: null,
  createdBy: null
}
const page = { limit: 100, after: undefined }

/** Writes an expense and an audit row. */
const enter = Effect.fnUntraced(function* (id: string) {
  yield* (yield* ExpenseStore).insert(sampleExpense({ id }))
  yield* (yield* AuditTrail).append({ action: "expense.created", subject: { type: "expense", id } })
})

const seen = Effect.gen(function* () {
  const expenses = yield* (yield* ExpenseStore).list({}, "all", page)
  const trail = yield* (yield* AuditTrail).list({}, page)
  return [expenses.items.map(({ id }) => id), trail.items.map(({ subject }) => subject.id)]
})

layer(Layer.fresh(stores))("A unit of work in memory", (it) => {
  it.effect("that fails leaves nothing behind, and a part that fails leaves the rest", () =>
    Effect.gen(function* () {
      const units = yield* UnitOfWork
      const fails = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.andThen(effect, Effect.fail("refused" as const))
      assert.strictEqual(yield* Effect.flip(units.run(fails(enter("exp_1")))), "refused")
      assert.deepStrictEqual(yield* seen, [[], []])
      yield* units.run(
        Effect.gen(function* () {
          yield* enter("exp_2")
          yield* Effect.ignore(units.apart(fails(enter("exp_3"))))
          yield* enter("exp_4")
        })
      )
      assert.deepStrictEqual(yield* seen, [
        ["exp_4", "exp_2"],
        ["exp_4", "exp_2"]
      ])
      const changed = units.run(
        fails(Effect.flatMap(ExpenseStore, (store) => Effect.andThen(store.remove("exp_2"), enter("exp_5"))))
      )
      yield* Effect.ignore(changed)
      assert.deepStrictEqual((yield* seen)[0], ["exp_4", "exp_2"])
    }).pipe(Effect.provideService(Caller, shop))
  )

  it.effect("that is interrupted leaves nothing behind, and the next one goes on", () =>
    Effect.gen(function* () {
      const units = yield* UnitOfWork
      const before = yield* seen
      const isHeld = yield* Deferred.make<void>()
      const unit = Effect.gen(function* () {
        yield* enter("exp_6")
        yield* Deferred.succeed(isHeld, undefined)
        return yield* Effect.never
      })
      const fiber = yield* Effect.forkChild(units.run(unit))
      yield* Deferred.await(isHeld)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* seen, before)
    }).pipe(Effect.provideService(Caller, shop))
  )

  it.effect("is of one organization, and sees nothing of another", () =>
    Effect.gen(function* () {
      const units = yield* UnitOfWork
      const other = { ...shop, organizationId: "org_other" }
      assert.deepStrictEqual(yield* Effect.provideService(seen, Caller, other), [[], []])
      const both = units.run(Effect.provideService(enter("exp_7"), Caller, other))
      assert.strictEqual((yield* Effect.exit(both))._tag, "Failure")
    }).pipe(Effect.provideService(Caller, shop))
  )
})
