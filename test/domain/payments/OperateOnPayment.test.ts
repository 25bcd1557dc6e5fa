import { assert, describe, it } from "@effect/vitest"
import { Unavailable } from "@sarraf/domain/errors/Unavailable"
import { Pending } from "@sarraf/domain/payments/Outcome"
import { rebuild } from "@sarraf/domain/payments/PaymentEvent"
import type { OperationCall } from "@sarraf/domain/payments/PaymentProvider"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import { isSound } from "@sarraf/domain/payments/Sums"
import { DateTime, Deferred, Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { openGatewayTo } from "./support/Gateway.ts"
import { accepted, noon } from "./support/SamplePayment.ts"
import { declined, found, lost } from "./support/ScriptedProvider.ts"

const capture = { type: "CAPTURE" } as const
const refund = (minor: bigint) => ({ type: "REFUND", minor }) as const

describe("An operation", () => {
  it.effect("is committed before the provider is asked, and its outcome before it is answered", () =>
    Effect.gen(function* () {
      const { authorized, events, log, operate } = yield* openGatewayTo()
      const { id } = yield* authorized
      log.length = 0
      const { operation, payment, replayed } = yield* operate(id, capture, "k")
      assert.deepStrictEqual(log, ["committed operation.begun", "akbank.capture", "committed operation.settled"])
      assert.deepStrictEqual([statusOf(payment), operation.status, replayed], ["CAPTURED", "SUCCEEDED", false])
      assert.deepStrictEqual(rebuild(yield* events(id)), payment)
    })
  )

  it.effect("tells the provider its own reference, the authorization's, and the captures so far", () =>
    Effect.gen(function* () {
      const calls: Array<OperationCall> = []
      const { authorized, operate } = yield* openGatewayTo({
        refund: (call) => {
          calls.push(call)
          return Effect.succeed(accepted())
        },
        capture: ({ operationId }) => Effect.succeed(accepted({ providerReference: `C-${operationId}` }))
      })
      const { attempts, id } = yield* authorized
      const first = yield* operate(id, { type: "CAPTURE", minor: 3_000n }, "c1")
      const second = yield* operate(id, { type: "CAPTURE", minor: 4_000n }, "c2")
      yield* operate(id, refund(3_500n), "r1")
      const last = yield* operate(id, refund(1_000n), "r2")
      const call = calls[1] ?? assert.fail("no second refund")
      assert.strictEqual(call.money.minor, 1_000n)
      assert.deepStrictEqual([call.operationId, call.reference], [last.operation.id, last.operation.providerRequest])
      assert.deepStrictEqual(
        [call.authorization.reference, call.authorization.providerReference],
        [attempts[0]?.reference, "P-1"]
      )
      const captureOf = (one: typeof first, refundedMinor: bigint) => ({
        operationId: one.operation.id,
        providerReference: `C-${one.operation.id}`,
        minor: one.operation.minor,
        refundedMinor
      })
      assert.deepStrictEqual(call.captures, [captureOf(first, 3_000n), captureOf(second, 500n)])
    })
  )

  it.effect("that the provider refuses fails, and its amount is there again", () =>
    Effect.gen(function* () {
      const query = () => Effect.succeed(found())
      const { authorized, operate } = yield* openGatewayTo({ capture: () => Effect.succeed(declined), query })
      const { id } = yield* authorized
      const { operation, payment } = yield* operate(id, capture, "k")
      assert.deepStrictEqual([operation.status, operation.error?.code], ["FAILED", "CARD_DECLINED"])
      assert.deepStrictEqual([statusOf(payment), payment.sums.capturePending], ["AUTHORIZED", 0n])
    })
  )

  it.effect("that came twice is refused the second time, and done: the provider's record decides", () =>
    Effect.gen(function* () {
      const query = () => Effect.succeed(found({ stage: "CAPTURED", capturedMinor: 10_000n }))
      const { authorized, operate } = yield* openGatewayTo({ capture: () => Effect.succeed(declined), query })
      const { id } = yield* authorized
      const { operation, payment } = yield* operate(id, capture, "k")
      assert.deepStrictEqual([operation.status, statusOf(payment)], ["SUCCEEDED", "CAPTURED"])
    })
  )

  it.effect("that is refused while the provider's record cannot be read is not known", () =>
    Effect.gen(function* () {
      const { authorized, operate } = yield* openGatewayTo({ capture: () => Effect.succeed(declined) })
      const { id } = yield* authorized
      const { operation } = yield* operate(id, capture, "k")
      assert.deepStrictEqual([operation.status, operation.error?.code], ["PENDING", "TIMEOUT"])
    })
  )

  it.effect("is refused without asking anybody where the sums do not allow it", () =>
    Effect.gen(function* () {
      const { authorized, log, operate } = yield* openGatewayTo()
      const { id } = yield* authorized
      log.length = 0
      const error = yield* Effect.flip(operate(id, { type: "CAPTURE", minor: 10_001n }, "k"))
      assert.deepInclude(error, { _tag: "OperationRefused", available: "100.00 EUR" })
      assert.deepStrictEqual(log, [])
    })
  )

  it.effect("of a payment that is not there, or is another client's, finds nothing", () =>
    Effect.gen(function* () {
      const { operate } = yield* openGatewayTo()
      const error = yield* Effect.flip(operate("txn_00000000000000000000000000", capture, "k"))
      assert.strictEqual(error._tag, "PaymentNotFound")
    })
  )

  it.effect("under a reference that another one has is refused", () =>
    Effect.gen(function* () {
      const { authorized, operate } = yield* openGatewayTo()
      const { id } = yield* authorized
      yield* operate(id, { type: "CAPTURE", minor: 1n, reference: "part-1" }, "c1")
      const error = yield* Effect.flip(operate(id, { type: "CAPTURE", minor: 1n, reference: "part-1" }, "c2"))
      assert.deepInclude(error, { _tag: "ReferenceTaken", reference: "part-1" })
    })
  )

  it.effect("goes on to its end when the caller hangs up", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const { authorized, operate, stored } = yield* openGatewayTo({
        capture: () =>
          Effect.andThen(Deferred.succeed(asked, undefined), Effect.delay(Effect.succeed(accepted()), 1_000))
      })
      const { id } = yield* authorized
      const waiting = yield* Effect.forkChild(operate(id, capture, "k"))
      yield* Deferred.await(asked)
      yield* Fiber.interrupt(waiting)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(statusOf(yield* stored(id)), "CAPTURED")
    })
  )
})

