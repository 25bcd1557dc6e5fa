import {
  Accepted,
  type Echo,
  type Outcome,
  Pending,
  type ProviderAnswer,
  Refused,
  Unknown
} from "@sarraf/domain/payments/Outcome"
import { DateTime, Duration } from "effect"
import { isNoReply, outcomeWithout } from "../ProviderReply.ts"
import type { Ruling } from "../Ruling.ts"
import { answersShowing } from "../ShownFields.ts"
import type { Reply } from "./Connection.ts"
import { type Answer, minorOf } from "./Messages.ts"
import { rejected, rulingOf } from "./ResponseCodes.ts"

/** How long a payment in review is asked about; the sheet has no figure. */
const reviewFor = Duration.hours(24)

/** The allow-list: codes, states, references and amounts; no text of iyzico's and nothing of the buyer. */
const shown = [
  "status",
  "errorCode",
  "errorGroup",
  "paymentId",
  "conversationId",
  "basketId",
  "price",
  "paidPrice",
  "currency",
  "installment",
  "fraudStatus",
  "phase",
  "paymentStatus",
  "mdStatus",
  "authCode",
  "hostReference",
  "refundHostReference",
  "cancelHostReference",
  "cardType",
  "cardAssociation",
  "cardFamily"
] as const satisfies ReadonlyArray<keyof Answer>

/** Words, identifiers and amounts; thirteen digits in a row could be a card's. */
const isShowable = (text: string): boolean => /^[\w.:+ -]{1,128}$/u.test(text) && !/\d{13}/u.test(text)

const show = answersShowing(shown, isShowable)

/** A failure's code is its own; a success has no other than that word. */
export const answerOf = (answer: Answer): ProviderAnswer => show(answer.errorCode || answer.status, answer)

/** Ours stands in both fields. Where they differ, the one that is not ours is told, so that the difference is seen. */
const referenceOf = ({ basketId, conversationId }: Answer, asked: string): string | undefined => {
  const told = [basketId, conversationId].filter((text) => typeof text === "string" && text !== "")
  return told.find((text) => text !== asked) ?? told[0] ?? undefined
}

/** `minor` is the amount that the answer is about; the amount of a payment is what was paid, with any surcharge. */
export const echoOf = (answer: Answer, asked: string, minor = minorOf(answer.paidPrice)): Echo => {
  const reference = referenceOf(answer, asked)
  const { currency, lastFourDigits } = answer
  return {
    ...(reference === undefined ? {} : { reference }),
    ...(minor === undefined ? {} : { minor }),
    ...(currency ? { currency } : {}),
    ...(lastFourDigits && /^\d{4}$/u.test(lastFourDigits) ? { last4: lastFourDigits } : {})
  }
}

/** What a later refund goes by: the only item's identifier. */
export const notesOf = ({ itemTransactions }: Answer): Readonly<Record<string, string>> => {
  const [only, ...others] = itemTransactions ?? []
  return only?.paymentTransactionId && others.length === 0 ? { paymentTransactionId: only.paymentTransactionId } : {}
}

/** What was asked: our reference for the payment, and whether its refusal may still lead to another provider. */
export interface Asked {
  readonly reference: string
  readonly mayTryAnother: boolean
}

const refusal = ({ code, detail, mayTryAnother }: Ruling, answer: Answer, asked: Asked): Outcome => {
  const { paymentId } = answer
  return Refused({
    code,
    detail,
    answer: answerOf(answer),
    mayTryAnother: mayTryAnother && asked.mayTryAnother,
    echo: echoOf(answer, asked.reference),
    ...(paymentId ? { providerReference: paymentId } : {})
  })
}

type Answered = Extract<Reply, { readonly _tag: "Answered" }>

/** Anything but a success, or the success itself. */
const settled = (reply: Reply, asked: Asked): Outcome | Answered => {
  if (isNoReply(reply)) return outcomeWithout(reply)
  if (reply._tag === "Answered") return reply
  const ruling = rulingOf(reply.code)
  return ruling === undefined
    ? Unknown({ reason: "the provider's failure settles nothing", answer: answerOf(reply.answer) })
    : refusal(ruling, reply.answer, asked)
}

/**
 * An answer about a whole payment: approved where the check of fraud says 1 or nothing, in review at 0, rejected at -1
 * (provider sheet, section 5). An answer without a phase is of an older kind.
 */
const paymentOutcome = (answer: Answer, asked: Asked, phase: "PRE_AUTH" | "POST_AUTH", now: DateTime.Utc): Outcome => {
  const { fraudStatus, paymentId } = answer
  const shownAnswer = answerOf(answer)
  const echo = echoOf(answer, asked.reference)
  if (!paymentId || echo.minor === undefined) {
    return Unknown({ reason: "the approval does not name its payment and amount", answer: shownAnswer })
  }
  if (answer.paymentStatus && answer.paymentStatus !== "SUCCESS") {
    return Unknown({ reason: `the payment's state is ${answer.paymentStatus}`, answer: shownAnswer })
  }
  if (fraudStatus === "-1") return refusal(rejected, answer, asked)
  const notes = notesOf(answer)
  const told = { providerReference: paymentId, answer: shownAnswer, echo, notes }
  if (fraudStatus === "0") {
    return Pending({ ...told, learnBy: "query", until: DateTime.addDuration(now, reviewFor) })
  }
  if (fraudStatus && fraudStatus !== "1") {
    return Unknown({ reason: "the check of fraud has a result that is not known here", answer: shownAnswer })
  }
  return answer.phase && answer.phase !== phase
    ? Unknown({ reason: `the payment's phase is ${answer.phase}`, answer: shownAnswer })
    : Accepted(told)
}

export const authorizationOutcome = (reply: Reply, asked: Asked, now: DateTime.Utc): Outcome => {
  const success = settled(reply, asked)
  return success._tag === "Answered" ? paymentOutcome(success.answer, asked, "PRE_AUTH", now) : success
}

/** Of a payment that is found declined. */
export const declinedOutcome = (answer: Answer, ruling: Ruling, asked: Asked): Outcome => refusal(ruling, answer, asked)

/** A follow-up's answer has to be about the payment that it was for. */
const followUp = (
  reply: Reply,
  paymentId: string,
  reference: string,
  accept: (answer: Answer, asked: Asked) => Outcome
): Outcome => {
  const asked: Asked = { reference, mayTryAnother: false }
  const success = settled(reply, asked)
  if (success._tag !== "Answered") return success
  const { answer } = success
  return answer.paymentId === paymentId
    ? accept(answer, asked)
    : Unknown({ reason: "the answer is about another payment", answer: answerOf(answer) })
}

export const captureOutcome = (reply: Reply, paymentId: string, reference: string, now: DateTime.Utc): Outcome =>
  followUp(reply, paymentId, reference, (answer, asked) => paymentOutcome(answer, asked, "POST_AUTH", now))

/** A refund or a cancellation: `price` is what went back. */
export const giveBackOutcome = (reply: Reply, paymentId: string, reference: string): Outcome =>
  followUp(reply, paymentId, reference, (answer) => {
    const minor = minorOf(answer.price)
    const shownAnswer = answerOf(answer)
    // Only the answer to a payment has a phase and a price paid: it is not the one to this step.
    return minor === undefined || answer.phase || answer.paidPrice
      ? Unknown({ reason: "the answer does not name its amount, or is another's", answer: shownAnswer })
      : Accepted({ providerReference: paymentId, answer: shownAnswer, echo: echoOf(answer, reference, minor) })
  })
