import { assert, describe, it } from "@effect/vitest"
import { Unavailable } from "@sarraf/domain/errors/Unavailable"
import * as DeferredRefunds from "@sarraf/domain/payments/DeferredRefunds"
import { lastAttempt } from "@sarraf/domain/payments/Payment"
import { rebuild } from "@sarraf/domain/payments/PaymentEvent"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import { isSound } from "@sarraf/domain/payments/Sums"
import { Clock, Duration, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { accepted } from "./support/SamplePayment.ts"
import { declined, found, lost, notSent } from "./support/ScriptedProvider.ts"
import { day, hour, minute, openTalking, second } from "./support/TalkingProvider.ts"

/** An operation on a captured or authorized payment whose answer was lost. */
const lose = Effect.fnUntraced(function* (type: "CAPTURE" | "REFUND" | "VOID", minor?: bigint) {
  const gateway = yield* openTalking({ authorize: accepted() })
  const { id } = yield* gateway.begin()
  if (type === "REFUND") yield* gateway.carryOut(id, { type: "CAPTURE" }, "capture")
  Object.assign(gateway.says, { capture: lost, refund: lost, cancel: lost })
  const asked = minor === undefined ? { type } : { type, minor }
  const { operation } = yield* gateway.carryOut(id, asked, "lost")
  assert.strictEqual(operation.status, "PENDING")
  const last = Effect.map(gateway.stored(id), (payment) => ({ payment, operation: payment.operations.at(-1) }))
  return { ...gateway, id, last }
})

describe("An operation whose answer was lost", () => {
  it.effect.each([
    ["CAPTURE", 4_000n, found({ stage: "CAPTURED", capturedMinor: 4_000n }), "PARTIALLY_CAPTURED"],
    [
      "REFUND",
      4_000n,
      found({ stage: "CAPTURED", capturedMinor: 10_000n, refundedMinor: 4_000n }),
      "PARTIALLY_REFUNDED"
    ],
    ["VOID", undefined, found({ stage: "VOIDED" }), "VOIDED"]
  ] as const)("has SUCCEEDED once the provider's history shows it: %s", ([type, minor, finding, status]) =>
    Effect.gen(function* () {
      const { events, id, last, pass, says } = yield* lose(type, minor)
      says.query = finding
      yield* pass(minute)
      const { operation, payment } = yield* last
      assert.deepStrictEqual([operation?.status, statusOf(payment)], ["SUCCEEDED", status])
      assert.isTrue(isSound(payment.sums))
      assert.deepStrictEqual(rebuild(yield* events(id)), payment)
      assert.deepInclude((yield* events(id)).at(-1), { type: "operation.settled", by: "reconciler" })
    })
  )

  it.effect.each([
    ["CAPTURE", 4_000n, found({ stage: "AUTHORIZED", capturedMinor: 0n }), "AUTHORIZED"],
    ["CAPTURE", 4_000n, found({ stage: "AUTHORIZED" }), "AUTHORIZED"],
    ["CAPTURE", 4_000n, found({ stage: "VOIDED" }), "AUTHORIZED"],
    ["REFUND", 4_000n, found({ stage: "CAPTURED", capturedMinor: 10_000n, refundedMinor: 0n }), "CAPTURED"],
    ["VOID", undefined, found({ stage: "AUTHORIZED" }), "AUTHORIZED"]
  ] as const)(
    "has FAILED once it is proven that it was not done, and not before: %s",
    ([type, minor, finding, status]) =>
      Effect.gen(function* () {
        const { carryOut, id, last, pass, says } = yield* lose(type, minor)
        says.query = finding
        yield* pass(20 * second)
        assert.strictEqual((yield* last).operation?.status, "PENDING")
        yield* pass(minute)
        const { operation, payment } = yield* last
        assert.deepStrictEqual([operation?.status, operation?.error?.code], ["FAILED", "PROVIDER_ERROR"])
        assert.deepStrictEqual(
          [statusOf(payment), payment.sums.capturePending, payment.sums.refundPending],
          [status, 0n, 0n]
        )
        Object.assign(says, { capture: accepted(), refund: accepted(), cancel: accepted() })
        const again = yield* carryOut(id, minor === undefined ? { type } : { type, minor }, "again")
        assert.strictEqual(again.operation.status, "SUCCEEDED")
      })
  )

  it.effect("stays PENDING while nobody says, reserves its amount, and needs a person in the end", () =>
    Effect.gen(function* () {
      const { id, last, operate, pass } = yield* lose("REFUND", 4_000n)
      yield* pass(30 * hour, 10 * minute)
      assert.isNull((yield* last).payment.needsReview)
      yield* pass(3 * hour, 10 * minute)
      const { operation, payment } = yield* last
      assert.deepStrictEqual([operation?.status, payment.sums.refundPending], ["PENDING", 4_000n])
      assert.isNotNull(payment.needsReview)
      const refused = yield* Effect.flip(operate(id, { type: "REFUND", minor: 1n }, "more"))
      assert.strictEqual(refused._tag, "OperationRunning")
    })
  )

  it.effect("is for a person where what is found is about another payment", () =>
    Effect.gen(function* () {
      const { last, pass, says } = yield* lose("CAPTURE")
      says.query = found({ stage: "CAPTURED", capturedMinor: 10_000n, echo: { reference: "ANOTHER" } })
      yield* pass(10 * minute)
      const { operation, payment } = yield* last
      assert.strictEqual(operation?.status, "PENDING")
      assert.strictEqual(payment.needsReview, "the answer is about another reference")
    })
  )

  it.effect("is taken up at its deadline where its process ended, also on a payment with a look far ahead", () =>
    Effect.gen(function* () {
      const gateway = yield* openTalking()
      const { id } = yield* gateway.begin()
      // The schedule stands at its longest pauses when the payment is approved after all.
      yield* gateway.pass(8 * hour, minute)
      gateway.says.query = found()
      yield* gateway.pass(day, hour)
      assert.strictEqual(yield* gateway.statusNow(id), "AUTHORIZED")
      gateway.interference.beforeCommit = (types) => (types === "operation.settled" ? Effect.never : Effect.void)
      const crashed = yield* Effect.forkChild(gateway.operate(id, { type: "CAPTURE" }, "capture"))
      yield* TestClock.adjust(second)
      gateway.interference.beforeCommit = () => Effect.void
      gateway.says.query = found({ stage: "CAPTURED", capturedMinor: 10_000n })
      const waiting = yield* Effect.forkChild(
        Effect.repeat(Effect.delay(gateway.reconcileElsewhere, 5 * second), { times: 12 })
      )
      yield* TestClock.adjust(20 * second)
      assert.strictEqual(yield* gateway.statusNow(id), "AUTHORIZED")
      yield* TestClock.adjust(20 * second)
      assert.strictEqual(yield* gateway.statusNow(id), "CAPTURED")
      yield* Fiber.interrupt(crashed)
      yield* Fiber.interrupt(waiting)
    })
  )

  it.effect("leaves what a person looks into until that person has, when another operation is done", () =>
    Effect.gen(function* () {
      const gateway = yield* openTalking({ authorize: accepted() })
      const { id } = yield* gateway.begin()
      const before = yield* gateway.stored(id)
      const at = yield* Clock.currentTimeMillis
      const event = { type: "review.requested", at, reason: "the provider did a capture that had failed" } as const
      const after = { ...before, needsReview: event.reason, version: before.version + 1, updatedAt: at }
      yield* gateway.store.commit({ before, after, events: [event], actor: { name: "test", requestId: "" } })
      yield* gateway.carryOut(id, { type: "CAPTURE", minor: 1n }, "part")
      assert.strictEqual((yield* gateway.stored(id)).needsReview, event.reason)
    })
  )
})

describe("A deferred refund whose answer was lost", () => {
  it.effect("is not taken as undone by the time that it waited: that counts from when it was sent", () =>
    Effect.gen(function* () {
      let isSettled = false
      const capabilities = { refundBeforeSettlement: "wholeByVoid", batchClosesAtMinuteUtc: 20 * 60 } as const
      const proof = { query: { byReference: true, absenceProvenAfter: Duration.minutes(10) } }
      const query = () =>
        Effect.sync(() => found({ stage: "CAPTURED", settled: isSettled, capturedMinor: 10_000n, refundedMinor: 0n }))
      const gateway = yield* openTalking({ authorize: accepted() }, { ...capabilities, ...proof }, { query })
      const { id } = yield* gateway.begin()
      yield* gateway.carryOut(id, { type: "CAPTURE" }, "capture")
      yield* gateway.carryOut(id, { type: "REFUND", minor: 4_000n }, "refund")
      yield* Layer.build(Layer.provide(DeferredRefunds.layer, Layer.succeedContext(gateway.process)))
      isSettled = true
      gateway.says.refund = lost
      yield* gateway.pass(8 * hour + 5 * minute, minute)
      const waiting = (yield* gateway.stored(id)).operations[1]
      assert.deepStrictEqual([gateway.count("refund"), waiting?.status], [1, "PENDING"])
      // Eight hours after it was asked for and minutes after it was sent: it may still be under way.
      yield* gateway.pass(3 * minute, 10 * second)
      assert.strictEqual((yield* gateway.stored(id)).operations[1]?.status, "PENDING")
      yield* gateway.pass(10 * minute, 10 * second)
      assert.strictEqual((yield* gateway.stored(id)).operations[1]?.status, "FAILED")
    })
  )
})

/** An authorization of seven days, a minute before its end. */
const nearlyExpired = Effect.fnUntraced(function* (changes: Parameters<typeof openTalking>[0] = {}) {
  const gateway = yield* openTalking({ authorize: accepted(), query: found(), ...changes })
  const { expiresAt, id } = yield* gateway.begin()
  yield* TestClock.setTime((expiresAt ?? 0) - minute)
  yield* gateway.reconcile
  return { ...gateway, id, expiresAt: expiresAt ?? 0 }
})

describe("An authorization that expires", () => {
  it.effect("is voided at its provider, and only then EXPIRED", () =>
    Effect.gen(function* () {
      const { count, events, id, log, pass, stored } = yield* nearlyExpired()
      yield* pass(50 * second)
      assert.strictEqual(count("cancel"), 0)
      yield* pass(2 * minute)
      const payment = yield* stored(id)
      assert.deepStrictEqual([statusOf(payment), count("cancel")], ["EXPIRED", 1])
      assert.strictEqual(payment.sums.released, 10_000n)
      assert.isBelow(log.indexOf("akbank.cancel"), log.indexOf("committed authorization.lapsed+attempt.reversed"))
      assert.deepStrictEqual(rebuild(yield* events(id)), payment)
      yield* pass(2 * day, hour)
      assert.strictEqual(count("cancel"), 1)
    })
  )

  it.effect("is EXPIRED also where its provider has let it go by itself", () =>
    Effect.gen(function* () {
      const { id, pass, statusNow } = yield* nearlyExpired({ cancel: declined })
      yield* pass(3 * minute)
      assert.strictEqual(yield* statusNow(id), "EXPIRED")
    })
  )

  it.effect.each([
    ["is not reached", notSent],
    ["does not answer", lost]
  ] as const)("stays AUTHORIZED while its provider %s, and is given back later", ([, answer]) =>
    Effect.gen(function* () {
      const { count, id, pass, says, statusNow, stored } = yield* nearlyExpired({ cancel: answer })
      yield* pass(hour, 10 * second)
      assert.strictEqual(yield* statusNow(id), "AUTHORIZED")
      assert.isAbove(count("cancel"), 3)
      assert.isNull((yield* stored(id)).needsReview)
      says.cancel = accepted()
      yield* pass(7 * hour, 10 * minute)
      assert.strictEqual(yield* statusNow(id), "EXPIRED")
    })
  )

  it.effect("gives back what is left after a capture in part, and names the capture to its provider", () =>
    Effect.gen(function* () {
      const { carryOut, id, pass, provider, stored } = yield* nearlyExpired()
      yield* carryOut(id, { type: "CAPTURE", minor: 4_000n }, "part")
      yield* pass(3 * minute)
      const payment = yield* stored(id)
      assert.deepStrictEqual(
        [statusOf(payment), payment.sums.captured, payment.sums.released],
        ["PARTIALLY_CAPTURED", 4_000n, 6_000n]
      )
      const call = provider.calls.find(({ method }) => method === "cancel")?.call
      // A void that takes back whatever it finds must not be sent without knowing of the capture.
      assert.isTrue(
        call !== undefined && "captures" in call && Array.isArray(call.captures) && call.captures.length === 1
      )
    })
  )

  it.effect("waits for a capture that began before, and gives the rest back after it", () =>
    Effect.gen(function* () {
      const gateway = yield* openTalking(
        { authorize: accepted(), query: found() },
        {},
        { capture: () => Effect.delay(Effect.succeed(accepted()), 10 * second) }
      )
      const { expiresAt, id } = yield* gateway.begin()
      yield* TestClock.setTime((expiresAt ?? 0) - 2 * second)
      const capturing = yield* Effect.forkChild(gateway.operateElsewhere(id, { type: "CAPTURE", minor: 4_000n }, "c"))
      yield* TestClock.adjust(5 * second)
      yield* gateway.reconcile
      assert.strictEqual(gateway.count("cancel"), 0)
      yield* TestClock.adjust(10 * second)
      assert.strictEqual((yield* Fiber.join(capturing)).operation.status, "SUCCEEDED")
      yield* gateway.pass(3 * minute)
      const payment = yield* gateway.stored(id)
      assert.deepStrictEqual([payment.sums.captured, payment.sums.released], [4_000n, 6_000n])
    })
  )

  it.effect("is not captured any more once it is being given back, by whichever process", () =>
    Effect.gen(function* () {
      const gateway = yield* openTalking(
        { authorize: accepted(), query: found() },
        {},
        { cancel: () => Effect.delay(Effect.succeed(accepted()), 10 * second) }
      )
      const { expiresAt, id } = yield* gateway.begin()
      yield* TestClock.setTime((expiresAt ?? 0) + minute)
      const looking = yield* Effect.forkChild(gateway.reconcileElsewhere)
      yield* TestClock.adjust(5 * second)
      // At the provider a capture could come before the void, which some take as a void of that capture.
      const refused = yield* Effect.flip(gateway.operate(id, { type: "CAPTURE" }, "late"))
      assert.deepInclude(refused, { _tag: "OperationRefused", allowed: ["VOID"] })
      yield* TestClock.adjust(10 * second)
      yield* Fiber.join(looking)
      assert.deepStrictEqual([gateway.count("capture"), gateway.count("cancel")], [0, 1])
      assert.strictEqual(yield* gateway.statusNow(id), "EXPIRED")
    })
  )

  it.effect("is given back once more where the process ended between the provider's word and ours", () =>
    Effect.gen(function* () {
      const gateway = yield* nearlyExpired()
      gateway.interference.beforeCommit = (types) =>
        types.startsWith("authorization.lapsed") ? Effect.never : Effect.void
      yield* TestClock.adjust(2 * minute)
      const crashed = yield* Effect.forkChild(gateway.reconcile)
      yield* TestClock.adjust(second)
      gateway.interference.beforeCommit = () => Effect.void
      assert.strictEqual(lastAttempt(yield* gateway.stored(gateway.id))?.reversal, "BEGUN")
      // The provider has released it, and says so.
      gateway.says.cancel = declined
      const other = Effect.repeat(Effect.delay(gateway.reconcileElsewhere, 5 * second), { times: 60 })
      yield* Effect.forkChild(other)
      yield* TestClock.adjust(3 * minute)
      assert.strictEqual(yield* gateway.statusNow(gateway.id), "EXPIRED")
      yield* Fiber.interrupt(crashed)
    })
  )

  it.effect("is found after any time in which no process ran", () =>
    Effect.gen(function* () {
      const { expiresAt, id, reconcile, statusNow } = yield* nearlyExpired()
      yield* TestClock.setTime(expiresAt + 30 * day)
      yield* reconcile
      assert.strictEqual(yield* statusNow(id), "EXPIRED")
    })
  )

  it.effect("is found again where a change came in between", () =>
    Effect.gen(function* () {
      const gateway = yield* nearlyExpired({ capture: declined })
      yield* TestClock.adjust(2 * minute)
      gateway.interference.beforeCommit = () => Effect.fail(new Unavailable())
      yield* Effect.forkChild(gateway.reconcile)
      yield* TestClock.adjust(10 * second)
      gateway.interference.beforeCommit = () => Effect.void
      yield* gateway.carryOut(gateway.id, { type: "CAPTURE", minor: 1n }, "late")
      yield* gateway.pass(10 * minute)
      assert.strictEqual(yield* gateway.statusNow(gateway.id), "EXPIRED")
    })
  )
})
