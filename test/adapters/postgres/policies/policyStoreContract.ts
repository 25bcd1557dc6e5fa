import { assert, type Vitest } from "@effect/vitest"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import type { Policy } from "@sarraf/domain/policies/Policy"
import { PolicyEvaluator } from "@sarraf/domain/policies/PolicyEvaluator"
import { PolicyStore } from "@sarraf/domain/policies/PolicyStore"
import { Effect } from "effect"
import { lunch, read } from "../../../domain/policies/support/facts.ts"
import { Arrangement } from "../support/Arrangement.ts"

export const as = (organizationId: string) =>
  Effect.provideService(Caller, {
    organizationId,
    role: "OWNER",
    name: `key:${organizationId}`,
    kind: "key",
    userId: null,
    createdBy: null
  })

const conditions = {
  any: [
    { all: [{ field: "amount", op: "gt", value: { amount: 15, currency: "EUR" } }] },
    { not: { field: "has_receipt", op: "eq", value: true } }
  ]
}

export const policyOf = (id: string, changes: Partial<Policy> = {}): Policy => ({
  id,
  version: 1,
  name: "Öğle yemeği",
  scope: "expense",
  enforcement: "REQUIRE_APPROVAL",
  message: null,
  conditions: read(conditions),
  approvalSteps: [
    { roles: ["ADMIN"], users: ["usr_1"], mode: "all" },
    { manager: true, mode: "any" }
  ],
  active: true,
  isDeleted: false,
  createdAt: 1_772_323_200_123,
  updatedAt: 1_772_323_200_123,
  ...changes
})

export const firstPage = { limit: 2, after: undefined }

/** What every store of policies keeps, and the evaluator over it. */
export const policyStoreContract = (
  it: Vitest.MethodsNonLive<Arrangement | PolicyEvaluator | PolicyStore | UnitOfWork>
) => {
  it.effect("gives back what was stored, and keeps every version with who made it", () =>
    Effect.gen(function* () {
      yield* (yield* Arrangement).organization("org_versions")
      const store = yield* PolicyStore
      const first = policyOf("pol_1")
      const second = policyOf("pol_1", {
        version: 2,
        enforcement: "BLOCK",
        approvalSteps: [],
        message: "No.",
        updatedAt: 1_772_323_300_000
      })
      const third = { ...second, version: 3, active: false, isDeleted: true }
      yield* store.insert(first)
      assert.deepStrictEqual(yield* store.find("pol_1"), first)
      yield* store.save(second)
      yield* as("org_versions")(store.save(third))
      assert.deepStrictEqual(yield* store.find("pol_1"), third)
      assert.isUndefined(yield* store.find("pol_2"))
      const page = yield* store.versions("pol_1", firstPage)
      assert.deepStrictEqual(page, {
        items: [
          { policy: third, changedBy: "key:org_versions" },
          { policy: second, changedBy: "key:org_versions" }
        ],
        hasMore: true
      })
      const rest = yield* store.versions("pol_1", { limit: 2, after: "2" })
      assert.deepStrictEqual(rest, { items: [{ policy: first, changedBy: "key:org_versions" }], hasMore: false })
    }).pipe(as("org_versions"))
  )

  it.effect("lists what is not deleted, newest first, by what is asked for", () =>
    Effect.gen(function* () {
      yield* (yield* Arrangement).organization("org_list")
      const store = yield* PolicyStore
      yield* store.insert(policyOf("pol_1"))
      yield* store.insert(policyOf("pol_2", { scope: "card" }))
      yield* store.insert(policyOf("pol_3", { active: false }))
      yield* store.insert(policyOf("pol_4", { active: false, isDeleted: true }))
      const listed = (filter: object, after?: string) =>
        Effect.map(store.list(filter, { limit: 2, after }), ({ hasMore, items }) => [
          items.map(({ id }) => id),
          hasMore
        ])
      assert.deepStrictEqual(yield* listed({}), [["pol_3", "pol_2"], true])
      assert.deepStrictEqual(yield* listed({}, "pol_2"), [["pol_1"], false])
      assert.deepStrictEqual(yield* listed({ scope: "card" }), [["pol_2"], false])
      assert.deepStrictEqual(yield* listed({ active: false }), [["pol_3"], false])
      assert.deepStrictEqual(yield* listed({ enforcement: "WARN" }), [[], false])
      assert.strictEqual(yield* store.count, 3)
      assert.deepStrictEqual(
        (yield* store.active("expense")).map(({ id }) => id),
        ["pol_1"]
      )
    }).pipe(as("org_list"))
  )

  it.effect("lets the evaluator see a change of the same unit of work, and names its version", () =>
    Effect.gen(function* () {
      yield* (yield* Arrangement).organization("org_applied")
      const store = yield* PolicyStore
      const evaluator = yield* PolicyEvaluator
      const units = yield* UnitOfWork
      yield* store.insert(policyOf("pol_1"))
      yield* store.insert(policyOf("pol_2", { active: false }))
      yield* store.insert(policyOf("pol_3", { scope: "bill" }))
      const active = yield* evaluator.active("expense")
      assert.deepStrictEqual(active.needs, { currencies: ["EUR"], spending: false })
      const before = active.verdict(lunch)
      assert.deepStrictEqual(
        before.violations.map(({ policyId, policyVersion }) => [policyId, policyVersion]),
        [["pol_1", 1]]
      )
      assert.strictEqual(before.strongest, "REQUIRE_APPROVAL")
      assert.lengthOf(before.steps, 2)
      yield* units.run(
        Effect.gen(function* () {
          const policy = yield* store.lock("pol_1")
          assert.isDefined(policy)
          yield* store.save(
            policyOf("pol_1", { version: 2, enforcement: "BLOCK", approvalSteps: [], conditions: read({ all: [] }) })
          )
          const changed = yield* evaluator.active("expense")
          const { violations } = changed.verdict(lunch)
          assert.deepStrictEqual(
            violations.map(({ enforcement, policyVersion }) => [enforcement, policyVersion]),
            [["BLOCK", 2]]
          )
          assert.deepStrictEqual(changed.needs, { currencies: [], spending: false })
        })
      )
    }).pipe(as("org_applied"))
  )

  it.effect("keeps two organizations apart", () =>
    Effect.gen(function* () {
      const store = yield* PolicyStore
      for (const id of ["org_one", "org_two"]) yield* (yield* Arrangement).organization(id)
      yield* as("org_one")(store.insert(policyOf("pol_1", { name: "Theirs" })))
      yield* as("org_two")(store.insert(policyOf("pol_1", { name: "Ours" })))
      assert.strictEqual((yield* as("org_two")(store.find("pol_1")))?.name, "Ours")
      yield* as("org_two")(store.save(policyOf("pol_1", { name: "Ours again", version: 2 })))
      assert.strictEqual((yield* as("org_one")(store.find("pol_1")))?.name, "Theirs")
      assert.lengthOf((yield* as("org_one")(store.versions("pol_1", firstPage))).items, 1)
    })
  )
}
