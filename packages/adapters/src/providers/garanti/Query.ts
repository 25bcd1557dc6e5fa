import type { Authorization, Finding } from "@sarraf/domain/payments/PaymentProvider"
import { Clock, Duration, Effect } from "effect"
import { unanswered } from "../ProviderReply.ts"
import { capabilities } from "./Capabilities.ts"
import { ask, plain, type Question, type Terminal } from "./Connection.ts"
import { currencyNumberOf, type GVPSResponse, historyOf, inquiryOf } from "./Messages.ts"
import { type OrderState, stateOf } from "./OrderRecord.ts"
import { answerOf, isApproved, last4Of } from "./Outcomes.ts"

/** The note under which the moment of a 3-D Secure completion is kept, in milliseconds since 1970. */
const completionSentAt = "completionSentAt"

/** Written down before the completion is sent. */
export const noteOfCompletion = (now: number): Readonly<Record<string, string>> => ({ [completionSentAt]: `${now}` })

export const isCompletionSent = ({ notes }: Authorization): boolean => notes[completionSentAt] !== undefined

/** The sheet fixes the amount of every question: section 4. */
const question = ({ money, reference }: Authorization, Type: "orderinq" | "orderhistoryinq"): Question | undefined => {
  const CurrencyCode = currencyNumberOf(money.currency)
  if (CurrencyCode === undefined) return undefined
  return { orderId: reference, transaction: plain({ Type, Amount: "100", CurrencyCode }) }
}

/** 92 with 0110 (no transaction) or 0108 (no order), about our order and with nothing of it told (section 6). */
const saysNoSuchOrder = (message: GVPSResponse, reference: string): boolean => {
  const { Code, Message, ReasonCode } = message.Transaction.Response
  const { RetrefNum, Status } = inquiryOf(message)
  return (
    Message === "Declined" &&
    Code === "92" &&
    (ReasonCode === "0110" || ReasonCode === "0108") &&
    message.Order.OrderID === reference &&
    !Status &&
    !RetrefNum
  )
}

/**
 * A payment with 3-D Secure may have begun long before its completion was sent: until the bank has had time for that one,
 * its silence about the order proves nothing.
 */
const isOnItsWay = ({ notes }: Authorization, now: number): boolean => {
  const sentAt = Number(notes[completionSentAt] ?? Number.NaN)
  const { absenceProvenAfter } = capabilities.query
  return absenceProvenAfter !== undefined && now - sentAt < Duration.toMillis(absenceProvenAfter)
}

/** A state that the two answers tell differently, other than by a step that came in between. */
const contradicts = (status: string | undefined, { stage }: OrderState): boolean => {
  if (status === "APPROVED") return stage === "AUTHORIZED" || stage === "DECLINED"
  return status === "WAITINGPOSTAUTH" && stage === "DECLINED"
}

/** The amount is told of an authorization alone: a capture's may be a part of it. */
const foundOf = (message: GVPSResponse, state: OrderState, { reference }: Authorization): Finding => {
  const { authorizedMinor, currency, retrefNum, ...known } = state
  const inquiry = inquiryOf(message)
  const last4 = last4Of(inquiry.CardNumberMasked)
  return {
    _tag: "Found",
    ...known,
    providerReference: retrefNum || inquiry.RetrefNum || reference,
    answer: answerOf(message),
    echo: {
      reference: message.Order.OrderID,
      ...(authorizedMinor === undefined ? {} : { minor: authorizedMinor }),
      ...(currency === undefined ? {} : { currency }),
      ...(last4 === undefined ? {} : { last4 })
    }
  }
}

/** What the history makes of an order that the status knows. */
const stateByHistory = Effect.fnUntraced(function* (terminal: Terminal, authorization: Authorization, orderId: string) {
  const history = question(authorization, "orderhistoryinq")
  const reply = history === undefined ? undefined : yield* ask(terminal, history)
  if (reply?._tag !== "Answered" || !isApproved(reply.message) || reply.message.Order.OrderID !== orderId) {
    return undefined
  }
  return stateOf(historyOf(reply.message))
})

/**
 * Asks for the order's status and, where there is one, for its history: no source says how a status shows what was voided
 * or refunded (sections 4 and 6). Two questions, by our reference alone.
 */
export const query = Effect.fnUntraced(function* (terminal: Terminal, authorization: Authorization) {
  const status = question(authorization, "orderinq")
  if (status === undefined) return unanswered("The bank does not take this currency.")
  const reply = yield* ask(terminal, status)
  if (reply._tag !== "Answered") return unanswered(reply.reason)
  const { message } = reply
  if (saysNoSuchOrder(message, authorization.reference)) {
    const now = yield* Clock.currentTimeMillis
    return isOnItsWay(authorization, now)
      ? unanswered("The bank may still be at work on the completion.")
      : ({ _tag: "Absent", answer: answerOf(message) } as const)
  }
  if (!isApproved(message) || message.Order.OrderID === "") {
    return unanswered("The bank's answer does not say how the order stands.")
  }
  const state = yield* stateByHistory(terminal, authorization, message.Order.OrderID)
  return state === undefined || contradicts(inquiryOf(message).Status, state)
    ? unanswered("The bank's record of the order could not be read.")
    : foundOf(message, state, authorization)
})
