import { assert, describe, it } from "@effect/vitest"
import { Unavailable } from "@sarraf/domain/errors/Unavailable"
import { Pending } from "@sarraf/domain/payments/Outcome"
import { lastAttempt } from "@sarraf/domain/payments/Payment"
import { rebuild } from "@sarraf/domain/payments/PaymentEvent"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import { DateTime, Deferred, Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { openGateway, openGatewayTo, outcomesOf } from "./support/Gateway.ts"
import { accepted, noon } from "./support/SamplePayment.ts"
import { absent, declined, found, lost, notSent, type Script, scriptedProvider } from "./support/ScriptedProvider.ts"

/** Two providers in the order of the route: `akbank` first. */
const openWithTwo = (first: Script, second: Script = {}) =>
  openGateway((log) => [scriptedProvider("akbank", log, first), scriptedProvider("isbank", log, second)])

/** The whole request and a little, so that whatever is to happen within it has happened. */
const requestTime = "31 seconds"

describe("An authorization", () => {
  it.effect("is committed before the provider is asked, and its outcome before it is answered", () =>
    Effect.gen(function* () {
      const { authorize, events, log } = yield* openGatewayTo()
      const { payment, replayed } = yield* authorize()
      assert.deepStrictEqual(log, ["begun", "akbank.authorize", "committed authorization.settled"])
      assert.deepStrictEqual([statusOf(payment), replayed], ["AUTHORIZED", false])
      assert.deepStrictEqual(rebuild(yield* events(payment.id)), payment)
    })
  )

  it.effect("tells the provider our reference as it is on record", () =>
    Effect.gen(function* () {
      const { authorize, provider, stored } = yield* openGatewayTo()
      const { payment } = yield* authorize()
      const [attempt] = (yield* stored(payment.id)).attempts
      assert.deepInclude(provider.calls[0]?.call, { reference: attempt?.reference, requestId: "request-key-1" })
      assert.match(attempt?.reference ?? "", /^[0-9A-Z]{20}$/u)
    })
  )

  it.effect("that is declined is final, and no other provider is asked", () =>
    Effect.gen(function* () {
      const { authorize, log } = yield* openWithTwo({ authorize: () => Effect.succeed(declined) })
      const { payment } = yield* authorize()
      assert.deepStrictEqual([statusOf(payment), payment.error?.code], ["DECLINED", "CARD_DECLINED"])
      assert.notInclude(log, "isbank.authorize")
    })
  )

  it.effect("asks nobody while its beginning cannot be committed", () =>
    Effect.gen(function* () {
      const { authorize, interference, log } = yield* openGatewayTo()
      interference.beforeBegin = Effect.fail(new Unavailable())
      assert.strictEqual((yield* Effect.flip(authorize()))._tag, "Unavailable")
      assert.deepStrictEqual(log, [])
    })
  )

  it.effect("whose outcome cannot be committed for a minute is answered as PENDING, never as authorized", () =>
    Effect.gen(function* () {
      const { authorize, interference, stored } = yield* openGatewayTo()
      interference.beforeCommit = () => Effect.fail(new Unavailable())
      const asking = yield* Effect.forkChild(authorize())
      yield* TestClock.adjust("2 minutes")
      const { payment } = yield* Fiber.join(asking)
      assert.deepStrictEqual([statusOf(payment), outcomesOf(payment)], ["PENDING", ["akbank RUNNING"]])
      assert.deepStrictEqual(yield* stored(payment.id), payment)
    })
  )

  it.effect("goes on to its end when the caller hangs up", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const answer = yield* Deferred.make<void>()
      const { all, authorize, log } = yield* openGatewayTo({
        authorize: () =>
          Effect.as(Effect.andThen(Deferred.succeed(asked, undefined), Deferred.await(answer)), accepted())
      })
      const waiting = yield* Effect.forkChild(authorize())
      yield* Deferred.await(asked)
      yield* Fiber.interrupt(waiting)
      yield* Deferred.succeed(answer, undefined)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(all().map(statusOf), ["AUTHORIZED"])
      assert.strictEqual(log.at(-1), "committed authorization.settled")
    })
  )
})

