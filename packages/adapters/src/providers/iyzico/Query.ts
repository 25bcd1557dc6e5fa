import type { Authorization, Finding } from "@sarraf/domain/payments/PaymentProvider"
import { Effect, Option } from "effect"
import { isNoReply, type Unanswered, unanswered } from "../ProviderReply.ts"
import { authenticationFailed, type Ruling } from "../Ruling.ts"
import type { Connection, Reply } from "./Connection.ts"
import { type Answer, decodeReport, type GivenBack, minorOf, type ReportedPayment } from "./Messages.ts"
import { answerOf, echoOf, notesOf } from "./Outcomes.ts"
import { rejected, rulingOf } from "./ResponseCodes.ts"
import { paymentTexts } from "./Signature.ts"

type Found = Extract<Finding, { readonly _tag: "Found" }>

type State =
  | { readonly stage: "PENDING" | "ACTION_REQUIRED" | "AUTHORIZED" | "CAPTURED" }
  | { readonly stage: "DECLINED"; readonly ruling: Ruling }

const issuersNo: Ruling = {
  code: "CARD_DECLINED",
  detail: "The card's issuer declined the payment.",
  mayTryAnother: false
}

/** Why a payment failed, as far as its record tells. */
const rulingOfFailure = ({ errorCode, mdStatus }: Answer): Ruling => {
  if (mdStatus && mdStatus !== "1") return authenticationFailed
  return rulingOf(errorCode ?? "") ?? issuersNo
}

/** Provider sheet, section 4: how a payment stands by its detail; undefined where its state is not known here. */
export const stateOf = (answer: Answer): State | undefined => {
  switch (answer.paymentStatus) {
    case "FAILURE":
      return { stage: "DECLINED", ruling: rulingOfFailure(answer) }
    case "INIT_THREEDS":
    case "CALLBACK_THREEDS":
      return { stage: "ACTION_REQUIRED" }
    case "SUCCESS":
      if (answer.fraudStatus === "-1") return { stage: "DECLINED", ruling: rejected }
      if (answer.fraudStatus === "0") return { stage: "PENDING" }
      // Approved is 1 or nothing (section 5).
      if (answer.fraudStatus && answer.fraudStatus !== "1") return undefined
      return { stage: answer.phase === "PRE_AUTH" ? "AUTHORIZED" : "CAPTURED" }
    default:
      return undefined
  }
}

/** `POST /payment/detail`, by iyzico's identifier or, after a lost answer, by our reference. */
export const askDetail = (
  connection: Connection,
  { providerReference, reference }: Pick<Authorization, "providerReference" | "reference">
): Effect.Effect<Reply> => {
  const about = providerReference === null ? { paymentConversationId: reference } : { paymentId: providerReference }
  return connection.post("/payment/detail", { locale: "en", conversationId: reference, ...about }, paymentTexts)
}

const askReport = (connection: Connection, reference: string, about: Readonly<Record<string, string>>) =>
  connection.get("/v2/reporting/payment/details", { locale: "en", conversationId: reference, ...about })

const reasonOf = (reply: Exclude<Reply, { readonly _tag: "Answered" }>): string =>
  reply._tag === "Failed" ? "the provider refused the question" : reply.reason

/** The detail of an unknown payment is a failure that may mean other things; an empty report is documented. */
const absence = Effect.fnUntraced(function* (connection: Connection, reference: string): Effect.fn.Return<Finding> {
  const reply = yield* askReport(connection, reference, { paymentConversationId: reference })
  if (reply._tag !== "Answered") return unanswered(reasonOf(reply))
  const report = decodeReport(reply.json)
  return Option.isSome(report) && report.value.payments.length === 0
    ? { _tag: "Absent", answer: answerOf(reply.answer) }
    : unanswered("the provider tells no detail of a payment that it reports")
})

/** The sheet names no values of this state: one is taken for done, like that of items, and any other for open. */
const isDone = ({ refundStatus }: GivenBack): boolean => !refundStatus || refundStatus === "1"

