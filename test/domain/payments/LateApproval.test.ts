import { assert, describe, it } from "@effect/vitest"
import { rebuild } from "@sarraf/domain/payments/PaymentEvent"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import { Duration, Effect, Fiber, Metric } from "effect"
import { TestClock } from "effect/testing"
import { openGateway } from "./support/Gateway.ts"
import { absent, declined, found, lost, type ScriptedProvider, scriptedProvider } from "./support/ScriptedProvider.ts"
import { day, hour, minute, openTalking, second } from "./support/TalkingProvider.ts"

const proofAtOnce = { query: { byReference: true, absenceProvenAfter: Duration.seconds(1) } }

/** A payment whose answer was lost and that has ended without money since. */
const end = Effect.fnUntraced(function* (as: "DECLINED" | "FAILED" | "VOIDED") {
  const gateway = yield* openTalking({}, proofAtOnce)
  const { id } = yield* gateway.begin()
  if (as === "VOIDED") {
    gateway.says.query = found()
    yield* gateway.carryOut(id, { type: "VOID" }, "void")
  } else {
    gateway.says.query = as === "DECLINED" ? found({ stage: "DECLINED" }) : absent
    yield* gateway.pass(10 * second)
  }
  assert.strictEqual(yield* gateway.statusNow(id), as)
  gateway.says.query = absent
  const cancels = gateway.count("cancel")
  return { ...gateway, id, cancelsSince: () => gateway.count("cancel") - cancels }
})

const lateApprovals = Effect.map(Metric.snapshot, (metrics) =>
  metrics
    .filter(({ id }) => id === "payment_late_approvals_total")
    .reduce((sum, { state }) => sum + ("count" in state ? Number(state.count) : 0), 0)
)

describe("A payment that ended without money after it had been in doubt", () => {
  it.effect.each(["DECLINED", "FAILED", "VOIDED"] as const)(
    "is asked about again after 5 min, 1 h and 24 h, and then no more: %s",
    (as) =>
      Effect.gen(function* () {
        const { count, id, pass, statusNow, cancelsSince } = yield* end(as)
        const asked = count("query")
        const counts: Array<number> = []
        for (const time of [4 * minute, 2 * minute, 50 * minute, 20 * minute, 22 * hour, 4 * hour, 9 * day]) {
          yield* pass(time, Math.min(time, 5 * minute))
          counts.push(count("query") - asked)
        }
        assert.deepStrictEqual(counts, [0, 1, 1, 2, 2, 3, 3])
        assert.deepStrictEqual([yield* statusNow(id), cancelsSince()], [as, 0])
      })
  )

  it.effect.each(["DECLINED", "FAILED", "VOIDED"] as const)(
    "has an approval that is found then taken back, once, counted and on record: %s",
    (as) =>
      Effect.gen(function* () {
        const { cancelsSince, events, id, log, pass, says, stored } = yield* end(as)
        const before = yield* lateApprovals
        says.query = found({ notes: { session: "s-9" } })
        yield* pass(6 * minute)
        assert.strictEqual(cancelsSince(), 1)
        says.query = found({ stage: "VOIDED" })
        yield* pass(3 * day, hour)
        const payment = yield* stored(id)
        assert.deepStrictEqual([statusOf(payment), payment.attempts[0]?.reversal, cancelsSince()], [as, "DONE", 1])
        assert.strictEqual((yield* lateApprovals) - before, 1)
        const reversals = (yield* events(id)).filter(({ type }) => type === "attempt.reversed")
        assert.deepStrictEqual(
          reversals.map((event) => ("status" in event ? event.status : "")),
          ["BEGUN", "DONE"]
        )
        // What is to be done is on record before the provider is told.
        assert.isBelow(log.indexOf("committed attempt.reversed"), log.lastIndexOf("akbank.cancel"))
        assert.deepStrictEqual(rebuild(yield* events(id)), payment)
      })
  )

  it.effect("goes on until the approval is back, also where the answer to that is lost", () =>
    Effect.gen(function* () {
      const { cancelsSince, id, pass, says, stored } = yield* end("DECLINED")
      Object.assign(says, { query: found(), cancel: lost })
      yield* pass(8 * minute)
      assert.isAbove(cancelsSince(), 2)
      assert.strictEqual((yield* stored(id)).attempts[0]?.reversal, "BEGUN")
      // It had worked: the provider's history shows it.
      Object.assign(says, { query: found({ stage: "VOIDED" }) })
      const sent = cancelsSince()
      yield* pass(10 * minute)
      assert.deepStrictEqual([(yield* stored(id)).attempts[0]?.reversal, cancelsSince()], ["DONE", sent])
    })
  )

  it.effect("is for a person where its approval can never be taken back", () =>
    Effect.gen(function* () {
      const { id, pass, says, stored } = yield* end("DECLINED")
      Object.assign(says, { query: found(), cancel: declined })
      yield* pass(3 * day, 10 * minute)
      const payment = yield* stored(id)
      assert.deepStrictEqual([statusOf(payment), payment.attempts[0]?.reversal], ["DECLINED", "BEGUN"])
      assert.isNotNull(payment.needsReview)
    })
  )

  it.effect("does not take an absence that is no proof, or a provider at work, for the end of taking it back", () =>
    Effect.gen(function* () {
      const { id, pass, says, stored } = yield* end("FAILED")
      Object.assign(says, { query: found(), cancel: lost })
      yield* pass(6 * minute)
      says.query = found({ stage: "PENDING" })
      yield* pass(10 * minute)
      assert.strictEqual((yield* stored(id)).attempts[0]?.reversal, "BEGUN")
      const gateway = yield* openTalking({}, { query: { byReference: true } })
      const payment = yield* gateway.begin()
      gateway.says.query = found({ stage: "DECLINED" })
      yield* gateway.pass(10 * second)
      Object.assign(gateway.says, { query: found(), cancel: lost })
      yield* gateway.pass(6 * minute)
      gateway.says.query = absent
      yield* gateway.pass(10 * minute)
      assert.strictEqual((yield* gateway.stored(payment.id)).attempts[0]?.reversal, "BEGUN")
    })
  )

  it.effect("never has another's approval taken back: that is for a person", () =>
    Effect.gen(function* () {
      const { cancelsSince, id, pass, says, stored } = yield* end("DECLINED")
      says.query = found({ echo: { reference: "ANOTHER" } })
      yield* pass(3 * day, hour)
      const payment = yield* stored(id)
      assert.deepStrictEqual([cancelsSince(), payment.attempts[0]?.reversal], [0, null])
      assert.isNotNull(payment.needsReview)
    })
  )

  it.effect("has an approval of a part taken back, too", () =>
    Effect.gen(function* () {
      const { cancelsSince, pass, says } = yield* end("DECLINED")
      says.query = found({ echo: { minor: 1n } })
      yield* pass(6 * minute)
      assert.strictEqual(cancelsSince(), 1)
    })
  )

  it.effect("is asked on where the provider was away at its last question", () =>
    Effect.gen(function* () {
      const { cancelsSince, pass, says } = yield* end("DECLINED")
      says.query = { _tag: "Unanswered", reason: "away" }
      yield* pass(4 * day, hour)
      says.query = found()
      yield* pass(2 * day, hour)
      assert.strictEqual(cancelsSince(), 1)
    })
  )

  it.effect("is taken back on by another process where the first ended before it told the provider", () =>
    Effect.gen(function* () {
      const gateway = yield* end("DECLINED")
      gateway.says.query = found()
      gateway.interference.afterCommit = (types) => (types === "attempt.reversed" ? Effect.never : Effect.void)
      yield* TestClock.adjust(6 * minute)
      const crashed = yield* Effect.forkChild(gateway.reconcile)
      yield* TestClock.adjust(second)
      assert.strictEqual(gateway.cancelsSince(), 0)
      gateway.interference.afterCommit = () => Effect.void
      yield* Effect.forkChild(Effect.repeat(Effect.delay(gateway.reconcileElsewhere, second), { times: 60 }))
      yield* TestClock.adjust(minute)
      assert.strictEqual(gateway.cancelsSince(), 1)
      assert.strictEqual((yield* gateway.stored(gateway.id)).attempts[0]?.reversal, "DONE")
      yield* Fiber.interrupt(crashed)
    })
  )
})