describe("Failover", () => {
  it.effect("goes to the next provider when nothing arrived, once that is on record", () =>
    Effect.gen(function* () {
      const { authorize, events, log } = yield* openWithTwo({ authorize: () => Effect.succeed(notSent) })
      const { payment } = yield* authorize()
      assert.deepStrictEqual(log, [
        "begun",
        "akbank.authorize",
        "committed payment.rerouted",
        "isbank.authorize",
        "committed authorization.settled"
      ])
      assert.deepStrictEqual(
        [statusOf(payment), outcomesOf(payment)],
        ["AUTHORIZED", ["akbank NotSent", "isbank Accepted"]]
      )
      assert.notStrictEqual(payment.attempts[0]?.reference, payment.attempts[1]?.reference)
      assert.deepStrictEqual(rebuild(yield* events(payment.id)), payment)
    })
  )

  it.effect("goes on after a refusal that says the payment was not taken, and only after such a one", () =>
    Effect.gen(function* () {
      const notTaken = { ...declined, code: "PROVIDER_ERROR", mayTryAnother: true } as const
      const { authorize } = yield* openWithTwo({ authorize: () => Effect.succeed(notTaken) })
      assert.deepStrictEqual(outcomesOf((yield* authorize()).payment), ["akbank Refused", "isbank Accepted"])
      const other = yield* openWithTwo({ authorize: () => Effect.succeed({ ...notTaken, mayTryAnother: false }) })
      assert.deepStrictEqual(outcomesOf((yield* other.authorize()).payment), ["akbank Refused"])
    })
  )

  it.effect("ends as FAILED when no provider could be reached", () =>
    Effect.gen(function* () {
      const nobody = { authorize: () => Effect.succeed(notSent) }
      const { authorize } = yield* openWithTwo(nobody, nobody)
      const { payment } = yield* authorize()
      assert.deepStrictEqual([statusOf(payment), payment.error?.code], ["FAILED", "PROVIDER_ERROR"])
    })
  )

  it.effect("happens with eight seconds of the request left, and not with less", () =>
    Effect.gen(function* () {
      const after = (millis: number) => ({ authorize: () => Effect.delay(Effect.succeed(notSent), millis) })
      const inTime = yield* openWithTwo(after(22_000))
      const first = yield* Effect.forkChild(inTime.authorize())
      yield* TestClock.adjust(requestTime)
      assert.deepStrictEqual(outcomesOf((yield* Fiber.join(first)).payment), ["akbank NotSent", "isbank Accepted"])
      const late = yield* openWithTwo(after(22_001))
      const second = yield* Effect.forkChild(late.authorize())
      yield* TestClock.adjust(requestTime)
      const { payment } = yield* Fiber.join(second)
      assert.deepStrictEqual([statusOf(payment), outcomesOf(payment)], ["FAILED", ["akbank NotSent"]])
    })
  )

  it.effect("never happens after an unknown outcome", () =>
    Effect.gen(function* () {
      const { authorize, log } = yield* openWithTwo({ authorize: () => Effect.succeed(lost) })
      const asking = yield* Effect.forkChild(authorize())
      yield* TestClock.adjust(requestTime)
      const { payment } = yield* Fiber.join(asking)
      assert.deepStrictEqual([statusOf(payment), payment.error?.code], ["PENDING", "TIMEOUT"])
      assert.notInclude(log, "isbank.authorize")
    })
  )

  it.effect("asks nobody for an attempt that could not be committed", () =>
    Effect.gen(function* () {
      const { authorize, interference, log } = yield* openWithTwo({ authorize: () => Effect.succeed(notSent) })
      interference.beforeCommit = () => Effect.fail(new Unavailable())
      const asking = yield* Effect.forkChild(authorize())
      yield* TestClock.adjust("2 minutes")
      const { payment } = yield* Fiber.join(asking)
      assert.deepStrictEqual([statusOf(payment), outcomesOf(payment)], ["PENDING", ["akbank RUNNING"]])
      assert.deepStrictEqual(log, ["begun", "akbank.authorize"])
    })
  )

  it.effect("leaves the second provider no more time than is left of the request", () =>
    Effect.gen(function* () {
      const { authorize } = yield* openWithTwo(
        { authorize: () => Effect.delay(Effect.succeed(notSent), "20 seconds") },
        { authorize: () => Effect.never }
      )
      const asking = yield* Effect.forkChild(authorize())
      yield* TestClock.adjust(requestTime)
      assert.isDefined(asking.pollUnsafe(), "the request still waits after its 30 seconds")
      const { payment } = yield* Fiber.join(asking)
      assert.deepStrictEqual(
        [statusOf(payment), outcomesOf(payment)],
        ["PENDING", ["akbank NotSent", "isbank Unknown"]]
      )
    })
  )
})

