import { assert, layer } from "@effect/vitest"
import { makeSealer } from "@sarraf/adapters/postgres/audit/AuditSealer"
import { makeVerification } from "@sarraf/adapters/postgres/audit/AuditVerification"
import * as PgAuditTrail from "@sarraf/adapters/postgres/audit/PgAuditTrail"
import * as PgUnitOfWork from "@sarraf/adapters/postgres/organizations/PgUnitOfWork"
import { AuditTrail, auditHead } from "@sarraf/domain/audit/AuditTrail"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../../support/Database.ts"
import { insertOrganization } from "../support/Shop.ts"

const stores = Layer.mergeAll(PgUnitOfWork.layer, PgAuditTrail.layer).pipe(Layer.provideMerge(Database.layer))

const as = (organizationId: string) =>
  Effect.provideService(Caller, {
    organizationId,
    role: "OWNER",
    name: "key:test",
    kind: "key",
    userId: null,
    createdBy: null
  })

/** Rows with everything in them that a row can have; some as the gateway writes them. */
const record = Effect.fnUntraced(function* (organizationId: string, count: number) {
  const sql = yield* SqlClient.SqlClient
  const trail = yield* AuditTrail
  for (let number = 1; number <= count; number++) {
    yield* as(organizationId)(
      trail.append({
        action: "thing.changed",
        subject: { type: "thing", id: `thing_${number}` },
        before: { amount: 149.9, 'ünïcode \\ "name': ["a", null, { z: 1, aa: 2, b: 1e21 }], number },
        after: { amount: 0.1 + 0.2, text: "a\tb\u2028" },
        detail: { reason: "" }
      })
    )
    yield* sql`INSERT INTO audit_log (organization_id, at, actor, request_id, action, subject, detail)
      VALUES (${organizationId}, clock_timestamp(), 'client:shop', 'request', 'payment.captured', ${`txn_${number}`},
        ${`{"big": 12345678901234567890.10, "number": ${number}}`}::jsonb)`
  }
})

const sealAll = Effect.flatten(makeSealer)

const verify = (organizationId: string, handedOut?: string) =>
  Effect.flatMap(makeVerification, (verification) => verification.verify(organizationId, handedOut))

/** What somebody does who owns the database and wants to leave no trace. */
const tamper = <A, E, R>(change: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`ALTER TABLE audit_log DISABLE TRIGGER USER`
    yield* change
    yield* sql`ALTER TABLE audit_log ENABLE TRIGGER USER`
  })

/** An organization with ten sealed rows. */
const sealedOrganization = Effect.fnUntraced(function* (id: string) {
  yield* insertOrganization(id, true)
  yield* record(id, 5)
  yield* sealAll
  const found = yield* verify(id)
  assert.deepInclude(found, { rows: 10, unsealed: 0, fault: undefined })
  return found.head
})

