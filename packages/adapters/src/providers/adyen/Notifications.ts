import type {
  InboundMessage,
  NotificationReading,
  NotifiedItem,
  NotifiedWord
} from "@sarraf/domain/payments/Notification"
import type { OperationType } from "@sarraf/domain/payments/Operation"
import { Accepted, type ProviderAnswer, Refused } from "@sarraf/domain/payments/Outcome"
import { Option, Redacted } from "effect"
import { readJson } from "../AnswerDocument.ts"
import type { AdyenCredentials } from "./Credentials.ts"
import { decodeItems, type Item } from "./Messages.ts"
import { answerOf, echoOf } from "./Outcomes.ts"
import { rulingOf } from "./ResponseCodes.ts"
import { isGenuine } from "./Signature.ts"

/** Events that say by `success` how an operation ended. */
const endings: ReadonlyMap<string, OperationType> = new Map([
  ["CAPTURE", "CAPTURE"],
  ["REFUND", "REFUND"],
  ["CANCELLATION", "VOID"],
  ["TECHNICAL_CANCEL", "VOID"]
])
/** Events that take back what an earlier one said had worked; their `success` is the event's own. */
const failures: ReadonlyMap<string, OperationType> = new Map([
  ["CAPTURE_FAILED", "CAPTURE"],
  ["REFUND_FAILED", "REFUND"],
  ["REFUNDED_REVERSED", "REFUND"]
])
const disputes: ReadonlySet<string> = new Set(["NOTIFICATION_OF_CHARGEBACK", "CHARGEBACK", "SECOND_CHARGEBACK"])
const wonDisputes: ReadonlySet<string> = new Set(["CHARGEBACK_REVERSED", "PREARBITRATION_WON"])

/** The reason of an approval is the authorization code and the card's last four and expiry, and is not shown. */
const itemAnswer = (item: Item): ProviderAnswer => {
  const { eventCode, reason, success } = item
  if (success === "true") return answerOf(eventCode, { ...item, reason: null })
  return answerOf(eventCode === "AUTHORISATION" && reason ? reason : eventCode, item)
}

const authorizationWord = (item: Item): NotifiedWord => {
  const { additionalData, amount, merchantReference, pspReference, reason, success } = item
  const echo = echoOf({ reference: merchantReference, amount, cardSummary: additionalData?.cardSummary })
  const answer = itemAnswer(item)
  if (success === "true") {
    return { _tag: "Authorization", outcome: Accepted({ providerReference: pspReference, answer, echo }) }
  }
  const { code, detail } = rulingOf({
    resultCode: "Refused",
    refusalReason: reason,
    refusalReasonRaw: additionalData?.refusalReasonRaw,
    // Only the buyer on the issuer's page can cancel a card's payment.
    isAfterChallenge: true
  })
  const outcome = Refused({ code, detail, answer, mayTryAnother: false, echo, providerReference: pspReference })
  return { _tag: "Authorization", outcome }
}

const operationWord = (item: Item, type: OperationType, status: "SUCCEEDED" | "FAILED"): NotifiedWord => ({
  _tag: "Operation",
  type,
  status,
  providerReference: item.pspReference,
  minor: item.amount ? BigInt(item.amount.value) : null,
  currency: item.amount?.currency ?? null,
  answer: itemAnswer(item)
})

/** Undefined for events that change nothing of a payment. */
const wordOf = (item: Item): NotifiedWord | undefined => {
  const { amount, eventCode, success } = item
  if (eventCode === "AUTHORISATION") return authorizationWord(item)
  const ended = endings.get(eventCode)
  if (ended !== undefined) return operationWord(item, ended, success === "true" ? "SUCCEEDED" : "FAILED")
  const failed = failures.get(eventCode)
  if (failed !== undefined) return operationWord(item, failed, "FAILED")
  // Which of the two it was stands in a field that is not signed, and no reversal is ever asked for.
  if (eventCode === "CANCEL_OR_REFUND") return { _tag: "Ask" }
  if (success !== "true" || !amount) return undefined
  const { currency, value } = amount
  if (disputes.has(eventCode)) return { _tag: "Dispute", minor: BigInt(value), currency, answer: itemAnswer(item) }
  return wonDisputes.has(eventCode) ? { _tag: "Dispute", minor: 0n, currency, answer: itemAnswer(item) } : undefined
}

const read = (item: Item, merchantAccount: string): ReadonlyArray<NotifiedItem> => {
  const { eventCode, merchantAccountCode, merchantReference, pspReference, success } = item
  if (merchantAccountCode !== merchantAccount || !merchantReference) return []
  const word = wordOf(item)
  // Adyen repeats an item under the same three (provider sheet, section 7).
  return word === undefined
    ? []
    : [{ id: `${pspReference}:${eventCode}:${success}`, reference: merchantReference, word }]
}

/**
 * Reads a standard webhook, every item of which is signed (provider sheet, sections 3 and 4). One wrong signature makes
 * the message a forgery. Captures, refunds and cancellations carry the reference of the payment's attempt, which was sent
 * with them.
 */
export const readNotification = (
  { hmacKey, merchantAccount }: AdyenCredentials,
  { body }: InboundMessage
): NotificationReading => {
  const items = Option.flatMap(readJson(body), decodeItems)
  if (Option.isNone(items)) return { _tag: "Forged", reason: "the message is no notification" }
  const key = Redacted.value(hmacKey)
  return items.value.every((item) => isGenuine(item, key))
    ? { _tag: "Verified", items: items.value.flatMap((item) => read(item, merchantAccount)) }
    : { _tag: "Forged", reason: "an item's signature is missing or wrong" }
}
