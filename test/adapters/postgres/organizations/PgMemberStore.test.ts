import { assert, layer } from "@effect/vitest"
import * as RandomIdentifiers from "@sarraf/adapters/identifiers/RandomIdentifiers"
import * as PgAuditTrail from "@sarraf/adapters/postgres/audit/PgAuditTrail"
import * as PgAccountLinks from "@sarraf/adapters/postgres/organizations/PgAccountLinks"
import * as PgDepartments from "@sarraf/adapters/postgres/organizations/PgDepartments"
import * as PgMemberStore from "@sarraf/adapters/postgres/organizations/PgMemberStore"
import * as PgMembers from "@sarraf/adapters/postgres/organizations/PgMembers"
import * as PgPeople from "@sarraf/adapters/postgres/organizations/PgPeople"
import * as PgSessions from "@sarraf/adapters/postgres/organizations/PgSessions"
import * as PgUnitOfWork from "@sarraf/adapters/postgres/organizations/PgUnitOfWork"
import * as RandomTokens from "@sarraf/adapters/signing/SecretTokens"
import { AccountLinks } from "@sarraf/domain/organizations/AccountLinks"
import { Departments } from "@sarraf/domain/organizations/Departments"
import { MemberDirectory } from "@sarraf/domain/organizations/MemberDirectory"
import { Members } from "@sarraf/domain/organizations/Members"
import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import { Clock, Deferred, Effect, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as Database from "../../../support/Database.ts"
import { asPerson, insertPerson } from "../support/People.ts"
import { insertOrganization } from "../support/Shop.ts"

const stores = Layer.mergeAll(
  PgUnitOfWork.layer,
  PgAuditTrail.layer,
  PgMembers.layer,
  PgMemberStore.layer,
  PgDepartments.layer,
  PgPeople.layer,
  PgSessions.layer,
  PgAccountLinks.layer,
  RandomTokens.layer,
  RandomIdentifiers.layer
).pipe(Layer.provideMerge(Database.layer))

const everything = Layer.provideMerge(Layer.mergeAll(MemberDirectory.layer, Departments.layer), stores)

const setUp = Effect.fnUntraced(function* (organizationId: string, owners: ReadonlyArray<string>) {
  yield* insertOrganization(organizationId, true)
  for (const owner of owners) yield* insertPerson(organizationId, owner, { role: "OWNER" })
})

const tagsOf = (results: ReadonlyArray<{ readonly _tag: string }>) => results.map(({ _tag }) => _tag).sort()

layer(everything)("Changes of members at once", (it) => {
  it.effect("leave an OWNER: of two who demote each other one succeeds", () =>
    Effect.gen(function* () {
      const directory = yield* MemberDirectory
      for (let round = 0; round < 5; round++) {
        const [one, two] = [`usr_${round}a`, `usr_${round}b`]
        const organization = `org_owners${round}`
        yield* setUp(organization, [one, two])
        const demote = (by: string, whom: string) =>
          Effect.result(asPerson(organization, by)(directory.change(whom, { role: "ADMIN" }, undefined)))
        const results = yield* Effect.all([demote(one, two), demote(two, one)], { concurrency: 2 })
        assert.deepStrictEqual(tagsOf(results), ["Failure", "Success"])
        const all = yield* asPerson(organization)((yield* Members).all)
        assert.strictEqual(all.filter(({ role }) => role === "OWNER").length, 1)
      }
    })
  )

  it.effect("make no circle: of two who become each other's manager one succeeds", () =>
    Effect.gen(function* () {
      const directory = yield* MemberDirectory
      yield* setUp("org_circle", ["usr_c0", "usr_c1", "usr_c2"])
      const put = (userId: string, managerId: string) =>
        Effect.result(asPerson("org_circle", "usr_c0")(directory.change(userId, { managerId }, undefined)))
      const results = yield* Effect.all([put("usr_c1", "usr_c2"), put("usr_c2", "usr_c1")], { concurrency: 2 })
      assert.deepStrictEqual(tagsOf(results), ["Failure", "Success"])
    })
  )

  it.effect("invite an address once", () =>
    Effect.gen(function* () {
      const directory = yield* MemberDirectory
      yield* setUp("org_invite", ["usr_i0"])
      const invitation = {
        email: "twice@example.com",
        name: undefined,
        role: "MEMBER",
        departmentId: null,
        managerId: null
      } as const
      const invite = Effect.result(asPerson("org_invite", "usr_i0")(directory.invite(invitation)))
      const results = yield* Effect.all([invite, invite], { concurrency: 2 })
      assert.deepStrictEqual(tagsOf(results), ["Failure", "Success"])
    })
  )

  it.effect("remove no department under an expense that is being made with it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const units = yield* UnitOfWork
      const { holdDepartment } = yield* Members
      const organization = "org_held"
      yield* setUp(organization, ["usr_held"])
      const as = asPerson(organization, "usr_held")
      const { id } = yield* as((yield* Departments).create("Sales"))
      const isFree = sql`SELECT id FROM departments WHERE organization_id = ${organization} AND id = ${id}
        FOR UPDATE SKIP LOCKED`.pipe(Effect.map((rows) => rows.length === 1))
      // Begun outside, so that it looks on another connection.
      const isHeld = yield* Deferred.make<void>()
      const besides = yield* Effect.forkChild(Effect.andThen(Deferred.await(isHeld), isFree))
      const held = Effect.gen(function* () {
        const isThere = yield* holdDepartment(id)
        yield* Deferred.succeed(isHeld, undefined)
        return { isThere, free: yield* Fiber.join(besides) }
      })
      assert.deepStrictEqual(yield* as(units.run(held)), { isThere: true, free: false })
      assert.isTrue(yield* isFree)
      assert.isFalse(yield* as(holdDepartment("dep_none")))
    })
  )

  it.effect("make a department of a name once, whatever the case, and delete none that is being given", () =>
    Effect.gen(function* () {
      const departments = yield* Departments
      const directory = yield* MemberDirectory
      yield* setUp("org_dep", ["usr_d0", "usr_d1"])
      const as = asPerson("org_dep", "usr_d0")
      const create = (name: string) => Effect.result(as(departments.create(name)))
      assert.deepStrictEqual(tagsOf(yield* Effect.all([create("Sales"), create("SALES")], { concurrency: 2 })), [
        "Failure",
        "Success"
      ])
      const { items } = yield* as(departments.list({ limit: 1, after: undefined }))
      const id = items[0]?.id ?? ""
      const results = yield* Effect.all(
        [
          Effect.result(as(directory.change("usr_d1", { departmentId: id }, undefined))),
          Effect.result(as(departments.remove(id, undefined)))
        ],
        { concurrency: 2 }
      )
      assert.deepStrictEqual(tagsOf(results), ["Failure", "Success"])
    })
  )
})

