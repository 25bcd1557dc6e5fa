import * as Ruling from "../Ruling.ts"
import type { AdyenError } from "./Messages.ts"

const blocked = Ruling.make(
  "CARD_DECLINED",
  "The card is blocked, or the payment was taken for fraud: do not try it again."
)
const unsupported = Ruling.make("CARD_DECLINED", "The provider does not take this card or this kind of payment.", true)
const cancelled = Ruling.make("CARD_DECLINED", "The payment was cancelled before it was authorized.")
const away = Ruling.make(
  "PROVIDER_ERROR",
  "The card's issuer or the provider's acquirer does not work at present.",
  true
)
const failed = Ruling.make("PROVIDER_ERROR", "The provider could not process the payment.")
const impossible = Ruling.make("PROVIDER_ERROR", "The provider does not take the request as it is.")

export const nativeDemanded = Ruling.make(
  "3DS_FAILED",
  "The card's issuer demands a kind of 3-D Secure that needs the provider's own page."
)

/** `refusalReasonCode` to what it means (provider sheet, section 5). */
const refusals = Ruling.meaningsOf([
  ["2 3 17 18 19 23 26 27 28 29 32 33 34 35 36 37 40 41 46", Ruling.declined],
  ["5 14 20 22 25 31", blocked],
  ["4 9 21", away],
  ["6 8 24", Ruling.cardInvalid],
  ["7", failed],
  ["10", unsupported],
  ["11 39 42", Ruling.authenticationFailed],
  ["12", Ruling.insufficientFunds],
  ["38", Ruling.authenticationDemanded]
])

/** `refusalReason` in lower case to its code, for answers that have the text alone, as notifications do. */
const codesByReason: ReadonlyMap<string, string> = new Map([
  ["acquirer error", "4"],
  ["expired card", "6"],
  ["invalid card number", "8"],
  ["issuer unavailable", "9"],
  ["3d not authenticated", "11"],
  ["not enough balance", "12"],
  ["shopper cancelled", "16"],
  ["cvc declined", "24"]
])

/** What a refusal says of itself; absent where it does not. */
export interface Refusal {
  readonly resultCode: string
  readonly refusalReason?: string | null | undefined
  readonly refusalReasonCode?: string | null | undefined
  /** The issuer's own code and words: `51 : Insufficient funds`. */
  readonly refusalReasonRaw?: string | null | undefined
  /** The buyer was sent to the issuer, so that a cancellation is the authentication's. */
  readonly isAfterChallenge?: boolean
}

/** An issuer's 51 behind a plain "Refused". */
const speaksOfFunds = /^\s*51\b/u

/** The meaning of `Refused`, `Cancelled` or `Error`. What is not in the table is, conservatively, nobody else's to try. */
export const rulingOf = (refusal: Refusal): Ruling.Ruling => {
  const { isAfterChallenge, refusalReason, refusalReasonCode, refusalReasonRaw, resultCode } = refusal
  const given = refusalReasonCode && refusalReasonCode !== "0" ? refusalReasonCode : undefined
  const code = given ?? codesByReason.get(refusalReason?.trim().toLowerCase() ?? "")
  const isCancelled = code === "15" || code === "16" || (code === undefined && resultCode === "Cancelled")
  if (isCancelled) return isAfterChallenge ? Ruling.authenticationFailed : cancelled
  if ((code ?? "2") === "2" && speaksOfFunds.test(refusalReasonRaw ?? "")) return Ruling.insufficientFunds
  const listed = refusals.get(code ?? "")
  if (listed !== undefined) return listed
  return resultCode === "Error" ? failed : Ruling.declined
}

/** `errorCode` to what it means (provider sheet, section 5); 138 is Adyen's "unsupported currency". */
const errors = Ruling.meaningsOf([
  ["101 103 129", Ruling.cardInvalid],
  ["100 104 130 131 132 133 134 135 137 167 172 702 14_018 14_030", impossible],
  ["000 10 010 138 901 905", Ruling.accountNotSetUp]
])

const definiteTypes: ReadonlySet<string> = new Set(["validation", "security", "configuration"])
/** An internal failure, or a request that another one with the same key is at work on. */
const indefiniteCodes: ReadonlySet<string> = new Set(["0", "703", "704"])

/**
 * The meaning of an error that is certain to have moved nothing; undefined where it does not say so: an internal one, one
 * of a key in use, and every status that is not a refusal of the request.
 */
export const errorRulingOf = ({ errorCode, errorType }: AdyenError, status: number): Ruling.Ruling | undefined => {
  if (errorType === "gateway") return status === 401 || status === 403 ? Ruling.accountNotSetUp : undefined
  if (![400, 401, 403, 404, 422].includes(status)) return undefined
  if (!definiteTypes.has(errorType) || indefiniteCodes.has(errorCode)) return undefined
  return errors.get(errorCode) ?? (status === 401 ? Ruling.accountNotSetUp : impossible)
}
