import {
  Accepted,
  type Echo,
  NotSent,
  type Outcome,
  Pending,
  type ProviderAnswer,
  Refused,
  Unknown
} from "@sarraf/domain/payments/Outcome"
import { DateTime, Duration } from "effect"
import { type CC5Response, extraOf } from "./Messages.ts"
import { rulingOf } from "./ResponseCodes.ts"

/** How long an ongoing transaction is asked about; the sheet has no figure, and batches close once a day. */
const pendingFor = Duration.hours(24)

/** The allow-list: codes, references, times and amounts; no text of the bank's and nothing of the buyer. */
const shown = ["Response", "ProcReturnCode", "OrderId", "TransId", "AuthCode", "HostRefNum", "ERRORCODE"] as const
const shownOfExtra = [
  "ERRORCODE",
  "EXTENDED_ERROR_CODE",
  "TRXDATE",
  "NUMCODE",
  "SETTLEID",
  "HOSTDATE",
  "CARDBRAND",
  "CARDISSUER",
  "CHARGE_TYPE_CD",
  "TRANS_STAT",
  "ORIG_TRANS_AMT",
  "CAPTURE_AMT",
  "AUTH_DTTM",
  "CAPTURE_DTTM",
  "VOID_DTTM",
  "AUTH_CODE",
  "HOST_REF_NUM",
  "PROC_RET_CD"
] as const

/** No field that is shown is longer than 40 characters in a recorded answer. */
const shownLengthMax = 128

/** What came back, before anything is made of it. */
export type Reply =
  | { readonly _tag: "NotSent"; readonly reason: string }
  | { readonly _tag: "Unanswered"; readonly reason: string }
  | { readonly _tag: "Answered"; readonly message: CC5Response }

/** What was asked for, as far as a refusal depends on it. */
export type Step = { readonly type: "authorization"; readonly installment: number } | { readonly type: "followUp" }
export const followUp: Step = { type: "followUp" }

/** Newer answers have ERRORCODE at the top, and any answer may have it empty. */
const errorCodeOf = (message: CC5Response): string => extraOf(message).ERRORCODE || message.ERRORCODE || ""

export const answerOf = (message: CC5Response): ProviderAnswer => {
  const extra = extraOf(message)
  const fields: Record<string, string> = {}
  const show = (name: string, value: string | undefined) => {
    if (value !== undefined && value !== "") fields[name] = value.slice(0, shownLengthMax)
  }
  for (const name of shown) show(name, message[name])
  for (const name of shownOfExtra) show(name, extra[name])
  return { responseCode: message.ProcReturnCode || errorCodeOf(message) || null, fields }
}

/** An answer to a transaction names the order and nothing else of it: neither amount nor currency nor card. */
export const echoOf = (message: CC5Response): Echo => (message.OrderId ? { reference: message.OrderId } : {})

export const isApproved = (message: CC5Response): boolean =>
  message.Response === "Approved" && message.ProcReturnCode === "00" && errorCodeOf(message) === ""

const isRefusal = (message: CC5Response): boolean =>
  (message.Response === "Declined" || message.Response === "Decline" || message.Response === "Error") &&
  message.ProcReturnCode !== "00"

const refusalOf = (message: CC5Response, step: Step, now: DateTime.Utc): Outcome => {
  const answer = answerOf(message)
  const echo = echoOf(message)
  const ruling = rulingOf(errorCodeOf(message) || message.ProcReturnCode || "", message.Response !== "Error")
  const providerReference = message.TransId ? { providerReference: message.TransId } : {}
  if (ruling._tag === "Unknown") return Unknown({ reason: ruling.detail, answer })
  if (ruling._tag === "Pending") {
    const until = DateTime.addDuration(now, pendingFor)
    return Pending({ answer, echo, learnBy: "query", until, ...providerReference })
  }
  const { code, detail, another, reason } = ruling
  const mayTryAnother =
    step.type === "authorization" && (another === "yes" || (another === "installments" && step.installment > 1))
  return Refused({ code, detail, answer, mayTryAnother, echo, ...providerReference, ...(reason ? { reason } : {}) })
}

/**
 * Provider sheet, section 5. An approval has `Response` Approved and `ProcReturnCode` 00 and names its transaction and its
 * order; a message that contradicts itself, or says neither yes nor no, settles nothing.
 */
export const outcomeOf = (reply: Reply, step: Step, now: DateTime.Utc): Outcome => {
  if (reply._tag === "NotSent") return NotSent({ reason: reply.reason })
  if (reply._tag === "Unanswered") return Unknown({ reason: reply.reason })
  const { message } = reply
  if (isRefusal(message)) return refusalOf(message, step, now)
  const answer = answerOf(message)
  if (!isApproved(message))
    return Unknown({ reason: "The bank's answer is neither an approval nor a refusal.", answer })
  if (!message.TransId || !message.OrderId) {
    return Unknown({ reason: "The bank's approval does not name its transaction and order.", answer })
  }
  return Accepted({ providerReference: message.TransId, answer, echo: echoOf(message) })
}
