import { assert, layer } from "@effect/vitest"
import * as PgPeople from "@sarraf/adapters/postgres/organizations/PgPeople"
import * as PgUnitOfWork from "@sarraf/adapters/postgres/organizations/PgUnitOfWork"
import { People } from "@sarraf/domain/organizations/People"
import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import { Effect, Layer, Redacted } from "effect"
import * as Database from "../../../support/Database.ts"
import { asPerson, insertPerson } from "../support/People.ts"
import { insertOrganization } from "../support/Shop.ts"

const stores = Layer.provideMerge(Layer.mergeAll(PgPeople.layer, PgUnitOfWork.layer), Database.layer)

const insert = (id: string) =>
  Effect.flatMap(People, (people) => people.findOrInsert({ id, email: `${id}@example.com`, name: id }))

const found = Effect.fnUntraced(function* (id: string) {
  return (yield* (yield* People).find(id)) ?? (yield* Effect.die(new Error(`No person ${id}`)))
})

const trues = (answers: ReadonlyArray<boolean>) => answers.filter((answer) => answer).length

layer(stores)("PgPeople", (it) => {
  it.effect("has one person for an address, of whoever comes first", () =>
    Effect.gen(function* () {
      const people = yield* People
      const email = "same@example.com"
      const both = yield* Effect.all(
        ["usr_first", "usr_second"].map((id) => people.findOrInsert({ id, email, name: id })),
        { concurrency: 2 }
      )
      assert.strictEqual(both[0]?.id, both[1]?.id)
      assert.strictEqual((yield* people.findByEmail(email))?.id, both[0]?.id)
      assert.isUndefined(yield* people.findByEmail("Same@example.com"))
    })
  )

  it.effect("sets a password over the one that was read, and never over another", () =>
    Effect.gen(function* () {
      const people = yield* People
      const before = yield* insert("usr_password")
      assert.isNull(before.passwordHash)
      const set = (hash: string) => people.setPassword(before, Redacted.make(hash))
      assert.strictEqual(trues(yield* Effect.all([set("one"), set("two")], { concurrency: 2 })), 1)
      const after = yield* found("usr_password")
      yield* insertOrganization("org_password", true)
      assert.isTrue(yield* people.noteSignIn(after, "org_password"))
      assert.strictEqual((yield* found("usr_password")).lastOrganizationId, "org_password")
      assert.isFalse(yield* people.noteSignIn({ ...after, passwordHash: Redacted.make("other") }, "org_password"))
      assert.isFalse(yield* people.noteSignIn(before, "org_password"))
    })
  )

  it.effect("takes each code of a second factor once, and none that is older", () =>
    Effect.gen(function* () {
      const people = yield* People
      const { id } = yield* insert("usr_factor")
      assert.isFalse(yield* people.confirmSecondFactor(id, "first", 1), "nothing waits")
      assert.isTrue(yield* people.beginSecondFactor(id, "first"))
      assert.isTrue(yield* people.beginSecondFactor(id, "second"))
      assert.isFalse(yield* people.confirmSecondFactor(id, "first", 1), "it was replaced")
      assert.isTrue(yield* people.confirmSecondFactor(id, "second", 10))
      assert.isFalse(yield* people.beginSecondFactor(id, "third"), "one is in use")
      assert.isFalse(yield* people.spendStep(id, 10))
      const spent = yield* Effect.all([people.spendStep(id, 11), people.spendStep(id, 11)], { concurrency: 2 })
      assert.strictEqual(trues(spent), 1)
      assert.isFalse(yield* people.spendStep(id, 9))
      yield* people.removeSecondFactor(id)
      assert.isNull((yield* found(id)).secondFactor)
      assert.isFalse(yield* people.spendStep(id, 11), "a code does not become new by taking the factor away")
    })
  )

  it.effect("knows all organizations of a person, also within a unit of work of one", () =>
    Effect.gen(function* () {
      const people = yield* People
      const units = yield* UnitOfWork
      for (const [organization, status] of [
        ["org_1", "ACTIVE"],
        ["org_2", "INVITED"]
      ] as const) {
        yield* insertOrganization(organization, organization === "org_1")
        yield* insertPerson(organization, "usr_many", { status })
      }
      const shown = Effect.map(people.memberships("usr_many"), (all) =>
        all.map(({ isSandbox, organizationId, status }) => ({ isSandbox, organizationId, status }))
      )
      const expected = [
        { isSandbox: true, organizationId: "org_1", status: "ACTIVE" },
        { isSandbox: false, organizationId: "org_2", status: "INVITED" }
      ]
      assert.deepStrictEqual(yield* shown, expected)
      assert.deepStrictEqual(yield* asPerson("org_2")(units.run(shown)), expected)
    })
  )
})
