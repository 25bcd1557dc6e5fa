import { Effect } from "effect"
import type { OrderBook } from "./OrderBook.ts"

/** The simulators' book in this process alone: it grows until the process ends, and ends with it. */
export const make = (): OrderBook => {
  const texts = new Map<string, string>()
  // As text, so that nobody holds on to what the book holds; a provider's id has no space.
  return {
    find: (provider, key) =>
      Effect.sync((): unknown => {
        const text = texts.get(`${provider} ${key}`)
        return text === undefined ? undefined : JSON.parse(text)
      }),
    add: (provider, key, order) =>
      Effect.sync(() => {
        const place = `${provider} ${key}`
        if (texts.has(place)) return false
        texts.set(place, JSON.stringify(order))
        return true
      }),
    save: (provider, key, order) => Effect.sync(() => void texts.set(`${provider} ${key}`, JSON.stringify(order)))
  }
}
