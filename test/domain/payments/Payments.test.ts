import { assert, describe, it } from "@effect/vitest"
import { GatewayCaller } from "@sarraf/domain/organizations/GatewayCaller"
import type { Outcome } from "@sarraf/domain/payments/Outcome"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { admitted, authorization, caller, openGateway, openGatewayTo } from "./support/Gateway.ts"
import { accepted, noon } from "./support/SamplePayment.ts"
import { declined, lost, scriptedProvider } from "./support/ScriptedProvider.ts"

const asCaller = Effect.provideService(GatewayCaller, caller)

const record = (key: string, fingerprint: string, paymentId: string, operationId: string | null = null) => ({
  ...admitted(key, fingerprint),
  record: { ...caller, caller: caller.clientId, key, fingerprint, paymentId, operationId }
})

describe("A payment is not begun", () => {
  it.effect.each([
    [
      "with a card that cannot be right",
      { card: { ...authorization().card, cardNumber: "4111111111111112" } },
      "CardInvalid"
    ],
    ["in a currency that no provider takes", { currency: "GBP" }, "NoProviderEligible"],
    ["with installments that no provider has", { currency: "EUR", installment: 3 }, "InstallmentsUnavailable"]
  ] as const)("%s", ([, changes, tag]) =>
    Effect.gen(function* () {
      const { all, authorize, log } = yield* openGatewayTo({}, { currencies: ["EUR", "TRY"] })
      assert.strictEqual((yield* Effect.flip(authorize(changes)))._tag, tag)
      assert.deepStrictEqual([log, all()], [[], []])
    })
  )

  it.effect("without saying of each provider why it was left out", () =>
    Effect.gen(function* () {
      const { authorize } = yield* openGateway((log) => [
        scriptedProvider("akbank", log, {}, { currencies: ["TRY"] }),
        scriptedProvider("isbank", log, {}, { requires: ["buyer.ip"] })
      ])
      const error = yield* Effect.flip(authorize())
      assert.deepInclude(error, {
        _tag: "NoProviderEligible",
        reasons: { akbank: "does not take EUR", isbank: "needs buyer.ip" }
      })
    })
  )
})

describe("What is kept of a request", () => {
  it.effect("is the card's summary, the route and what was asked for, and neither number nor security code", () =>
    Effect.gen(function* () {
      const { authorize, events } = yield* openGatewayTo()
      const { payment } = yield* authorize({ metadata: { basket: "17" }, description: "Tea" })
      assert.deepInclude(payment, {
        card: {
          brand: "visa",
          first6: "411111",
          last4: "1111",
          expMonth: 12,
          expYear: 2050,
          fingerprint: `fingerprint of 1111 at ${caller.organizationId}`
        },
        metadata: { basket: "17" },
        description: "Tea",
        createdAt: noon,
        ...caller
      })
      assert.deepStrictEqual(payment.routing.order, ["akbank"])
      const written = JSON.stringify([payment, yield* events(payment.id)], (_, value) =>
        typeof value === "bigint" ? String(value) : value
      )
      assert.notMatch(written, /4111 ?1111|"123"/u)
    })
  )
})

describe("The same merchantReference", () => {
  it.effect("with the same content is the first payment again, by its present state", () =>
    Effect.gen(function* () {
      const { authorize, log, operate } = yield* openGatewayTo()
      const { payment } = yield* authorize()
      yield* operate(payment.id, { type: "CAPTURE" }, "c")
      const again = yield* authorize({}, "key-2")
      assert.deepStrictEqual(
        [again.payment.id, again.replayed, statusOf(again.payment)],
        [payment.id, true, "CAPTURED"]
      )
      assert.strictEqual(log.filter((line) => line === "akbank.authorize").length, 1)
    })
  )

  it.effect("with other content is taken", () =>
    Effect.gen(function* () {
      const { authorize } = yield* openGatewayTo()
      const { payment } = yield* authorize()
      const error = yield* Effect.flip(authorize({ minor: 1n }, "key-2"))
      assert.deepInclude(error, { _tag: "ReferenceTaken", transactionId: payment.id, reference: "order-1" })
    })
  )

  it.effect("while the first is at work is told so, with its transactionId", () =>
    Effect.gen(function* () {
      const { all, authorize } = yield* openGatewayTo({ authorize: () => Effect.never })
      yield* Effect.forkChild(authorize())
      yield* TestClock.adjust("1 second")
      const error = yield* Effect.flip(authorize({}, "key-2"))
      assert.deepInclude(error, { _tag: "OperationRunning", transactionId: all()[0]?.id ?? "" })
    })
  )

  it.effect("is free again once the first was declined", () =>
    Effect.gen(function* () {
      let isDeclined = true
      const { authorize } = yield* openGatewayTo({
        authorize: () => Effect.succeed<Outcome>(isDeclined ? declined : accepted())
      })
      const { payment } = yield* authorize()
      isDeclined = false
      const again = yield* authorize({}, "key-2")
      assert.deepStrictEqual([again.replayed, statusOf(again.payment)], [false, "AUTHORIZED"])
      assert.notStrictEqual(again.payment.id, payment.id)
    })
  )
})

