import { assert, describe, it } from "@effect/vitest"
import { Unknown } from "@sarraf/domain/payments/Outcome"
import { lastAttempt } from "@sarraf/domain/payments/Payment"
import type { Finding, Stage } from "@sarraf/domain/payments/PaymentProvider"
import {
  ask,
  authorizationOf,
  readAuthorization,
  readOperation,
  underDeadline
} from "@sarraf/domain/payments/ProviderCalls"
import { Clock, Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import {
  accepted,
  authorized,
  begunOperation,
  carriedOut,
  noon,
  operation,
  tell,
  told
} from "./support/SamplePayment.ts"
import { absent, declined, found, lost, scriptedProvider, unanswered } from "./support/ScriptedProvider.ts"

const attempt = lastAttempt(told().payment) ?? assert.fail()

describe("readAuthorization", () => {
  const read = readAuthorization(attempt, Duration.minutes(1))
  const tagOf = (finding: Finding, now = noon) => read(finding, now)?._tag ?? "undecided"

  it.each([
    ["AUTHORIZED", "Accepted"],
    ["DECLINED", "Refused"],
    ["PENDING", "undecided"],
    ["ACTION_REQUIRED", "undecided"],
    ["CAPTURED", "undecided"],
    ["VOIDED", "undecided"]
  ] as ReadonlyArray<[Stage, string]>)("takes the stage %s as %s", (stage, tag) => {
    assert.strictEqual(tagOf(found({ stage })), tag)
  })

  it("takes no answer as none", () => {
    assert.strictEqual(tagOf(unanswered, noon + 86_400_000), "undecided")
  })

  it("takes absence as proof from the provider's time on, counted from the attempt's start", () => {
    assert.deepStrictEqual(
      [noon, noon + 59_999, noon + 60_000].map((now) => tagOf(absent, now)),
      ["undecided", "undecided", "NotSent"]
    )
    assert.isUndefined(readAuthorization(attempt, undefined)(absent, noon + 86_400_000))
  })

  it("keeps the provider's reference, echo and notes, and why it was declined", () => {
    const echo = { minor: 1n }
    assert.deepInclude(read(found({ echo, notes: { a: "b" } }), noon), {
      providerReference: "P-found",
      echo,
      notes: { a: "b" }
    })
    assert.deepInclude(read(found({ stage: "DECLINED", code: "INVALID_CARD" }), noon), { code: "INVALID_CARD" })
    assert.deepInclude(read(found({ stage: "DECLINED" }), noon), { code: "CARD_DECLINED" })
  })
})

describe("readOperation", () => {
  const captured = carriedOut(authorized(), operation({ id: "op_1", minor: 3_000n, final: false }))
  const capture = operation({ id: "op_2", minor: 2_000n, final: false })
  const refund = operation({ id: "op_3", type: "REFUND", minor: 1_000n })
  const cancel = operation({ id: "op_4", type: "VOID", minor: 7_000n })

  const done = (one: typeof capture, changes: Parameters<typeof found>[0]) =>
    readOperation(tell(captured, begunOperation(one)).payment, one)(found(changes), noon) !== undefined

  it("takes a capture as done once the provider has captured that much more", () => {
    assert.isFalse(done(capture, { capturedMinor: 3_000n }))
    assert.isFalse(done(capture, { capturedMinor: 4_999n }))
    assert.isTrue(done(capture, { capturedMinor: 5_000n }))
    assert.isFalse(done(capture, { capturedMinor: null }))
  })

  it("takes a refund as done once the provider has refunded that much more", () => {
    assert.isFalse(done(refund, { refundedMinor: 999n }))
    assert.isTrue(done(refund, { refundedMinor: 1_000n }))
    assert.isFalse(done(refund, { refundedMinor: null, capturedMinor: 3_000n }))
  })

  it("takes the refund of a whole capture as done once the provider has voided it, and that of a part not", () => {
    const whole = operation({ id: "op_5", type: "REFUND", minor: 3_000n })
    assert.isTrue(done(whole, { stage: "VOIDED", refundedMinor: 0n }))
    assert.isFalse(done(refund, { stage: "VOIDED", refundedMinor: 0n }))
    assert.isFalse(done(whole, { stage: "CAPTURED", refundedMinor: 0n }))
  })

  it("takes a void as done once the provider has voided the payment", () => {
    assert.isTrue(done(cancel, { stage: "VOIDED" }))
    assert.isFalse(done(cancel, { stage: "AUTHORIZED" }))
  })

  it("takes absence and silence as nothing", () => {
    for (const finding of [absent, unanswered]) {
      assert.isUndefined(readOperation(captured.payment, capture)(finding, noon + 86_400_000))
    }
  })
})

describe("underDeadline", () => {
  it.effect("gives an answer that comes in time, and an unknown outcome at the deadline", () =>
    Effect.gen(function* () {
      const inTime = yield* Effect.forkChild(underDeadline(() => Effect.delay(Effect.succeed(declined), 999), 1_000))
      const late = yield* Effect.forkChild(underDeadline(() => Effect.delay(Effect.succeed(declined), 1_001), 1_000))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(inTime), declined)
      assert.deepStrictEqual(yield* Fiber.join(late), Unknown({ reason: "no answer within 1000 ms" }))
    })
  )

  it.effect("interrupts the call that it no longer waits for", () =>
    Effect.gen(function* () {
      let isInterrupted = false
      const call = Effect.onInterrupt(Effect.never, () =>
        Effect.sync(() => {
          isInterrupted = true
        })
      )
      const waiting = yield* Effect.forkChild(underDeadline(() => call, 1_000))
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(waiting)
      assert.isTrue(isInterrupted)
    })
  )
})

