import { assert, describe, it } from "@effect/vitest"
import { rebuild } from "@sarraf/domain/payments/PaymentEvent"
import type { OperationCall } from "@sarraf/domain/payments/PaymentProvider"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import type { Capabilities } from "@sarraf/domain/routing/Capabilities"
import { Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { openGatewayTo } from "./support/Gateway.ts"
import { accepted } from "./support/SamplePayment.ts"
import { absent, declined, found, lost, type Script, unanswered } from "./support/ScriptedProvider.ts"

/** A payment whose answer was lost, then its void, with what the provider says by then. */
const voidUnknown = (script: Script, capabilities: Partial<Capabilities> = {}) =>
  Effect.gen(function* () {
    let isLater = false
    const gateway = yield* openGatewayTo(
      {
        authorize: () => Effect.succeed(lost),
        ...script,
        query: (authorization) =>
          isLater ? (script.query?.(authorization) ?? Effect.succeed(unanswered)) : Effect.succeed(unanswered)
      },
      capabilities
    )
    const authorizing = yield* Effect.forkChild(gateway.authorize())
    yield* TestClock.adjust("31 seconds")
    const { payment } = yield* Fiber.join(authorizing)
    assert.strictEqual(statusOf(payment), "PENDING")
    isLater = true
    const voiding = yield* Effect.forkChild(gateway.operate(payment.id, { type: "VOID" }, "void"))
    yield* TestClock.adjust("31 seconds")
    const answer = yield* Fiber.join(voiding)
    return { ...gateway, ...answer }
  })

describe("A void of a payment whose outcome is not known", () => {
  it.effect("takes an approval back that the provider knows of: the payment ends VOIDED", () =>
    Effect.gen(function* () {
      const { events, log, operation, payment } = yield* voidUnknown({ query: () => Effect.succeed(found()) })
      assert.deepStrictEqual([statusOf(payment), operation.status], ["VOIDED", "SUCCEEDED"])
      assert.include(log, "akbank.cancel")
      assert.deepStrictEqual(rebuild(yield* events(payment.id)), payment)
      assert.strictEqual(log.at(-1), "committed authorization.settled+operation.settled")
    })
  )

  it.effect("takes it back with what the finding says is needed for that", () =>
    Effect.gen(function* () {
      const cancelled: Array<OperationCall> = []
      yield* voidUnknown({
        query: () => Effect.succeed(found({ notes: { session: "s-1" } })),
        cancel: (call) => {
          cancelled.push(call)
          return Effect.succeed(accepted())
        }
      })
      const { authorization, money } = cancelled[0] ?? assert.fail("nothing was cancelled")
      assert.deepStrictEqual([authorization.providerReference, authorization.notes], ["P-found", { session: "s-1" }])
      assert.strictEqual(money.minor, 10_000n)
    })
  )

  it.effect("takes an approval of a part back, too", () =>
    Effect.gen(function* () {
      const { operation, payment } = yield* voidUnknown({
        query: () => Effect.succeed(found({ echo: { minor: 4_000n } })),
        cancel: () => Effect.succeed(accepted({ echo: { minor: 4_000n } }))
      })
      assert.deepStrictEqual([statusOf(payment), operation.status], ["VOIDED", "SUCCEEDED"])
    })
  )

  it.effect("ends a payment FAILED that the provider has declined", () =>
    Effect.gen(function* () {
      const { log, operation, payment } = yield* voidUnknown({
        query: () => Effect.succeed(found({ stage: "DECLINED" }))
      })
      assert.deepStrictEqual([statusOf(payment), operation.status], ["FAILED", "SUCCEEDED"])
      assert.notInclude(log, "akbank.cancel")
    })
  )

  it.effect("ends a payment FAILED whose absence is proven", () =>
    Effect.gen(function* () {
      const { operation, payment } = yield* voidUnknown({ query: () => Effect.succeed(absent) })
      assert.deepStrictEqual([statusOf(payment), operation.status], ["PENDING", "PENDING"])
      const proven = yield* voidUnknown(
        { query: () => Effect.succeed(absent) },
        { query: { byReference: true, absenceProvenAfter: Duration.seconds(30) } }
      )
      assert.deepStrictEqual([statusOf(proven.payment), proven.operation.status], ["FAILED", "SUCCEEDED"])
    })
  )

  it.effect.each([
    ["the provider does not say", { query: () => Effect.succeed(unanswered) }],
    ["the provider is still at it", { query: () => Effect.succeed(found({ stage: "PENDING" })) }],
    [
      "what is found is about another payment",
      { query: () => Effect.succeed(found({ echo: { reference: "OTHER" } })) }
    ],
    ["taking it back is refused", { query: () => Effect.succeed(found()), cancel: () => Effect.succeed(declined) }],
    ["taking it back is not answered", { query: () => Effect.succeed(found()), cancel: () => Effect.never }],
    [
      "the answer to taking it back is about another payment",
      { query: () => Effect.succeed(found()), cancel: () => Effect.succeed(accepted({ echo: { currency: "USD" } })) }
    ]
  ] as const)("stays PENDING, with the void, while %s", ([, script]) =>
    Effect.gen(function* () {
      const { operate, operation, payment, stored } = yield* voidUnknown(script)
      assert.deepStrictEqual([statusOf(payment), operation.status], ["PENDING", "PENDING"])
      assert.deepStrictEqual(yield* stored(payment.id), payment)
      // The void stands: nothing else may begin, and another void is the same one, asked once more.
      const again = yield* Effect.forkChild(operate(payment.id, { type: "VOID" }, "again"))
      yield* TestClock.adjust("60 seconds")
      const repeated = yield* Fiber.join(again)
      assert.strictEqual(repeated.operation.id, operation.id)
      assert.deepStrictEqual([statusOf(repeated.payment), repeated.operation.status], ["PENDING", "PENDING"])
      assert.strictEqual(repeated.payment.operations.length, 1)
    })
  )

  it.effect("waits for the authorization while it is under way", () =>
    Effect.gen(function* () {
      const gateway = yield* openGatewayTo({ authorize: () => Effect.delay(Effect.succeed(accepted()), 3_000) })
      const authorizing = yield* Effect.forkChild(gateway.authorize())
      yield* TestClock.adjust("1 second")
      const [payment] = gateway.all()
      const voiding = yield* Effect.forkChild(gateway.operate(payment?.id ?? "", { type: "VOID" }, "void"))
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(statusOf((yield* Fiber.join(authorizing)).payment), "AUTHORIZED")
      assert.strictEqual(statusOf((yield* Fiber.join(voiding)).payment), "VOIDED")
    })
  )
})
