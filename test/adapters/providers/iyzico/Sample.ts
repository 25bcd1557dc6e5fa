import { createHmac } from "node:crypto"
import { make } from "@sarraf/adapters/providers/iyzico/Adapter"
import type { IyzicoCredentials } from "@sarraf/adapters/providers/iyzico/Credentials"
import { Money } from "@sarraf/domain/money/Money"
import { Redacted } from "effect"
import { type Answer, answersInTurn, jsonAnswer } from "../answers.ts"
import { callsOf } from "../calls.ts"

export const reference = "srf0k2v7q9d4m8x1c6b3n5za"
export const paymentId = "22416032"
export const secret = "sandbox-qaIiLIxhjMgx3LSKIVvp6j17NunHOFtD"
export const credentials: IyzicoCredentials = { apiKey: "sandbox-key", secretKey: Redacted.make(secret) }
export const liveCredentials: IyzicoCredentials = { apiKey: "live-key", secretKey: Redacted.make("live-secret") }

/** HMAC-SHA256 in lower-case hexadecimal (provider sheet, section 3). */
export const hexOf = (text: string, key = secret): string => createHmac("sha256", key).update(text).digest("hex")

export const lira = (minor: bigint) => new Money({ currency: "TRY", minor })

export const { authorization, authorizeCall, captureCall, operationCall, returnCall } = callsOf({
  reference,
  operationReference: "srf0k2v7q9d4m8x1c6b3n5zb",
  money: lira(1050n),
  cardNumber: "5528790000000008",
  providerReference: paymentId
})

/** What the browser brings back, signed. */
export const returned = (changes: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> => {
  const fields = {
    status: "success",
    paymentId,
    conversationData: "",
    conversationId: reference,
    mdStatus: "1",
    ...changes
  }
  const { conversationData, conversationId, mdStatus, status } = fields
  return {
    ...fields,
    signature: hexOf([conversationData, conversationId, mdStatus, fields.paymentId, status].join(":"))
  }
}

type Fields = Readonly<Record<string, unknown>>

const textOf = (value: unknown): string => (typeof value === "string" || typeof value === "number" ? `${value}` : "")

/** A payment as iyzico tells of it, signed. */
export const payment = (changes: Fields = {}): Fields => {
  const fields: Fields = {
    status: "success",
    locale: "en",
    systemTime: 1_528_282_342_393,
    conversationId: reference,
    price: 10.5,
    paidPrice: 10.5,
    installment: 1,
    paymentId,
    fraudStatus: 1,
    cardType: "CREDIT_CARD",
    cardAssociation: "MASTER_CARD",
    cardFamily: "Bonus",
    binNumber: "55287900",
    lastFourDigits: "0008",
    basketId: reference,
    currency: "TRY",
    itemTransactions: [{ itemId: "1", paymentTransactionId: "24810001", transactionStatus: 2, price: 10.5 }],
    authCode: "235467",
    phase: "PRE_AUTH",
    hostReference: "mock00001iyzihostrfn",
    ...changes
  }
  const signed = ["paymentId", "currency", "basketId", "conversationId", "paidPrice", "price"]
  return { signature: hexOf(signed.map((name) => textOf(fields[name])).join(":")), ...fields }
}

export const detail = (changes: Fields = {}): Fields => payment({ paymentStatus: "SUCCESS", ...changes })

export const captured = (changes: Fields = {}): Fields => payment({ phase: "POST_AUTH", ...changes })

export const refund = (changes: Fields = {}): Fields => {
  const fields: Fields = {
    status: "success",
    conversationId: reference,
    paymentId,
    paymentTransactionId: "24810001",
    price: 4,
    currency: "TRY",
    authCode: "475990",
    hostReference: "mock00007iyzihostrfn",
    ...changes
  }
  const signed = ["paymentId", "price", "currency", "conversationId"]
  return { signature: hexOf(signed.map((name) => textOf(fields[name])).join(":")), ...fields }
}

export const cancellation = (changes: Fields = {}): Fields => ({
  status: "success",
  conversationId: reference,
  paymentId,
  price: 10.5,
  currency: "TRY",
  authCode: "519468",
  ...changes
})

export const failure = (errorCode: string, changes: Fields = {}): Fields => ({
  status: "failure",
  errorCode,
  errorMessage: "Not passed on.",
  locale: "en",
  systemTime: 1_528_282_342_393,
  conversationId: reference,
  ...changes
})

export const report = (...payments: ReadonlyArray<unknown>): Fields => ({ status: "success", payments })

/** An account whose iyzico gives these answers in turn, and the requests that it was sent. */
export const accountAnswering = (answers: ReadonlyArray<Answer>, account: IyzicoCredentials = credentials) => {
  const { requests, transport } = answersInTurn(answers)
  return { iyzico: make({ credentials: account, transport }), requests }
}

/** The same, where each answer is JSON with status 200. */
export const accountSaying = (...bodies: ReadonlyArray<unknown>) =>
  accountAnswering(bodies.map((body) => jsonAnswer(200, body)))
