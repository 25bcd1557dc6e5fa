import { Effect } from "effect"
import { findOrder, type OrderBook } from "../OrderBook.ts"
import { takeTurns } from "../OrderTurns.ts"
import { type Authentication, authenticationOf } from "./SimulatedAuthentication.ts"
import * as SimulatedOrder from "./SimulatedOrder.ts"

/**
 * What one simulated bank keeps: orders by order id, which order a captured or refunded TransId belongs to, and the
 * buyers who were sent to the issuer.
 */
export const make = (provider: string, orderBook: OrderBook) => ({
  find: (orderId: string): Effect.Effect<SimulatedOrder.Order | undefined> =>
    findOrder(orderBook, provider, `order:${orderId}`, SimulatedOrder.orderOf),
  /** False where the order id is in use. */
  add: (order: SimulatedOrder.Order): Effect.Effect<boolean> =>
    orderBook.add(provider, `order:${order.orderId}`, order),
  save: (order: SimulatedOrder.Order): Effect.Effect<void> => orderBook.save(provider, `order:${order.orderId}`, order),
  orderOfTransaction: (transId: string): Effect.Effect<string> =>
    Effect.map(orderBook.find(provider, `transaction:${transId}`), SimulatedOrder.orderIdOf),
  saveTransaction: (transId: string, orderId: string): Effect.Effect<void> =>
    orderBook.save(provider, `transaction:${transId}`, { orderId }),
  findAuthentication: (id: string): Effect.Effect<Authentication | undefined> =>
    findOrder(orderBook, provider, `authentication:${id}`, authenticationOf),
  saveAuthentication: (authentication: Authentication): Effect.Effect<void> =>
    orderBook.save(provider, `authentication:${authentication.id}`, authentication),
  inTurn: takeTurns()
})
export type Book = ReturnType<typeof make>
