import { Effect, type Redacted, Result } from "effect"
import { noReplyOf, unanswered } from "../ProviderReply.ts"
import type { ProviderTransport } from "../ProviderTransport.ts"
import { apiUrlOf, type GarantiCredentials, modeOf } from "./Credentials.ts"
import {
  decodeResponse,
  encodeRequest,
  type GVPSRequest,
  type GVPSResponse,
  requestHeaders,
  type Transaction
} from "./Messages.ts"
import type { Reply } from "./Outcomes.ts"
import { answerHash, isSameHash, requestHash, secDataOf } from "./Signature.ts"

/** One terminal and the way to its bank. */
export interface Terminal {
  readonly transport: ProviderTransport["Service"]
  readonly credentials: GarantiCredentials
}

/** A message before it is signed. */
export interface Question {
  readonly orderId: string
  readonly transaction: Transaction
  readonly customer?: GVPSRequest["Customer"]
  readonly card?: NonNullable<GVPSRequest["Card"]>
}

/**
 * What follows an authorization is the merchant's step and not the buyer's; the bank refuses an empty address (0002), and
 * the recorded voids and captures carry this one.
 */
const merchantAddress = "127.0.0.1"

/** Only an answer by the current version has a hash that can be verified (provider sheet, section 3). */
const currentHash = /^[0-9A-F]{128}$/iu

/**
 * By the secret of either user, since the sheet's recordings do not tell which one signs the answer to a refund. A blank
 * that stands for no approval code may take part or not.
 */
const isGenuine = ({ Order, Transaction }: GVPSResponse, credentials: GarantiCredentials): boolean => {
  const { AuthCode = "", HashData = "", ProvDate = "", Response, RetrefNum = "" } = Transaction
  if (!currentHash.test(HashData)) return true
  const signed = { code: Response.Code, retrefNum: RetrefNum, provDate: ProvDate, orderId: Order.OrderID }
  const authCodes = AuthCode === "" ? ["", " "] : [AuthCode]
  return [credentials.password, credentials.refundPassword].some((password) => {
    const secData = secDataOf(password, credentials.terminalId)
    return authCodes.some((authCode) => isSameHash(HashData, answerHash({ ...signed, authCode }, secData)))
  })
}

/** Voids and refunds are the second user's (provider sheet, section 4). */
const userOf = (credentials: GarantiCredentials, { Type }: Transaction) =>
  Type === "void" || Type === "refund"
    ? { userId: credentials.refundUserId, password: credentials.refundPassword }
    : { userId: credentials.provUserId, password: credentials.password }

const signed = (credentials: GarantiCredentials, question: Question): GVPSRequest => {
  const { card, customer = { IPAddress: merchantAddress }, orderId, transaction } = question
  const { merchantId: MerchantID, terminalId } = credentials
  const { password, userId } = userOf(credentials, transaction)
  const { Amount: amount, CurrencyCode: currency } = transaction
  const parts = { orderId, terminalId, cardNumber: card?.Number ?? "", amount, currency }
  const HashData = requestHash(parts, secDataOf(password, terminalId))
  return {
    Mode: modeOf(credentials),
    Version: "512",
    Terminal: { ProvUserID: userId, UserID: userId, HashData, ID: terminalId, MerchantID },
    Customer: customer,
    ...(card === undefined ? {} : { Card: card }),
    Order: { OrderID: orderId },
    Transaction: transaction
  }
}

/** Signs, sends, and reads what comes back; an answer whose hash is wrong is none. */
export const ask = ({ credentials, transport }: Terminal, question: Question): Effect.Effect<Reply> => {
  const body = encodeRequest(signed(credentials, question))
  const url = apiUrlOf(credentials)
  return transport.send({ provider: "garanti", method: "POST", url, headers: requestHeaders, body }).pipe(
    Effect.map((response): Reply => {
      const decoded = decodeResponse(response)
      if (Result.isFailure(decoded)) return unanswered(decoded.failure)
      return isGenuine(decoded.success, credentials)
        ? { _tag: "Answered", message: decoded.success }
        : unanswered("The hash of the bank's answer is wrong.")
    }),
    Effect.catch((failure) => Effect.succeed<Reply>(noReplyOf(failure)))
  )
}

/** A transaction without 3-D Secure, its elements in the sheet's order; a single payment where no installments are named. */
export const plain = (
  parts: Pick<Transaction, "Type" | "InstallmentCnt" | "Amount" | "CurrencyCode" | "OriginalRetrefNum">
): Transaction => {
  const { Amount, CurrencyCode, InstallmentCnt = "", OriginalRetrefNum, Type } = parts
  const target = OriginalRetrefNum === undefined ? {} : { OriginalRetrefNum }
  return { Type, InstallmentCnt, Amount, CurrencyCode, CardholderPresentCode: "0", MotoInd: "N", ...target }
}

/** The secret of the first user, with which the 3-D Secure form is signed. */
export const secData = ({ password, terminalId }: GarantiCredentials): Redacted.Redacted<string> =>
  secDataOf(password, terminalId)
