import { assert, describe, it } from "@effect/vitest"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { challenged } from "./support/ChallengedBuyer.ts"
import { accepted } from "./support/SamplePayment.ts"
import { absent, found, lost, notSent } from "./support/ScriptedProvider.ts"
import { minute, second } from "./support/TalkingProvider.ts"

describe("A completion whose answer was lost", () => {
  it.effect("is asked about at once", () =>
    Effect.gen(function* () {
      const { comeBack, count } = yield* challenged({ complete: lost, query: found() })
      assert.strictEqual(statusOf(yield* comeBack()), "AUTHORIZED")
      assert.strictEqual(count("complete"), 1)
    })
  )

  it.effect.each([
    ["approved", found(), "AUTHORIZED", null],
    ["declined", found({ stage: "DECLINED", code: "INSUFFICIENT_FUNDS" }), "DECLINED", "INSUFFICIENT_FUNDS"],
    ["declined without a reason", found({ stage: "DECLINED" }), "DECLINED", "3DS_FAILED"],
    ["not there", absent, "FAILED", "PROVIDER_ERROR"],
    ["still waiting", found({ stage: "ACTION_REQUIRED" }), "DECLINED", "3DS_FAILED"]
  ] as const)("is PENDING, and settled by the reconciler when it is found %s", ([, finding, status, code]) =>
    Effect.gen(function* () {
      const { comeBack, count, id, pass, says, stored } = yield* challenged({ complete: lost })
      const back = yield* Effect.forkChild(comeBack())
      yield* TestClock.adjust(31 * second)
      assert.strictEqual(statusOf(yield* Fiber.join(back)), "PENDING")
      says.query = finding
      yield* pass(2 * minute)
      const payment = yield* stored(id)
      assert.deepStrictEqual([statusOf(payment), payment.error?.code ?? null], [status, code])
      assert.strictEqual(count("complete"), 1)
    })
  )

  it.effect("because nobody was reached is no failure: the buyer may have been charged by then", () =>
    Effect.gen(function* () {
      const { comeBack, id, pass, says, statusNow } = yield* challenged({ complete: notSent })
      const back = yield* Effect.forkChild(comeBack())
      yield* TestClock.adjust(31 * second)
      assert.strictEqual(statusOf(yield* Fiber.join(back)), "PENDING")
      says.query = found()
      yield* pass(minute)
      assert.strictEqual(yield* statusNow(id), "AUTHORIZED")
    })
  )

  it.effect("because the process ended is asked about from the deadline of the return on", () =>
    Effect.gen(function* () {
      const gateway = yield* challenged({ query: found() })
      gateway.interference.afterCommit = (types) => (types === "challenge.ended" ? Effect.never : Effect.void)
      const crashed = yield* Effect.forkChild(gateway.comeBack())
      yield* TestClock.adjust(second)
      gateway.interference.afterCommit = () => Effect.void
      const at = yield* Clock.currentTimeMillis
      yield* Effect.forkChild(Effect.repeat(Effect.delay(gateway.reconcileElsewhere, second), { times: 60 }))
      yield* TestClock.adjust(20 * second)
      assert.strictEqual(yield* gateway.statusNow(gateway.id), "PENDING")
      yield* TestClock.adjust(12 * second)
      assert.strictEqual(yield* gateway.statusNow(gateway.id), "AUTHORIZED")
      assert.isBelow((yield* gateway.stored(gateway.id)).updatedAt - at, 35 * second)
      assert.strictEqual(gateway.count("complete"), 0)
      yield* Fiber.interrupt(crashed)
    })
  )
})

