import { assert, it } from "@effect/vitest"
import { Clock, Effect, Exit, Fiber } from "effect"
import * as VirtualTime from "../../sim/VirtualTime.ts"

const noon = Date.UTC(2026, 10, 21, 12)

it("Sleepers wake in the order of their times, and of two at one time the first that lay down", () => {
  const time = VirtualTime.make(noon)
  const woken: Array<string> = []
  const sleeper = (name: string, millis: number) =>
    Effect.andThen(
      Effect.sleep(millis),
      Effect.sync(() => void woken.push(`${name} ${time.elapsed()}`))
    )
  const all = [sleeper("a", 500), sleeper("b", 20), sleeper("c", 500), sleeper("d", 3_600_000), sleeper("e", 21)]
  time.run(Effect.all(all, { concurrency: "unbounded" }))
  assert.deepStrictEqual(woken, ["b 20", "e 21", "a 500", "c 500", "d 3600000"])
})

it("A run ends without giving control away, however long it sleeps", () => {
  const time = VirtualTime.make(noon)
  const exit = time.run(Effect.andThen(Effect.sleep("30 days"), Clock.currentTimeMillis))
  assert.deepStrictEqual(exit, Exit.succeed(noon + 30 * 86_400_000))
})

it("A jump changes what the clock shows, and nobody's sleep", () => {
  const time = VirtualTime.make(noon)
  const program = Effect.gen(function* () {
    const sleeping = yield* Effect.forkChild(Effect.sleep("1 minute"))
    yield* Effect.sleep(1_000)
    time.jump(-3_600_000)
    const shown = yield* Clock.currentTimeMillis
    yield* Fiber.join(sleeping)
    return [shown, time.elapsed(), yield* Clock.currentTimeMillis]
  })
  const hourAgo = noon - 3_600_000
  assert.deepStrictEqual(time.run(program), Exit.succeed([hourAgo + 1_000, 60_000, hourAgo + 60_000]))
})

it("Who is interrupted in their sleep does not hold up the time", () => {
  const time = VirtualTime.make(noon)
  const exit = time.run(Effect.timeoutOption(Effect.sleep("1 day"), "1 second"))
  assert.isTrue(Exit.isSuccess(exit))
  assert.strictEqual(time.elapsed(), 1_000)
})

it("A program that waits for what never comes has failed", () => {
  assert.isTrue(Exit.isFailure(VirtualTime.make(noon).run(Effect.never)))
})
