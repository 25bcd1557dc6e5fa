import * as Simulator from "@sarraf/adapters/providers/iyzico/Simulator"
import * as MemoryOrderBook from "@sarraf/adapters/providers/MemoryOrderBook"
import type { OrderBook } from "@sarraf/adapters/providers/OrderBook"
import type { PostedNotification } from "@sarraf/adapters/providers/Simulator"
import { DateTime, Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { hexOf } from "./Sample.ts"

export const pagesUrl = "http://sandbox.test/sandbox/iyzico"
const sandbox = Simulator.sandboxCredentials()
export const { apiKey } = sandbox
export const secret = Redacted.value(sandbox.secretKey)

export type Fields = Readonly<Record<string, unknown>>
export const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null

const address = { contactName: "Jane Doe", city: "Istanbul", country: "Turkey", address: "Altunizade" }
export const card = {
  cardHolderName: "Jane Doe",
  cardNumber: "5528790000000008",
  expireMonth: "12",
  expireYear: "2030",
  cvc: "123"
}
export const buyer = {
  id: "B1",
  name: "Jane",
  surname: "Doe",
  identityNumber: "11111111111",
  email: "jane@example.com",
  registrationAddress: "Altunizade",
  city: "Istanbul",
  country: "Turkey",
  ip: "203.0.113.7"
}

/** The vendor's own spelling, with a basket of two. */
export const order = (changes: Fields = {}): Fields => ({
  locale: "en",
  conversationId: "order-1",
  price: "10.0",
  paidPrice: "10.0",
  installment: 1,
  basketId: "basket-1",
  paymentCard: card,
  buyer,
  shippingAddress: address,
  billingAddress: address,
  basketItems: [
    { id: "A", name: "a", category1: "c", itemType: "PHYSICAL", price: "4.0" },
    { id: "B", name: "b", category1: "c", itemType: "VIRTUAL", price: 6 }
  ],
  currency: "TRY",
  ...changes
})

/** A simulated iyzico of its own at 2026-11-21T09:00:00Z, spoken to in signed JSON. */
export const open = Effect.fnUntraced(function* (
  settlement: "instant" | "daily" = "instant",
  book: OrderBook = MemoryOrderBook.make()
) {
  yield* TestClock.setTime(DateTime.makeUnsafe("2026-11-21T09:00:00Z").epochMilliseconds)
  const posted: Array<PostedNotification> = []
  const simulator = Simulator.make({
    provider: "iyzico",
    orderBook: book,
    settlement,
    pagesUrl,
    notify: (one) => Effect.sync(() => void posted.push(one))
  })
  const send = Effect.fnUntraced(function* (
    path: string,
    body: string | undefined,
    headers: Readonly<Record<string, string>> = {}
  ) {
    const random = "a random key"
    const signature = hexOf(random + path.split("?")[0] + (body ?? ""), secret)
    const response = yield* simulator.handle({
      provider: "iyzico",
      method: body === undefined ? "GET" : "POST",
      url: `https://sandbox-api.iyzipay.com${path}`,
      headers: {
        authorization: `IYZWSv2 ${btoa(`apiKey:${apiKey}&randomKey:${random}&signature:${signature}`)}`,
        "x-iyzi-rnd": random,
        ...headers
      },
      ...(body === undefined ? {} : { body: new TextEncoder().encode(body) })
    })
    const text = new TextDecoder().decode(response.body)
    const json: unknown = response.headers["content-type"]?.startsWith("application/json") ? JSON.parse(text) : {}
    return { status: response.status, text, fields: isFields(json) ? json : {} }
  })
  const post = (path: string, content: Fields, headers?: Readonly<Record<string, string>>) =>
    Effect.map(send(path, JSON.stringify(content), headers), ({ fields }) => fields)
  const browse = Effect.fnUntraced(function* (
    path: string,
    form: Readonly<Record<string, string>>,
    method: "GET" | "POST" = "POST"
  ) {
    const fields = `${new URLSearchParams(form)}`
    const url = pagesUrl + path
    const request = method === "GET" ? { url: `${url}?${fields}` } : { url, body: new TextEncoder().encode(fields) }
    const { body, status } = yield* simulator.handle({ provider: "iyzico", method, headers: {}, ...request })
    return { status, html: new TextDecoder().decode(body) }
  })
  return {
    simulator,
    posted,
    send,
    post,
    browse,
    get: (path: string) => Effect.map(send(path, undefined), ({ fields }) => fields)
  }
})

export const textAt = (fields: Fields, name: string): string => `${fields[name] ?? ""}`