layer(everything)("One-time links", (it) => {
  it.effect("are used by one of many, replaced by the next of their kind, and end with their time", () =>
    Effect.gen(function* () {
      const links = yield* AccountLinks
      yield* setUp("org_link", ["usr_l0"])
      yield* insertOrganization("org_elsewhere", true)
      const as = asPerson("org_link")
      const put = Effect.fnUntraced(function* (name: string) {
        const token = Redacted.make(`acct_${name}`)
        const expiresAt = (yield* Clock.currentTimeMillis) + 1_000
        yield* as(links.put(token, { userId: "usr_l0", kind: "invitation", expiresAt }))
        return token
      })
      const first = yield* put("first")
      const second = yield* put("second")
      assert.isUndefined(yield* links.find(first), "it was replaced")
      assert.deepInclude(yield* links.find(second), { organizationId: "org_link", userId: "usr_l0" })
      assert.isFalse(yield* asPerson("org_elsewhere")(links.spend(second)), "another organization's")
      const spent = yield* Effect.all([as(links.spend(second)), as(links.spend(second))], { concurrency: 2 })
      assert.deepStrictEqual([...spent].sort(), [false, true])
      assert.isUndefined(yield* links.find(second))

      const third = yield* put("third")
      yield* TestClock.adjust(1_000)
      assert.isUndefined(yield* links.find(third))
      assert.isFalse(yield* as(links.spend(third)))

      const fourth = yield* put("fourth")
      yield* as(links.revoke("usr_l0"))
      assert.isUndefined(yield* links.find(fourth))
    })
  )
})
