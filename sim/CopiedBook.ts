import type { OrderBook } from "@sarraf/adapters/providers/OrderBook"
import { Effect } from "effect"

export interface CopiedBook extends OrderBook {
  /** The same orders in a book of its own: what is tried on it leaves no trace here. */
  readonly copy: () => CopiedBook
}

/** An order book of which copies can be made. */
export const make = (texts = new Map<string, string>()): CopiedBook => ({
  find: (provider, key) =>
    Effect.sync((): unknown => {
      const text = texts.get(`${provider} ${key}`)
      return text === undefined ? undefined : JSON.parse(text)
    }),
  add: (provider, key, order) =>
    Effect.sync(() => {
      if (texts.has(`${provider} ${key}`)) return false
      texts.set(`${provider} ${key}`, JSON.stringify(order))
      return true
    }),
  save: (provider, key, order) => Effect.sync(() => void texts.set(`${provider} ${key}`, JSON.stringify(order))),
  copy: () => make(new Map(texts))
})
