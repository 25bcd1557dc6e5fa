import { createHmac } from "node:crypto"
import type { Json } from "../PostedBody.ts"
import type { ProviderResponse } from "../ProviderTransport.ts"
import type { PostedNotification } from "../Simulator.ts"
import { type Payment, transactionIdOf } from "./SimulatedPayment.ts"

const utf8 = new TextEncoder()

/** As iyzico spells amounts: eight decimals, as a number. The marks are taken off once the document is a text. */
const amount = (minor: number): string => `@${(minor / 100).toFixed(2)}000000@`
/** As it signs them. */
const signedAmount = (minor: number): string => (minor / 100).toFixed(2).replace(/\.?0+$/u, "")

export const hexOf = (secret: string, text: string): string => createHmac("sha256", secret).update(text).digest("hex")

const bytesOf = (json: Json): Uint8Array => utf8.encode(JSON.stringify(json).replace(/"@(\d+\.\d+)@"/gu, "$1"))

export const answer = (json: Json): ProviderResponse => ({
  status: 200,
  headers: { "content-type": "application/json;charset=UTF-8" },
  body: bytesOf(json)
})

/** What every answer has. */
export interface Envelope {
  readonly secret: string
  readonly conversationId: string
  /** Milliseconds since 1970. */
  readonly now: number
}

const success = ({ conversationId, now }: Envelope): Json => ({
  status: "success",
  locale: "en",
  systemTime: now,
  ...(conversationId === "" ? {} : { conversationId })
})

const groups: Readonly<Record<string, string>> = {
  "10005": "DO_NOT_HONOUR",
  "10012": "INVALID_TRANSACTION",
  "10051": "NOT_SUFFICIENT_FUNDS",
  "10054": "EXPIRED_CARD",
  "10206": "INVALID_CVC2_LENGTH",
  "10211": "INVALID_ECI",
  "10214": "COMMUNICATION_OR_SYSTEM_ERROR",
  "10222": "NOT_PERMITTED_TO_INSTALLMENT",
  "10229": "INVALID_EXPIRE_YEAR_MONTH",
  "10232": "INVALID_AMOUNT"
}

export const failure = (code: string, { conversationId, now }: Envelope): ProviderResponse =>
  answer({
    status: "failure",
    errorCode: code,
    errorMessage: `Simulated failure ${code}`,
    ...(groups[code] === undefined ? {} : { errorGroup: groups[code] }),
    locale: "en",
    systemTime: now,
    ...(conversationId === "" ? {} : { conversationId })
  })

const association = (bin: string): string => {
  if (bin.startsWith("4")) return "VISA"
  if (/^3[47]/u.test(bin)) return "AMERICAN_EXPRESS"
  return bin.startsWith("9792") ? "TROY" : "MASTER_CARD"
}

const paymentFields = (payment: Payment): Json => ({
  price: amount(payment.price),
  paidPrice: amount(payment.paidPrice),
  installment: payment.installment,
  paymentId: payment.paymentId,
  fraudStatus: 1,
  merchantCommissionRate: "@0.0@",
  iyziCommissionFee: "@0.25000000@",
  cardType: "CREDIT_CARD",
  cardAssociation: association(payment.bin),
  cardFamily: "Bonus",
  binNumber: payment.bin,
  lastFourDigits: payment.last4,
  basketId: payment.basketId,
  currency: payment.currency,
  itemTransactions: [
    {
      itemId: "1",
      paymentTransactionId: transactionIdOf(payment),
      transactionStatus: 2,
      price: amount(payment.price),
      paidPrice: amount(payment.paidPrice)
    }
  ],
  authCode: payment.authCode,
  phase: payment.phase,
  hostReference: payment.hostReference,
  ...(payment.threeDS?.mdStatus === 1 ? { mdStatus: 1 } : {})
})

const paymentSignature = (payment: Payment, { conversationId, secret }: Envelope): string => {
  const { basketId, currency, paidPrice, paymentId, price } = payment
  const about = [paymentId, currency, basketId, conversationId, signedAmount(paidPrice), signedAmount(price)]
  return hexOf(secret, about.join(":"))
}

