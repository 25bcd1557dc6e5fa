import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import type { SimulatedNetwork } from "../SimulatedNetwork.ts"
import type { SimulatorOptions } from "../Simulator.ts"
import * as Answers from "./SimulatedAnswers.ts"
import type { Book } from "./SimulatedBook.ts"
import * as Payment from "./SimulatedPayment.ts"
import { answer, type Question, refuse, replay, reply } from "./SimulatedReply.ts"
import { type Amount, amountAt, faultOfAmount, invalid, textAt, unknownFieldOf } from "./SimulatedRequest.ts"

/** What the simulated account works with. */
export interface Account {
  readonly book: Book
  readonly network: SimulatedNetwork
  readonly notify: SimulatorOptions["notify"]
  readonly pagesUrl: string
  readonly signer: Answers.Signer
}

type Kind = "captures" | "refunds" | "cancels"

/** Milliseconds after its answer that a notification is posted. */
const soonMillis = 200
/** The same for what goes wrong later: a refund that fails, a capture that is charged back. */
const laterMillis = Payment.refundFailsAfterMillis

const eventCodes = { captures: "CAPTURE", refunds: "REFUND", cancels: "CANCELLATION" } as const

const apply = (kind: Kind, payment: Payment.Payment, amount: Amount, now: number): Payment.Change => {
  if (kind === "captures") return Payment.captured(payment, amount)
  return kind === "refunds" ? Payment.refunded(payment, amount, now) : Payment.cancelled(payment)
}

/** What follows an event 2 seconds later, by the amount's last two digits. */
const laterEvent = (kind: Kind, event: Answers.Event, { pspReference, reference }: Payment.Payment) => {
  if (kind === "refunds" && Payment.failsLater(event.amount)) {
    return { ...event, eventCode: "REFUND_FAILED", reason: "Refund Failed" }
  }
  return kind === "captures" && event.amount.value % 100 === 13
    ? {
        ...event,
        eventCode: "CHARGEBACK",
        pspReference: Payment.pspReferenceOf(`chargeback:${pspReference}`),
        merchantReference: reference,
        reason: "Other Fraud-Card Absent Environment"
      }
    : undefined
}

const tell = Effect.fnUntraced(function* (
  { notify, signer }: Account,
  kind: Kind,
  event: Answers.Event,
  payment: Payment.Payment,
  now: number
) {
  yield* notify(Answers.notification(event, signer, now, soonMillis))
  const later = event.success ? laterEvent(kind, event, payment) : undefined
  if (later !== undefined) yield* notify(Answers.notification(later, signer, now, laterMillis))
})

/** A capture, refund or cancellation of a payment by Adyen's reference: acknowledged, and told by notification. */
export const modify = Effect.fnUntraced(function* (
  account: Account,
  question: Question,
  pspReference: string,
  kind: Kind
) {
  const { book, network, signer } = account
  const { body, key, now } = question
  const fault = unknownFieldOf(kind, body) ?? (kind === "cancels" ? undefined : faultOfAmount(body))
  if (fault !== undefined) return refuse(fault, question)
  const step = Effect.gen(function* () {
    const payment = yield* book.find(pspReference)
    if (payment === undefined) {
      return refuse(invalid("167", "Original pspReference required for this operation"), question)
    }
    yield* network.beforeFollowUp(payment.reference)
    if (key !== undefined && payment.calls[key] !== undefined) return replay(payment, question)
    const { currency, value } = payment
    const amount = amountAt(body) ?? { currency, value }
    const reference = textAt(body, "reference")
    const own = Payment.pspReferenceOf(`modification:${key ?? randomUUID()}`)
    const { payment: after, reason } = apply(kind, payment, amount, now)
    const { response, stored } = answer(after, question, 201, {
      merchantAccount: signer.merchantAccount,
      paymentPspReference: pspReference,
      reference,
      pspReference: own,
      status: "received",
      ...(kind === "cancels" ? {} : { amount })
    })
    yield* book.save(stored)
    const event = {
      eventCode: eventCodes[kind],
      pspReference: own,
      originalReference: pspReference,
      merchantReference: reference ?? payment.reference,
      amount,
      reason: reason ?? "",
      success: reason === null
    }
    yield* tell(account, kind, event, payment, now)
    return response
  })
  return yield* book.inTurn(pspReference, step)
})

/** Cancels one of the payments that a merchant's reference stands for; whether it is cancelled now. */
const cancelOne = ({ book }: Account, pspReference: string) =>
  book.inTurn(
    pspReference,
    Effect.gen(function* () {
      const payment = yield* book.find(pspReference)
      if (payment === undefined) return false
      const { payment: after, reason } = Payment.cancelled(payment)
      if (reason === null) yield* book.save(after)
      return after.state === "cancelled"
    })
  )

/** A cancellation by the merchant's own reference, of whatever arrived under it; repeating it changes nothing. */
export const technicalCancel = Effect.fnUntraced(function* (account: Account, question: Question) {
  const { book, network, notify, signer } = account
  const { body, key, now } = question
  const fault = unknownFieldOf("technicalCancel", body)
  if (fault !== undefined) return refuse(fault, question)
  const paymentReference = textAt(body, "paymentReference")
  if (paymentReference === undefined) return refuse(invalid("130", "Reference Missing"), question)
  yield* network.beforeFollowUp(paymentReference)
  const found = yield* book.pspReferencesOf(paymentReference)
  const results = yield* Effect.forEach(found, (pspReference) => cancelOne(account, pspReference))
  const [originalReference] = found
  const payment = originalReference === undefined ? undefined : yield* book.find(originalReference)
  const reference = textAt(body, "reference")
  const event = {
    eventCode: "TECHNICAL_CANCEL",
    pspReference: Payment.pspReferenceOf(`modification:${key ?? randomUUID()}`),
    ...(originalReference === undefined ? {} : { originalReference }),
    merchantReference: reference ?? paymentReference,
    amount: { value: payment?.value ?? 0, currency: payment?.currency ?? "EUR" },
    reason: results.includes(true) ? "" : "Transaction not found or not cancellable",
    success: results.includes(true)
  }
  yield* notify(Answers.notification(event, signer, now, soonMillis))
  const { pspReference } = event
  const json = {
    merchantAccount: signer.merchantAccount,
    paymentReference,
    reference,
    pspReference,
    status: "received"
  }
  return reply(201, json, question)
})
