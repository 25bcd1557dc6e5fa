import { assert, describe, it } from "@effect/vitest"
import { rebuild } from "@sarraf/domain/payments/PaymentEvent"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import { Clock, Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { accepted } from "./support/SamplePayment.ts"
import { absent, found, lost } from "./support/ScriptedProvider.ts"
import { day, hour, minute, openTalking, second } from "./support/TalkingProvider.ts"

const noProof = { query: { byReference: true } }
describe("An authorization whose answer was lost", () => {
  it.effect("is AUTHORIZED once its provider says so, at the next question of the schedule", () =>
    Effect.gen(function* () {
      const { begin, events, pass, says, stored } = yield* openTalking()
      const { id } = yield* begin()
      yield* pass(10 * second)
      assert.strictEqual(statusOf(yield* stored(id)), "PENDING")
      says.query = found({ notes: { session: "s-1" } })
      yield* pass(minute)
      const payment = yield* stored(id)
      assert.deepStrictEqual([statusOf(payment), payment.sums.authorized], ["AUTHORIZED", 10_000n])
      assert.deepInclude(payment.attempts[0], { providerReference: "P-found", notes: { session: "s-1" } })
      assert.isNotNull(payment.expiresAt)
      assert.isNull(payment.error)
      const history = yield* events(id)
      assert.deepStrictEqual(rebuild(history), payment)
      assert.deepInclude(history.at(-1), { type: "authorization.settled", by: "reconciler", command: "authorize" })
    })
  )

  it.effect("is DECLINED once its provider says so, with the provider's reason", () =>
    Effect.gen(function* () {
      const { begin, pass, says, stored } = yield* openTalking()
      const { id } = yield* begin()
      says.query = found({ stage: "DECLINED", code: "INSUFFICIENT_FUNDS" })
      yield* pass(10 * second)
      const payment = yield* stored(id)
      assert.deepStrictEqual([statusOf(payment), payment.error?.code], ["DECLINED", "INSUFFICIENT_FUNDS"])
    })
  )

  it.effect("is VOIDED where its provider has released it by itself: no money is held", () =>
    Effect.gen(function* () {
      const { begin, count, pass, says, statusNow } = yield* openTalking()
      const { id } = yield* begin()
      says.query = found({ stage: "VOIDED" })
      yield* pass(10 * second)
      assert.strictEqual(yield* statusNow(id), "VOIDED")
      assert.strictEqual(count("cancel"), 0)
    })
  )

  it.effect("is FAILED by its absence once that is proof, and asked when it will be", () =>
    Effect.gen(function* () {
      const proof = { query: { byReference: true, absenceProvenAfter: Duration.minutes(10) } }
      const { begin, pass, says, statusNow, stored } = yield* openTalking({}, proof)
      const { createdAt, id } = yield* begin()
      says.query = absent
      const until = createdAt + 10 * minute - (yield* Clock.currentTimeMillis)
      yield* pass(until - second)
      assert.strictEqual(yield* statusNow(id), "PENDING")
      // The schedule's next question would come an hour later.
      yield* pass(4 * second, second)
      const payment = yield* stored(id)
      assert.deepStrictEqual([statusOf(payment), payment.error?.code], ["FAILED", "PROVIDER_ERROR"])
    })
  )

  it.effect("is never FAILED by an absence that is no proof, and needs a person in the end", () =>
    Effect.gen(function* () {
      const { begin, pass, says, statusNow, stored } = yield* openTalking({}, noProof)
      const { id } = yield* begin()
      says.query = absent
      yield* pass(31 * hour, minute)
      assert.deepStrictEqual([yield* statusNow(id), (yield* stored(id)).needsReview], ["PENDING", null])
      yield* pass(10 * minute, minute)
      assert.strictEqual(yield* statusNow(id), "PENDING")
      assert.isNotNull((yield* stored(id)).needsReview)
    })
  )

  it.effect(
    "is asked about after 5 s, 15 s, 1 min, 5 min, 1 h, 6 h and 24 h, then once a day by who is under review",
    () =>
      Effect.gen(function* () {
        const { begin, count, pass, reconcile, says, statusNow, stored } = yield* openTalking()
        const { id, updatedAt } = yield* begin()
        yield* TestClock.setTime(updatedAt)
        let asked = count("query")
        let at = updatedAt
        const schedule = [5 * second, 15 * second, minute, 5 * minute, hour, 6 * hour, day]
        for (const pause of [...schedule, day, day]) {
          // Nothing before its time, however often somebody looks.
          for (const early of [0.1, 0.5, 0.9]) {
            yield* TestClock.setTime(at + Math.floor(pause * early))
            yield* reconcile
          }
          assert.strictEqual(count("query"), asked, `asked early, before ${pause}`)
          at += pause
          yield* TestClock.setTime(at)
          yield* reconcile
          yield* reconcile
          asked++
          assert.strictEqual(count("query"), asked, `not asked after ${pause}`)
          const needsReview = at >= updatedAt + schedule.reduce((sum, one) => sum + one, 0)
          assert.strictEqual((yield* stored(id)).needsReview !== null, needsReview, `${pause}`)
        }
        // A person has to look, and the provider still has the last word.
        says.query = found()
        yield* pass(day, hour)
        const payment = yield* stored(id)
        assert.deepStrictEqual([yield* statusNow(id), payment.needsReview], ["AUTHORIZED", null])
      })
  )

  it.effect("leaves nothing to be looked at when it is settled", () =>
    Effect.gen(function* () {
      const { begin, count, pass, reconcile, says } = yield* openTalking()
      yield* begin()
      says.query = found()
      yield* pass(30 * second)
      const asked = count("query")
      yield* pass(6 * day, hour)
      assert.strictEqual(count("query"), asked)
      assert.strictEqual(yield* reconcile, 0)
    })
  )

  it.effect.each([
    ["reference", found({ echo: { reference: "ANOTHER" } })],
    ["amount", found({ echo: { minor: 10_001n } })],
    ["currency", found({ echo: { currency: "USD" } })],
    ["last4", found({ echo: { last4: "9999" } })],
    ["reference", found({ stage: "DECLINED", echo: { reference: "ANOTHER" } })],
    ["reference", found({ stage: "VOIDED", echo: { reference: "ANOTHER" } })],
    ["reference", found({ stage: "ACTION_REQUIRED", echo: { reference: "ANOTHER" } })]
  ] as const)("is for a person, and nothing else, where what is found has another %s", ([field, finding]) =>
    Effect.gen(function* () {
      const { begin, count, events, pass, says, stored } = yield* openTalking()
      const { id } = yield* begin()
      says.query = finding
      yield* pass(3 * day, hour)
      const payment = yield* stored(id)
      assert.strictEqual(statusOf(payment), "PENDING")
      assert.strictEqual(payment.needsReview, `the answer is about another ${field}`)
      assert.strictEqual(count("cancel"), 0)
      const reviews = (yield* events(id)).filter(({ type }) => type === "review.requested")
      assert.lengthOf(reviews, 1)
    })
  )

  it.effect("is given back and DECLINED for insufficient funds where a part was approved", () =>
    Effect.gen(function* () {
      const { begin, log, pass, says, stored } = yield* openTalking()
      const { id } = yield* begin()
      says.query = found({ echo: { minor: 4_000n } })
      yield* pass(10 * second)
      const payment = yield* stored(id)
      assert.deepStrictEqual([statusOf(payment), payment.error?.code], ["DECLINED", "INSUFFICIENT_FUNDS"])
      assert.strictEqual(log.filter((entry) => entry === "akbank.cancel").length, 1)
    })
  )

  it.effect("goes on being given back where the answer to that was lost", () =>
    Effect.gen(function* () {
      const { begin, count, pass, says, stored } = yield* openTalking({ cancel: lost })
      const { id } = yield* begin()
      says.query = found({ echo: { minor: 4_000n } })
      yield* pass(minute)
      assert.strictEqual(statusOf(yield* stored(id)), "PENDING")
      assert.isAbove(count("cancel"), 1)
      assert.isNull((yield* stored(id)).needsReview)
      // It had worked.
      says.query = found({ stage: "VOIDED", echo: { minor: 4_000n } })
      yield* pass(10 * minute)
      const payment = yield* stored(id)
      assert.deepStrictEqual([statusOf(payment), payment.error?.code], ["DECLINED", "INSUFFICIENT_FUNDS"])
    })
  )

  it.effect("takes back what waits for a buyer whom nobody can send", () =>
    Effect.gen(function* () {
      const { begin, count, pass, says, stored } = yield* openTalking()
      const { id } = yield* begin({ is3DS: true })
      says.query = found({ stage: "ACTION_REQUIRED" })
      yield* pass(10 * second)
      const payment = yield* stored(id)
      assert.deepStrictEqual([statusOf(payment), payment.error?.code], ["DECLINED", "3DS_FAILED"])
      assert.strictEqual(count("cancel"), 1)
    })
  )

  it.effect("is asked about from its deadline on where its process ended before it could write anything", () =>
    Effect.gen(function* () {
      const gateway = yield* openTalking({ query: found() })
      // The request never ends: its process is gone with the answer.
      gateway.interference.beforeCommit = (types) =>
        types === "authorization.settled" && gateway.count("query") === 0 ? Effect.never : Effect.void
      gateway.says.authorize = accepted()
      const crashed = yield* Effect.forkChild(gateway.authorize())
      yield* TestClock.adjust(29 * second)
      const [begun] = gateway.all()
      const id = begun?.id ?? assert.fail("nothing was begun")
      yield* gateway.reconcile
      assert.strictEqual(gateway.count("query"), 0)
      yield* gateway.pass(2 * second, second)
      assert.strictEqual(yield* gateway.statusNow(id), "AUTHORIZED")
      assert.strictEqual(gateway.count("authorize"), 1)
      yield* Fiber.interrupt(crashed)
    })
  )
})
