import { assert, describe, it } from "@effect/vitest"
import { Unavailable } from "@sarraf/domain/errors/Unavailable"
import { FollowUps } from "@sarraf/domain/payments/FollowUps"
import { apply, type PaymentEvent } from "@sarraf/domain/payments/PaymentEvent"
import type { Finding } from "@sarraf/domain/payments/PaymentProvider"
import * as Reconciler from "@sarraf/domain/payments/Reconciler"
import { Clock, Effect, Fiber, Layer, Schedule } from "effect"
import { TestClock } from "effect/testing"
import { openGateway } from "./support/Gateway.ts"
import { accepted } from "./support/SamplePayment.ts"
import { found, lost, type ScriptedProvider, scriptedProvider, unanswered } from "./support/ScriptedProvider.ts"
import { hour, minute, openTalking, second, type Talking } from "./support/TalkingProvider.ts"

/** The service's own loop, in this process. */
const openLoop = (gateway: Talking) =>
  Layer.build(Layer.fresh(Reconciler.layer).pipe(Layer.provide(Layer.succeedContext(gateway.process))))

/** Payments of which nobody knows anything. */
const beginMany = (gateway: Talking, count: number) =>
  Effect.forEach(Array.from({ length: count }), (_, index) =>
    gateway.begin({ merchantReference: `order-${index}` }, `key-${index}`)
  )

const statusesOf = (gateway: Talking) => [...new Set(gateway.all().map(({ authorization }) => authorization))]