describe("An operation whose outcome is not known", () => {
  it.effect("is asked about, and what the provider's history says is used", () =>
    Effect.gen(function* () {
      const { authorized, log, operate } = yield* openGatewayTo({
        capture: () => Effect.succeed(lost),
        query: () => Effect.succeed(found({ stage: "CAPTURED", capturedMinor: 10_000n, echo: { minor: 10_000n } }))
      })
      const { id } = yield* authorized
      const { operation, payment } = yield* operate(id, capture, "k")
      assert.deepStrictEqual([operation.status, statusOf(payment)], ["SUCCEEDED", "CAPTURED"])
      assert.include(log, "akbank.query")
    })
  )

  it.effect("is not settled by what is found about another payment", () =>
    Effect.gen(function* () {
      const { authorized, operate } = yield* openGatewayTo({
        capture: () => Effect.succeed(lost),
        query: () =>
          Effect.succeed(found({ stage: "CAPTURED", capturedMinor: 10_000n, echo: { reference: "SOMEBODY-ELSES" } }))
      })
      const { id } = yield* authorized
      const asking = yield* Effect.forkChild(operate(id, capture, "k"))
      yield* TestClock.adjust("31 seconds")
      assert.strictEqual((yield* Fiber.join(asking)).operation.status, "PENDING")
    })
  )

  it.effect("keeps its amount reserved and refuses others that move money", () =>
    Effect.gen(function* () {
      const { authorized, operate } = yield* openGatewayTo({ capture: () => Effect.never })
      const { id } = yield* authorized
      const asking = yield* Effect.forkChild(operate(id, { type: "CAPTURE", minor: 4_000n }, "k"))
      yield* TestClock.adjust("31 seconds")
      const { operation, payment } = yield* Fiber.join(asking)
      assert.deepStrictEqual([operation.status, operation.error?.code], ["PENDING", "TIMEOUT"])
      assert.strictEqual(payment.sums.capturePending, 4_000n)
      for (const other of [capture, { type: "VOID" }] as const) {
        assert.strictEqual((yield* Effect.flip(operate(id, other, `k-${other.type}`)))._tag, "OperationRunning")
      }
    })
  )

  it.effect.each([
    ["dies", () => Effect.die(new Error("no such field"))],
    [
      "throws before it has made an effect",
      () => {
        throw new Error("no such field")
      }
    ]
  ] as const)("is one whose adapter %s", ([, broken]) =>
    Effect.gen(function* () {
      const { authorized, operate } = yield* openGatewayTo({ capture: broken })
      const { id } = yield* authorized
      const asking = yield* Effect.forkChild(operate(id, capture, "k"))
      yield* TestClock.adjust("31 seconds")
      const { operation } = yield* Fiber.join(asking)
      assert.deepStrictEqual([operation.status, operation.error?.code], ["PENDING", "TIMEOUT"])
    })
  )

  it.effect(
    "that a provider decides later is asked about for some seconds, at most five, then answered as PENDING",
    () =>
      Effect.gen(function* () {
        const until = DateTime.makeUnsafe(noon + 86_400_000)
        const answer = { responseCode: "P", fields: {} }
        const { authorized, operate, provider } = yield* openGatewayTo({
          refund: () => Effect.succeed(Pending({ answer, echo: {}, learnBy: "query", until })),
          query: () => Effect.succeed(found({ stage: "CAPTURED", refundedMinor: 0n }))
        })
        const { id } = yield* authorized
        yield* operate(id, capture, "c")
        const asking = yield* Effect.forkChild(operate(id, refund(1n), "r"))
        yield* TestClock.adjust("3 seconds")
        assert.isUndefined(asking.pollUnsafe())
        yield* TestClock.adjust("2 seconds")
        const { operation } = yield* Fiber.join(asking)
        assert.deepStrictEqual([operation.status, operation.error], ["PENDING", null])
        assert.isTrue(provider.calls.filter(({ method }) => method === "query").length > 2)
      })
  )
})

