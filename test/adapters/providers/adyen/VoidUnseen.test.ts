import { assert, describe, it } from "@effect/vitest"
import { statusOf } from "@sarraf/domain/payments/PaymentStatus"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { openGatewayTo } from "../faults/FaultyGateway.ts"
import { makeWire } from "../faults/Wire.ts"

const card = { cardExpMonth: "12", cardExpYear: "2050", cardCvc: "123", holderName: "Ayşe Yılmaz" }

/** A payment whose answer never came, voided by the merchant, and what Adyen posted about it within ten minutes. */
const voided = Effect.fnUntraced(function* (cardNumber: string) {
  const { gateway } = yield* openGatewayTo("adyen")
  const wire = makeWire()
  const waited = Effect.fnUntraced(function* <A, E>(call: Effect.Effect<A, E>) {
    const fiber = yield* Effect.forkChild(call)
    yield* TestClock.adjust("30 seconds")
    return yield* Fiber.join(fiber)
  })
  const changes = { card: { ...card, cardNumber }, isHolderNamed: true }
  const { payment } = yield* waited(gateway.authorize(changes, "key-1", wire))
  assert.strictEqual(statusOf(payment), "PENDING")
  yield* waited(gateway.operate(payment.id, { type: "VOID" }, "key-2", wire))
  for (let seconds = 0; seconds < 600; seconds += 10) yield* TestClock.adjust("10 seconds")
  const events = gateway.posted.flatMap(({ notification }) => {
    const { notificationItems } = JSON.parse(new TextDecoder().decode(notification.body))
    const [{ NotificationRequestItem: item }] = notificationItems
    return [`${item.eventCode} ${item.success}`]
  })
  return { events, payment: yield* gateway.stored(payment.id) }
})

describe("a void of a payment of which nothing was heard", () => {
  it.effect("asks for no person where Adyen has it and releases it", () =>
    Effect.gen(function* () {
      const { events, payment } = yield* voided("4000000000000259")
      assert.include(events, "AUTHORISATION true")
      assert.isTrue(events.includes("TECHNICAL_CANCEL true") || events.includes("CANCELLATION true"))
      assert.deepStrictEqual([statusOf(payment), payment.needsReview], ["VOIDED", null])
    })
  )
})
