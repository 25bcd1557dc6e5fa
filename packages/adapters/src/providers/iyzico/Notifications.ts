import type { InboundMessage, NotificationReading } from "@sarraf/domain/payments/Notification"
import { Option } from "effect"
import { capabilities } from "./Capabilities.ts"
import type { IyzicoCredentials } from "./Credentials.ts"
import { decodeNotification, parse } from "./Messages.ts"
import { isSignature, notificationText } from "./Signature.ts"

/** Of our own making; an account may have payments of other systems. */
const isOurs = (reference: string): boolean =>
  reference.length === capabilities.reference.length && /^[0-9a-z]+$/u.test(reference)

/**
 * What iyzico posts (provider sheet, section 3, `X-IYZ-SIGNATURE-V3`). A message has neither amount nor currency nor the
 * result of a review, so that even a genuine one only makes the gateway ask. Its `iyziReferenceCode` is not signed: a
 * repetition under another one asks once more and changes nothing.
 */
export const readNotification = (
  { secretKey }: IyzicoCredentials,
  { body, headers }: InboundMessage
): NotificationReading => {
  const message = Option.getOrUndefined(Option.flatMap(parse(body), decodeNotification))
  const signature = headers["x-iyz-signature-v3"]
  if (message === undefined) return { _tag: "Forged", reason: "the message is no notification" }
  if (signature === undefined) return { _tag: "Forged", reason: "the message is not signed" }
  if (!isSignature(secretKey, notificationText(secretKey, message), signature)) {
    return { _tag: "Forged", reason: "the message's signature is wrong" }
  }
  const { iyziEventType, iyziPaymentId, iyziReferenceCode, paymentConversationId: reference, status } = message
  if (!reference || !isOurs(reference)) return { _tag: "Verified", items: [] }
  const id = iyziReferenceCode || `${iyziEventType}:${message.paymentId ?? iyziPaymentId ?? ""}:${status}`
  return { _tag: "Verified", items: [{ id, reference, word: { _tag: "Ask" } }] }
}
