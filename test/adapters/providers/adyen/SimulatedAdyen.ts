import * as Simulator from "@sarraf/adapters/providers/adyen/Simulator"
import * as MemoryOrderBook from "@sarraf/adapters/providers/MemoryOrderBook"
import type { OrderBook } from "@sarraf/adapters/providers/OrderBook"
import type { PostedNotification } from "@sarraf/adapters/providers/Simulator"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"

export const pagesUrl = "http://sandbox.test:8080/sandbox/adyen"
export const merchantAccount = "SarrafSandboxECOM"

/** A manual authorization of 20.00 EUR under the reference A-1; an undefined field is left out. */
export const purchase = (number: string, changes: object = {}) => ({
  merchantAccount,
  amount: { value: 2000, currency: "EUR" },
  reference: "A-1",
  returnUrl: "https://shop.example/back?order=1",
  paymentMethod: {
    type: "scheme",
    number,
    expiryMonth: "03",
    expiryYear: "2030",
    cvc: "737",
    holderName: "John Smith"
  },
  additionalData: { manualCapture: "true" },
  ...changes
})

export const good = "4111111111111111"
export const authenticated = {
  authenticationData: { attemptAuthentication: "always" },
  channel: "Web",
  origin: "https://shop.example",
  browserInfo: {
    userAgent: "Mozilla/5.0",
    acceptHeader: "*/*",
    language: "en",
    colorDepth: 24,
    screenHeight: 900,
    screenWidth: 1440,
    timeZoneOffset: 0,
    javaEnabled: false
  }
}

type Json = { readonly [name: string]: unknown }
const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null

export const at = (json: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>((value, name) => (isJson(value) ? value[name] : undefined), json)

const utf8 = new TextEncoder()

/** A simulated Adyen of its own at 2026-11-21T09:00:00Z, spoken to in raw JSON. */
export const open = Effect.fnUntraced(function* (book: OrderBook = MemoryOrderBook.make()) {
  yield* TestClock.setTime(DateTime.makeUnsafe("2026-11-21T09:00:00Z").epochMilliseconds)
  const posted: Array<PostedNotification> = []
  const simulator = Simulator.make({
    provider: "adyen",
    orderBook: book,
    settlement: "instant",
    pagesUrl,
    notify: (notification) => Effect.sync(() => void posted.push(notification))
  })
  const post = Effect.fnUntraced(function* (
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string | undefined>> = {}
  ) {
    const given = { "content-type": "application/json", "x-api-key": "AQEsandboxSarraf", ...headers }
    const kept = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
    const response = yield* simulator.handle({
      provider: "adyen",
      method: "POST",
      url: `https://checkout-test.adyen.com/v71/${path}`,
      headers: Object.fromEntries(kept),
      body: utf8.encode(typeof body === "string" ? body : JSON.stringify(body))
    })
    const json: unknown = JSON.parse(new TextDecoder().decode(response.body))
    const { headers: answered, status } = response
    return { status, headers: answered, json, at: (...names: ReadonlyArray<string | number>) => at(json, ...names) }
  })
  /** A page of the shopper's; `form` makes it a POST. */
  const visit = Effect.fnUntraced(function* (url: string, form?: Readonly<Record<string, string>>) {
    const { body, headers, status } = yield* simulator.handle({
      provider: "adyen",
      method: form === undefined ? "GET" : "POST",
      url,
      headers: {},
      ...(form === undefined ? {} : { body: utf8.encode(new URLSearchParams(form).toString()) })
    })
    return { status, headers, html: new TextDecoder().decode(body) }
  })
  return {
    post,
    visit,
    pay: (number: string, changes: object = {}, key?: string) =>
      post("payments", purchase(number, changes), { "idempotency-key": key }),
    modify: (pspReference: unknown, kind: string, value?: number, key?: string) =>
      post(
        `payments/${pspReference}/${kind}`,
        { merchantAccount, reference: "A-1", ...(value === undefined ? {} : { amount: { value, currency: "EUR" } }) },
        { "idempotency-key": key }
      ),
    /** What was posted: event, success, delay in milliseconds, and the item. */
    events: () =>
      posted.map(({ body, delayMillis }) => {
        const json: unknown = JSON.parse(new TextDecoder().decode(body))
        const item = at(json, "notificationItems", 0, "NotificationRequestItem")
        return { eventCode: at(item, "eventCode"), success: at(item, "success"), delayMillis, item }
      })
  }
})
