import * as Ruling from "../Ruling.ts"
import type { NGeniusError } from "./Messages.ts"

/** `afterQuery`: another provider may be tried once the gateway has said again that the payment failed. */
export type NGeniusRuling = Omit<Ruling.Ruling, "mayTryAnother"> & { readonly mayTryAnother: boolean | "afterQuery" }

export const abandoned = Ruling.make("3DS_FAILED", "The payment was given up before it was authenticated.")
export const notAuthenticable = Ruling.make("3DS_FAILED", "The provider offers no 3-D Secure for this card.")
const rejected = Ruling.make("PROVIDER_ERROR", "The provider rejected the request before anything was done.", true)
const away: NGeniusRuling = { ...Ruling.systemAway, mayTryAnother: "afterQuery" }
const unknownPayment = Ruling.make("PROVIDER_ERROR", "The provider does not know this payment.")

/** Provider sheet, section 5: ISO 8583 result codes. */
const rulings = Ruling.meaningsOf<NGeniusRuling>([
  ["51", Ruling.insufficientFunds],
  ["14 54 15 82 N7", Ruling.cardInvalid],
  ["01 02 05 57 61 62 63 65 70 75 78 85 93", Ruling.declined],
  ["04 07 34 36 41 43 59", Ruling.cardBlocked],
  ["1A", Ruling.authenticationDemanded],
  ["03 12 13 30 58", Ruling.accountNotSetUp],
  ["68 91 92 96", away]
])

/** The meaning of a failed payment's result code; 99 and every unlisted one is the issuer's final "no". */
export const rulingOfResult = (resultCode: string | null | undefined): NGeniusRuling =>
  rulings.get(resultCode?.trim() ?? "") ?? Ruling.declined

/** A field of the card as a word of its own, also within `payment.pan` and `invalid-cvv`. */
const isCardField = /(?<![a-z])(?:pan|cvv|expiry)(?![a-z])/iu

const isAboutCard = ({ errors, message }: NGeniusError): boolean =>
  (errors ?? []).some((one) => isCardField.test(`${one.errorCode} ${one.domain} ${one.message}`)) ||
  isCardField.test(message ?? "")

/** The meaning of a request that the gateway refused (provider sheet, section 5): nothing was processed. */
export const rulingOfError = (error: NGeniusError, status: number): NGeniusRuling => {
  if (status === 401 || status === 403) return Ruling.accountNotSetUp
  if (status === 404) return unknownPayment
  if (status === 409) return Ruling.stepNotAllowed
  return isAboutCard(error) ? Ruling.cardInvalid : rejected
}
