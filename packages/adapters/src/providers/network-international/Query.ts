import { noAnswer } from "@sarraf/domain/payments/Outcome"
import type { Authorization, Finding } from "@sarraf/domain/payments/PaymentProvider"
import { Effect, Option } from "effect"
import type { Connection } from "./Connection.ts"
import { decodeOrder, decodePayment, notedIds, type Payment, type PaymentIds } from "./Messages.ts"
import { foundOf, isAbout, paymentAnswer } from "./Outcomes.ts"

/** A payment as its order shows it now; `json` is the same as it came. */
export type PaymentReading =
  | { readonly _tag: "Read"; readonly payment: Payment; readonly json: unknown }
  | { readonly _tag: "Unread"; readonly reason: string }

const unread = (reason: string): PaymentReading => ({ _tag: "Unread", reason })

/** Asks for the order and finds the payment in it. An order that the gateway made and does not know proves nothing. */
export const readPayment = Effect.fnUntraced(function* (
  connection: Connection,
  ids: PaymentIds
): Effect.fn.Return<PaymentReading> {
  const reply = yield* connection.ask({ method: "GET", path: connection.orderPath(ids.orderReference) })
  if (reply._tag === "Failed") return unread(`the provider refused the question with HTTP status ${reply.status}`)
  if (reply._tag !== "Answered") return unread(reply.reason)
  const order = decodeOrder(reply.json)
  if (Option.isNone(order)) return unread("the answer is no order")
  const { _embedded, merchantOrderReference, reference } = order.value
  if (reference !== ids.orderReference) return unread("the answer is about another order")
  for (const json of _embedded.payment) {
    const payment = decodePayment(json)
    if (Option.isNone(payment) || !isAbout(payment.value, ids)) continue
    const ours = payment.value.merchantOrderReference ?? merchantOrderReference
    return { _tag: "Read", payment: { ...payment.value, merchantOrderReference: ours ?? null }, json }
  }
  return unread("the order does not show the payment")
})

/**
 * The payment by the order that was noted before its card was sent. Where none was noted no card was sent, and one that
 * is still `STARTED` has never seen a card: neither took any money.
 */
export const query = Effect.fnUntraced(function* (
  connection: Connection,
  authorization: Authorization
): Effect.fn.Return<Finding> {
  const ids = notedIds(authorization)
  if (ids === undefined) {
    return authorization.providerReference === null
      ? { _tag: "Absent", answer: noAnswer }
      : { _tag: "Unanswered", reason: "the order of this payment was not noted" }
  }
  const reading = yield* readPayment(connection, ids)
  if (reading._tag === "Unread") return { _tag: "Unanswered", reason: reading.reason }
  const { json, payment } = reading
  if (payment.state === "STARTED") return { _tag: "Absent", answer: paymentAnswer(payment, json) }
  return foundOf(payment, ids, json) ?? { _tag: "Unanswered", reason: "the payment's state is not known here" }
})
