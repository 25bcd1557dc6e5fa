import type { Payment } from "@sarraf/domain/payments/Payment"
import { releasesReference, statusOf } from "@sarraf/domain/payments/PaymentStatus"
import { isSound } from "@sarraf/domain/payments/Sums"
import { Effect } from "effect"
import { differences, isSettled } from "./Books.ts"
import type { Counterparties } from "./Providers.ts"
import type { Tale } from "./Tale.ts"

/** The cards of which an issuer, or the network before it, may say no by itself. */
const refusedCards: ReadonlyArray<Tale["card"]> = ["insufficientFunds", "declined"]

/** Whether it is called declined although its issuer never said so; without its buyer an issuer does say so. */
const isFalselyDeclined = (payment: Payment, { card, is3DS }: Tale): boolean =>
  statusOf(payment) === "DECLINED" && !refusedCards.includes(card) && !(is3DS && payment.error?.code === "3DS_FAILED")

/** What is wrong with a payment as it was just committed; `others` are all that there are, this one among them. */
export const wrongAtOnce = (payment: Payment, others: Iterable<Payment>, tale: Tale): ReadonlyArray<string> => {
  const { merchantReference, sums } = payment
  const live = [...others].filter(
    (one) => one.merchantReference === merchantReference && !releasesReference(statusOf(one))
  )
  return [
    ...(sums.refunded <= sums.captured && sums.captured <= sums.authorized && isSound(sums)
      ? []
      : [`refunded ${sums.refunded}, captured ${sums.captured}, authorized ${sums.authorized}`]),
    ...(live.length <= 1 ? [] : [`${live.length} live authorizations for one merchantReference`]),
    ...(isFalselyDeclined(payment, tale)
      ? [`it is called declined (${payment.error?.code}), and nobody declined it`]
      : [])
  ]
}

/** Whether there is nothing left to be done about it by the gateway alone. */
export const isOver = (payment: Payment): boolean => isSettled(payment) || payment.needsReview !== null

/**
 * What is wrong with a payment after the quiet time: it is still open, or the providers' books say otherwise than ours,
 * to the minor unit. What a person has to look at is not compared: that is why a person has to.
 */
export const wrongInTheEnd = Effect.fnUntraced(function* (others: Counterparties, payment: Payment) {
  if (!isOver(payment)) return [`it is left ${statusOf(payment)}, and not for a person to look at`]
  return payment.needsReview === null ? yield* differences(others, payment) : []
})