describe("An unknown outcome", () => {
  it.effect("is asked about at once, and what is found is used", () =>
    Effect.gen(function* () {
      const { authorize, log } = yield* openGatewayTo({
        authorize: () => Effect.succeed(lost),
        query: () => Effect.succeed(found())
      })
      const { payment } = yield* authorize()
      assert.deepStrictEqual([statusOf(payment), lastAttempt(payment)?.providerReference], ["AUTHORIZED", "P-found"])
      assert.deepStrictEqual(log, ["begun", "akbank.authorize", "akbank.query", "committed authorization.settled"])
    })
  )

  it.effect("is asked about again until the request is over, and is settled by a decline that is found", () =>
    Effect.gen(function* () {
      let questions = 0
      const { authorize } = yield* openGatewayTo({
        authorize: () => Effect.succeed(lost),
        query: () =>
          Effect.succeed(
            ++questions < 5 ? found({ stage: "PENDING" }) : found({ stage: "DECLINED", code: "INSUFFICIENT_FUNDS" })
          )
      })
      const asking = yield* Effect.forkChild(authorize())
      yield* TestClock.adjust(requestTime)
      const { payment } = yield* Fiber.join(asking)
      assert.deepStrictEqual([statusOf(payment), payment.error?.code], ["DECLINED", "INSUFFICIENT_FUNDS"])
    })
  )

  it.effect("that comes of a provider's silence is known to be unknown after 25 seconds", () =>
    Effect.gen(function* () {
      const { authorize, log } = yield* openGatewayTo({ authorize: () => Effect.never })
      const asking = yield* Effect.forkChild(authorize())
      yield* TestClock.adjust("24900 millis")
      assert.deepStrictEqual(log, ["begun", "akbank.authorize"])
      yield* TestClock.adjust("100 millis")
      assert.include(log, "akbank.query")
      yield* TestClock.adjust("5 seconds")
      const { payment } = yield* Fiber.join(asking)
      assert.deepStrictEqual([statusOf(payment), outcomesOf(payment)], ["PENDING", ["akbank Unknown"]])
      assert.strictEqual(payment.updatedAt <= noon + 30_000, true)
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
  ] as const)("comes of an adapter that %s", ([, authorizeCall]) =>
    Effect.gen(function* () {
      const made = yield* openGateway((log) => [{ ...scriptedProvider("akbank", log), authorize: authorizeCall }])
      const asking = yield* Effect.forkChild(made.authorize())
      yield* TestClock.adjust(requestTime)
      const { payment } = yield* Fiber.join(asking)
      assert.deepStrictEqual([statusOf(payment), outcomesOf(payment)], ["PENDING", ["akbank Unknown"]])
    })
  )

  it.effect("of a provider that cannot be asked by our reference is not asked about", () =>
    Effect.gen(function* () {
      const { authorize, log } = yield* openGatewayTo(
        { authorize: () => Effect.succeed(lost), query: () => Effect.succeed(found()) },
        { query: { byReference: false } }
      )
      assert.strictEqual(statusOf((yield* authorize()).payment), "PENDING")
      assert.notInclude(log, "akbank.query")
    })
  )

  it.effect("becomes a failover when absence is proven within the request, and not before", () =>
    Effect.gen(function* () {
      const { authorize, log } = yield* openGateway((log) => [
        scriptedProvider(
          "akbank",
          log,
          { authorize: () => Effect.succeed(lost), query: () => Effect.succeed(absent) },
          { query: { byReference: true, absenceProvenAfter: Duration.seconds(10) } }
        ),
        scriptedProvider("isbank", log)
      ])
      const asking = yield* Effect.forkChild(authorize())
      yield* TestClock.adjust("9 seconds")
      assert.notInclude(log, "isbank.authorize")
      yield* TestClock.adjust("22 seconds")
      assert.deepStrictEqual(outcomesOf((yield* Fiber.join(asking)).payment), ["akbank NotSent", "isbank Accepted"])
    })
  )

  it.effect("stays one when what is found is about another payment", () =>
    Effect.gen(function* () {
      const { authorize } = yield* openGatewayTo({
        authorize: () => Effect.succeed(lost),
        query: () => Effect.succeed(found({ echo: { reference: "SOMEBODY-ELSES" } }))
      })
      const { payment } = yield* authorize()
      assert.deepStrictEqual([statusOf(payment), outcomesOf(payment)], ["PENDING", ["akbank Unknown"]])
    })
  )

  it.effect("is asked about with what the adapter noted on the way", () =>
    Effect.gen(function* () {
      const { authorize, provider } = yield* openGatewayTo({
        authorize: ({ note }) => Effect.as(Effect.orDie(note({ session: "s-1" })), lost),
        query: () => Effect.succeed(found())
      })
      const { payment } = yield* authorize()
      assert.deepStrictEqual(lastAttempt(payment)?.notes, { session: "s-1" })
      const asked = provider.calls.find(({ method }) => method === "query")
      assert.deepInclude(asked?.call, { notes: { session: "s-1" } })
    })
  )
})

describe("A note", () => {
  it.effect("that the adapter makes is committed before its call goes on", () =>
    Effect.gen(function* () {
      let before: ReadonlyArray<string> = []
      const { authorize, log } = yield* openGateway((lines) => [
        scriptedProvider("akbank", lines, {
          authorize: ({ note }) =>
            Effect.map(Effect.orDie(note({ session: "s-1" })), () => {
              before = [...lines]
              return accepted({ notes: { batch: "7" } })
            })
        })
      ])
      const { payment } = yield* authorize()
      assert.deepStrictEqual(before, ["begun", "akbank.authorize", "committed payment.noted"])
      assert.strictEqual(log.at(-1), "committed authorization.settled")
      assert.deepStrictEqual(lastAttempt(payment)?.notes, { session: "s-1", batch: "7" })
    })
  )

  it.effect("that is still being committed at the deadline does not cost the payment its outcome", () =>
    Effect.gen(function* () {
      const { authorize, interference } = yield* openGatewayTo({
        authorize: ({ note }) => Effect.andThen(Effect.orDie(note({ session: "s-1" })), Effect.never),
        query: () => Effect.succeed(found())
      })
      interference.afterCommit = (types) => (types === "payment.noted" ? Effect.sleep(26_000) : Effect.void)
      const asking = yield* Effect.forkChild(authorize())
      yield* TestClock.adjust(requestTime)
      const { payment } = yield* Fiber.join(asking)
      assert.deepStrictEqual([statusOf(payment), lastAttempt(payment)?.notes], ["AUTHORIZED", { session: "s-1" }])
    })
  )

  it.effect("that cannot be committed leaves it to the adapter to stop", () =>
    Effect.gen(function* () {
      const { authorize, interference, log } = yield* openGatewayTo({
        authorize: ({ note }) =>
          Effect.match(note({ session: "s-1" }), {
            onSuccess: () => accepted(),
            onFailure: () => notSent
          })
      })
      interference.beforeCommit = (types) => (types === "payment.noted" ? Effect.fail(new Unavailable()) : Effect.void)
      const { payment } = yield* authorize()
      assert.deepStrictEqual(outcomesOf(payment), ["akbank NotSent"])
      assert.notInclude(log, "committed payment.noted")
    })
  )
})

describe("An answer that does not fit", () => {
  it.effect.each([{ reference: "OTHER" }, { currency: "USD" }, { last4: "2222" }, { minor: 10_001n }])(
    "leaves the payment PENDING: %o",
    (echo) =>
      Effect.gen(function* () {
        const { authorize, provider } = yield* openGatewayTo({ authorize: () => Effect.succeed(accepted({ echo })) })
        const asking = yield* Effect.forkChild(authorize())
        yield* TestClock.adjust(requestTime)
        const { payment } = yield* Fiber.join(asking)
        assert.deepStrictEqual([statusOf(payment), outcomesOf(payment)], ["PENDING", ["akbank Unknown"]])
        assert.isFalse(provider.calls.some(({ method }) => method === "cancel"))
      })
  )

  it.effect("leaves it PENDING also where the provider decides later", () =>
    Effect.gen(function* () {
      const learnBy = { learnBy: "notification", until: DateTime.makeUnsafe(noon + 86_400_000) } as const
      const { authorize } = yield* openGatewayTo({
        authorize: () => Effect.succeed(Pending({ ...learnBy, answer: { responseCode: "P", fields: {} }, echo: {} }))
      })
      const { payment } = yield* authorize()
      assert.deepStrictEqual([statusOf(payment), payment.error], ["PENDING", null])
    })
  )
})
