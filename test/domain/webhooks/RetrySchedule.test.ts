import { assert, describe, it } from "@effect/vitest"
import { jitteredPause, pauseAfter } from "@sarraf/domain/webhooks/RetrySchedule"
import { type RetrySettings, usualRetry } from "@sarraf/domain/webhooks/RetrySettings"
import { Schema } from "effect"

const between = (minimum: number, maximum: number) => Schema.Finite.check(Schema.isBetween({ minimum, maximum }))

const Settings = Schema.Struct({
  maxAttempts: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 20 })),
  baseSeconds: between(1, 3_600),
  factor: between(1, 10),
  maxSeconds: between(1, 86_400),
  jitter: between(0, 1)
})
const Attempt = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 20 }))
const Chance = between(0, 1)

describe("The pause after an attempt", () => {
  it("is that of the settings, up to the longest", () => {
    const settings = { baseSeconds: 5, factor: 3, maxSeconds: 100 }
    assert.deepStrictEqual(
      [1, 2, 3, 4, 20].map((attempt) => pauseAfter(settings, attempt)),
      [5_000, 15_000, 45_000, 100_000, 100_000]
    )
  })

  it("makes eight attempts over about a day where nothing is set", () => {
    const pauses = [1, 2, 3, 4, 5, 6, 7].map((attempt) => pauseAfter(usualRetry, attempt))
    const hours = pauses.reduce((sum, pause) => sum + pause, 0) / 3_600_000
    assert.isAbove(hours, 22)
    assert.isBelow(hours, 26)
  })

  it.prop("never shrinks, and is never above the longest", [Settings, Attempt], ([settings, attempt]) => {
    const pause = pauseAfter(settings, attempt)
    assert.isAtMost(pause, Math.round(settings.maxSeconds * 1_000))
    assert.isAtLeast(pauseAfter(settings, attempt + 1), pause)
  })

  it.prop(
    "is moved by the jitter's part at most, and grows with chance",
    [Settings, Attempt, Chance],
    ([settings, attempt, chance]) => {
      const whole = pauseAfter(settings, attempt)
      const moved = jitteredPause(settings, attempt, chance)
      assert.isAtMost(Math.abs(moved - whole), whole * settings.jitter + 1)
      assert.isAtLeast(moved, 0)
      assert.isAtMost(moved, Math.round(settings.maxSeconds * 1_000))
      assert.isAtLeast(jitteredPause(settings, attempt, 1), moved)
      assert.isAtMost(jitteredPause(settings, attempt, 0), moved)
      const still: RetrySettings = { ...settings, jitter: 0 }
      assert.strictEqual(jitteredPause(still, attempt, chance), whole)
    }
  )
})
