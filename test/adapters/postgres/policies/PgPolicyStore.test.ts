import { assert, layer } from "@effect/vitest"
import * as PgUnitOfWork from "@sarraf/adapters/postgres/organizations/PgUnitOfWork"
import * as PgPolicyStore from "@sarraf/adapters/postgres/policies/PgPolicyStore"
import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import { PolicyEvaluator } from "@sarraf/domain/policies/PolicyEvaluator"
import { PolicyStore } from "@sarraf/domain/policies/PolicyStore"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../../support/Database.ts"
import { layerPostgres } from "../support/Arrangement.ts"
import { insertOrganization } from "../support/Shop.ts"
import { as, firstPage, policyOf, policyStoreContract } from "./policyStoreContract.ts"

const stores = PolicyEvaluator.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(PgUnitOfWork.layer, PgPolicyStore.layer, layerPostgres)),
  Layer.provideMerge(Database.layer)
)

layer(stores)("PgPolicyStore", (it) => {
  policyStoreContract(it)

  it.effect("keeps two organizations apart, also where a statement forgets to say which", () =>
    Effect.gen(function* () {
      const store = yield* PolicyStore
      const units = yield* UnitOfWork
      const sql = yield* SqlClient.SqlClient
      for (const id of ["org_wall_one", "org_wall_two"]) yield* insertOrganization(id, true)
      yield* as("org_wall_one")(store.insert(policyOf("pol_1", { name: "Theirs" })))
      yield* as("org_wall_two")(store.insert(policyOf("pol_1", { name: "Ours" })))
      assert.strictEqual((yield* as("org_wall_two")(store.find("pol_1")))?.name, "Ours")
      yield* as("org_wall_two")(store.save(policyOf("pol_1", { name: "Ours again", version: 2 })))
      assert.strictEqual((yield* as("org_wall_one")(store.find("pol_1")))?.name, "Theirs")
      assert.lengthOf((yield* as("org_wall_one")(store.versions("pol_1", firstPage))).items, 1)
      for (const table of ["policies", "policy_versions"]) {
        const seen = units.run(sql<{ organization_id: string }>`SELECT DISTINCT organization_id FROM ${sql(table)}`)
        assert.deepStrictEqual(yield* as("org_wall_one")(seen), [{ organization_id: "org_wall_one" }])
      }
    })
  )

  it.effect("never changes or deletes a version", () =>
    Effect.gen(function* () {
      yield* insertOrganization("org_kept", true)
      const store = yield* PolicyStore
      const units = yield* UnitOfWork
      const sql = yield* SqlClient.SqlClient
      yield* store.insert(policyOf("pol_1"))
      for (const change of [
        sql`UPDATE policy_versions SET name = 'x'`,
        sql`DELETE FROM policy_versions`,
        sql`DELETE FROM policies`
      ]) {
        assert.strictEqual((yield* Effect.exit(units.run(Effect.orDie(change))))._tag, "Failure")
      }
      assert.lengthOf((yield* store.versions("pol_1", firstPage)).items, 1)
    }).pipe(as("org_kept"))
  )
})