describe("The reconciler", () => {
  it.effect("settles everything within two minutes of the provider answering again, however long it was away", () =>
    Effect.gen(function* () {
      const gateway = yield* openTalking()
      yield* beginMany(gateway, 40)
      yield* openLoop(gateway)
      yield* TestClock.adjust(8 * hour)
      assert.deepStrictEqual(statusesOf(gateway), ["PENDING"])
      gateway.says.query = found()
      yield* TestClock.adjust(2 * minute)
      assert.deepStrictEqual(statusesOf(gateway), ["AUTHORIZED"])
      assert.strictEqual(gateway.count("authorize"), 40)
    })
  )

  it.effect("does so for what is under review, too", () =>
    Effect.gen(function* () {
      const gateway = yield* openTalking()
      yield* beginMany(gateway, 3)
      const loop = Effect.forever(Effect.delay(gateway.reconcile, 20 * second))
      const looking = yield* Effect.forkChild(loop)
      yield* TestClock.adjust(40 * hour)
      assert.isTrue(gateway.all().every(({ needsReview }) => needsReview !== null))
      yield* Fiber.interrupt(looking)
      yield* openLoop(gateway)
      yield* TestClock.adjust(10 * minute)
      gateway.says.query = found()
      yield* TestClock.adjust(2 * minute)
      assert.deepStrictEqual(statusesOf(gateway), ["AUTHORIZED"])
      assert.isTrue(gateway.all().every(({ needsReview }) => needsReview === null))
    })
  )

  it.effect("brings no review closer by trying a silent provider now and then", () =>
    Effect.gen(function* () {
      const gateway = yield* openTalking()
      yield* beginMany(gateway, 1)
      yield* openLoop(gateway)
      yield* TestClock.adjust(20 * hour)
      assert.isNull(gateway.all()[0]?.needsReview ?? null)
      // One question in three quarters of a minute at most.
      assert.isBelow(gateway.count("query"), (20 * hour) / (45 * second) + 30)
    })
  )

  it.effect(
    "calls a person in the end, though it tries the silent provider all the time, and processes come and go",
    () =>
      Effect.gen(function* () {
        const gateway = yield* openTalking()
        yield* beginMany(gateway, 2)
        for (const hours of [5, 6, 7, 8]) {
          yield* Effect.scoped(Effect.andThen(openLoop(gateway), TestClock.adjust(hours * hour)))
        }
        assert.isTrue(gateway.all().every(({ needsReview }) => needsReview === null))
        yield* Effect.scoped(Effect.andThen(openLoop(gateway), TestClock.adjust(7 * hour)))
        assert.isTrue(gateway.all().every(({ needsReview }) => needsReview !== null))
      })
  )

  it.effect("asks about everything that is open when a process starts", () =>
    Effect.gen(function* () {
      const gateway = yield* openTalking()
      yield* beginMany(gateway, 12)
      for (const pause of [6 * second, 20 * second, 2 * minute, 6 * minute, hour]) yield* gateway.pass(pause, pause)
      gateway.says.query = found()
      yield* gateway.pass(2 * minute, minute)
      assert.deepStrictEqual(statusesOf(gateway), ["PENDING"])
      yield* openLoop(gateway)
      yield* TestClock.adjust(5 * second)
      assert.deepStrictEqual(statusesOf(gateway), ["AUTHORIZED"])
    })
  )

  it.effect("asks a provider at most eight questions at a time", () =>
    Effect.gen(function* () {
      let isSlow = false
      const query = () => Effect.suspend(() => (isSlow ? Effect.delay(Effect.succeed(found()), second) : no))
      const no = Effect.succeed<Finding>(unanswered)
      const gateway = yield* openTalking({}, { query: { byReference: true } }, { query })
      yield* beginMany(gateway, 30)
      yield* TestClock.adjust(10 * second)
      isSlow = true
      const before = gateway.provider.calls.length
      const looking = yield* Effect.forkChild(gateway.reconcile)
      yield* TestClock.adjust(minute)
      yield* Fiber.join(looking)
      assert.strictEqual(gateway.provider.calls.length - before, 30)
      assert.strictEqual(gateway.provider.mostAtOnce(), 8)
      assert.deepStrictEqual(statusesOf(gateway), ["AUTHORIZED"])
    })
  )

  it.effect("gives back what waits behind slow answers before another process may take it up", () =>
    Effect.gen(function* () {
      let isSlow = false
      const asked = new Map<string, Array<number>>()
      const query = ({ reference }: { readonly reference: string }) =>
        Effect.gen(function* () {
          if (!isSlow) return unanswered
          asked.set(reference, [...(asked.get(reference) ?? []), yield* Clock.currentTimeMillis])
          return yield* Effect.never
        })
      const gateway = yield* openTalking({}, {}, { query })
      yield* beginMany(gateway, 32)
      yield* TestClock.adjust(10 * second)
      isSlow = true
      for (const look of [gateway.reconcile, gateway.reconcileElsewhere]) {
        yield* Effect.forkChild(Effect.repeat(look, Schedule.spaced("1 second")))
      }
      yield* TestClock.adjust(5 * minute)
      assert.strictEqual(asked.size, 32)
      for (const times of asked.values()) {
        // A question is waited for 25 s, and the next comes 15 s later at the earliest.
        const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0))
        assert.isAtLeast(Math.min(40 * second, ...gaps), 40 * second)
      }
    })
  )

  it.effect("settles what one provider has answered while another keeps it waiting", () =>
    Effect.gen(function* () {
      let isBack = false
      const made: Array<ScriptedProvider> = []
      const gateway = yield* openGateway((log) => {
        const authorize = () => Effect.succeed(lost)
        // Every question to the first is waited for to its end.
        const slow = () => Effect.suspend(() => (isBack ? Effect.never : Effect.succeed(unanswered)))
        const quick = () => Effect.sync(() => (isBack ? found() : unanswered))
        made.push(
          scriptedProvider("akbank", log, { authorize, query: slow }, { currencies: ["EUR"] }),
          scriptedProvider("isbank", log, { authorize, query: quick }, { currencies: ["TRY"] })
        )
        return made
      })
      const asked = [...Array.from({ length: 60 }, () => "EUR" as const), "TRY" as const, "TRY" as const]
      const asking = yield* Effect.forkChild(
        Effect.forEach(
          asked,
          (currency, index) => gateway.authorize({ currency, merchantReference: `order-${index}` }, `key-${index}`),
          { concurrency: "unbounded" }
        )
      )
      yield* TestClock.adjust(31 * second)
      yield* Fiber.join(asking)
      isBack = true
      const context = Layer.succeedContext(gateway.process)
      yield* Layer.build(Layer.fresh(Reconciler.layer).pipe(Layer.provide(context)))
      yield* TestClock.adjust(10 * second)
      const isbank = gateway.all().filter(({ money }) => money.currency === "TRY")
      assert.deepStrictEqual(
        isbank.map(({ authorization }) => authorization),
        ["AUTHORIZED", "AUTHORIZED"]
      )
    })
  )

  it.effect("keeps on the list what a person has to look at, though there is nothing to ask", () =>
    Effect.gen(function* () {
      const gateway = yield* openTalking({ authorize: accepted() })
      const { id } = yield* gateway.begin()
      const reviews = Effect.flatMap(Effect.provideContext(FollowUps, gateway.process), (followUps) =>
        Effect.map(followUps.reviews, (all) => all.map(({ paymentId }) => paymentId))
      )
      const write = Effect.fnUntraced(function* (event: PaymentEvent) {
        const before = yield* gateway.stored(id)
        const after = apply(before, event)
        yield* gateway.store.commit({ before, after, events: [event], actor: { name: "test", requestId: "" } })
      })
      const reason = "the provider did a capture that had failed"
      yield* write({ type: "review.requested", at: yield* Clock.currentTimeMillis, reason })
      yield* openLoop(gateway)
      yield* TestClock.adjust(60 * hour)
      assert.deepStrictEqual(yield* reviews, [id])
      yield* write({ type: "review.closed", at: yield* Clock.currentTimeMillis, evidence: "line 7" })
      yield* TestClock.adjust(5 * second)
      assert.deepStrictEqual(yield* reviews, [])
    })
  )

  it.effect("goes on where one payment cannot be written", () =>
    Effect.gen(function* () {
      const gateway = yield* openTalking()
      yield* beginMany(gateway, 3)
      gateway.says.query = found()
      let isFirst = true
      gateway.interference.beforeCommit = () => {
        const isBroken = isFirst
        isFirst = false
        return isBroken ? Effect.die(new Error("a row that cannot be")) : Effect.void
      }
      yield* openLoop(gateway)
      yield* TestClock.adjust(10 * second)
      const open = gateway.all().filter(({ authorization }) => authorization === "PENDING")
      assert.lengthOf(open, 1)
      // Its lease ends, and it is looked at again.
      yield* TestClock.adjust(2 * minute)
      assert.deepStrictEqual(statusesOf(gateway), ["AUTHORIZED"])
    })
  )

  it.effect("writes what was found when the database is back", () =>
    Effect.gen(function* () {
      const gateway = yield* openTalking()
      yield* beginMany(gateway, 1)
      gateway.says.query = found()
      gateway.interference.beforeCommit = () => Effect.fail(new Unavailable())
      yield* openLoop(gateway)
      yield* TestClock.adjust(20 * second)
      assert.deepStrictEqual(statusesOf(gateway), ["PENDING"])
      gateway.interference.beforeCommit = () => Effect.void
      yield* TestClock.adjust(5 * second)
      assert.deepStrictEqual(statusesOf(gateway), ["AUTHORIZED"])
    })
  )
})

