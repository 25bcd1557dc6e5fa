import { assert, layer } from "@effect/vitest"
import { DelegationStore } from "@sarraf/domain/approvals/DelegationStore"
import { type DelegationOrder, Delegations } from "@sarraf/domain/approvals/Delegations"
import { AuditTrail } from "@sarraf/domain/audit/AuditTrail"
import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { company, stores } from "./support/Company.ts"

const day = 86_400_000
const everything = { limit: 100, after: undefined }
const staff = { ada: "APPROVER", ben: "APPROVER", cem: "ADMIN", dua: "MEMBER" } as const

layer(Delegations.layer.pipe(Layer.provideMerge(stores)))("Delegations on PostgreSQL", (it) => {
  const order = (
    { idOf }: ReturnType<typeof company>,
    to: string,
    changes: Partial<DelegationOrder> = {}
  ): DelegationOrder => ({
    from: undefined,
    to: idOf(to),
    startsAt: undefined,
    endsAt: 5 * day,
    reason: null,
    ...changes
  })

  it.effect("are in force from now to their end, and can be ended at once", () => {
    const shop = company("period", staff)
    return Effect.gen(function* () {
      yield* TestClock.setTime(0)
      yield* shop.found
      const delegations = yield* Delegations
      const store = yield* DelegationStore
      const made = yield* delegations.create(order(shop, "ben", { startsAt: -day, reason: "Holiday" }))
      assert.deepInclude(made, { from: shop.idOf("ada"), to: shop.idOf("ben"), startsAt: 0, endsAt: 5 * day })
      assert.deepStrictEqual(yield* store.inForce(0), [made])
      assert.deepStrictEqual(yield* store.inForce(5 * day - 1), [made])
      assert.deepStrictEqual(yield* store.inForce(5 * day), [])
      assert.deepStrictEqual(yield* store.inForce(-1), [])
      yield* TestClock.adjust(day)
      yield* delegations.end(made.id)
      assert.deepStrictEqual(yield* store.inForce(day - 1), [{ ...made, endedAt: day }])
      assert.deepStrictEqual(yield* store.inForce(day), [])
      yield* TestClock.adjust(day)
      yield* delegations.end(made.id)
      assert.strictEqual((yield* store.find(made.id))?.endedAt, day)
      const { items } = yield* (yield* AuditTrail).list({ subjectType: "delegation" }, everything)
      assert.deepStrictEqual(
        items.map(({ action, actor }) => [action, actor]),
        [
          ["delegation.ended", `user:${shop.idOf("ada")}`],
          ["delegation.created", `user:${shop.idOf("ada")}`]
        ]
      )
    }).pipe(shop.as("ada"))
  })

  it.effect("do not overlap: one person decides for another at a time", () => {
    const shop = company("overlap", staff)
    return Effect.gen(function* () {
      yield* TestClock.setTime(0)
      yield* shop.found
      const delegations = yield* Delegations
      const first = yield* delegations.create(order(shop, "ben", { startsAt: 2 * day }))
      const refused = yield* Effect.flip(delegations.create(order(shop, "cem", { endsAt: 3 * day })))
      assert.strictEqual(refused._tag, "StateRefused")
      yield* delegations.create(order(shop, "cem", { endsAt: 2 * day }))
      yield* delegations.create(order(shop, "cem", { startsAt: 5 * day, endsAt: 6 * day }))
      yield* delegations.end(first.id)
      yield* delegations.create(order(shop, "cem", { startsAt: 3 * day, endsAt: 4 * day }))
    }).pipe(shop.as("ada"))
  })

  it.effect("are made once where two are asked for at the same moment", () => {
    const shop = company("twice", staff)
    return Effect.gen(function* () {
      yield* TestClock.setTime(0)
      yield* shop.found
      const delegations = yield* Delegations
      const units = yield* UnitOfWork
      const results = yield* Effect.all(
        ["ben", "cem", "ben", "cem"].map((to) => Effect.result(units.run(delegations.create(order(shop, to))))),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(results.map(({ _tag }) => _tag).sort(), ["Failure", "Failure", "Failure", "Success"])
    }).pipe(shop.as("ada"))
  })

  it.effect("are between active members who decide, for ninety days at most", () => {
    const shop = company("fit", staff)
    return Effect.gen(function* () {
      yield* TestClock.setTime(0)
      yield* shop.found
      const delegations = yield* Delegations
      const faultsOf = (asked: DelegationOrder) =>
        Effect.map(Effect.flip(delegations.create(asked)), (refused) =>
          refused._tag === "InvalidFields" ? refused.faults.map(({ path }) => path) : refused._tag
        )
      yield* TestClock.adjust(day)
      assert.deepStrictEqual(yield* faultsOf(order(shop, "ada")), ["to_user_id"])
      assert.deepStrictEqual(yield* faultsOf(order(shop, "dua")), ["to_user_id"])
      assert.deepStrictEqual(yield* faultsOf(order(shop, "nobody")), "NotFound")
      assert.deepStrictEqual(yield* faultsOf(order(shop, "ben", { endsAt: day })), ["ends_at"])
      assert.deepStrictEqual(yield* faultsOf(order(shop, "ben", { endsAt: 91 * day + 1 })), ["ends_at"])
      assert.deepStrictEqual(yield* faultsOf(order(shop, "dua", { endsAt: 0 })), ["to_user_id", "ends_at"])
      yield* delegations.create(order(shop, "ben", { endsAt: 91 * day }))
    }).pipe(shop.as("ada"))
  })

  it.effect("are one's own, or an ADMIN's to give and to end", () => {
    const shop = company("own", staff)
    return Effect.gen(function* () {
      yield* TestClock.setTime(0)
      yield* shop.found
      const delegations = yield* Delegations
      const ofBen = order(shop, "cem", { from: shop.idOf("ben") })
      assert.strictEqual((yield* Effect.flip(shop.as("ada")(delegations.create(ofBen))))._tag, "Forbidden")
      assert.strictEqual((yield* Effect.flip(shop.as("dua")(delegations.create(ofBen))))._tag, "RoleMissing")
      const keyless = yield* Effect.flip(shop.asShop(delegations.create(order(shop, "cem"))))
      assert.strictEqual(keyless._tag, "InvalidFields")
      const made = yield* shop.as("cem")(delegations.create({ ...ofBen, to: shop.idOf("ada") }))
      const seenBy = (name: string) =>
        Effect.map(shop.as(name)(delegations.list(everything)), ({ items }) => items.length)
      assert.deepStrictEqual(yield* Effect.all(["ada", "ben", "cem"].map(seenBy)), [1, 1, 1])
      assert.strictEqual((yield* Effect.flip(shop.as("ada")(delegations.end(made.id))))._tag, "Forbidden")
      yield* shop.as("ben")(delegations.end(made.id))
      const second = yield* shop.as("cem")(delegations.create(order(shop, "ben")))
      assert.strictEqual((yield* Effect.flip(shop.as("ada")(delegations.end(second.id))))._tag, "NotFound")
      assert.strictEqual(yield* seenBy("ada"), 1)
      const other = company("own_other", { eda: "OWNER" })
      yield* other.found
      assert.strictEqual((yield* Effect.flip(other.as("eda")(delegations.end(second.id))))._tag, "NotFound")
    })
  })
})
