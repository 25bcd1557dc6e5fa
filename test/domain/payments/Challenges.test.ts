import { assert, describe, it } from "@effect/vitest"
import { Unavailable } from "@sarraf/domain/errors/Unavailable"
import { makeKeepStep } from "@sarraf/domain/payments/ChallengeStep"
import { ChallengeSteps } from "@sarraf/domain/payments/ChallengeSteps"
import { noAnswer, Pending } from "@sarraf/domain/payments/Outcome"
import { challengeMillis, lastAttempt } from "@sarraf/domain/payments/Payment"
import { rebuild } from "@sarraf/domain/payments/PaymentEvent"
import type { ThreeDSReturn } from "@sarraf/domain/payments/PaymentProvider"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import { DateTime, Effect, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { challenge, challenged, form, redirect } from "./support/ChallengedBuyer.ts"
import { caller, openGateway } from "./support/Gateway.ts"
import { tokenIn } from "./support/ReadableTokens.ts"
import { accepted, told } from "./support/SamplePayment.ts"
import { declined, found, notSent, type ScriptedProvider, scriptedProvider } from "./support/ScriptedProvider.ts"
import { minute, openTalking, second } from "./support/TalkingProvider.ts"

describe("A challenge", () => {
  it.effect("shows its page, sends the buyer on once, and is completed by the return", () =>
    Effect.gen(function* () {
      const { comeBack, count, events, id, log, payment, proceed, stage, stored } = yield* challenged()
      assert.strictEqual(yield* stage, "open")
      assert.strictEqual(yield* stage, "open")
      assert.strictEqual(payment.challenge?.endsAt, payment.updatedAt + challengeMillis)
      assert.deepStrictEqual(yield* proceed, redirect)
      assert.isUndefined(yield* proceed)
      assert.strictEqual(yield* stage, "begun")
      const done = yield* comeBack({ result: "r" })
      assert.deepStrictEqual([statusOf(done), count("complete")], ["AUTHORIZED", 1])
      assert.strictEqual(yield* stage, "over")
      assert.deepStrictEqual(done, yield* stored(id))
      assert.deepStrictEqual(rebuild(yield* events(id)), done)
      // That the buyer came back is on record before the provider is told.
      assert.isBelow(log.indexOf("committed challenge.ended"), log.indexOf("akbank.complete"))
    })
  )

  it.effect("tells the provider what the buyer brought, and what is known of the payment", () =>
    Effect.gen(function* () {
      const { challenges, provider, token } = yield* challenged()
      yield* challenges.comeBack(token, { returned: { cres: "x" }, requestId: "r", buyerIp: "203.0.113.7" })
      const call = provider.calls.find(({ method }) => method === "complete")?.call
      assert.deepInclude(call, { returned: { cres: "x" }, buyerIp: "203.0.113.7", installment: 1, requestId: "r" })
    })
  )

  it.effect("is nobody's without its token", () =>
    Effect.gen(function* () {
      const { challenges, token } = yield* challenged()
      for (const other of ["", "nonsense", token.replace(/.$/u, "x")]) {
        assert.strictEqual((yield* Effect.flip(challenges.find(other)))._tag, "ChallengeNotFound")
        assert.strictEqual((yield* Effect.flip(challenges.proceed(other, "r")))._tag, "ChallengeNotFound")
        const back = challenges.comeBack(other, { returned: {}, requestId: "r" })
        assert.strictEqual((yield* Effect.flip(back))._tag, "ChallengeNotFound")
      }
    })
  )

  it.effect("is none of a payment that asked for none", () =>
    Effect.gen(function* () {
      const gateway = yield* openTalking({ authorize: accepted() })
      const { id } = yield* gateway.begin()
      const token = tokenIn(`https://gateway.test/pf/v1/3ds/org_01h455vb4pex5vsknk084sn02q~sandbox_client~false~${id}`)
      assert.strictEqual((yield* Effect.flip(gateway.challenges.find(token)))._tag, "ChallengeNotFound")
    })
  )

  it.effect("gives its step to one of several that go on at once, in two processes", () =>
    Effect.gen(function* () {
      for (const step of [redirect, form]) {
        const { proceed, proceedElsewhere } = yield* challenged({ authorize: challenge(step) })
        const steps = yield* Effect.all([proceed, proceedElsewhere, proceed, proceedElsewhere], { concurrency: 4 })
        assert.lengthOf(
          steps.filter((one) => one !== undefined),
          1
        )
      }
    })
  )

  it.effect("erases a form as it is given out, and keeps nothing of it with the payment", () =>
    Effect.gen(function* () {
      const { events, id, proceed } = yield* challenged({ authorize: challenge(form) })
      const given = yield* proceed
      assert.deepStrictEqual(given?.type === "form" ? Redacted.value(given.fields) : {}, {
        pan: "4111111111111111",
        cvv: "123"
      })
      assert.isUndefined(yield* proceed)
      const text = JSON.stringify(yield* events(id), (_, value) => (typeof value === "bigint" ? `${value}` : value))
      assert.notInclude(text, "4111111111111111")
      assert.notInclude(text, "cvv")
    })
  )

  it.effect("whose form was lost shows nothing to go on to", () =>
    Effect.gen(function* () {
      const { proceed, stage } = yield* challenged({ authorize: challenge(form) })
      yield* TestClock.adjust(14 * minute)
      assert.strictEqual(yield* stage, "open")
      yield* TestClock.adjust(2 * minute)
      assert.isUndefined(yield* proceed)
    })
  )

  it.effect("that is frictionless authorizes at once, and shows no page", () =>
    Effect.gen(function* () {
      const { begin, challenges, reconcile } = yield* openTalking({ authorize: accepted() })
      const payment = yield* begin({ is3DS: true })
      assert.deepStrictEqual([statusOf(payment), payment.challenge], ["AUTHORIZED", null])
      const token = [caller.organizationId, caller.clientId, "false", payment.id].join("~")
      assert.strictEqual((yield* Effect.flip(challenges.find(token)))._tag, "ChallengeNotFound")
      assert.strictEqual(yield* reconcile, 0)
    })
  )
})

describe("A return", () => {
  it.effect("that is forged changes nothing, and the genuine one still counts", () =>
    Effect.gen(function* () {
      const { comeBack, count, payment, proceed } = yield* challenged()
      yield* proceed
      const forged = yield* comeBack({ forged: "yes" })
      assert.deepStrictEqual([statusOf(forged), count("complete")], ["REQUIRES_ACTION", 0])
      assert.strictEqual(forged.version, payment.version + 1)
      assert.strictEqual(statusOf(yield* comeBack()), "AUTHORIZED")
    })
  )

  it.effect("that comes again changes nothing", () =>
    Effect.gen(function* () {
      const { comeBack, count } = yield* challenged()
      const first = yield* comeBack()
      assert.deepStrictEqual(yield* comeBack(), first)
      assert.deepStrictEqual(yield* comeBack({ other: "x" }), first)
      assert.strictEqual(count("complete"), 1)
    })
  )

  it.effect("that comes twice at once, in two processes, is completed once", () =>
    Effect.gen(function* () {
      const complete = () => Effect.delay(Effect.succeed(accepted()), second)
      const { comeBack, comeBackElsewhere, count, statusNow, id } = yield* challenged({}, { script: { complete } })
      const back = yield* Effect.forkChild(
        Effect.all([comeBack(), comeBackElsewhere(), comeBack()], { concurrency: "unbounded" })
      )
      yield* TestClock.adjust(5 * second)
      const payments = yield* Fiber.join(back)
      assert.strictEqual(count("complete"), 1)
      assert.strictEqual(yield* statusNow(id), "AUTHORIZED")
      assert.include(["AUTHORIZED", "PENDING"], statusOf(payments[1]))
    })
  )

  it.effect("that the issuer refuses declines the payment", () =>
    Effect.gen(function* () {
      const { comeBack } = yield* challenged({ complete: { ...declined, code: "3DS_FAILED" } })
      const payment = yield* comeBack()
      assert.deepStrictEqual([statusOf(payment), payment.error?.code], ["DECLINED", "3DS_FAILED"])
    })
  )

  it.effect("is never followed by another provider, though the first did not take it", () =>
    Effect.gen(function* () {
      for (const complete of [{ ...declined, mayTryAnother: true }, notSent]) {
        const made: Array<ScriptedProvider> = []
        const gateway = yield* openGateway((log) => {
          const script = { authorize: () => Effect.succeed(challenge()), complete: () => Effect.succeed(complete) }
          made.push(scriptedProvider("akbank", log, script), scriptedProvider("isbank", log))
          return made
        })
        const { payment } = yield* gateway.authorize({ is3DS: true })
        const token = [caller.organizationId, caller.clientId, "false", payment.id].join("~")
        const back = yield* Effect.forkChild(gateway.challenges.comeBack(token, { returned: {}, requestId: "r" }))
        yield* TestClock.adjust(minute)
        yield* Fiber.join(back)
        assert.lengthOf((yield* gateway.stored(payment.id)).attempts, 1)
        assert.notInclude(gateway.log, "isbank.authorize")
      }
    })
  )

  it.effect("may ask for the buyer once more: the same page takes the next step, in what is left of the time", () =>
    Effect.gen(function* () {
      const { comeBack, payment, proceed, says, stage } = yield* challenged({ complete: challenge(form) })
      yield* proceed
      yield* TestClock.adjust(minute)
      const again = yield* comeBack()
      assert.strictEqual(statusOf(again), "REQUIRES_ACTION")
      assert.deepStrictEqual(again.challenge, {
        endsAt: payment.challenge?.endsAt ?? 0,
        begunAt: null,
        endedBy: null
      })
      assert.strictEqual(yield* stage, "open")
      // The form, and not the address of before.
      assert.strictEqual((yield* proceed)?.type, "form")
      assert.isUndefined(yield* proceed)
      says.complete = accepted()
      assert.strictEqual(statusOf(yield* comeBack()), "AUTHORIZED")
    })
  )

  it.effect("with an approval of a part has it given back", () =>
    Effect.gen(function* () {
      const { comeBack, count } = yield* challenged({ complete: accepted({ echo: { minor: 4_000n } }) })
      const payment = yield* comeBack()
      assert.deepStrictEqual([statusOf(payment), payment.error?.code], ["DECLINED", "INSUFFICIENT_FUNDS"])
      assert.strictEqual(count("cancel"), 1)
    })
  )

  it.effect("with an answer about another payment is no answer", () =>
    Effect.gen(function* () {
      const { comeBack, id, pass, says, stored } = yield* challenged({
        complete: accepted({ echo: { reference: "ANOTHER" } })
      })
      const back = yield* Effect.forkChild(comeBack())
      yield* TestClock.adjust(31 * second)
      assert.strictEqual(statusOf(yield* Fiber.join(back)), "PENDING")
      says.query = found({ echo: { reference: "ANOTHER" } })
      yield* pass(minute)
      assert.strictEqual((yield* stored(id)).needsReview, "the answer is about another reference")
    })
  )

  it.effect("keeps what is noted on the way, and builds on it", () =>
    Effect.gen(function* () {
      const complete = ({ note }: ThreeDSReturn) => Effect.as(Effect.orDie(note({ completion: "sent" })), accepted())
      const { comeBack, log } = yield* challenged({}, { script: { complete } })
      const payment = yield* comeBack()
      assert.deepStrictEqual([statusOf(payment), lastAttempt(payment)?.notes.completion], ["AUTHORIZED", "sent"])
      assert.include(log, "committed payment.noted")
    })
  )

  it.effect("that the provider decides later stays PENDING until then", () =>
    Effect.gen(function* () {
      const until = DateTime.makeUnsafe(8_640_000_000_000)
      const { comeBack, id, pass, says, statusNow } = yield* challenged({
        complete: Pending({ answer: noAnswer, echo: {}, learnBy: "query", until })
      })
      assert.strictEqual(statusOf(yield* comeBack()), "PENDING")
      says.query = found()
      yield* pass(minute)
      assert.strictEqual(yield* statusNow(id), "AUTHORIZED")
    })
  )
})

describe("A form that cannot be kept", () => {
  it.effect("leaves the outcome unknown, so that nobody is sent anywhere and the provider is asked", () =>
    Effect.gen(function* () {
      const keepStep = yield* makeKeepStep
      assert.strictEqual((yield* keepStep(told().payment, challenge(form)))._tag, "Unknown")
      assert.strictEqual((yield* keepStep(told().payment, challenge(redirect)))._tag, "ActionRequired")
    }).pipe(Effect.provide(Layer.mock(ChallengeSteps, { keep: () => new Unavailable() })))
  )
})
