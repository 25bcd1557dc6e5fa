import { assert, layer } from "@effect/vitest"
import { decided } from "@sarraf/domain/approvals/Approval"
import { ApprovalStore } from "@sarraf/domain/approvals/ApprovalStore"
import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { layerPostgres } from "../support/Arrangement.ts"
import { approvalOf, approvalStoreContract, decision, subjectOf } from "./approvalStoreContract.ts"
import { company, stores } from "./support/Company.ts"

layer(Layer.provideMerge(layerPostgres, stores))("PgApprovalStore", (it) => {
  approvalStoreContract(it)

  it.effect("shows the second of two who decide at once what the first decided", () => {
    const { asShop, found } = company("race", {})
    return Effect.gen(function* () {
      yield* found
      const store = yield* ApprovalStore
      const units = yield* UnitOfWork
      const first = approvalOf(1)
      yield* store.insert(first)
      const isHeld = yield* Deferred.make<void>()
      const goOn = yield* Deferred.make<void>()
      const holder = yield* Effect.forkChild(
        units.run(
          Effect.gen(function* () {
            const held = yield* store.lockOpen(subjectOf(1))
            yield* Deferred.succeed(isHeld, undefined)
            yield* Deferred.await(goOn)
            if (held !== undefined) yield* store.save(held, decided(held, decision("usr_first"), false))
          })
        )
      )
      yield* Deferred.await(isHeld)
      assert.isUndefined(yield* units.run(store.lockDue(first.dueAt)), "a lock that is held is passed over")
      const waiter = yield* Effect.forkChild(units.run(store.lockOpen(subjectOf(1))))
      yield* Deferred.succeed(goOn, undefined)
      yield* Fiber.join(holder)
      const seen = yield* Fiber.join(waiter)
      assert.deepStrictEqual(
        seen?.decisions.map(({ by }) => by),
        ["user:usr_first"]
      )
      assert.strictEqual(seen?.version, 2)
    }).pipe(asShop)
  })

  it.effect("keeps organizations apart, and decisions as they were made", () => {
    const [one, other] = [company("wall_one", {}), company("wall_other", {})]
    return Effect.gen(function* () {
      yield* one.found
      yield* other.found
      const store = yield* ApprovalStore
      const units = yield* UnitOfWork
      const sql = yield* SqlClient.SqlClient
      yield* one.asShop(store.insert(approvalOf(1, { decisions: [decision("usr_x")] })))
      assert.isUndefined(yield* other.asShop(store.find("apr_1")))
      assert.isUndefined(yield* other.asShop(store.lockOpen(subjectOf(1))))
      assert.deepStrictEqual(yield* other.asShop(units.run(Effect.orDie(sql`SELECT id FROM approvals`))), [])
      const change = sql`UPDATE approval_decisions SET decision = 'reject'`
      assert.strictEqual((yield* Effect.exit(one.asShop(units.run(Effect.orDie(change)))))._tag, "Failure")
    })
  })
})