describe("A payment that another provider took over", () => {
  /** The first provider was in doubt until its absence was proven; the second accepted. */
  const failOver = Effect.gen(function* () {
    let late: ReturnType<typeof found> = absent
    const made: Array<ScriptedProvider> = []
    const gateway = yield* openGateway((log) => {
      const script = { authorize: () => Effect.succeed(lost), query: () => Effect.sync(() => late) }
      made.push(scriptedProvider("akbank", log, script, proofAtOnce), scriptedProvider("isbank", log))
      return made
    })
    const asking = yield* Effect.forkChild(gateway.authorize())
    yield* TestClock.adjust(5 * second)
    const { payment } = yield* Fiber.join(asking)
    assert.deepStrictEqual(
      payment.attempts.map(({ outcome, provider }) => `${provider} ${outcome}`),
      ["akbank NotSent", "isbank Accepted"]
    )
    const cancels = (name: string) => gateway.log.filter((entry) => entry === `${name}.cancel`).length
    return {
      ...gateway,
      id: payment.id,
      cancels,
      approve: () => {
        late = found()
      }
    }
  })

  it.effect("has the first one's late approval taken back, and keeps its own", () =>
    Effect.gen(function* () {
      const { approve, cancels, id, reconcile, stored } = yield* failOver
      approve()
      for (let look = 0; look < 12; look++) {
        yield* TestClock.adjust(minute)
        yield* reconcile
      }
      const payment = yield* stored(id)
      assert.deepStrictEqual([cancels("akbank"), cancels("isbank")], [1, 0])
      assert.deepStrictEqual([statusOf(payment), payment.sums.authorized], ["AUTHORIZED", 10_000n])
      assert.deepStrictEqual(
        payment.attempts.map(({ reversal }) => reversal),
        ["DONE", null]
      )
    })
  )

  it.effect("keeps it while it is captured and refunded, and the first is still asked about", () =>
    Effect.gen(function* () {
      const { approve, cancels, id, operate, reconcile, stored } = yield* failOver
      yield* operate(id, { type: "CAPTURE", minor: 6_000n }, "capture")
      yield* TestClock.adjust(2 * minute)
      yield* operate(id, { type: "REFUND", minor: 1_000n }, "refund")
      approve()
      for (let look = 0; look < 30; look++) {
        yield* TestClock.adjust(minute)
        yield* reconcile
      }
      const { sums } = yield* stored(id)
      assert.deepStrictEqual([cancels("akbank"), cancels("isbank")], [1, 0])
      assert.deepStrictEqual([sums.captured, sums.refunded], [6_000n, 1_000n])
    })
  )
})
