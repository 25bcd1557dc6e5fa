import { hash, timingSafeEqual } from "node:crypto"
import type { InboundMessage, NotificationReading } from "@sarraf/domain/payments/Notification"
import { Option, Redacted } from "effect"
import { readJson } from "../AnswerDocument.ts"
import type { NetworkInternationalCredentials } from "./Credentials.ts"
import { decodeWebhook } from "./Messages.ts"

const isSame = (one: string, other: string): boolean =>
  timingSafeEqual(hash("sha256", one, "buffer"), hash("sha256", other, "buffer"))

const hasHeader = (credentials: NetworkInternationalCredentials, { headers }: InboundMessage): boolean => {
  const { webhookHeaderName: name, webhookHeaderValue: value } = credentials
  return name === undefined || value === undefined || isSame(headers[name.toLowerCase()] ?? "", Redacted.value(value))
}

/**
 * A webhook (provider sheet, sections 3 and 4). It carries no signature but a fixed header of the merchant's choice,
 * which keeps strangers out and proves nothing of the content: its word is always `Ask`, and no link in it is followed.
 */
export const readNotification =
  (credentials: NetworkInternationalCredentials) =>
  (message: InboundMessage): NotificationReading => {
    if (!hasHeader(credentials, message)) return { _tag: "Forged", reason: "the merchant's own header is wrong" }
    const webhook = Option.flatMap(readJson(message.body), decodeWebhook)
    if (Option.isNone(webhook)) return { _tag: "Unsigned", items: [] }
    const { eventId, order } = webhook.value
    const reference = order.merchantOrderReference ?? order._embedded?.payment[0]?.merchantOrderReference
    const isOurs = (order.outletId ?? credentials.outletReference) === credentials.outletReference
    if (!reference || !isOurs) return { _tag: "Unsigned", items: [] }
    return { _tag: "Unsigned", items: [{ id: eventId, reference, word: { _tag: "Ask" } }] }
  }