describe("Operations on one payment", () => {
  it.effect("run one at a time, and refunds never exceed the capture, however many come at once", () =>
    Effect.gen(function* () {
      const { authorized, operate, provider, stored } = yield* openGatewayTo({
        refund: () => Effect.delay(Effect.succeed(accepted()), 10)
      })
      const { id } = yield* authorized
      yield* operate(id, { type: "CAPTURE", minor: 5_000n }, "c")
      const refunds = Array.from({ length: 64 }, (_, index) => Effect.result(operate(id, refund(100n), `r-${index}`)))
      const all = yield* Effect.forkChild(Effect.all(refunds, { concurrency: "unbounded" }))
      // Each begins when the one before it has ended: they take no longer than the provider does.
      yield* TestClock.adjust("500 millis")
      const answers = yield* Fiber.join(all)
      const failures = answers.flatMap((answer) => (Result.isFailure(answer) ? [answer.failure._tag] : []))
      assert.deepStrictEqual([answers.length - failures.length, new Set(failures)], [50, new Set(["OperationRefused"])])
      const { sums } = yield* stored(id)
      assert.isTrue(isSound(sums))
      assert.deepStrictEqual([sums.refunded, sums.refundPending], [5_000n, 0n])
      assert.strictEqual(provider.mostAtOnce(), 1)
      assert.strictEqual(provider.calls.filter(({ method }) => method === "refund").length, 50)
    })
  )

  it.effect("wait for each other ten seconds, then the later one is told that something is under way", () =>
    Effect.gen(function* () {
      const { authorized, operate } = yield* openGatewayTo({
        capture: () => Effect.delay(Effect.succeed(accepted()), 20_000)
      })
      const { id } = yield* authorized
      const first = yield* Effect.forkChild(operate(id, { type: "CAPTURE", minor: 1n }, "c1"))
      yield* TestClock.adjust("1 second")
      const second = yield* Effect.forkChild(Effect.flip(operate(id, { type: "CAPTURE", minor: 1n }, "c2")))
      yield* TestClock.adjust("9900 millis")
      assert.isUndefined(second.pollUnsafe())
      yield* TestClock.adjust("100 millis")
      assert.deepInclude(yield* Fiber.join(second), { _tag: "OperationRunning", transactionId: id })
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(first)).operation.status, "SUCCEEDED")
    })
  )

  it.effect("wait for one that another process is at work on", () =>
    Effect.gen(function* () {
      const slow = yield* openGatewayTo({ capture: () => Effect.delay(Effect.succeed(accepted()), 3_000) })
      const { id } = yield* slow.authorized
      const first = yield* Effect.forkChild(slow.operate(id, { type: "CAPTURE", minor: 1n }, "c1"))
      yield* TestClock.adjust("1 second")
      const second = yield* Effect.forkChild(slow.operateElsewhere(id, { type: "CAPTURE", minor: 2n }, "c2"))
      yield* TestClock.adjust("1 second")
      assert.isUndefined(second.pollUnsafe())
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(first)
      assert.strictEqual((yield* Fiber.join(second)).payment.sums.captured, 3n)
      assert.strictEqual(slow.provider.mostAtOnce(), 1)
    })
  )
})

