import { assert, describe, it } from "@effect/vitest"
import { afterCall, type Breaker, healthAt } from "@sarraf/adapters/providers/Breaker"
import type { Health } from "@sarraf/domain/routing/ProviderHealth"
import { Clock, Duration, Effect, Layer, Schedule, Schema } from "effect"
import { CircuitBreaker } from "effect/persistence"
import { TestClock } from "effect/testing"

const second = 1_000
const hour = 3_600 * second

/** Around every time that the breaker knows, and many calls of one kind after it. */
const Step = Schema.Struct({
  pauseMillis: Schema.Literals([
    0,
    1,
    14_999,
    15_000,
    30_000,
    59_999,
    60_000,
    119_999,
    120_000,
    240_000,
    hour - 1,
    hour,
    hour + 120_000
  ]),
  isFailed: Schema.Boolean,
  calls: Schema.Literals([1, 2, 4, 5, 9, 10, 11, 20])
})
const Steps = Schema.Array(Step).check(Schema.isMaxLength(30))

/** The same rules in Effect's circuit breaker, which is made for calls that take time. */
const policy = CircuitBreaker.make({
  tripPolicy: CircuitBreaker.rate({ threshold: 0.5, size: 20, minimumCalls: 10 }),
  openDuration: Schedule.min([Schedule.exponential("15 seconds"), Schedule.spaced("2 minutes")])
})
const effectBreaker = Layer.effect(CircuitBreaker.CircuitBreaker, policy).pipe(
  Layer.provide(CircuitBreaker.layerStoreMemory())
)

const healthOf = (state: CircuitBreaker.State): Health => {
  if (state._tag === "Closed") return "closed"
  return state._tag === "Open" && Duration.toMillis(state.retryAfter) > 0 ? "open" : "halfOpen"
}

const told = (breaker: Breaker | undefined, count: number, isFailed: boolean, now: number) => {
  let after = breaker
  for (let call = 0; call < count; call++) after = afterCall(after, isFailed, now)
  return after
}

describe("A provider's breaker", () => {
  it.effect.prop("is as well as Effect's circuit breaker says after the same calls", [Steps], ([steps]) =>
    Effect.gen(function* () {
      const other = yield* CircuitBreaker.CircuitBreaker
      let breaker: Breaker | undefined
      for (const { calls, isFailed, pauseMillis } of steps) {
        yield* TestClock.adjust(pauseMillis)
        const now = yield* Clock.currentTimeMillis
        assert.strictEqual(healthAt(breaker, now), healthOf(yield* Effect.orDie(other.state("isbank"))))
        const call = isFailed ? Effect.fail("failed") : Effect.void
        for (let count = 0; count < calls; count++) yield* Effect.ignore(other.execute(call, { key: "isbank" }))
        breaker = told(breaker, calls, isFailed, now)
        assert.strictEqual(healthAt(breaker, now), healthOf(yield* Effect.orDie(other.state("isbank"))))
      }
    }).pipe(Effect.provide(Layer.fresh(effectBreaker)))
  )

  it("counts the twentieth call before the present one no longer, and the nineteenth still", () => {
    const before = told(told(undefined, 1, true, 0), 10, false, 0)
    assert.strictEqual(healthAt(told(before, 9, true, 0), 0), "open")
    const longer = told(before, 1, false, 0)
    assert.strictEqual(healthAt(told(longer, 9, true, 0), 0), "closed")
    assert.strictEqual(healthAt(told(longer, 10, true, 0), 0), "open")
  })

  it("forgets after an hour how often it opened, and whatever it knew", () => {
    const opened = told(undefined, 10, true, 0)
    assert.strictEqual(healthAt(opened, 15 * second + hour - 1), "halfOpen")
    assert.strictEqual(healthAt(opened, 15 * second + hour), "closed")
    const anew = told(opened, 1, true, 15 * second + hour)
    assert.strictEqual(healthAt(anew, 15 * second + hour), "closed")
  })

  it("doubles the time for what opens soon after it closed, and not for what opens later", () => {
    const closed = told(told(undefined, 10, true, 0), 1, false, 15 * second)
    const soon = told(closed, 10, true, 29 * second)
    assert.strictEqual(healthAt(soon, (29 + 30) * second - 1), "open")
    assert.strictEqual(healthAt(soon, (29 + 30) * second), "halfOpen")
    const later = told(closed, 10, true, 30 * second)
    assert.strictEqual(healthAt(later, (30 + 15) * second - 1), "open")
    assert.strictEqual(healthAt(later, (30 + 15) * second), "halfOpen")
  })
})
