import { assert, layer } from "@effect/vitest"
import * as PgExpenseStore from "@sarraf/adapters/postgres/expenses/PgExpenseStore"
import * as PgUnitOfWork from "@sarraf/adapters/postgres/organizations/PgUnitOfWork"
import { ExpenseStore } from "@sarraf/domain/expenses/ExpenseStore"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { sampleExpense } from "../../../domain/expenses/support/SampleExpense.ts"
import * as Database from "../../../support/Database.ts"
import { layerPostgres } from "../support/Arrangement.ts"
import { insertOrganization } from "../support/Shop.ts"
import { expenseStoreContract } from "./expenseStoreContract.ts"

const stores = Layer.mergeAll(PgUnitOfWork.layer, PgExpenseStore.layer, layerPostgres).pipe(
  Layer.provideMerge(Database.layer)
)

const ownerOf = (organizationId: string): Caller["Service"] => ({
  organizationId,
  role: "OWNER",
  name: "user:usr_owner",
  kind: "user",
  userId: "usr_owner",
  createdBy: null
})

layer(stores)("Expenses in PostgreSQL", (it) => {
  expenseStoreContract(it)

  it.effect("are locked by one unit of work at a time: the second sees what the first has made of it", () =>
    Effect.gen(function* () {
      const id = "org_locks"
      yield* insertOrganization(id, true)
      const store = yield* ExpenseStore
      const units = yield* UnitOfWork
      yield* Effect.gen(function* () {
        yield* store.insert(sampleExpense({ id: "exp_0001" }))
        const isHeld = yield* Deferred.make<void>()
        const mayGoOn = yield* Deferred.make<void>()
        const first = yield* Effect.forkChild(
          units.run(
            Effect.gen(function* () {
              yield* store.lock("exp_0001", "all")
              yield* Deferred.succeed(isHeld, undefined)
              yield* Deferred.await(mayGoOn)
              yield* store.save(sampleExpense({ id: "exp_0001", version: 2 }))
            })
          )
        )
        yield* Deferred.await(isHeld)
        const second = yield* Effect.forkChild(units.run(store.lockAll(["exp_0001"], "all")))
        // A reader is not kept waiting.
        assert.strictEqual((yield* store.find("exp_0001", "all"))?.version, 1)
        yield* Deferred.succeed(mayGoOn, undefined)
        yield* Fiber.join(first)
        assert.deepStrictEqual(
          (yield* Fiber.join(second)).map(({ version }) => version),
          [2]
        )
      }).pipe(Effect.provideService(Caller, ownerOf(id)))
    })
  )
})
