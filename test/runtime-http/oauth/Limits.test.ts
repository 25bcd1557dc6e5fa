import { assert, it } from "@effect/vitest"
import { Limits } from "@sarraf/runtime-http/oauth/Limits"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

const takes = (count: number, address: (at: number) => string) =>
  Effect.gen(function* () {
    const { take } = yield* Limits
    const all = yield* Effect.forEach(Array.from({ length: count }), (_, at) => take("registration", address(at)))
    return all.filter((isAllowed) => isAllowed).length
  })

it.effect("one network registers so many clients at once, and then one every half minute", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* takes(60, () => "192.0.2.1"), 40)
    assert.strictEqual(yield* takes(5, () => "192.0.2.2"), 5, "another one is not held up")
    yield* TestClock.adjust("61 seconds")
    assert.strictEqual(yield* takes(10, () => "192.0.2.1"), 2)
  }).pipe(Effect.provide(Limits.layer))
)

it.effect("addresses of one IPv6 customer count together", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* takes(60, (at) => `2001:db8:1:2::${at.toString(16)}`), 40)
  }).pipe(Effect.provide(Limits.layer))
)

it.effect("one host is asked for documents so often, whoever names it", () =>
  Effect.gen(function* () {
    const { take } = yield* Limits
    const asked = yield* Effect.forEach(Array.from({ length: 50 }), () => take("hosts", "victim.example"))
    assert.strictEqual(asked.filter((isAllowed) => isAllowed).length, 30)
    assert.isTrue(yield* take("hosts", "another.example"))
  }).pipe(Effect.provide(Limits.layer))
)

it.effect("all together register no more than the service bears", () =>
  Effect.gen(function* () {
    assert.isAtMost(yield* takes(600, (at) => `10.0.${at >> 8}.${at & 255}`), 400)
    const { take } = yield* Limits
    assert.isTrue(yield* take("documents", "192.0.2.9"), "what is counted apart goes on")
  }).pipe(Effect.provide(Limits.layer))
)
