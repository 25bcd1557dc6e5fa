import { assert, describe, it } from "@effect/vitest"
import { make } from "@sarraf/adapters/providers/network-international/Adapter"
import type { NetworkInternationalCredentials } from "@sarraf/adapters/providers/network-international/Credentials"
import type { NotificationReading } from "@sarraf/domain/payments/Notification"
import { Effect, Redacted } from "effect"
import { credentials, failed, order, otherId, reference } from "./Sample.ts"

const account: NetworkInternationalCredentials = {
  ...credentials,
  webhookHeaderName: "X-Shop-Secret",
  webhookHeaderValue: Redacted.make("open sesame")
}
const genuine = { "x-shop-secret": "open sesame" }
const webhook = (changes: object = {}) => ({
  eventId: "ev-1",
  eventName: "DECLINED",
  order: order(failed("51")),
  ...changes
})

const read = (
  body: unknown,
  headers: Readonly<Record<string, string>> = genuine,
  own: NetworkInternationalCredentials = account
): NotificationReading => {
  const provider = make({ credentials: own, transport: { send: () => Effect.die(new Error("Nothing is sent.")) } })
  const bytes = new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body))
  const reading = provider.readNotification?.({ headers, query: {}, body: bytes })
  assert(reading !== undefined)
  return reading
}

const asked: NotificationReading = { _tag: "Unsigned", items: [{ id: "ev-1", reference, word: { _tag: "Ask" } }] }
const nothing: NotificationReading = { _tag: "Unsigned", items: [] }

describe("a webhook", () => {
  it("asks us to look, whatever it says", () => {
    assert.deepStrictEqual(read(webhook()), asked)
    assert.deepStrictEqual(read(webhook({ eventName: "CAPTURED" })), asked)
    assert.deepStrictEqual(read(webhook()), read(webhook()))
  })

  it("takes the reference from the payment where the order has none", () => {
    assert.deepStrictEqual(read(webhook({ order: order(failed("51"), { merchantOrderReference: undefined }) })), asked)
  })

  it("is forged without the merchant's header, or with one that differs by a byte", () => {
    for (const headers of [
      {},
      { "x-shop-secret": "open sesamf" },
      { "x-shop-secret": "" },
      { "x-other": "open sesame" }
    ]) {
      assert.strictEqual(read(webhook(), headers)._tag, "Forged")
    }
  })

  it("needs no header where the merchant has set up none", () => {
    assert.deepStrictEqual(read(webhook(), {}, credentials), asked)
  })

  it("about somebody else, or about nothing, is left alone", () => {
    assert.deepStrictEqual(read(webhook({ order: order(failed("51"), { outletId: otherId }) })), nothing)
    const unknown = order({}, { merchantOrderReference: undefined, _embedded: { payment: [{}] } })
    assert.deepStrictEqual(read(webhook({ order: unknown })), nothing)
    for (const body of ["", "null", "[]", "{}", '{"eventId":"","eventName":"X","order":{}}', "\u0000"]) {
      assert.deepStrictEqual(read(body), nothing)
    }
  })
})