/** Null where one of them cannot be counted. */
const sumOf = (givenBack: ReadonlyArray<GivenBack>): bigint | null => {
  let sum = 0n
  for (const one of givenBack) {
    const minor = minorOf(one.refundPrice)
    if (!isDone(one) || minor === undefined) return null
    sum += minor
  }
  return sum
}

/**
 * Captured, held or released; the same-day refund of a whole capture stands among the cancellations. Nothing where neither
 * tells a phase: the sheet has the detail of a hold from no recording, and one that is silent must not count as captured.
 */
const foundOf = (
  answer: Answer,
  paymentId: string,
  reference: string,
  report: ReportedPayment | undefined
): Found | undefined => {
  const cancels = report?.cancels ?? []
  const refunds = (report?.itemTransactions ?? []).flatMap((item) => item.refunds ?? [])
  const phase = answer.phase || report?.phase
  if (!phase) return undefined
  const isHeld = phase === "PRE_AUTH"
  const told = { _tag: "Found", settled: null, providerReference: paymentId, answer: answerOf(answer) } as const
  if (isHeld) {
    const stage = cancels.some(isDone) ? "VOIDED" : "AUTHORIZED"
    const sums = { capturedMinor: 0n, refundedMinor: 0n }
    return { ...told, stage, ...sums, echo: echoOf(answer, reference), notes: notesOf(answer) }
  }
  // After a capture in part the sheet does not say whose amount the detail has: it is none to compare with.
  const { minor, ...echo } = echoOf(answer, reference)
  const refundedMinor = report === undefined ? null : sumOf([...cancels, ...refunds])
  return { ...told, stage: "CAPTURED", capturedMinor: minor ?? null, refundedMinor, echo, notes: notesOf(answer) }
}

/** What was given back of it; undefined where the reporting service does not list the payment. */
const reported = Effect.fnUntraced(function* (
  connection: Connection,
  reference: string,
  paymentId: string
): Effect.fn.Return<Unanswered | { readonly payment: ReportedPayment | undefined }> {
  const reply = yield* askReport(connection, reference, { paymentId })
  if (isNoReply(reply)) return unanswered(reply.reason)
  if (reply._tag === "Failed") return { payment: undefined }
  const report = decodeReport(reply.json)
  return Option.isNone(report)
    ? unanswered("the answer is no report")
    : { payment: report.value.payments.find((payment) => payment.paymentId === paymentId) }
})

/**
 * How a payment stands by its signed detail, and what was given back by the reporting service, since the detail shows
 * neither refunds nor cancellations (provider sheet, section 4).
 */
export const query = Effect.fnUntraced(function* (
  connection: Connection,
  authorization: Authorization
): Effect.fn.Return<Finding> {
  const { providerReference, reference } = authorization
  const detail = yield* askDetail(connection, authorization)
  if (detail._tag === "Failed" && providerReference === null) return yield* absence(connection, reference)
  if (detail._tag !== "Answered") return unanswered(reasonOf(detail))
  const { answer } = detail
  const { paymentId } = answer
  const state = stateOf(answer)
  if (!paymentId || (providerReference !== null && paymentId !== providerReference)) {
    return unanswered("the answer is about another payment")
  }
  if (state === undefined) return unanswered("the payment's status is not known here")
  if (state.stage === "AUTHORIZED" || state.stage === "CAPTURED") {
    const report = yield* reported(connection, reference, paymentId)
    if ("_tag" in report) return report
    return (
      foundOf(answer, paymentId, reference, report.payment) ??
      unanswered("the provider does not say whether the payment is held or captured")
    )
  }
  return {
    _tag: "Found",
    stage: state.stage,
    settled: null,
    capturedMinor: 0n,
    refundedMinor: 0n,
    providerReference: paymentId,
    answer: answerOf(answer),
    echo: echoOf(answer, reference),
    notes: notesOf(answer),
    ...(state.stage === "DECLINED" ? { code: state.ruling.code } : {})
  }
})