export const payment = (one: Payment, envelope: Envelope): ProviderResponse =>
  answer({ ...success(envelope), ...paymentFields(one), signature: paymentSignature(one, envelope) })

/** It shows neither refunds nor cancellations. */
export const detail = (one: Payment, envelope: Envelope): ProviderResponse =>
  answer({
    ...success(envelope),
    ...paymentFields(one),
    paymentStatus: one.status,
    ...(one.status === "FAILURE" && one.errorCode !== null ? { errorCode: one.errorCode } : {}),
    ...(one.threeDS?.mdStatus === 0 ? { mdStatus: 0 } : {}),
    signature: paymentSignature(one, envelope)
  })

export const initialized = (one: Payment, page: string, envelope: Envelope): ProviderResponse =>
  answer({
    ...success(envelope),
    paymentId: one.paymentId,
    threeDSHtmlContent: Buffer.from(page).toString("base64"),
    signature: hexOf(envelope.secret, `${one.paymentId}:${envelope.conversationId}`)
  })

export const refund = (one: Payment, minor: number, byItem: boolean, envelope: Envelope): ProviderResponse => {
  const about = [one.paymentId, signedAmount(minor), one.currency, envelope.conversationId]
  return answer({
    ...success(envelope),
    paymentId: one.paymentId,
    ...(byItem ? { paymentTransactionId: transactionIdOf(one) } : {}),
    price: amount(minor),
    currency: one.currency,
    authCode: one.authCode,
    hostReference: one.hostReference,
    refundHostReference: one.hostReference,
    retryable: false,
    signature: hexOf(envelope.secret, about.join(":"))
  })
}

export const cancellation = (one: Payment, envelope: Envelope): ProviderResponse =>
  answer({
    ...success(envelope),
    paymentId: one.paymentId,
    price: amount(one.paidPrice),
    currency: one.currency,
    authCode: one.authCode,
    hostReference: one.hostReference,
    cancelHostReference: one.hostReference
  })

const reported = (one: Payment): Json => ({
  paymentId: one.paymentId,
  paymentStatus: one.status === "SUCCESS" ? 1 : 0,
  paymentConversationId: one.conversationId,
  price: amount(one.price),
  paidPrice: amount(one.paidPrice),
  phase: one.phase,
  currency: one.currency,
  authCode: one.authCode,
  hostReference: one.hostReference,
  cancels: one.cancels.map(({ id, minor }) => ({ refundId: id, refundPrice: amount(minor), refundStatus: 1 })),
  itemTransactions: [
    {
      paymentTransactionId: transactionIdOf(one),
      refunds: one.refunds.map(({ id, minor }) => ({ refundTxId: id, refundPrice: amount(minor), refundStatus: 1 }))
    }
  ]
})

export const report = (payments: ReadonlyArray<Payment>, envelope: Envelope): ProviderResponse =>
  answer({ ...success(envelope), payments: payments.map(reported) })

/** `API_AUTH` and its like, signed as the account has it switched on (provider sheet, section 3). */
export const notification = (
  one: Payment,
  eventType: "API_AUTH" | "THREE_DS_AUTH" | "THREE_DS_CALLBACK",
  referenceCode: string,
  { now, secret }: Envelope
): PostedNotification => {
  const { conversationId, paymentId, status } = one
  const text = `${secret}${eventType}${paymentId}${conversationId}${status}`
  return {
    headers: { "content-type": "application/json", "x-iyz-signature-v3": hexOf(secret, text) },
    body: bytesOf({
      paymentConversationId: conversationId,
      merchantId: 3382172,
      paymentId: Number(paymentId),
      status,
      iyziReferenceCode: referenceCode,
      iyziEventType: eventType,
      iyziEventTime: now,
      iyziPaymentId: Number(paymentId)
    }),
    delayMillis: 200
  }
}