describe("A repeat under the same key", () => {
  it.effect("is answered with the state right after the first request, however much has happened since", () =>
    Effect.gen(function* () {
      const { authorize, log, operate, payments } = yield* openGatewayTo()
      const { payment } = yield* authorize()
      const captured = yield* operate(payment.id, { type: "CAPTURE", minor: 6_000n }, "c")
      yield* operate(payment.id, { type: "CAPTURE" }, "c2")
      log.length = 0
      const again = yield* asCaller(payments.authorize(authorization(), record("key-1", "f", payment.id)))
      assert.deepStrictEqual(again, { payment, replayed: true })
      const repeat = record("c", "f", payment.id, captured.operation.id)
      const repeated = yield* asCaller(payments.operate(payment.id, { type: "CAPTURE" }, repeat))
      assert.deepStrictEqual(repeated, { ...captured, replayed: true })
      assert.deepStrictEqual(log, [])
    })
  )

  it.effect("is told that the first is still at work", () =>
    Effect.gen(function* () {
      const { all, authorize, payments } = yield* openGatewayTo({ authorize: () => Effect.never })
      yield* Effect.forkChild(authorize())
      yield* TestClock.adjust("1 second")
      const id = all()[0]?.id ?? ""
      const repeating = asCaller(payments.authorize(authorization(), record("key-1", "f", id)))
      assert.deepInclude(yield* Effect.flip(repeating), { _tag: "RequestStillRunning", transactionId: id })
    })
  )

  it.effect("whose first ended without a final word is answered with the present state", () =>
    Effect.gen(function* () {
      const { authorize, payments } = yield* openGatewayTo(
        { authorize: () => Effect.succeed(lost) },
        { query: { byReference: false } }
      )
      const { payment } = yield* authorize()
      assert.strictEqual(statusOf(payment), "PENDING")
      const again = yield* asCaller(payments.authorize(authorization(), record("key-1", "f", payment.id)))
      assert.deepStrictEqual(again, { payment, replayed: true })
    })
  )

  it.effect("at the same moment begins one operation, and the other is told that it is at work", () =>
    Effect.gen(function* () {
      const { authorized, events, operate, operateElsewhere } = yield* openGatewayTo({
        capture: () => Effect.delay(Effect.succeed(accepted()), 1_000)
      })
      const { id } = yield* authorized
      const asked = { type: "CAPTURE", minor: 100n } as const
      const first = yield* Effect.forkChild(operate(id, asked, "same"))
      const second = yield* Effect.forkChild(operateElsewhere(id, asked, "same"))
      yield* TestClock.adjust("5 seconds")
      const answers = [yield* Fiber.join(first), yield* Fiber.join(second)]
      assert.deepStrictEqual(
        answers.map(({ replayed }) => replayed),
        [false, true]
      )
      assert.strictEqual(answers[0]?.operation.id, answers[1]?.operation.id)
      assert.strictEqual((yield* events(id)).filter(({ type }) => type === "operation.begun").length, 1)
    })
  )

  it.effect("that finds nothing left, because the first took it all, is answered with the first's outcome", () =>
    Effect.gen(function* () {
      const { authorized, events, operate, operateElsewhere } = yield* openGatewayTo({
        capture: () => Effect.delay(Effect.succeed(accepted()), 1_000)
      })
      const { id } = yield* authorized
      const first = yield* Effect.forkChild(operate(id, { type: "CAPTURE" }, "same"))
      const second = yield* Effect.forkChild(operateElsewhere(id, { type: "CAPTURE" }, "same"))
      yield* TestClock.adjust("5 seconds")
      const { operation } = yield* Fiber.join(first)
      assert.deepInclude(yield* Fiber.join(second), { operation, replayed: true })
      assert.strictEqual((yield* events(id)).filter(({ type }) => type === "operation.begun").length, 1)
    })
  )

  it.effect("at the same moment but with another request is never answered with the first one's", () =>
    Effect.gen(function* () {
      const { authorized, operate, operateElsewhere } = yield* openGatewayTo({
        capture: () => Effect.delay(Effect.succeed(accepted()), 1_000)
      })
      const { id } = yield* authorized
      const first = yield* Effect.forkChild(operate(id, { type: "CAPTURE", minor: 100n }, "same"))
      const second = yield* Effect.forkChild(
        Effect.flip(operateElsewhere(id, { type: "CAPTURE", minor: 999n }, "same"))
      )
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(first)
      const error = yield* Fiber.join(second)
      assert.deepInclude(error, { _tag: "KeyTaken", key: "same" })
    })
  )
})

describe("Payments.get", () => {
  it.effect("answers at once without waiting, and as soon as a PENDING payment settles with it", () =>
    Effect.gen(function* () {
      const answer = yield* Deferred.make<void>()
      const { all, authorize, payments } = yield* openGatewayTo({
        authorize: () => Effect.as(Deferred.await(answer), accepted())
      })
      yield* Effect.forkChild(authorize())
      yield* TestClock.adjust("1 second")
      const id = all()[0]?.id ?? ""
      assert.strictEqual(statusOf(yield* asCaller(payments.get(id))), "PENDING")
      const waiting = yield* Effect.forkChild(asCaller(payments.get(id, 20_000)))
      yield* TestClock.adjust("5 seconds")
      assert.isUndefined(waiting.pollUnsafe())
      yield* Deferred.succeed(answer, undefined)
      yield* TestClock.adjust("250 millis")
      assert.strictEqual(statusOf(yield* Fiber.join(waiting)), "AUTHORIZED")
    })
  )

  it.effect("answers with a PENDING payment when the waiting time is over", () =>
    Effect.gen(function* () {
      const { all, authorize, payments } = yield* openGatewayTo({ authorize: () => Effect.never })
      yield* Effect.forkChild(authorize())
      yield* TestClock.adjust("1 second")
      const waiting = yield* Effect.forkChild(asCaller(payments.get(all()[0]?.id ?? "", 2_100)))
      yield* TestClock.adjust("2 seconds")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("100 millis")
      assert.strictEqual(statusOf(yield* Fiber.join(waiting)), "PENDING")
    })
  )
})
