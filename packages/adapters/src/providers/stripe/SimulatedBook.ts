import { hash, randomBytes } from "node:crypto"
import { Effect } from "effect"
import { findOrder, type OrderBook } from "../OrderBook.ts"
import { turnAway } from "../OrderTurns.ts"
import * as Intent from "./SimulatedIntent.ts"

const provider = "stripe"

/** Twenty-four letters and digits after the prefix. */
const identifier = (digest: string): string => `pi_3${digest.replace(/[-_]/gu, "0").slice(0, 23)}`

/** Of an idempotency key the same payment comes out in every process. */
export const idOfKey = (key: string | undefined): string =>
  identifier(key === undefined ? randomBytes(24).toString("base64url") : hash("sha256", key, "base64url"))

/** The merchant's reference, by which a lost payment is asked for. */
export const referenceOf = ({ id, metadata }: Intent.Intent): string => metadata.order_id ?? id

/** The payments of the simulated Stripe. */
export const bookOf = (orderBook: OrderBook) => {
  const find = (id: string): Effect.Effect<Intent.Intent | undefined> =>
    findOrder(orderBook, provider, id, Intent.intentOf)

  return {
    find,
    add: (intent: Intent.Intent): Effect.Effect<boolean> => orderBook.add(provider, intent.id, intent),
    save: (intent: Intent.Intent): Effect.Effect<void> => orderBook.save(provider, intent.id, intent),
    /** The index by our reference is needed where the payment's own identifier does not follow from it. */
    index: Effect.fnUntraced(function* ({ id, metadata }: Intent.Intent) {
      const { order_id } = metadata
      if (order_id === undefined || idOfKey(order_id) === id) return
      const key = `order_id:${order_id}`
      const ids = yield* orderBook.find(provider, key)
      yield* orderBook.save(provider, key, [...(Array.isArray(ids) ? ids : []), id])
    }),
    withReference: Effect.fnUntraced(function* (orderId: string) {
      const ids = yield* orderBook.find(provider, `order_id:${orderId}`)
      const all = [idOfKey(orderId), ...(Array.isArray(ids) ? ids : [])]
      const found = yield* Effect.forEach(all, (id) => find(`${id}`))
      return found.flatMap((intent) => (intent?.metadata.order_id === orderId ? [intent] : []))
    }),
    /** One step at a time for each payment; `busy` is what another one hears meanwhile. */
    alone: turnAway()
  }
}
/** Of one process; the orders themselves are in the shared book. */
export type Book = ReturnType<typeof bookOf>
