import { assert, layer } from "@effect/vitest"
import { EventStore } from "@sarraf/domain/events/EventStore"
import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { everything, shopOf, stores, tell } from "./support/Told.ts"

/** How often something happens to each of a few objects, in which order, and which of it is undone. */
const Plan = Schema.Array(
  Schema.Struct({ object: Schema.Literals(["exp_a", "exp_b", "card_c"]), isUndone: Schema.Boolean })
).check(Schema.isMaxLength(24))

const sequencesOf = (objectId: string) =>
  Effect.gen(function* () {
    const { items } = yield* (yield* EventStore).list({ objectId }, everything)
    return items.map(({ sequence }) => sequence).sort((one, other) => one - other)
  })

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

let plans = 0

layer(stores)("PgEventLog", (it) => {
  it.effect.prop(
    "numbers the events of an object from 1 without a gap, however many are told at once and whatever is undone",
    [Plan],
    ([plan]) => {
      const { as, found } = shopOf(`plan_${plans++}`)
      return as(
        Effect.gen(function* () {
          yield* found
          const units = yield* UnitOfWork
          yield* Effect.forEach(
            plan,
            ({ isUndone, object }) => {
              const told = tell(object)
              return Effect.ignore(units.run(isUndone ? Effect.andThen(told, Effect.fail("undone" as const)) : told))
            },
            { concurrency: "unbounded", discard: true }
          )
          for (const object of ["exp_a", "exp_b", "card_c"] as const) {
            const kept = plan.filter((step) => step.object === object && !step.isUndone).length
            assert.deepStrictEqual(yield* sequencesOf(object), upTo(kept))
          }
        })
      )
    },
    { arbitrary: { runs: 20 } }
  )

  it.effect("goes on counting when the events before are no longer kept", () => {
    const { as, found, organizationId } = shopOf("forgotten")
    return as(
      Effect.gen(function* () {
        yield* found
        const sql = yield* SqlClient.SqlClient
        for (const _ of upTo(3)) yield* tell("exp_old")
        yield* sql`DELETE FROM events WHERE organization_id = ${organizationId}`
        yield* tell("exp_old")
        yield* tell("exp_new")
        assert.deepStrictEqual(yield* sequencesOf("exp_old"), [4])
        assert.deepStrictEqual(yield* sequencesOf("exp_new"), [1])
      })
    )
  })

  it.effect("counts the same object's id of another organization apart", () => {
    const [one, other] = [shopOf("count_one"), shopOf("count_other")]
    return Effect.gen(function* () {
      yield* one.found
      yield* other.found
      yield* one.as(tell("exp_same"))
      yield* one.as(tell("exp_same"))
      yield* other.as(tell("exp_same"))
      assert.deepStrictEqual(yield* one.as(sequencesOf("exp_same")), [1, 2])
      assert.deepStrictEqual(yield* other.as(sequencesOf("exp_same")), [1])
    })
  })
})