describe("Two processes", () => {
  it.effect("that look at once ask once", () =>
    Effect.gen(function* () {
      let answer: Effect.Effect<Finding> = Effect.succeed(unanswered)
      const gateway = yield* openTalking({}, {}, { query: () => Effect.suspend(() => answer) })
      yield* beginMany(gateway, 5)
      yield* TestClock.adjust(10 * second)
      answer = Effect.delay(Effect.succeed(found()), 3 * second)
      const before = gateway.count("query")
      const looking = yield* Effect.forkChild(
        Effect.all([gateway.reconcile, gateway.reconcileElsewhere], { concurrency: 2 })
      )
      yield* TestClock.adjust(20 * second)
      yield* Fiber.join(looking)
      assert.strictEqual(gateway.count("query") - before, 5)
      assert.deepStrictEqual(statusesOf(gateway), ["AUTHORIZED"])
    })
  )

  it.effect("share what one of them leaves behind when it ends in the middle of a question", () =>
    Effect.gen(function* () {
      let answer: Effect.Effect<Finding> = Effect.succeed(unanswered)
      const gateway = yield* openTalking({}, {}, { query: () => Effect.suspend(() => answer) })
      yield* beginMany(gateway, 1)
      yield* TestClock.adjust(10 * second)
      // The process is gone: neither its answer nor its release ever comes.
      gateway.interference.beforeCommit = () => Effect.never
      answer = Effect.succeed(found())
      yield* Effect.forkChild(gateway.reconcile)
      yield* TestClock.adjust(second)
      gateway.interference.beforeCommit = () => Effect.void
      yield* gateway.reconcileElsewhere
      assert.deepStrictEqual(statusesOf(gateway), ["PENDING"])
      yield* TestClock.adjust(90 * second)
      yield* gateway.reconcileElsewhere
      assert.deepStrictEqual(statusesOf(gateway), ["AUTHORIZED"])
    })
  )

  it.effect("settle a payment once, when its request and the reconciler find out at the same moment", () =>
    Effect.gen(function* () {
      const gateway = yield* openTalking({ query: found() })
      gateway.says.authorize = accepted({ providerReference: "P-request" })
      // The database is away for the request until after its deadline, when the other process may work on it.
      let isAway = true
      gateway.interference.beforeCommit = () =>
        Effect.suspend(() => (isAway ? Effect.fail(new Unavailable()) : Effect.void))
      const asking = yield* Effect.forkChild(gateway.authorize())
      yield* TestClock.adjust(31 * second)
      isAway = false
      yield* gateway.reconcileElsewhere
      yield* TestClock.adjust(10 * second)
      const { payment } = yield* Fiber.join(asking)
      const [stored] = gateway.all()
      assert.deepStrictEqual(payment, stored)
      assert.strictEqual(payment.authorization, "AUTHORIZED")
      const settled = (yield* gateway.events(payment.id)).filter(({ type }) => type === "authorization.settled")
      assert.lengthOf(settled, 1)
    })
  )

  it.effect("never ask about what a request is still at work on", () =>
    Effect.gen(function* () {
      const answer = Effect.delay(Effect.succeed(lost), 20 * second)
      const gateway = yield* openTalking({}, {}, { authorize: () => answer, query: () => Effect.succeed(found()) })
      const asking = yield* Effect.forkChild(gateway.authorize())
      yield* TestClock.adjust(19 * second)
      for (let look = 0; look < 5; look++) yield* gateway.reconcileElsewhere
      assert.strictEqual(gateway.count("query"), 0)
      yield* TestClock.adjust(5 * second)
      assert.strictEqual((yield* Fiber.join(asking)).payment.authorization, "AUTHORIZED")
      assert.strictEqual(gateway.count("query"), 1)
    })
  )
})

describe("A request whose time is over before it was written down", () => {
  it.effect("sends nothing any more: others may be at work on its payment", () =>
    Effect.gen(function* () {
      const gateway = yield* openTalking({ authorize: accepted() })
      gateway.interference.beforeBegin = Effect.sleep(40 * second)
      const asking = yield* Effect.forkChild(gateway.authorize())
      yield* TestClock.adjust(minute)
      assert.strictEqual((yield* Fiber.join(asking)).payment.authorization, "FAILED")
      assert.strictEqual(gateway.count("authorize"), 0)
    })
  )
})
