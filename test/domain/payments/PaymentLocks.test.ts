import { assert, layer } from "@effect/vitest"
import { PaymentLocks } from "@sarraf/domain/payments/PaymentLocks"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

const nap = (millis: number) => Effect.as(Effect.sleep(millis), "done")

layer(PaymentLocks.layer)("PaymentLocks", (it) => {
  it.effect("lets one at a time work on a payment, in the order in which they came", () =>
    Effect.gen(function* () {
      const { withLock } = yield* PaymentLocks
      const order: Array<string> = []
      const one = (name: string) =>
        withLock(
          "txn_order",
          Effect.sync(() => order.push(`${name} begins`)).pipe(
            Effect.andThen(Effect.sleep(100)),
            Effect.andThen(Effect.sync(() => order.push(`${name} ends`)))
          )
        )
      const all = yield* Effect.forkChild(Effect.all(["a", "b", "c"].map(one), { concurrency: "unbounded" }))
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(all)
      assert.deepStrictEqual(order, ["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"])
    })
  )

  it.effect("lets work on different payments run at once", () =>
    Effect.gen(function* () {
      const { withLock } = yield* PaymentLocks
      const both = Effect.all(
        ["txn_1", "txn_2"].map((id) => withLock(id, nap(1_000))),
        { concurrency: "unbounded" }
      )
      const fiber = yield* Effect.forkChild(both)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(fiber), ["done", "done"])
    })
  )

  it.effect("lets one wait ten seconds, and then says that something is under way", () =>
    Effect.gen(function* () {
      const { withLock } = yield* PaymentLocks
      const first = yield* Effect.forkChild(withLock("txn_slow", nap(60_000)))
      yield* Effect.yieldNow
      let hasBegun = false
      const late = withLock(
        "txn_slow",
        Effect.sync(() => {
          hasBegun = true
        })
      )
      const second = yield* Effect.forkChild(Effect.flip(late))
      yield* TestClock.adjust("9999 millis")
      assert.isUndefined(second.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.deepInclude(yield* Fiber.join(second), { _tag: "OperationRunning", transactionId: "txn_slow" })
      yield* TestClock.adjust("50 seconds")
      assert.strictEqual(yield* Fiber.join(first), "done")
      assert.isFalse(hasBegun)
    })
  )

  it.effect("is open again after work that failed, died or was interrupted", () =>
    Effect.gen(function* () {
      const { withLock } = yield* PaymentLocks
      yield* Effect.flip(withLock("txn_again", Effect.fail("no")))
      yield* Effect.exit(withLock("txn_again", Effect.die("broken")))
      const interrupted = yield* Effect.forkChild(withLock("txn_again", Effect.never))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(interrupted)
      assert.strictEqual(yield* withLock("txn_again", Effect.succeed("mine")), "mine")
    })
  )

  it.effect("limits the wait for its turn, never the work itself", () =>
    Effect.gen(function* () {
      const { withLock } = yield* PaymentLocks
      const fiber = yield* Effect.forkChild(withLock("txn_long", nap(30_000)))
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(yield* Fiber.join(fiber), "done")
    })
  )
})
