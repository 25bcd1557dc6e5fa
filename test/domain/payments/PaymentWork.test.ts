import { assert, describe, it } from "@effect/vitest"
import { PaymentWork } from "@sarraf/domain/payments/PaymentWork"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"

/** The service and the scope whose end is the process's shutdown. */
const open = Effect.gen(function* () {
  const scope = yield* Scope.make()
  const context = yield* Layer.buildWithScope(Layer.fresh(PaymentWork.layer), scope)
  return { work: Context.get(context, PaymentWork), shutdown: Scope.close(scope, Exit.void) }
})

/** Work of this many milliseconds, and whether it has come to its end. */
const working = (millis: number) => {
  const state = { isDone: false }
  const effect = Effect.delay(
    Effect.sync(() => {
      state.isDone = true
      return "done"
    }),
    millis
  )
  return { state, effect }
}

describe("PaymentWork", () => {
  it.effect("answers with what the work answers, and fails as it fails", () =>
    Effect.gen(function* () {
      const { work } = yield* open
      assert.strictEqual(yield* work.run(Effect.succeed(1)), 1)
      assert.strictEqual(yield* Effect.flip(work.run(Effect.fail("no"))), "no")
    })
  )

  it.effect("lets work go on whose caller has gone, and does not make that caller wait for it", () =>
    Effect.gen(function* () {
      const { work } = yield* open
      const { effect, state } = working(5_000)
      const started = yield* Deferred.make<void>()
      const caller = yield* Effect.forkChild(work.run(Effect.andThen(Deferred.succeed(started, undefined), effect)))
      yield* Deferred.await(started)
      yield* Fiber.interrupt(caller)
      assert.isFalse(state.isDone)
      yield* TestClock.adjust("5 seconds")
      assert.isTrue(state.isDone)
    })
  )

  it.effect("finishes what is under way before it shuts down", () =>
    Effect.gen(function* () {
      const { shutdown, work } = yield* open
      const { effect, state } = working(30_000)
      const caller = yield* Effect.forkChild(work.run(effect))
      yield* TestClock.adjust("1 second")
      const closing = yield* Effect.forkChild(shutdown)
      yield* TestClock.adjust("28 seconds")
      assert.isUndefined(closing.pollUnsafe())
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(closing)
      assert.isTrue(state.isDone)
      assert.strictEqual(yield* Fiber.join(caller), "done")
    })
  )

  it.effect("shuts down 35 seconds after the last work has begun, at the latest, whatever is under way", () =>
    Effect.gen(function* () {
      const { shutdown, work } = yield* open
      yield* Effect.forkChild(Effect.exit(work.run(Effect.never)))
      yield* TestClock.adjust("10 seconds")
      yield* Effect.forkChild(Effect.exit(work.run(Effect.never)))
      yield* TestClock.adjust("1 second")
      const closing = yield* Effect.forkChild(shutdown)
      yield* TestClock.adjust("30 seconds")
      assert.isUndefined(closing.pollUnsafe())
      yield* TestClock.adjust("4 seconds")
      assert.isDefined(closing.pollUnsafe())
    })
  )

  it.effect("interrupts what has not ended by then, and begins nothing more", () =>
    Effect.gen(function* () {
      const { shutdown, work } = yield* open
      const left = yield* Effect.forkChild(Effect.exit(work.run(Effect.never)))
      const closing = yield* Effect.forkChild(shutdown)
      yield* TestClock.adjust("35 seconds")
      yield* Fiber.join(closing)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.join(left)))
      const { effect, state } = working(0)
      assert.isTrue(Exit.hasInterrupts(yield* Effect.exit(work.run(effect))))
      yield* TestClock.adjust("1 second")
      assert.isFalse(state.isDone)
    })
  )

  it.effect("shuts down at once when nothing is under way", () =>
    Effect.gen(function* () {
      const { shutdown, work } = yield* open
      yield* work.run(Effect.void)
      yield* shutdown
    })
  )
})
