import { assert, describe, it } from "@effect/vitest"
import type { OperationCall } from "@sarraf/domain/payments/PaymentProvider"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { openGatewayTo, outcomesOf } from "./support/Gateway.ts"
import { accepted } from "./support/SamplePayment.ts"
import { found, lost, type Script } from "./support/ScriptedProvider.ts"

const part = accepted({ providerReference: "P-part", echo: { minor: 4_000n }, notes: { session: "s-1" } })

const authorizeWith = (script: Script) =>
  Effect.gen(function* () {
    const cancelled: Array<OperationCall> = []
    const gateway = yield* openGatewayTo({
      authorize: () => Effect.succeed(part),
      ...script,
      cancel: (call) => {
        cancelled.push(call)
        return script.cancel?.(call) ?? Effect.succeed(accepted())
      }
    })
    const asking = yield* Effect.forkChild(gateway.authorize())
    yield* TestClock.adjust("31 seconds")
    assert.isDefined(asking.pollUnsafe(), "the request still waits after its 30 seconds")
    const { payment } = yield* Fiber.join(asking)
    return { payment, provider: gateway.provider, cancelled }
  })

describe("An approval of a part of the amount", () => {
  it.effect("is given back, and the payment is declined for insufficient funds", () =>
    Effect.gen(function* () {
      const { payment, provider } = yield* authorizeWith({})
      assert.deepStrictEqual([statusOf(payment), payment.error?.code], ["DECLINED", "INSUFFICIENT_FUNDS"])
      assert.deepStrictEqual(
        provider.calls.map(({ method }) => method),
        ["authorize", "cancel"]
      )
    })
  )

  it.effect("is given back with all that its answer said is needed for that", () =>
    Effect.gen(function* () {
      const { cancelled } = yield* authorizeWith({})
      const cancel = cancelled[0] ?? assert.fail("nothing was cancelled")
      assert.deepInclude(cancel.authorization, { providerReference: "P-part", notes: { session: "s-1" } })
      assert.strictEqual(cancel.requestId, "request-key-1")
    })
  )

  it.effect("stays unknown where it could not be given back, whatever a question about it finds", () =>
    Effect.gen(function* () {
      const { payment } = yield* authorizeWith({
        cancel: () => Effect.succeed(lost),
        query: () => Effect.succeed(found())
      })
      assert.deepStrictEqual([statusOf(payment), outcomesOf(payment)], ["PENDING", ["akbank Unknown"]])
    })
  )

  it.effect("stays unknown where giving it back is not answered, within the time of the request", () =>
    Effect.gen(function* () {
      const { payment } = yield* authorizeWith({
        authorize: () => Effect.delay(Effect.succeed(part), "20 seconds"),
        cancel: () => Effect.never
      })
      assert.deepStrictEqual([statusOf(payment), payment.error?.code], ["PENDING", "TIMEOUT"])
    })
  )
})