describe("A challenge whose time is over", () => {
  it.effect("is not asked about before, and its page is over after a quarter of an hour", () =>
    Effect.gen(function* () {
      const { count, id, pass, stage, statusNow } = yield* challenged()
      yield* pass(14 * minute, 10 * second)
      assert.deepStrictEqual([yield* statusNow(id), yield* stage, count("query")], ["REQUIRES_ACTION", "open", 0])
      yield* pass(minute, 10 * second)
      assert.deepStrictEqual([yield* statusNow(id), yield* stage], ["PENDING", "over"])
    })
  )

  it.effect.each([
    ["approved", found(), "AUTHORIZED", null, 0],
    ["declined", found({ stage: "DECLINED" }), "DECLINED", "3DS_FAILED", 0],
    ["absent", absent, "DECLINED", "3DS_FAILED", 0],
    ["waiting for its buyer", found({ stage: "ACTION_REQUIRED" }), "DECLINED", "3DS_FAILED", 1],
    ["released", found({ stage: "VOIDED" }), "DECLINED", "3DS_FAILED", 0],
    ["approved in part", found({ echo: { minor: 1n } }), "DECLINED", "INSUFFICIENT_FUNDS", 1]
  ] as const)("is settled by the provider's word: %s", ([, finding, status, code, cancels]) =>
    Effect.gen(function* () {
      const { count, events, id, pass, proceed, says, stored } = yield* challenged()
      yield* proceed
      says.query = finding
      yield* pass(18 * minute, 10 * second)
      const payment = yield* stored(id)
      assert.deepStrictEqual([statusOf(payment), payment.error?.code ?? null, count("cancel")], [status, code, cancels])
      assert.deepInclude(
        (yield* events(id)).find(({ type }) => type === "challenge.ended"),
        { by: "timeout" }
      )
    })
  )

  it.effect("stays PENDING while what waits there cannot be taken back", () =>
    Effect.gen(function* () {
      const { id, pass, says, statusNow } = yield* challenged({ cancel: lost })
      says.query = found({ stage: "ACTION_REQUIRED" })
      yield* pass(20 * minute, 10 * second)
      assert.strictEqual(yield* statusNow(id), "PENDING")
      says.query = found()
      yield* pass(2 * 60 * minute, minute)
      assert.strictEqual(yield* statusNow(id), "AUTHORIZED")
    })
  )

  it.effect("takes no return any more, and an approval that comes of it is taken back", () =>
    Effect.gen(function* () {
      const { comeBack, count, id, pass, says, statusNow } = yield* challenged({ query: absent })
      yield* pass(14 * minute, minute)
      yield* TestClock.adjust(61 * second)
      assert.strictEqual(statusOf(yield* comeBack()), "REQUIRES_ACTION")
      assert.strictEqual(count("complete"), 0)
      yield* pass(3 * minute, 10 * second)
      assert.strictEqual(yield* statusNow(id), "DECLINED")
      assert.strictEqual(statusOf(yield* comeBack()), "DECLINED")
      assert.strictEqual(count("complete"), 0)
      // The buyer has confirmed at the issuer nevertheless.
      says.query = found()
      yield* pass(10 * minute, 10 * second)
      assert.deepStrictEqual([yield* statusNow(id), count("cancel")], ["DECLINED", 1])
    })
  )

  it.effect("ends once, when the buyer comes back at that moment", () =>
    Effect.gen(function* () {
      const gateway = yield* challenged({ query: absent })
      yield* TestClock.adjust(15 * minute - 32 * second)
      // The return has read the payment when the reconciler, in another process, ends the challenge.
      gateway.interference.beforeCommit = (types) =>
        Effect.suspend(() => {
          gateway.interference.beforeCommit = () => Effect.void
          return types === "challenge.ended" ? Effect.sleep(5 * second) : Effect.void
        })
      const back = yield* Effect.forkChild(gateway.comeBack())
      yield* TestClock.adjust(2 * second)
      yield* gateway.reconcileElsewhere
      yield* TestClock.adjust(10 * second)
      const payment = yield* Fiber.join(back)
      const ended = (yield* gateway.events(gateway.id)).filter(({ type }) => type === "challenge.ended")
      assert.lengthOf(ended, 1)
      assert.deepStrictEqual(payment, yield* gateway.stored(gateway.id))
    })
  )
})

describe("A challenge that is voided", () => {
  it.effect("ends: nobody goes on, and no return is taken", () =>
    Effect.gen(function* () {
      const { carryOut, comeBack, count, id, proceed, stage, statusNow } = yield* challenged({
        query: found({ stage: "ACTION_REQUIRED" })
      })
      yield* carryOut(id, { type: "VOID" }, "void")
      assert.deepStrictEqual([yield* statusNow(id), yield* stage], ["VOIDED", "over"])
      assert.isUndefined(yield* proceed)
      assert.strictEqual(statusOf(yield* comeBack()), "VOIDED")
      assert.deepStrictEqual([count("complete"), count("cancel")], [0, 1])
    })
  )

  it.effect("takes no return while the void is not decided", () =>
    Effect.gen(function* () {
      const { carryOut, comeBack, count, id, stage } = yield* challenged()
      yield* carryOut(id, { type: "VOID" }, "void")
      assert.strictEqual(yield* stage, "over")
      assert.strictEqual(statusOf(yield* comeBack()), "REQUIRES_ACTION")
      assert.strictEqual(count("complete"), 0)
    })
  )

  it.effect("waits for a return that is being completed", () =>
    Effect.gen(function* () {
      const complete = () => Effect.delay(Effect.succeed(accepted()), 3 * second)
      const { comeBackElsewhere, count, id, operate, statusNow } = yield* challenged({}, { script: { complete } })
      const back = yield* Effect.forkChild(comeBackElsewhere())
      yield* TestClock.adjust(second)
      const voiding = yield* Effect.forkChild(operate(id, { type: "VOID" }, "void"))
      yield* TestClock.adjust(10 * second)
      assert.strictEqual(statusOf(yield* Fiber.join(back)), "AUTHORIZED")
      assert.strictEqual((yield* Fiber.join(voiding)).operation.status, "SUCCEEDED")
      assert.deepStrictEqual([yield* statusNow(id), count("cancel")], ["VOIDED", 1])
    })
  )
})
