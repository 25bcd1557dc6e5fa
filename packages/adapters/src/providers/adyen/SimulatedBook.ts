import { Effect } from "effect"
import { findOrder, type OrderBook } from "../OrderBook.ts"
import { takeTurns } from "../OrderTurns.ts"
import { type Payment, paymentOf } from "./SimulatedPayment.ts"

/** What the simulated account keeps: payments by Adyen's reference, and which of them a merchant's reference stands for. */
export const make = (provider: string, orderBook: OrderBook) => {
  const find = (pspReference: string): Effect.Effect<Payment | undefined> =>
    findOrder(orderBook, provider, `payment:${pspReference}`, paymentOf)
  const pspReferencesOf = (reference: string): Effect.Effect<ReadonlyArray<string>> =>
    Effect.map(orderBook.find(provider, `reference:${reference}`), (found) =>
      Array.isArray(found) ? found.map(String) : []
    )
  return {
    find,
    pspReferencesOf,
    /** False where there is one with Adyen's reference already. */
    add: Effect.fnUntraced(function* (payment: Payment) {
      if (!(yield* orderBook.add(provider, `payment:${payment.pspReference}`, payment))) return false
      const others = yield* pspReferencesOf(payment.reference)
      yield* orderBook.save(provider, `reference:${payment.reference}`, [...others, payment.pspReference])
      return true
    }),
    save: (payment: Payment): Effect.Effect<void> =>
      orderBook.save(provider, `payment:${payment.pspReference}`, payment),
    inTurn: takeTurns()
  }
}
export type Book = ReturnType<typeof make>
