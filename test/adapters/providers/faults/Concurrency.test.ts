import { assert, describe, it } from "@effect/vitest"
import type { Payment } from "@sarraf/domain/payments/Payment"
import type { PaymentProvider } from "@sarraf/domain/payments/PaymentProvider"
import { Effect, Exit } from "effect"
import { differences } from "../../../../sim/Books.ts"
import { lostAfter } from "../../../../sim/Fault.ts"
import { currencyOf, everyProvider, type FaultyGateway, openGatewayTo } from "./FaultyGateway.ts"
import { authorize, begin, captured, type Journey, settled, whileTimeRuns } from "./Journey.ts"
import { arm } from "./Wire.ts"

const callers = Array.from({ length: 64 }, (_, index) => index)
/** Long enough for what waits in a payment's queue, in milliseconds. */
const patienceMillis = 400_000

const atOnce = <A, E>(call: (caller: number) => Effect.Effect<A, E>) =>
  Effect.forEach(callers, (caller) => Effect.exit(call(caller)), { concurrency: "unbounded" })

const journeyAt = (gateway: FaultyGateway, provider: PaymentProvider, name: string): Journey =>
  begin(gateway, currencyOf(provider), name)

/** Part of the capture, so that ten of the callers are served. */
const part = 1_000n

/** Each request under a key of its own, or all under one. */
const refunds = [
  ["64 refunds of a part", (caller: number) => `refund ${caller}`],
  ["one refund that is asked for 64 times", () => "refund"]
] as const

for (const { capabilities, id } of everyProvider) {
  describe(id, () => {
    for (const [name, faults] of [
      ["", new Map()],
      [" whose answer is lost", new Map([[1, lostAfter]])]
    ] as const) {
      it.effect(`is asked once for 64 authorizations at once under one key${name}`, () =>
        Effect.gen(function* () {
          const { gateway, provider } = yield* openGatewayTo(id)
          const journey = journeyAt(gateway, provider, "one order")
          arm(journey.wire, faults)
          const answers = yield* whileTimeRuns(atOnce(() => authorize(journey)))
          assert.isTrue(answers.some(Exit.isSuccess))
          const [payment, ...others] = gateway.all()
          assert(payment !== undefined && others.length === 0)
          const after = yield* whileTimeRuns(settled(journey, payment, patienceMillis))
          assert.lengthOf(gateway.authorizationsOf(after), 1)
          assert.deepStrictEqual(yield* differences(gateway, after), [])
        })
      )
    }

    if (!capabilities.partialRefund) return
    for (const [name, keyOf] of refunds) {
      it.effect(`never gives back more than was captured for ${name} at once`, () =>
        Effect.gen(function* () {
          const { gateway, provider } = yield* openGatewayTo(id)
          const journey = journeyAt(gateway, provider, "one order")
          const payment: Payment = yield* whileTimeRuns(captured(journey))
          const refund = (caller: number) =>
            gateway.operate(payment.id, { type: "REFUND", minor: part }, keyOf(caller), journey.wire)
          yield* whileTimeRuns(atOnce(refund))
          const after = yield* whileTimeRuns(settled(journey, payment, patienceMillis))
          const most = name.startsWith("one") ? part : payment.sums.captured
          assert.isTrue(after.sums.refunded > 0n && after.sums.refunded <= most, `${after.sums.refunded}`)
          assert.deepStrictEqual(yield* differences(gateway, after), [])
        })
      )
    }
  })
}
