import { assert, describe, it } from "@effect/vitest"
import { Unavailable } from "@sarraf/domain/errors/Unavailable"
import * as DeferredRefunds from "@sarraf/domain/payments/DeferredRefunds"
import { answered, rebuild } from "@sarraf/domain/payments/PaymentEvent"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { openGatewayTo } from "./support/Gateway.ts"
import { declined, found, type Script } from "./support/ScriptedProvider.ts"

const minute = 60_000

/** A refund of 40.00 that waits for the batch of 20:00 UTC, eight hours from now; until then the provider has not settled. */
const deferred = (script: Script = {}) =>
  Effect.gen(function* () {
    let isSettled = false
    const gateway = yield* openGatewayTo(
      { query: () => Effect.succeed(found({ stage: "CAPTURED", settled: isSettled })), ...script },
      { refundBeforeSettlement: "wholeByVoid", batchClosesAtMinuteUtc: 20 * 60 }
    )
    const { id } = yield* gateway.authorized
    yield* gateway.operate(id, { type: "CAPTURE" }, "c")
    const { operation, payment } = yield* gateway.operate(id, { type: "REFUND", minor: 4_000n }, "r")
    assert.isNotNull(operation.availableFrom)
    yield* Layer.build(Layer.provide(DeferredRefunds.layer, Layer.succeedContext(gateway.process)))
    const settle = () => {
      isSettled = true
    }
    return { ...gateway, id, operation, payment, settle }
  })

const statusOfRefund = (payment: { readonly operations: ReadonlyArray<{ readonly status: string }> }) =>
  payment.operations[1]?.status

describe("A deferred refund", () => {
  it.effect("is sent once the batch has closed, and not before", () =>
    Effect.gen(function* () {
      const { events, id, provider, settle, stored } = yield* deferred()
      const refunds = () => provider.calls.filter(({ method }) => method === "refund").length
      settle()
      yield* TestClock.adjust(8 * 60 * minute)
      assert.strictEqual(refunds(), 0)
      yield* TestClock.adjust(2 * minute)
      const payment = yield* stored(id)
      assert.deepStrictEqual([refunds(), statusOfRefund(payment)], [1, "SUCCEEDED"])
      assert.deepStrictEqual([statusOf(payment), payment.sums.refunded], ["PARTIALLY_REFUNDED", 4_000n])
      assert.deepStrictEqual(rebuild(yield* events(id)), payment)
      yield* TestClock.adjust("1 day")
      assert.strictEqual(refunds(), 1)
    })
  )

  it.effect("waits for the next batch while the provider has not settled yet", () =>
    Effect.gen(function* () {
      const { id, provider, settle, stored } = yield* deferred()
      yield* TestClock.adjust(9 * 60 * minute)
      const waiting = (yield* stored(id)).operations[1]
      assert.strictEqual(waiting?.status, "PENDING")
      assert.isTrue((waiting?.availableFrom ?? 0) > (yield* Effect.clockWith((clock) => clock.currentTimeMillis)))
      assert.isFalse(provider.calls.some(({ method }) => method === "refund"))
      settle()
      yield* TestClock.adjust("1 day")
      assert.strictEqual(statusOfRefund(yield* stored(id)), "SUCCEEDED")
    })
  )

  it.effect("that the provider refuses fails, and its amount can be refunded again", () =>
    Effect.gen(function* () {
      const { id, operate, settle, stored } = yield* deferred({ refund: () => Effect.succeed(declined) })
      settle()
      yield* TestClock.adjust(9 * 60 * minute)
      const payment = yield* stored(id)
      assert.deepStrictEqual([statusOfRefund(payment), payment.sums.refundPending], ["FAILED", 0n])
      const again = yield* operate(id, { type: "REFUND", minor: 10_000n }, "r2")
      assert.strictEqual(again.operation.status, "FAILED")
    })
  )

  it.effect("is sent after a time in which the database was away", () =>
    Effect.gen(function* () {
      const { id, interference, settle, stored } = yield* deferred()
      settle()
      interference.beforeCommit = () => Effect.fail(new Unavailable())
      yield* TestClock.adjust(9 * 60 * minute)
      assert.strictEqual(statusOfRefund(yield* stored(id)), "PENDING")
      interference.beforeCommit = () => Effect.void
      yield* TestClock.adjust(2 * minute)
      assert.strictEqual(statusOfRefund(yield* stored(id)), "SUCCEEDED")
    })
  )

  it.effect("is repeated to its caller by its present state, since deferring is no final word", () =>
    Effect.gen(function* () {
      const { events, id, operation, settle } = yield* deferred()
      settle()
      yield* TestClock.adjust(9 * 60 * minute)
      assert.isUndefined(answered(yield* events(id), operation.id))
    })
  )
})
