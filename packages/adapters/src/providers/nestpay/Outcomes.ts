import {
  Accepted,
  type Echo,
  type Outcome,
  Pending,
  type ProviderAnswer,
  Refused,
  Unknown
} from "@sarraf/domain/payments/Outcome"
import type { OperationCall } from "@sarraf/domain/payments/PaymentProvider"
import { DateTime, Duration } from "effect"
import { isNoReply, type NoReply, outcomeWithout } from "../ProviderReply.ts"
import { shownElements } from "../ShownFields.ts"
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

/** What came back, before anything is made of it. */
export type Reply = NoReply | { readonly _tag: "Answered"; readonly message: CC5Response }

/** What was asked for, as far as a refusal depends on it. */
export type Step =
  | { readonly type: "authorization"; readonly installment: number }
  /** `earlier`: the order's transactions before this one, whose answers are none to it. */
  | { readonly type: "followUp"; readonly earlier?: ReadonlyArray<string> }
export const followUp: Step = { type: "followUp" }

/** What follows these transactions of an order; a bank gives every transaction a TransId of its own. */
export const following = ({ authorization, captures }: Pick<OperationCall, "authorization" | "captures">): Step => ({
  type: "followUp",
  earlier: [authorization, ...captures].flatMap(({ providerReference }) => providerReference ?? [])
})

/** Newer answers have ERRORCODE at the top, and any answer may have it empty. */
const errorCodeOf = (message: CC5Response): string => extraOf(message).ERRORCODE || message.ERRORCODE || ""

export const answerOf = (message: CC5Response): ProviderAnswer => {
  const extra = extraOf(message)
  const fields = { ...shownElements(shown, message), ...shownElements(shownOfExtra, extra) }
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
  const { code, detail, isAboutInstallments, reason } = ruling
  const mayTryAnother =
    step.type === "authorization" && ruling.mayTryAnother && (!isAboutInstallments || step.installment > 1)
  return Refused({ code, detail, answer, mayTryAnother, echo, ...providerReference, ...(reason ? { reason } : {}) })
}

/**
 * Provider sheet, section 5. An approval has `Response` Approved and `ProcReturnCode` 00 and names its transaction and its
 * order; a message that contradicts itself, that says neither yes nor no, or that is about an earlier transaction of the
 * order, settles nothing.
 */
export const outcomeOf = (reply: Reply, step: Step, now: DateTime.Utc): Outcome => {
  if (isNoReply(reply)) return outcomeWithout(reply)
  const { message } = reply
  if (isRefusal(message)) return refusalOf(message, step, now)
  const answer = answerOf(message)
  if (!isApproved(message))
    return Unknown({ reason: "The bank's answer is neither an approval nor a refusal.", answer })
  if (!message.TransId || !message.OrderId) {
    return Unknown({ reason: "The bank's approval does not name its transaction and order.", answer })
  }
  if (step.type === "followUp" && step.earlier?.includes(message.TransId)) {
    return Unknown({ reason: "The bank's answer is the one to an earlier transaction of the order.", answer })
  }
  return Accepted({ providerReference: message.TransId, answer, echo: echoOf(message) })
}
