import { Effect } from "effect"
import { findOrder, type OrderBook } from "../OrderBook.ts"
import { takeTurns } from "../OrderTurns.ts"
import { isJson } from "../PostedBody.ts"
import { type Payment, paymentOf } from "./SimulatedPayment.ts"
import { textOf } from "./SimulatedRequest.ts"

/** What the simulated iyzico keeps: payments by their identifier, and the ways that lead to it. */
export const bookOf = (provider: string, orderBook: OrderBook) => {
  const identifierAt = (key: string): Effect.Effect<string> =>
    Effect.map(orderBook.find(provider, key), (found) => (isJson(found) ? textOf(found, "paymentId") : ""))

  return {
    find: (paymentId: string): Effect.Effect<Payment | undefined> =>
      findOrder(orderBook, provider, `payment:${paymentId}`, paymentOf),
    /** False where the `conversationId` is in use. */
    add: Effect.fnUntraced(function* (payment: Payment) {
      const { conversationId, paymentId, threeDS } = payment
      const key = conversationId === "" ? paymentId : conversationId
      // First, so that a conversation never leads to a payment that is not there.
      if (!(yield* orderBook.add(provider, `payment:${paymentId}`, payment))) return false
      if (!(yield* orderBook.add(provider, `conversation:${key}`, { paymentId }))) return false
      if (threeDS !== null) yield* orderBook.save(provider, `challenge:${threeDS.challengeId}`, { paymentId })
      return true
    }),
    save: (payment: Payment): Effect.Effect<void> => orderBook.save(provider, `payment:${payment.paymentId}`, payment),
    /** Empty where nothing is known. */
    paymentIdOf: (conversationId: string): Effect.Effect<string> => identifierAt(`conversation:${conversationId}`),
    paymentOfChallenge: (challengeId: string): Effect.Effect<string> => identifierAt(`challenge:${challengeId}`),
    inTurn: takeTurns()
  }
}
