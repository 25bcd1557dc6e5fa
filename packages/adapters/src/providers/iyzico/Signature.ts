import { createHmac, timingSafeEqual } from "node:crypto"
import { Redacted } from "effect"
import type { IyzicoCredentials } from "./Credentials.ts"
import { type Answer, type Notification, trimmed } from "./Messages.ts"

type Secret = IyzicoCredentials["secretKey"]

/** HMAC-SHA256 in lower-case hexadecimal, with which everything at iyzico is signed (provider sheet, section 3). */
const sign = (secret: Secret, text: string | Uint8Array): string =>
  createHmac("sha256", Redacted.value(secret)).update(text).digest("hex")

/** Compared in constant time. */
export const isSignature = (secret: Secret, text: string, signature: string): boolean => {
  const expected = Buffer.from(sign(secret, text))
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** `IYZWSv2 …` over the random key, the path without host and query, and the exact bytes of the body. */
export const authorizationHeader = (
  { apiKey, secretKey }: IyzicoCredentials,
  randomKey: string,
  path: string,
  body: Uint8Array
): string => {
  const signature = sign(secretKey, Buffer.concat([Buffer.from(randomKey + path), body]))
  const text = `apiKey:${apiKey}&randomKey:${randomKey}&signature:${signature}`
  return `IYZWSv2 ${Buffer.from(text).toString("base64")}`
}

/** Test accounts may have answers of an older kind, which are not signed. */
export const demandsSignature = ({ secretKey }: IyzicoCredentials): boolean =>
  !Redacted.value(secretKey).startsWith("sandbox-")

/** The texts of which one has to be signed in an answer. */
export type SignedTexts = (answer: Answer) => ReadonlyArray<string>

const joined = (...values: ReadonlyArray<string | null | undefined>): string =>
  values.map((value) => value ?? "").join(":")
const amount = (text: string | null | undefined): string => trimmed(text ?? "")

/** Authorization, capture, completed 3-D Secure and detail. */
export const paymentTexts: SignedTexts = ({ basketId, conversationId, currency, paidPrice, paymentId, price }) => [
  joined(paymentId, currency, basketId, conversationId, amount(paidPrice), amount(price))
]

/** Of a refund by item. */
export const itemRefundTexts: SignedTexts = ({ conversationId, currency, paymentId, price }) => [
  joined(paymentId, amount(price), currency, conversationId)
]

/** Of a refund by payment; the vendor's samples differ, and either is taken. */
export const refundTexts: SignedTexts = (answer) => [
  ...itemRefundTexts(answer),
  joined(answer.paymentId, answer.conversationId)
]

/** The start of 3-D Secure. */
export const initializeTexts: SignedTexts = ({ conversationId, paymentId }) => [joined(paymentId, conversationId)]

/** What the buyer's browser brings back. */
export const returnText = (returned: Readonly<Record<string, string>>): string =>
  joined(returned.conversationData, returned.conversationId, returned.mdStatus, returned.paymentId, returned.status)

/** Of a notification: those of the hosted form are signed over their token too. */
export const notificationText = (secret: Secret, message: Notification): string => {
  const { iyziEventType, iyziPaymentId, paymentConversationId, paymentId, status, token } = message
  const about = token ? [iyziPaymentId, token] : [paymentId]
  return [Redacted.value(secret), iyziEventType, ...about, paymentConversationId, status]
    .map((value) => value ?? "")
    .join("")
}
