import { assert, layer } from "@effect/vitest"
import { eventTypes } from "@sarraf/domain/events/EventLog"
import { type EventFilter, EventStore } from "@sarraf/domain/events/EventStore"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { everything, shopOf, stores, tell } from "./support/Told.ts"

const at = (second: number) => TestClock.setTime(second * 1000)

const found = (filter: EventFilter) =>
  Effect.gen(function* () {
    const { items } = yield* (yield* EventStore).list(filter, everything)
    return items.map(({ objectId, sequence, type }) => `${type} ${objectId} ${sequence}`)
  })

/** Three events, ten seconds apart. */
const threeEvents = Effect.gen(function* () {
  yield* at(10)
  yield* tell("exp_1", "expense.submitted", { status: "DRAFT" })
  yield* at(20)
  yield* tell("card_1", "card.frozen")
  yield* at(30)
  yield* tell("exp_1", "expense.approved")
})

layer(stores)("PgEventStore", (it) => {
  it.effect("lists the newest first, and what each filter names", () => {
    const shop = shopOf("filters")
    return shop.as(
      Effect.gen(function* () {
        yield* shop.found
        yield* threeEvents
        const [submitted, frozen, approved] = [
          "expense.submitted exp_1 1",
          "card.frozen card_1 1",
          "expense.approved exp_1 2"
        ]
        const cases: ReadonlyArray<readonly [EventFilter, ReadonlyArray<string | undefined>]> = [
          [{}, [approved, frozen, submitted]],
          [{ types: ["card.frozen"] }, [frozen]],
          [{ types: ["expense.approved", "card.frozen"] }, [approved, frozen]],
          [{ types: [] }, []],
          [{ objectId: "exp_1" }, [approved, submitted]],
          [{ objectId: "exp_2" }, []],
          [{ from: 20_000 }, [approved, frozen]],
          [{ to: 20_000 }, [submitted]],
          [{ from: 10_001, to: 30_000, types: eventTypes }, [frozen]]
        ]
        for (const [filter, expected] of cases) assert.deepStrictEqual(yield* found(filter), expected)
      })
    )
  })

  it.effect("gives every event once, page by page, while others are added", () => {
    const shop = shopOf("pages")
    return shop.as(
      Effect.gen(function* () {
        yield* shop.found
        const store = yield* EventStore
        for (let number = 1; number <= 5; number++) yield* tell(`exp_${number}`)
        const first = yield* store.list({}, { limit: 2, after: undefined })
        yield* tell("exp_6")
        const second = yield* store.list({}, { limit: 2, after: first.items.at(-1)?.id })
        const third = yield* store.list({}, { limit: 2, after: second.items.at(-1)?.id })
        assert.deepStrictEqual(
          [first, second, third].map(({ hasMore, items }) => [hasMore, ...items.map(({ objectId }) => objectId)]),
          [
            [true, "exp_5", "exp_4"],
            [true, "exp_3", "exp_2"],
            [false, "exp_1"]
          ]
        )
      })
    )
  })

  it.effect("finds an event as it was told, and nothing of another organization", () => {
    const [shop, other] = [shopOf("finder"), shopOf("stranger")]
    return Effect.gen(function* () {
      yield* shop.found
      yield* other.found
      yield* at(7)
      const store = yield* EventStore
      yield* shop.as(tell("exp_1", "expense.rejected", { status: "PENDING" }))
      const [event] = (yield* shop.as(store.list({}, everything))).items
      const id = event?.id ?? ""
      assert.deepStrictEqual(yield* shop.as(store.find(id)), {
        id,
        type: "expense.rejected",
        organizationId: "org_finder",
        objectId: "exp_1",
        sequence: 1,
        data: { object: { id: "exp_1" }, previous: { status: "PENDING" } },
        createdAt: 7000
      })
      assert.isUndefined(yield* other.as(store.find(id)))
      assert.deepStrictEqual(yield* other.as(found({})), [])
      assert.isUndefined(yield* shop.as(store.find("evt_nobody")))
    })
  })

  it.effect("lists no example that was made for one endpoint, but finds it", () => {
    const shop = shopOf("examples")
    return shop.as(
      Effect.gen(function* () {
        yield* shop.found
        const sql = yield* SqlClient.SqlClient
        yield* tell("exp_1")
        yield* sql`INSERT INTO events (organization_id, id, type, object_id, sequence, data, created_at, is_example)
          VALUES (${shop.organizationId}, 'evt_zzz', 'card.frozen', 'card_1', 1, '{"object": {}}', now(), true)`
        assert.deepStrictEqual(yield* found({}), ["expense.submitted exp_1 1"])
        assert.deepStrictEqual(yield* found({ objectId: "card_1" }), [])
        assert.strictEqual((yield* (yield* EventStore).find("evt_zzz"))?.objectId, "card_1")
      })
    )
  })
})
