import { make } from "@sarraf/adapters/providers/nestpay/Simulator"
import type { OrderBook } from "@sarraf/adapters/providers/OrderBook"
import type { ProviderRequest, ProviderResponse } from "@sarraf/adapters/providers/ProviderTransport"
import type { Settlement } from "@sarraf/adapters/providers/Simulator"
import { Effect } from "effect"
import { latin5, pagesUrl } from "./Sample.ts"

const user = "<Name>SARRAFAPI</Name><Password>SANDBOX07</Password><ClientId>700655000999</ClientId>"
export const card = "<Number>4355084355084358</Number><Expires>12/30</Expires><Cvv2Val>000</Cvv2Val>"
export const document = (elements: string) =>
  `<?xml version="1.0" encoding="ISO-8859-9"?><CC5Request>${user}${elements}</CC5Request>`

export const requestOf = (body: string | Uint8Array): ProviderRequest => ({
  provider: "isbank",
  method: "POST",
  url: "https://sanalpos.isbank.com.tr/fim/api",
  headers: {},
  body: typeof body === "string" ? latin5(body) : body
})

export const textOf = ({ body }: ProviderResponse) => new TextDecoder("iso-8859-9").decode(body)

/** The first element of that name, taken out by hand: this test shares no reader with either side. */
export const element = (text: string, name: string): string | undefined => {
  const start = text.indexOf(`<${name}>`)
  return start < 0 ? undefined : text.slice(start + name.length + 2, text.indexOf(`</${name}>`, start))
}

export const open = (settlement: Settlement, find: (key: string) => Effect.Effect<void> = () => Effect.void) => {
  const kept = new Map<string, string>()
  const orderBook: OrderBook = {
    find: (provider, key) => {
      const text = kept.get(`${provider}/${key}`)
      return Effect.as(find(key), text === undefined ? undefined : JSON.parse(text))
    },
    add: (provider, key, order) =>
      Effect.sync(() => {
        const place = `${provider}/${key}`
        if (kept.has(place)) return false
        kept.set(place, JSON.stringify(order))
        return true
      }),
    save: (provider, key, order) => Effect.sync(() => void kept.set(`${provider}/${key}`, JSON.stringify(order)))
  }
  const simulator = make({ provider: "isbank", orderBook, settlement, pagesUrl, notify: () => Effect.void })
  /** With the network's faults. */
  const send = (body: string | Uint8Array) => Effect.map(simulator.handle(requestOf(body)), textOf)
  const post = (body: string | Uint8Array) => Effect.orDie(send(body))
  /** `00`, `51`, `CORE-2507`: what the bank says to these elements. */
  const code = (elements: string) =>
    Effect.map(post(document(elements)), (text) => element(text, "ERRORCODE") || element(text, "ProcReturnCode"))
  return { kept, simulator, send, post, code }
}

export const preAuth = (orderId: string, changes: { card?: string; money?: string; more?: string } = {}) =>
  `<Type>PreAuth</Type><OrderId>${orderId}</OrderId>${changes.money ?? "<Total>10.00</Total><Currency>949</Currency>"}` +
  `<Taksit></Taksit>${changes.card ?? card}${changes.more ?? ""}`
export const postAuth = (orderId: string, total: string, more = "") =>
  `<Type>PostAuth</Type><OrderId>${orderId}</OrderId><Total>${total}</Total>${more}`
export const credit = (orderId: string, total: string, currency = "949") =>
  `<Type>Credit</Type><OrderId>${orderId}</OrderId><Total>${total}</Total><Currency>${currency}</Currency>`
export const voidOf = (orderId: string) => `<Type>Void</Type><OrderId>${orderId}</OrderId>`
export const status = (orderId: string) =>
  `<OrderId>${orderId}</OrderId><Extra><ORDERSTATUS>QUERY</ORDERSTATUS></Extra>`
export const history = (orderId: string) =>
  `<OrderId>${orderId}</OrderId><Extra><ORDERHISTORY>QUERY</ORDERHISTORY></Extra>`
