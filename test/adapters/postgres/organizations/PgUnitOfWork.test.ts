import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import * as RandomIdentifiers from "@sarraf/adapters/identifiers/RandomIdentifiers"
import * as PgAuditTrail from "@sarraf/adapters/postgres/audit/PgAuditTrail"
import * as PgEventLog from "@sarraf/adapters/postgres/events/PgEventLog"
import * as PgMembers from "@sarraf/adapters/postgres/organizations/PgMembers"
import * as PgUnitOfWork from "@sarraf/adapters/postgres/organizations/PgUnitOfWork"
import { AuditTrail } from "@sarraf/domain/audit/AuditTrail"
import { EventLog } from "@sarraf/domain/events/EventLog"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { Members } from "@sarraf/domain/organizations/Members"
import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import { Context, Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../../support/Database.ts"
import { insertOrganization } from "../support/Shop.ts"

const stores = Layer.mergeAll(PgUnitOfWork.layer, PgAuditTrail.layer, PgEventLog.layer, PgMembers.layer).pipe(
  Layer.provide(RandomIdentifiers.layer),
  Layer.provideMerge(Database.layer)
)

const as = (organizationId: string) =>
  Effect.provideService(Caller, {
    organizationId,
    role: "OWNER",
    name: "key:test",
    kind: "key",
    userId: null,
    createdBy: null
  })

const append = (id: string) =>
  Effect.flatMap(AuditTrail, (trail) => trail.append({ action: "thing.made", subject: { type: "thing", id } }))

const recorded = Effect.gen(function* () {
  const { items } = yield* (yield* AuditTrail).list({}, { limit: 100, after: undefined })
  return items.map(({ subject }) => subject.id)
})

layer(stores)("A unit of work", (it) => {
  it.effect("is on one pool: a store on another one is refused, which would see every organization there", () =>
    Effect.gen(function* () {
      yield* insertOrganization("org_pools", true)
      const units = yield* UnitOfWork
      const { config } = yield* PgClient.PgClient
      const elsewhere = Layer.fresh(Layer.provide(PgMembers.layer, PgClient.layer(config)))
      const members = Context.get(yield* Layer.build(elsewhere), Members)
      const exit = yield* Effect.exit(units.run(members.all))
      assert.isTrue(Exit.hasDies(exit))
      assert.deepStrictEqual(yield* members.all, [])
    }).pipe(as("org_pools"))
  )

  it.effect("commits all or nothing, and a part of it fails alone", () =>
    Effect.gen(function* () {
      yield* insertOrganization("org_whole", true)
      const units = yield* UnitOfWork
      const failing = Effect.andThen(append("undone"), Effect.fail("no" as const))
      assert.strictEqual(yield* Effect.flip(units.run(failing)), "no")
      assert.deepStrictEqual(yield* recorded, [])
      yield* units.run(
        Effect.gen(function* () {
          yield* append("first")
          assert.strictEqual(yield* Effect.flip(units.apart(Effect.andThen(append("part"), failing))), "no")
          yield* units.run(append("second"))
        })
      )
      assert.deepStrictEqual(yield* recorded, ["second", "first"])
    }).pipe(as("org_whole"))
  )

  it.effect("sees and writes the rows of the caller's organization alone, whatever a statement forgets to say", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const units = yield* UnitOfWork
      for (const id of ["org_one", "org_two"]) {
        yield* insertOrganization(id, true)
        yield* as(id)(append(`of ${id}`))
      }
      const everything = units.run(sql<{ organization_id: string }>`SELECT DISTINCT organization_id FROM audit_log`)
      assert.deepStrictEqual(yield* as("org_one")(everything), [{ organization_id: "org_one" }])
      const foreign = units.run(
        Effect.orDie(sql`INSERT INTO departments (organization_id, id, name) VALUES ('org_two', 'dep_1', 'Theirs')`)
      )
      assert.isTrue((yield* Effect.exit(as("org_one")(foreign)))._tag === "Failure")
      assert.deepStrictEqual(yield* sql`SELECT * FROM departments WHERE organization_id = 'org_two'`, [])
      assert.deepStrictEqual(yield* as("org_two")(recorded), ["of org_two"])
    })
  )

  it.effect("keeps what was recorded from being changed", () =>
    Effect.gen(function* () {
      yield* insertOrganization("org_kept", true)
      yield* append("kept")
      const sql = yield* SqlClient.SqlClient
      const units = yield* UnitOfWork
      for (const change of [sql`UPDATE audit_log SET actor = 'nobody'`, sql`DELETE FROM audit_log`]) {
        assert.strictEqual((yield* Effect.exit(units.run(Effect.orDie(change))))._tag, "Failure")
      }
      assert.deepStrictEqual(yield* recorded, ["kept"])
    }).pipe(as("org_kept"))
  )

  it.effect("makes no sandbox of an organization, nor the reverse", () =>
    Effect.gen(function* () {
      yield* insertOrganization("org_real", false)
      const sql = yield* SqlClient.SqlClient
      const units = yield* UnitOfWork
      const becoming = units.run(Effect.orDie(sql`UPDATE organizations SET is_sandbox = true`))
      assert.strictEqual((yield* Effect.exit(becoming))._tag, "Failure")
      yield* units.run(Effect.orDie(sql`UPDATE organizations SET name = 'Renamed'`))
      assert.deepStrictEqual(yield* sql`SELECT name, is_sandbox FROM organizations WHERE id = 'org_real'`, [
        { name: "Renamed", is_sandbox: false }
      ])
    }).pipe(as("org_real"))
  )

  it.effect("numbers the events of each object from one", () =>
    Effect.gen(function* () {
      yield* insertOrganization("org_events", true)
      const sql = yield* SqlClient.SqlClient
      const log = yield* EventLog
      for (const objectId of ["exp_1", "exp_2", "exp_1"]) {
        yield* log.append({ type: "expense.submitted", objectId, object: { id: objectId } })
      }
      assert.deepStrictEqual(
        yield* sql`SELECT object_id, sequence FROM events WHERE organization_id = 'org_events' ORDER BY id`,
        [
          { object_id: "exp_1", sequence: 1 },
          { object_id: "exp_2", sequence: 1 },
          { object_id: "exp_1", sequence: 2 }
        ]
      )
      assert.deepStrictEqual(yield* (yield* Members).all, [])
    }).pipe(as("org_events"))
  )
})