describe("A database that is lost", () => {
  it.effect("before an operation has begun leaves nothing sent", () =>
    Effect.gen(function* () {
      const { authorized, interference, log, operate } = yield* openGatewayTo()
      const { id } = yield* authorized
      interference.beforeCommit = () => Effect.fail(new Unavailable())
      assert.strictEqual((yield* Effect.flip(operate(id, capture, "k")))._tag, "Unavailable")
      assert.notInclude(log, "akbank.capture")
    })
  )

  it.effect("when an outcome is to be committed is tried again until it is back", () =>
    Effect.gen(function* () {
      const { authorized, interference, operate } = yield* openGatewayTo()
      const { id } = yield* authorized
      let tries = 0
      interference.beforeCommit = (types) =>
        Effect.suspend(() =>
          types === "operation.settled" && ++tries < 5 ? Effect.fail(new Unavailable()) : Effect.void
        )
      const asking = yield* Effect.forkChild(operate(id, capture, "k"))
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual([(yield* Fiber.join(asking)).operation.status, tries], ["SUCCEEDED", 5])
    })
  )

  it.effect("after it has committed the outcome, but before it could say so, loses and repeats nothing", () =>
    Effect.gen(function* () {
      const { authorized, events, interference, operate } = yield* openGatewayTo()
      const { id } = yield* authorized
      let answers = 0
      interference.afterCommit = (types) =>
        Effect.suspend(() =>
          types === "operation.settled" && ++answers === 1 ? Effect.fail(new Unavailable()) : Effect.void
        )
      const asking = yield* Effect.forkChild(operate(id, capture, "k"))
      yield* TestClock.adjust("5 seconds")
      const { payment } = yield* Fiber.join(asking)
      assert.strictEqual(statusOf(payment), "CAPTURED")
      assert.deepStrictEqual((yield* events(id)).filter(({ type }) => type === "operation.settled").length, 1)
    })
  )

  it.effect("for longer than a minute leaves the operation PENDING, which is what is answered", () =>
    Effect.gen(function* () {
      const { authorized, interference, operate, stored } = yield* openGatewayTo()
      const { id } = yield* authorized
      let tries = 0
      interference.beforeCommit = (types) =>
        Effect.suspend(() => {
          if (types !== "operation.settled") return Effect.void
          tries++
          return Effect.fail(new Unavailable())
        })
      const asking = yield* Effect.forkChild(operate(id, capture, "k"))
      yield* TestClock.adjust("59 seconds")
      assert.isUndefined(asking.pollUnsafe())
      yield* TestClock.adjust("6 seconds")
      const { operation, payment } = yield* Fiber.join(asking)
      assert.deepStrictEqual([operation.status, payment.sums.capturePending], ["PENDING", 10_000n])
      assert.deepStrictEqual(yield* stored(id), payment)
      assert.isTrue(tries > 20 && tries < 60, `${tries} tries`)
    })
  )
})
