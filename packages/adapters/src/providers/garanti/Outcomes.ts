import {
  Accepted,
  type Echo,
  type Outcome,
  type ProviderAnswer,
  Refused,
  Unknown
} from "@sarraf/domain/payments/Outcome"
import { isNoReply, type NoReply, outcomeWithout } from "../ProviderReply.ts"
import { shownElements } from "../ShownFields.ts"
import { type GVPSResponse, inquiryOf } from "./Messages.ts"
import { rulingOf, type Step } from "./ResponseCodes.ts"

/** The allow-list: codes, references, times and amounts; no text of the bank's and nothing of the buyer. */
const shownOfResponse = ["Source", "Code", "ReasonCode", "Message"] as const
const shownOfTransaction = ["RetrefNum", "AuthCode", "BatchNum", "SequenceNum", "ProvDate", "CardType"] as const
const shownOfInquiry = [
  "Status",
  "ChargeType",
  "AuthAmount",
  "PreAuthAmount",
  "InstallmentCnt",
  "AuthDate",
  "PreAuthDate"
] as const

/** What came back, before anything is made of it. */
export type Reply = NoReply | { readonly _tag: "Answered"; readonly message: GVPSResponse }

/** In an inquiry the order's own number and approval take the place of the inquiry's (provider sheet, section 4). */
export const answerOf = (message: GVPSResponse): ProviderAnswer => {
  const { Order, Transaction } = message
  const inquiry = inquiryOf(message)
  return {
    responseCode: Transaction.Response.Code || null,
    fields: {
      ...shownElements(["OrderID"], Order),
      ...shownElements(shownOfResponse, Transaction.Response),
      ...shownElements(shownOfTransaction, Transaction),
      ...shownElements(shownOfInquiry, inquiry),
      ...shownElements(["RetrefNum", "AuthCode"], inquiry)
    }
  }
}

/** `540669******1173`, `54066975****1173`; of a fifteen-digit card masked as `37562400****036` too few are left. */
export const last4Of = (masked: string | undefined): string | undefined => /\*(\d{4})$/u.exec(masked?.trim() ?? "")?.[1]

/** An answer to a transaction names the order and the card; neither amount nor currency. */
const echoOf = ({ Order, Transaction }: GVPSResponse): Echo => {
  const last4 = last4Of(Transaction.CardNumberMasked)
  return {
    ...(Order.OrderID === "" ? {} : { reference: Order.OrderID }),
    ...(last4 === undefined ? {} : { last4 })
  }
}

export const isApproved = ({ Transaction: { Response } }: GVPSResponse): boolean =>
  Response.Code === "00" && Response.Message === "Approved"

const refusalOf = (message: GVPSResponse, step: Step): Outcome => {
  const answer = answerOf(message)
  const ruling = rulingOf(message.Transaction.Response, step)
  if (ruling._tag === "Unknown") return Unknown({ reason: ruling.detail, answer })
  const { code, detail, mayTryAnother, reason } = ruling
  const { RetrefNum } = message.Transaction
  return Refused({
    code,
    detail,
    answer,
    mayTryAnother: mayTryAnother && step === "authorization",
    echo: echoOf(message),
    ...(RetrefNum ? { providerReference: RetrefNum } : {}),
    ...(reason === undefined ? {} : { reason })
  })
}

/**
 * Provider sheet, section 5. An approval has `Code` 00 and `Message` Approved and names its transaction and its order; a
 * message that contradicts itself, or says neither yes nor no, settles nothing.
 */
export const outcomeOf = (reply: Reply, step: Step): Outcome => {
  if (isNoReply(reply)) return outcomeWithout(reply)
  const { message } = reply
  const { RetrefNum, Response } = message.Transaction
  if (Response.Message === "Declined") return refusalOf(message, step)
  const answer = answerOf(message)
  if (!isApproved(message)) {
    return Unknown({ reason: "The bank's answer is neither an approval nor a refusal.", answer })
  }
  if (!RetrefNum || message.Order.OrderID === "") {
    return Unknown({ reason: "The bank's approval does not name its transaction and order.", answer })
  }
  return Accepted({ providerReference: RetrefNum, answer, echo: echoOf(message) })
}
