import * as MemoryOrderBook from "@sarraf/adapters/providers/MemoryOrderBook"
import type { OrderBook } from "@sarraf/adapters/providers/OrderBook"
import type { PostedNotification } from "@sarraf/adapters/providers/Simulator"
import * as Simulator from "@sarraf/adapters/providers/stripe/Simulator"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { pagesUrl } from "./Sample.ts"

const card = "payment_method_data[type]=card&payment_method_data[card][number]"
const rest =
  "payment_method_data[card][exp_month]=03&payment_method_data[card][exp_year]=2030&payment_method_data[card][cvc]=737"
/** A sale at once, unless `more` says otherwise. */
export const purchase = (number: string, more = "") =>
  `amount=2000&currency=usd&confirm=true&payment_method_types[0]=card&${card}=${number}&${rest}${more}`
export const manual = "&capture_method=manual&expand[0]=latest_charge&metadata[order_id]=A-1"
/** An authorization of 20.00 USD under the reference A-1. */
export const good = purchase("4242424242424242", manual)

type Json = { readonly [name: string]: unknown }
const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null

/** `json.at("error", "payment_intent", "status")`. */
const at = (json: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>((value, name) => (isJson(value) ? value[name] : undefined), json)

/** A simulated Stripe of its own at 2026-11-21T09:00:00Z, spoken to in raw forms. */
export const open = Effect.fnUntraced(function* (book: OrderBook = MemoryOrderBook.make()) {
  yield* TestClock.setTime(DateTime.makeUnsafe("2026-11-21T09:00:00Z").epochMilliseconds)
  const posted: Array<PostedNotification> = []
  const simulator = Simulator.make({
    provider: "stripe",
    orderBook: book,
    settlement: "instant",
    pagesUrl,
    notify: (notification) => Effect.sync(() => void posted.push(notification))
  })
  const ask = Effect.fnUntraced(function* (
    method: "GET" | "POST",
    path: string,
    form?: string,
    headers: Readonly<Record<string, string>> = {}
  ) {
    const {
      body,
      headers: answered,
      status
    } = yield* simulator.handle({
      provider: "stripe",
      method,
      url: `https://api.stripe.com/v1/${path}`,
      headers: {
        authorization: "Bearer sk_test_sarrafsandbox",
        "content-type": "application/x-www-form-urlencoded",
        ...headers
      },
      ...(form === undefined ? {} : { body: new TextEncoder().encode(form) })
    })
    const json: unknown = JSON.parse(new TextDecoder().decode(body))
    return { status, headers: answered, json, at: (...path: ReadonlyArray<string | number>) => at(json, ...path) }
  })
  const post = (path: string, form: string, key?: string) =>
    ask("POST", path, form, key === undefined ? {} : { "idempotency-key": key })
  const get = (path: string) => ask("GET", path)
  /** The events that were posted so far, in their order, each with its delay. */
  const events = () =>
    posted.map(({ body, delayMillis, headers }) => {
      const text = new TextDecoder().decode(body)
      const json: unknown = JSON.parse(text)
      return { delayMillis, headers, text, at: (...path: ReadonlyArray<string | number>) => at(json, ...path) }
    })
  const browser = (method: "GET" | "POST", url: string, form?: string) =>
    Effect.map(
      simulator.handle({
        provider: "stripe",
        method,
        url,
        headers: {},
        ...(form === undefined ? {} : { body: new TextEncoder().encode(form) })
      }),
      ({ body, headers, status }) => ({ status, headers, text: new TextDecoder().decode(body) })
    )
  return {
    ask,
    post,
    get,
    events,
    browser,
    create: Effect.map(post("payment_intents", good), (made) => `${made.at("id")}`)
  }
})