describe("ask", () => {
  const asking = (answers: ReadonlyArray<Finding>, millis: number, take = 0) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const times: Array<number> = []
      const provider = scriptedProvider("akbank", [], {
        query: () =>
          Effect.gen(function* () {
            times.push((yield* Clock.currentTimeMillis) - noon)
            yield* Effect.sleep(take)
            return answers[times.length - 1] ?? unanswered
          })
      })
      const authorization = authorizationOf(told().payment, attempt)
      const read = readAuthorization(attempt, undefined)
      const fiber = yield* Effect.forkChild(
        ask({ provider, authorization, read, until: noon + millis, undecided: lost })
      )
      yield* TestClock.adjust("1 minute")
      return { times, outcome: yield* Fiber.join(fiber) }
    })

  it.effect("begins at once and gives the provider ever more time", () =>
    Effect.gen(function* () {
      const { outcome, times } = yield* asking([], 20_000)
      assert.deepStrictEqual(times, [0, 250, 750, 1_750, 3_750, 7_750, 11_750, 15_750, 19_750])
      assert.strictEqual(outcome, lost)
    })
  )

  it.effect("ends with the first certain word", () =>
    Effect.gen(function* () {
      const { outcome, times } = yield* asking([unanswered, absent, found()], 20_000)
      assert.deepStrictEqual([times.length, outcome._tag], [3, "Accepted"])
    })
  )

  it.effect("does not wait for an answer longer than the time that is left", () =>
    Effect.gen(function* () {
      const { outcome, times } = yield* asking([found(), found()], 5_000, 6_000)
      assert.deepStrictEqual([times, outcome], [[0], lost])
    })
  )

  it.effect("takes an adapter that dies, or throws, as no answer", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const authorization = authorizationOf(told().payment, attempt)
      const read = readAuthorization(attempt, undefined)
      const broken = [
        () => Effect.die(new Error("no such field")),
        () => {
          throw new Error("no such field")
        }
      ]
      for (const query of broken) {
        const provider = { ...scriptedProvider("akbank", []), query }
        const options = { provider, authorization, read, until: noon + 200, undecided: lost }
        assert.strictEqual(yield* ask(options), lost)
      }
    })
  )
})

describe("authorizationOf", () => {
  it("dates the authorization by its attempt's end, or its start while that is not known", () => {
    const { payment } = authorized()
    const ended = lastAttempt(payment) ?? assert.fail()
    assert.strictEqual(authorizationOf(payment, ended).authorizedAt.epochMilliseconds, noon + 1_000)
    assert.strictEqual(authorizationOf(payment, attempt).authorizedAt.epochMilliseconds, noon)
    assert.strictEqual(authorizationOf(payment, ended).providerReference, accepted().providerReference)
  })
})
