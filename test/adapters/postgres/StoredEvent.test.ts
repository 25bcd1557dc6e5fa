import { assert, describe, it } from "@effect/vitest"
import { eventRow } from "@sarraf/adapters/postgres/payments/PaymentRows"
import { paymentEventFromRow } from "@sarraf/adapters/postgres/payments/StoredEvent"
import type { PaymentEvent } from "@sarraf/domain/payments/PaymentEvent"
import { begunEvent, request, start } from "../../domain/payments/support/SamplePayment.ts"

/** The event as it comes back from a JSONB column. */
const stored = (event: PaymentEvent) => {
  const { at, data, type } = eventRow(event, 1)
  return paymentEventFromRow({ type, at: new Date(at), data: JSON.parse(JSON.stringify(data)) })
}

describe("A stored event", () => {
  it("keeps what routing was decided by, and which stand-ins the provider got", () => {
    const decidedBy = [{ provider: "akbank", costBasisPoints: 150, successRate: 0.9375, health: "halfOpen" as const }]
    const routing = { ...request().routing, decidedBy }
    const event = begunEvent(request({ routing }), start({ standIns: ["buyer.ip"] }))
    assert.deepStrictEqual(stored(event), event)
  })

  it("says each reason of its routing once, however many providers it holds for", () => {
    const foreign = "acquires from abroad; healthy; approves as often as the best"
    const reasons = {
      isbank: "acquires in the billing country; healthy",
      adyen: foreign,
      stripe: foreign,
      iyzico: foreign
    }
    const event = begunEvent(request({ routing: { ...request().routing, reasons } }))
    assert.strictEqual(JSON.stringify(eventRow(event, 1).data).split(foreign).length - 1, 1)
    assert.deepStrictEqual(stored(event), event)
  })

  it("is read as it was written before reasons were grouped", () => {
    const routing = {
      ...request().routing,
      decidedBy: [{ provider: "isbank", costBasisPoints: 150, successRate: 1, health: "closed" as const }]
    }
    const asked = request({ routing })
    const event = begunEvent(asked)
    const money = { currency: asked.money.currency, minor: `${asked.money.minor}` }
    const data = JSON.parse(JSON.stringify({ request: { ...asked, money }, attempt: start() }))
    assert.deepStrictEqual(paymentEventFromRow({ type: event.type, at: new Date(event.at), data }), event)
  })

  it("has neither where it was written before they were kept", () => {
    const event = stored(begunEvent())
    if (event.type !== "payment.begun") throw new Error(event.type)
    assert.notProperty(event.request.routing, "decidedBy")
    assert.notProperty(event.attempt, "standIns")
  })
})
