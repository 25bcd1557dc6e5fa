import { assert, describe, it } from "@effect/vitest"
import { makeLanes, type TakeOne } from "@sarraf/adapters/postgres/webhooks/DeliveryLanes"
import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"

const done = { concurrency: 3, succeeded: true }

/** Queues in memory whose elements take until they are let go. */
const queues = (lengths: Readonly<Record<string, number>>, status: { isClosed: boolean } = { isClosed: false }) => {
  const left = new Map(Object.entries(lengths))
  const state = { taking: 0, handling: 0, most: 0, handled: 0 }
  const gates: Array<Deferred.Deferred<void>> = []
  const handle = Effect.gen(function* () {
    state.handling++
    state.most = Math.max(state.most, state.handling)
    const gate = Deferred.makeUnsafe<void>()
    gates.push(gate)
    yield* Deferred.await(gate)
    state.handling--
    state.handled++
    return done
  })
  const takeOne: TakeOne = (queue, began, learn) =>
    Effect.gen(function* () {
      state.taking++
      const count = left.get(queue) ?? 0
      if (count === 0) return yield* Effect.never
      left.set(queue, count - 1)
      began()
      if (status.isClosed) return "waits" as const
      learn(done.concurrency)
      return yield* handle
    })
  const takeWhole: TakeOne = (...taking) => Effect.uninterruptible(takeOne(...taking))
  const release = Effect.suspend(() => Effect.forEach(gates.splice(0), (gate) => Deferred.succeed(gate, undefined)))
  return { left, state, takeOne, takeWhole, release }
}

/** Lets everything run that waits for nothing. */
const settle = TestClock.adjust(0).pipe(Effect.andThen(Effect.yieldNow), Effect.repeat({ times: 20 }))

describe("Lanes", () => {
  it.effect("take nothing at rest", () =>
    Effect.gen(function* () {
      const { state, takeOne } = queues({ a: 0 })
      const wake = yield* makeLanes(takeOne)
      wake("a")
      yield* settle
      assert.strictEqual(state.taking, 1)
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(state.taking, 1)
      wake("a")
      yield* settle
      assert.strictEqual(state.taking, 2)
    })
  )

  it.effect("grow to the endpoint's concurrency and never above it, until the queue is empty", () =>
    Effect.gen(function* () {
      const { left, release, state, takeOne } = queues({ a: 50 })
      const wake = yield* makeLanes(takeOne)
      wake("a")
      yield* settle
      assert.strictEqual(state.handling, 1)
      while (state.handled < 50) {
        yield* release
        yield* settle
        wake("a")
        yield* settle
      }
      assert.strictEqual(state.most, 3)
      assert.strictEqual(left.get("a"), 0)
    })
  )

  it.effect("grow while the first attempt at a slow receiver is still under way", () =>
    Effect.gen(function* () {
      const { state, takeOne } = queues({ a: 50 })
      const wake = yield* makeLanes(takeOne)
      for (const _ of ["the change", "the look for what is due"]) {
        wake("a")
        yield* settle
      }
      assert.deepStrictEqual([state.handling, state.handled], [3, 0])
    })
  )

  it.effect("do not wait for each other", () =>
    Effect.gen(function* () {
      const names = Array.from({ length: 2_000 }, (_, number) => `q${number}`)
      const { state, takeOne } = queues(Object.fromEntries(names.map((name) => [name, 5])))
      const wake = yield* makeLanes(takeOne)
      for (const name of names) wake(name)
      yield* settle
      assert.strictEqual(state.handling, 2_000)
    })
  )

  it.effect("stop where the endpoint takes nothing, and begin again when they are woken", () =>
    Effect.gen(function* () {
      const status = { isClosed: true }
      const { left, state, takeOne } = queues({ a: 3 }, status)
      const wake = yield* makeLanes(takeOne)
      wake("a")
      yield* settle
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual([state.taking, left.get("a")], [1, 2])
      status.isClosed = false
      wake("a")
      yield* settle
      assert.strictEqual(state.handling, 1)
    })
  )

  it.effect("go on after something that could not be handled", () =>
    Effect.gen(function* () {
      let count = 0
      const wake = yield* makeLanes((_, began) =>
        Effect.suspend(() => {
          began()
          count++
          return count === 1 ? Effect.die("broken") : Effect.never
        })
      )
      wake("a")
      yield* settle
      wake("a")
      yield* settle
      assert.strictEqual(count, 2)
    })
  )

  it.effect("finish what is under way at the end of the process", () =>
    Effect.gen(function* () {
      const { release, state, takeWhole } = queues({ a: 1 })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const wake = yield* makeLanes(takeWhole)
          wake("a")
          yield* settle
          yield* Effect.forkDetach(Effect.andThen(Effect.yieldNow, release))
        })
      )
      assert.strictEqual(state.handled, 1)
    })
  )
})
