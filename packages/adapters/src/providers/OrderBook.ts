import { Effect } from "effect"

/**
 * What a simulated provider remembers, by key, as JSON. One book is shared by all processes of a sandbox, so that an
 * order taken through one can be captured through another. Holds no card number: first six and last four at most.
 */
export interface OrderBook {
  find(provider: string, key: string): Effect.Effect<unknown | undefined>
  /** Writes a new order; false, and nothing written, where the key has one already. */
  add(provider: string, key: string, order: object): Effect.Effect<boolean>
  /** Written before the simulator answers, as a provider's own database is. */
  save(provider: string, key: string, order: object): Effect.Effect<void>
}

/** An order under a key, by its own schema; undefined where there is none. */
export const findOrder = <Order>(
  orderBook: OrderBook,
  provider: string,
  key: string,
  orderOf: (kept: unknown) => Order
): Effect.Effect<Order | undefined> =>
  Effect.map(orderBook.find(provider, key), (kept) => (kept === undefined ? undefined : orderOf(kept)))
