import { inspect } from "node:util"
import { assert, layer } from "@effect/vitest"
import * as PgSessions from "@sarraf/adapters/postgres/organizations/PgSessions"
import * as PgUnitOfWork from "@sarraf/adapters/postgres/organizations/PgUnitOfWork"
import { idleMillisMax, SessionStore, sessionMillisMax } from "@sarraf/domain/organizations/SessionStore"
import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import { Clock, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as Database from "../../../support/Database.ts"
import { asPerson, insertPerson } from "../support/People.ts"
import { insertOrganization } from "../support/Shop.ts"

const stores = Layer.provideMerge(Layer.mergeAll(PgSessions.layer, PgUnitOfWork.layer), Database.layer)

const token = (name: string) => Redacted.make(`sess_${name}`)

/** A session that begins now. */
const begin = Effect.fnUntraced(function* (organizationId: string, userId: string, name: string) {
  const at = yield* Clock.currentTimeMillis
  const session = {
    id: `ses_${name}`,
    userId,
    createdAt: at,
    lastUsedAt: at,
    expiresAt: at + sessionMillisMax,
    address: "192.0.2.1",
    userAgent: "agent"
  }
  yield* asPerson(organizationId)((yield* SessionStore).insert(token(name), session))
  return session
})

const find = (name: string) => Effect.flatMap(SessionStore, (sessions) => sessions.find(token(name)))

const setUp = Effect.fnUntraced(function* (organizationId: string, ...users: ReadonlyArray<string>) {
  yield* insertOrganization(organizationId, true)
  for (const user of users) yield* insertPerson(organizationId, user)
})

layer(stores)("PgSessions", (it) => {
  it.effect("finds who a session is of, with the role that they have now", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* setUp("org_role", "usr_role")
      const { userId, ...session } = yield* begin("org_role", "usr_role", "role")
      const found = yield* find("role")
      assert.deepInclude(found?.membership, { organizationId: "org_role", role: "MEMBER", isSandbox: true })
      assert.deepStrictEqual(found?.session, session)
      assert.deepStrictEqual(found?.person, { id: userId, email: "usr_role@example.com" })
      yield* sql`UPDATE members SET role = 'ADMIN' WHERE user_id = 'usr_role'`
      assert.strictEqual((yield* find("role"))?.membership.role, "ADMIN")
      yield* sql`UPDATE members SET status = 'INACTIVE' WHERE user_id = 'usr_role'`
      assert.isUndefined(yield* find("role"))
      assert.isUndefined(yield* find("nobody's"))
    })
  )

  it.effect("ends a session that is not used for 12 hours, and any after 7 days", () =>
    Effect.gen(function* () {
      yield* setUp("org_time", "usr_time")
      yield* begin("org_time", "usr_time", "idle")
      yield* TestClock.adjust(idleMillisMax - 1)
      assert.isDefined(yield* find("idle"), "its use begins the 12 hours anew")
      yield* TestClock.adjust(idleMillisMax - 1)
      assert.isDefined(yield* find("idle"))
      yield* TestClock.adjust(idleMillisMax)
      assert.isUndefined(yield* find("idle"))

      yield* begin("org_time", "usr_time", "used")
      for (let spent = 0; spent < sessionMillisMax - idleMillisMax / 2; spent += idleMillisMax / 2) {
        assert.isDefined(yield* find("used"))
        yield* TestClock.adjust(idleMillisMax / 2)
      }
      assert.isDefined(yield* find("used"))
      yield* TestClock.adjust(idleMillisMax / 2)
      assert.isUndefined(yield* find("used"))
    })
  )

  it.effect("writes its use down once a minute", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* setUp("org_use", "usr_use")
      const { createdAt } = yield* begin("org_use", "usr_use", "use")
      const noted = Effect.map(
        sql<{ at: Date }>`SELECT last_used_at AS at FROM sessions WHERE id = 'ses_use'`,
        ([row]) => (row?.at.getTime() ?? 0) - createdAt
      )
      yield* TestClock.adjust("59 seconds")
      yield* find("use")
      assert.strictEqual(yield* noted, 0)
      yield* TestClock.adjust("1 second")
      yield* find("use")
      assert.strictEqual(yield* noted, 60_000)
    })
  )

  it.effect("lists and ends the sessions of one person in one organization", () =>
    Effect.gen(function* () {
      const sessions = yield* SessionStore
      yield* setUp("org_a", "usr_both", "usr_else")
      yield* setUp("org_b", "usr_both")
      for (const name of ["a1", "a2"]) yield* begin("org_a", "usr_both", name)
      yield* begin("org_a", "usr_else", "a3")
      yield* begin("org_b", "usr_both", "b1")
      const list = (organization: string, user: string) =>
        Effect.map(asPerson(organization)(sessions.list(user)), (all) => all.map(({ id }) => id))
      assert.deepStrictEqual(yield* list("org_a", "usr_both"), ["ses_a2", "ses_a1"])
      assert.deepStrictEqual(yield* list("org_b", "usr_both"), ["ses_b1"])
      assert.isFalse(yield* asPerson("org_a")(sessions.end("usr_both", "ses_a3")), "another person's")
      assert.isFalse(yield* asPerson("org_a")(sessions.end("usr_both", "ses_b1")), "another organization's")
      assert.isTrue(yield* asPerson("org_a")(sessions.end("usr_both", "ses_a1")))
      assert.isFalse(yield* asPerson("org_a")(sessions.end("usr_both", "ses_a1")))
      assert.strictEqual(yield* asPerson("org_a")(sessions.endAll("usr_both")), 1)
      assert.deepStrictEqual(yield* list("org_b", "usr_both"), ["ses_b1"])
      assert.isUndefined(yield* find("a2"))
    })
  )

  it.effect("ends all of a person's but one, wherever, inside a unit of work of one organization", () =>
    Effect.gen(function* () {
      const sessions = yield* SessionStore
      const units = yield* UnitOfWork
      const sql = yield* SqlClient.SqlClient
      yield* setUp("org_c", "usr_every", "usr_other")
      yield* setUp("org_d", "usr_every")
      for (const name of ["c1", "c2"]) yield* begin("org_c", "usr_every", name)
      yield* begin("org_c", "usr_other", "c3")
      yield* begin("org_d", "usr_every", "d1")
      const work = Effect.gen(function* () {
        const ended = yield* sessions.endEverywhere("usr_every", "ses_c1")
        // The rest of the unit sees its own organization alone again.
        const rows = yield* sql<{ id: string }>`SELECT id FROM sessions ORDER BY id`
        return { ended, left: rows.map(({ id }) => id) }
      })
      const { ended, left } = yield* asPerson("org_c")(units.run(work))
      assert.strictEqual(ended, 2)
      assert.deepStrictEqual(left, ["ses_c1", "ses_c3"])
      assert.isUndefined(yield* find("d1"))
      yield* begin("org_d", "usr_every", "d2")
      const undone = Effect.andThen(sessions.endEverywhere("usr_every"), Effect.fail("no" as const))
      yield* Effect.flip(asPerson("org_c")(units.run(undone)))
      assert.isDefined(yield* find("d2"), "what a unit of work undoes was not done elsewhere either")
    })
  )

  it.effect("keeps of a token its digest alone", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* setUp("org_digest", "usr_digest")
      yield* begin("org_digest", "usr_digest", "hunter2")
      const rows = yield* sql`SELECT digest FROM sessions WHERE id = 'ses_hunter2'`
      assert.match(String(rows[0]?.digest), /^[0-9a-f]{64}$/)
      assert.notInclude(inspect(rows), "sess_hunter2")
    })
  )
})
