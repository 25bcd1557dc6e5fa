import { assert, describe, it } from "@effect/vitest"
import * as DeferredRefunds from "@sarraf/domain/payments/DeferredRefunds"
import { noAnswer, Pending } from "@sarraf/domain/payments/Outcome"
import { rebuild } from "@sarraf/domain/payments/PaymentEvent"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import { isSound, refundable } from "@sarraf/domain/payments/Sums"
import { DateTime, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { openPosting, toldDispute, toldOperation, unaskable } from "./support/PostingProvider.ts"
import { accepted, noon } from "./support/SamplePayment.ts"
import { declined, found, lost } from "./support/ScriptedProvider.ts"
import { hour, minute, second } from "./support/TalkingProvider.ts"

const until = DateTime.makeUnsafe(8_640_000_000_000)
/** Received, and decided later. */
const received = (providerReference: string) =>
  Pending({ answer: noAnswer, echo: {}, learnBy: "notification", until, providerReference })

/** A payment at a provider that cannot be asked, with its capture of 60.00 received. */
const capturing = Effect.fnUntraced(function* (minor = 6_000n) {
  const gateway = yield* openPosting({ authorize: accepted(), capture: received("C-1") }, unaskable)
  const { id } = yield* gateway.begin()
  const { operation } = yield* gateway.carryOut(id, { type: "CAPTURE", minor }, "capture")
  assert.strictEqual(operation.status, "PENDING")
  const statuses = Effect.map(gateway.stored(id), ({ operations }) => operations.map(({ status }) => status))
  return { ...gateway, id, statuses }
})

const captureTold = (status: "SUCCEEDED" | "FAILED", changes = {}) =>
  toldOperation("CAPTURE", status, { providerReference: "C-1", minor: 6_000n, currency: "eur", ...changes })

describe("A notification about an operation", () => {
  it.effect("settles it at a provider that cannot be asked: SUCCEEDED", () =>
    Effect.gen(function* () {
      const { events, id, post, statuses, stored } = yield* capturing()
      yield* post(id, captureTold("SUCCEEDED"))
      const payment = yield* stored(id)
      assert.deepStrictEqual(
        [yield* statuses, payment.sums.captured, payment.sums.capturePending],
        [["SUCCEEDED"], 6_000n, 0n]
      )
      assert.deepStrictEqual(rebuild(yield* events(id)), payment)
    })
  )

  it.effect("settles it: FAILED, and its amount is free again", () =>
    Effect.gen(function* () {
      const { carryOut, id, post, says, statuses, stored } = yield* capturing()
      yield* post(id, captureTold("FAILED"))
      assert.deepStrictEqual([yield* statuses, (yield* stored(id)).sums.captured], [["FAILED"], 0n])
      says.capture = accepted()
      yield* carryOut(id, { type: "CAPTURE" }, "again")
      assert.strictEqual((yield* stored(id)).sums.captured, 10_000n)
    })
  )

  it.effect("that says the same again, under another id, changes nothing", () =>
    Effect.gen(function* () {
      const { id, post, stored } = yield* capturing()
      yield* post(id, captureTold("SUCCEEDED"))
      const before = yield* stored(id)
      yield* post(id, captureTold("SUCCEEDED"))
      assert.deepStrictEqual(yield* stored(id), before)
    })
  )

  it.effect("takes back what it had confirmed: the sums fall and the status follows", () =>
    Effect.gen(function* () {
      const { id, post, statuses, stored } = yield* capturing()
      yield* post(id, captureTold("SUCCEEDED"))
      assert.strictEqual(statusOf(yield* stored(id)), "PARTIALLY_CAPTURED")
      yield* post(id, captureTold("FAILED"))
      const payment = yield* stored(id)
      assert.deepStrictEqual(
        [yield* statuses, payment.sums.captured, statusOf(payment)],
        [["FAILED"], 0n, "AUTHORIZED"]
      )
      assert.strictEqual(payment.operations[0]?.error?.code, "PROVIDER_ERROR")
    })
  )

  it.effect("that takes back a capture which has been refunded is for a person, and makes no sums unsound", () =>
    Effect.gen(function* () {
      const { carryOut, id, pass, post, says, statuses, stored } = yield* capturing()
      yield* post(id, captureTold("SUCCEEDED"))
      says.refund = accepted({ providerReference: "R-1" })
      yield* carryOut(id, { type: "REFUND", minor: 5_000n }, "refund")
      yield* post(id, captureTold("FAILED"))
      const payment = yield* stored(id)
      assert.deepStrictEqual([yield* statuses, payment.sums.captured], [["SUCCEEDED", "SUCCEEDED"], 6_000n])
      assert.isTrue(isSound(payment.sums))
      assert.isNotNull(payment.needsReview)
      // It stays on the list of what a person has to look at, whatever is done with the payment meanwhile.
      yield* carryOut(id, { type: "REFUND", minor: 1n }, "more")
      yield* pass(26 * hour, hour)
      assert.isNotNull((yield* stored(id)).needsReview)
    })
  )

  it.effect("settles a refund, and takes it back", () =>
    Effect.gen(function* () {
      const { carryOut, id, post, says, stored } = yield* capturing()
      yield* post(id, captureTold("SUCCEEDED"))
      says.refund = received("R-1")
      yield* carryOut(id, { type: "REFUND", minor: 2_000n }, "refund")
      const word = { providerReference: "R-1", minor: 2_000n, currency: "EUR" }
      yield* post(id, toldOperation("REFUND", "SUCCEEDED", word))
      assert.strictEqual((yield* stored(id)).sums.refunded, 2_000n)
      yield* post(id, toldOperation("REFUND", "FAILED", word))
      const { sums } = yield* stored(id)
      assert.deepStrictEqual([sums.refunded, refundable(sums)], [0n, 6_000n])
    })
  )

  it.effect("that comes out of order, the failure first, is for a person in the end", () =>
    Effect.gen(function* () {
      const { id, post, statuses, stored } = yield* capturing()
      yield* post(id, captureTold("FAILED"))
      yield* post(id, captureTold("SUCCEEDED"))
      assert.deepStrictEqual(yield* statuses, ["FAILED"])
      assert.isNotNull((yield* stored(id)).needsReview)
    })
  )

  it.effect.each([
    ["amount", { minor: 5_999n }],
    ["currency", { currency: "USD" }]
  ] as const)("with another %s is for a person, and settles nothing", ([, changes]) =>
    Effect.gen(function* () {
      const { id, post, statuses, stored } = yield* capturing()
      yield* post(id, captureTold("SUCCEEDED", changes))
      assert.deepStrictEqual(yield* statuses, ["PENDING"])
      assert.isNotNull((yield* stored(id)).needsReview)
    })
  )

  it.effect("that overtakes the answer to its call is kept, and done after it", () =>
    Effect.gen(function* () {
      const capture = () => Effect.delay(Effect.succeed(received("C-1")), 3 * second)
      const gateway = yield* openPosting({ authorize: accepted() }, unaskable, { capture })
      const { id } = yield* gateway.begin()
      const asking = yield* Effect.forkChild(gateway.operateElsewhere(id, { type: "CAPTURE", minor: 6_000n }, "c"))
      yield* TestClock.adjust(second)
      yield* gateway.post(id, captureTold("SUCCEEDED"))
      assert.strictEqual((yield* gateway.stored(id)).operations[0]?.status, "PENDING")
      yield* TestClock.adjust(10 * second)
      yield* Fiber.join(asking)
      assert.strictEqual((yield* gateway.stored(id)).operations[0]?.status, "SUCCEEDED")
    })
  )

  it.effect("is about the only open one of its type and amount where the answer to its call was lost", () =>
    Effect.gen(function* () {
      const gateway = yield* openPosting({ authorize: accepted(), capture: lost }, unaskable)
      const { id } = yield* gateway.begin()
      yield* gateway.carryOut(id, { type: "CAPTURE", minor: 6_000n }, "capture")
      yield* gateway.post(id, captureTold("SUCCEEDED", { providerReference: "C-unheard", minor: 1n }))
      assert.strictEqual((yield* gateway.stored(id)).operations[0]?.status, "PENDING")
      yield* gateway.post(id, captureTold("SUCCEEDED", { providerReference: "C-unheard" }))
      assert.strictEqual((yield* gateway.stored(id)).operations[0]?.status, "SUCCEEDED")
    })
  )

  it.effect("takes back what was found done by a question, whose identifier nobody told us", () =>
    Effect.gen(function* () {
      const gateway = yield* openPosting({ authorize: accepted({ providerReference: "P-found" }), capture: lost })
      const { id } = yield* gateway.begin()
      yield* gateway.carryOut(id, { type: "CAPTURE", minor: 6_000n }, "capture")
      gateway.says.query = found({ stage: "CAPTURED", capturedMinor: 6_000n })
      yield* gateway.pass(minute)
      assert.strictEqual((yield* gateway.stored(id)).sums.captured, 6_000n)
      yield* gateway.post(id, captureTold("FAILED", { providerReference: "C-unheard" }))
      assert.strictEqual((yield* gateway.stored(id)).sums.captured, 0n)
    })
  )

  it.effect("is never about a refund that has not been sent yet", () =>
    Effect.gen(function* () {
      const capabilities = { refundBeforeSettlement: "wholeByVoid", batchClosesAtMinuteUtc: 20 * 60 } as const
      const query = found({ stage: "CAPTURED", settled: false, capturedMinor: 10_000n, refundedMinor: 0n })
      const gateway = yield* openPosting({ authorize: accepted(), query }, capabilities)
      const { id } = yield* gateway.begin()
      yield* gateway.carryOut(id, { type: "CAPTURE" }, "capture")
      yield* gateway.carryOut(id, { type: "REFUND", minor: 4_000n }, "refund")
      yield* Layer.build(Layer.provide(DeferredRefunds.layer, Layer.succeedContext(gateway.process)))
      yield* gateway.post(id, toldOperation("REFUND", "SUCCEEDED", { providerReference: "R-x", minor: 4_000n }))
      const refund = (yield* gateway.stored(id)).operations[1]
      assert.deepStrictEqual([refund?.status, (yield* gateway.stored(id)).sums.refunded], ["PENDING", 0n])
    })
  )

  it.effect("that an authorization was not released which has expired is for a person", () =>
    Effect.gen(function* () {
      const expiresAt = DateTime.makeUnsafe(noon + 10 * minute)
      const gateway = yield* openPosting({ authorize: accepted({ expiresAt }), cancel: received("V-1") }, unaskable)
      const { id } = yield* gateway.begin()
      yield* TestClock.adjust(11 * minute)
      yield* gateway.reconcile
      assert.strictEqual(yield* gateway.statusNow(id), "EXPIRED")
      yield* gateway.post(id, toldOperation("VOID", "FAILED", { providerReference: "V-1" }))
      assert.isNotNull((yield* gateway.stored(id)).needsReview)
    })
  )

  it.effect("of a void settles that, by the identifier that the provider gave it", () =>
    Effect.gen(function* () {
      const gateway = yield* openPosting({ authorize: accepted(), cancel: received("V-1") }, unaskable)
      const { id } = yield* gateway.begin()
      yield* gateway.carryOut(id, { type: "VOID" }, "void")
      assert.strictEqual(yield* gateway.statusNow(id), "AUTHORIZED")
      yield* gateway.post(id, toldOperation("VOID", "SUCCEEDED", { providerReference: "V-1" }))
      assert.strictEqual(yield* gateway.statusNow(id), "VOIDED")
      yield* gateway.post(id, toldOperation("VOID", "FAILED", { providerReference: "V-1" }))
      assert.strictEqual(yield* gateway.statusNow(id), "AUTHORIZED")
    })
  )
})

describe("A dispute", () => {
  const disputed = Effect.gen(function* () {
    const gateway = yield* openPosting({ authorize: accepted() }, unaskable)
    const { id } = yield* gateway.begin()
    yield* gateway.carryOut(id, { type: "CAPTURE", minor: 8_000n }, "capture")
    const sums = Effect.map(gateway.stored(id), (payment) => payment.sums)
    return { ...gateway, id, sums }
  })

  it.effect("goes up, down and away, and what is disputed cannot be refunded", () =>
    Effect.gen(function* () {
      const { events, id, post, stored, sums } = yield* disputed
      for (const minor of [3_000n, 8_000n, 2_000n, 0n]) {
        yield* post(id, toldDispute(minor))
        const now = yield* sums
        assert.deepStrictEqual([now.disputed, refundable(now)], [minor, 8_000n - minor])
      }
      assert.deepStrictEqual(rebuild(yield* events(id)), yield* stored(id))
    })
  )

  it.effect("that is told twice is written once", () =>
    Effect.gen(function* () {
      const { events, id, post } = yield* disputed
      yield* post(id, toldDispute(3_000n))
      yield* post(id, toldDispute(3_000n, "eur"))
      assert.lengthOf(
        (yield* events(id)).filter(({ type }) => type === "payment.disputed"),
        1
      )
    })
  )

  it.effect.each([
    ["more than was captured", toldDispute(8_001n)],
    ["another currency", toldDispute(1n, "USD")]
  ] as const)("about %s is for a person", ([, word]) =>
    Effect.gen(function* () {
      const { id, post, stored, sums } = yield* disputed
      yield* post(id, word)
      assert.strictEqual((yield* sums).disputed, 0n)
      assert.isNotNull((yield* stored(id)).needsReview)
    })
  )

  it.effect("of what was refunded before leaves nothing to refund, and nothing negative", () =>
    Effect.gen(function* () {
      const { carryOut, id, post, says, sums } = yield* disputed
      says.refund = accepted()
      yield* carryOut(id, { type: "REFUND", minor: 6_000n }, "refund")
      yield* post(id, toldDispute(8_000n))
      const now = yield* sums
      assert.deepStrictEqual([now.disputed, refundable(now), isSound(now)], [8_000n, 0n, true])
      assert.strictEqual(
        (yield* Effect.flip(carryOut(id, { type: "REFUND", minor: 1n }, "more")))._tag,
        "OperationRefused"
      )
    })
  )

  it.effect("of a payment that was never captured is for a person", () =>
    Effect.gen(function* () {
      const gateway = yield* openPosting({ authorize: declined }, unaskable)
      const { id } = yield* gateway.begin()
      yield* gateway.post(id, toldDispute(1n))
      assert.isNotNull((yield* gateway.stored(id)).needsReview)
    })
  )
})