layer(stores)("The audit chain", (it) => {
  it.effect("is numbered from one, and every row tells its place", () =>
    Effect.gen(function* () {
      yield* insertOrganization("org_numbered", true)
      assert.deepStrictEqual(yield* auditHead, { sequence: 0, hash: "0".repeat(64), at: null })
      yield* record("org_numbered", 2)
      const list = Effect.flatMap(AuditTrail, (trail) => trail.list({}, { limit: 10, after: undefined }))
      assert.deepStrictEqual(
        (yield* list).items.map(({ hash, sequence }) => [sequence, hash]),
        Array.from({ length: 4 }, () => [null, null])
      )
      assert.deepInclude(yield* verify("org_numbered"), { rows: 0, unsealed: 4, fault: undefined })
      yield* sealAll
      const { items } = yield* list
      assert.deepStrictEqual(
        items.map(({ sequence }) => sequence),
        [4, 3, 2, 1]
      )
      const [newest] = items
      assert.deepStrictEqual(yield* auditHead, {
        sequence: 4,
        hash: newest?.hash ?? "",
        at: newest?.at ?? null
      })
      assert.strictEqual((yield* verify("org_numbered")).head, newest?.hash)
    }).pipe(as("org_numbered"))
  )

  it.effect("goes on where it ended, and leaves out what was not committed", () =>
    Effect.gen(function* () {
      const head = yield* sealedOrganization("org_goes_on")
      const units = yield* UnitOfWork
      const trail = yield* AuditTrail
      const appended = yield* Deferred.make<void>()
      const released = yield* Deferred.make<void>()
      const open = yield* units
        .run(
          Effect.gen(function* () {
            yield* trail.append({ action: "thing.made", subject: { type: "thing", id: "open" } })
            yield* Deferred.succeed(appended, undefined)
            yield* Deferred.await(released)
          })
        )
        .pipe(as("org_goes_on"), Effect.forkChild)
      yield* Deferred.await(appended)
      yield* record("org_goes_on", 1)
      yield* sealAll
      assert.deepInclude(yield* verify("org_goes_on"), { rows: 12, unsealed: 0, fault: undefined })
      yield* Deferred.succeed(released, undefined)
      yield* Fiber.join(open)
      yield* sealAll
      assert.deepInclude(yield* verify("org_goes_on", head), { rows: 13, fault: undefined, hasHead: true })
      const { items } = yield* as("org_goes_on")(trail.list({ action: "thing.made" }, { limit: 1, after: undefined }))
      assert.strictEqual(items[0]?.sequence, 13)
    })
  )

  it.effect("is one chain, whoever seals: many processes at once give each number once", () =>
    Effect.gen(function* () {
      const organizations = ["org_many_1", "org_many_2", "org_many_3"]
      for (const id of organizations) yield* insertOrganization(id, true)
      const writing = Effect.forEach(organizations, (id) => record(id, 40), { concurrency: 3 })
      const sealing = Effect.repeat(sealAll, { times: 25 })
      yield* Effect.all([writing, sealing, sealing, sealing], { concurrency: 4 })
      yield* sealAll
      for (const id of organizations) {
        assert.deepInclude(yield* verify(id), { rows: 80, unsealed: 0, fault: undefined })
      }
    })
  )

  it.effect("holds more rows than a batch", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* insertOrganization("org_long", true)
      yield* sql`INSERT INTO audit_log (organization_id, at, actor, request_id, action, subject, detail)
        SELECT 'org_long', now(), 'system', '', 'thing.made', 'thing ' || number, '{}' FROM generate_series(1, 2500) number`
      yield* sealAll
      assert.deepInclude(yield* verify("org_long"), { rows: 2500, unsealed: 0, fault: undefined })
    })
  )

  it.effect("cannot be changed, emptied or numbered by hand", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sealedOrganization("org_refused")
      yield* record("org_refused", 1)
      const zeros = "0".repeat(64)
      for (const change of [
        sql`UPDATE audit_log SET actor = 'nobody' WHERE organization_id = 'org_refused'`,
        sql`UPDATE audit_log SET sequence = 99, previous_hash = ${zeros}, hash = ${zeros}, actor = 'nobody'
          WHERE organization_id = 'org_refused' AND sequence IS NULL`,
        sql`UPDATE audit_log SET hash = ${zeros} WHERE organization_id = 'org_refused'`,
        sql`UPDATE audit_log SET sequence = NULL, previous_hash = NULL, hash = NULL WHERE organization_id = 'org_refused'`,
        sql`DELETE FROM audit_log WHERE organization_id = 'org_refused'`,
        sql`TRUNCATE audit_log`,
        sql`INSERT INTO audit_log (organization_id, at, actor, request_id, action, subject, detail, sequence, previous_hash, hash)
          VALUES ('org_refused', now(), 'nobody', '', 'a', 'b', '{}', 11, ${zeros}, ${zeros})`
      ]) {
        const error = yield* Effect.flip(change)
        assert.include(String(error.reason.cause), "append-only")
      }
      yield* sealAll
      assert.deepInclude(yield* verify("org_refused"), { rows: 12, unsealed: 0, fault: undefined })
    })
  )

  it.effect("shows any changed field of a row", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sealedOrganization("org_tampered")
      for (const [column, value] of [
        ["at", "at + interval '1 microsecond'"],
        ["actor", "'nobody'"],
        ["request_id", "request_id || ' '"],
        ["address", "coalesce(address, '') || '127.0.0.1'"],
        ["action", "upper(action)"],
        ["subject", "subject || '1'"],
        ["subject_id", "subject || '1'"],
        ["before", `coalesce(before, '{}') || '{"amount": 149.91}'`],
        ["after", `coalesce(after, '{}') || '{"text": "a"}'`],
        ["detail", `detail || '{"big": 12345678901234567890.11}'`],
        ["previous_hash", "hash"],
        ["hash", "previous_hash"]
      ] as const) {
        for (const row of [1, 4, 10]) {
          const at = sql`organization_id = 'org_tampered' AND sequence = ${row}`
          yield* tamper(
            Effect.andThen(
              sql`CREATE TABLE kept AS SELECT * FROM audit_log WHERE ${at}`,
              sql`UPDATE audit_log SET ${sql(column)} = ${sql.literal(value)} WHERE ${at}`
            )
          )
          const found = yield* verify("org_tampered")
          assert.deepInclude(found, { rows: row - 1, fault: `row ${row} was changed after it was sealed` }, column)
          yield* tamper(
            Effect.andThen(
              sql`UPDATE audit_log a SET ${sql(column)} = kept.${sql(column)} FROM kept
                WHERE a.organization_id = kept.organization_id AND a.id = kept.id`,
              sql`DROP TABLE kept`
            )
          )
        }
      }
      assert.deepInclude(yield* verify("org_tampered"), { rows: 10, fault: undefined })
    })
  )

  it.effect("shows a removed row, an exchanged pair, an inserted one, and an organization that it was moved to", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const of = (id: string) => sql`organization_id = ${id}`
      yield* sealedOrganization("org_removed")
      yield* tamper(sql`DELETE FROM audit_log WHERE ${of("org_removed")} AND sequence = 4`)
      assert.deepInclude(yield* verify("org_removed"), {
        rows: 3,
        fault: "row 4 is missing: it was removed or renumbered"
      })

      yield* sealedOrganization("org_swapped")
      const renumber = (from: number, to: number) =>
        sql`UPDATE audit_log SET sequence = ${to} WHERE ${of("org_swapped")} AND sequence = ${from}`
      yield* tamper(Effect.all([renumber(6, 99), renumber(7, 6), renumber(99, 7)]))
      assert.deepInclude(yield* verify("org_swapped"), { rows: 5, fault: "row 6 was changed after it was sealed" })

      yield* sealedOrganization("org_inserted")
      yield* tamper(
        Effect.andThen(
          sql`DROP INDEX audit_log_chain`,
          sql`INSERT INTO audit_log (organization_id, at, actor, request_id, action, subject, detail, sequence, previous_hash, hash)
            SELECT organization_id, at, 'nobody', request_id, action, subject, detail, sequence, previous_hash, hash
            FROM audit_log WHERE ${of("org_inserted")} AND sequence = 5`
        )
      )
      assert.match((yield* verify("org_inserted")).fault ?? "", /^row 5 was changed|^row 5 is there twice/u)
      yield* tamper(sql`DELETE FROM audit_log WHERE actor = 'nobody'`)
      yield* sql`CREATE UNIQUE INDEX audit_log_chain ON audit_log (organization_id, sequence)
        WHERE sequence IS NOT NULL`
      assert.isUndefined((yield* verify("org_inserted")).fault)

      yield* sealedOrganization("org_mover")
      yield* insertOrganization("org_moved", true)
      yield* tamper(sql`UPDATE audit_log SET organization_id = 'org_moved' WHERE ${of("org_mover")}`)
      assert.deepInclude(yield* verify("org_moved"), { rows: 0, fault: "row 1 was changed after it was sealed" })
    })
  )

  it.effect("shows by a head that was handed out that its end was cut off", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const head = yield* sealedOrganization("org_cut")
      yield* tamper(sql`DELETE FROM audit_log WHERE organization_id = 'org_cut' AND sequence > 8`)
      yield* record("org_cut", 1)
      yield* sealAll
      assert.deepInclude(yield* verify("org_cut", head), { rows: 10, fault: undefined, hasHead: false })
    })
  )

  it.effect("asks an idle database one thing, of an index that is empty", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sealedOrganization("org_idle")
      yield* sql`VACUUM ANALYZE audit_log`
      const plan = yield* sql`EXPLAIN SELECT organization_id FROM audit_log
        WHERE sequence IS NULL AND organization_id > '' ORDER BY organization_id LIMIT 1`
      assert.include(JSON.stringify(plan), "audit_log_unsealed")
    })
  )
})
