import * as Ruling from "../Ruling.ts"

/** The buyer is not sent to the issuer without the caller's wish. */
const authenticationDemanded = Ruling.make(
  "3DS_FAILED",
  "The card is only taken with 3-D Secure: repeat the payment with is3DS true."
)
const unsupported = Ruling.make(
  "PROVIDER_ERROR",
  "The provider does not take this card, currency or installment.",
  true
)
const request = Ruling.make("PROVIDER_ERROR", "The provider refused the request's content.", true)
const later = Ruling.make("PROVIDER_ERROR", "The provider cannot give this money back at present: try again later.")
/** Also of a payment that the provider's own check of fraud rejected. */
export const rejected = Ruling.make("CARD_DECLINED", "The provider's check of fraud rejected the payment.")

/**
 * Provider sheet, section 5. Beyond it, by the general group of iyzico's published list of error codes: 13 to 15 and 17,
 * which are faults of the card, and 4 to 25 otherwise, which are faults of a request before it is carried out.
 */
const rulings = Ruling.meaningsOf([
  ["10051", Ruling.insufficientFunds],
  [
    "10005 10012 10034 10057 10058 10093 10202 10204 10207 10220 10224 10226 10230 10234 10236 10243 10244 10248",
    Ruling.declined
  ],
  ["10041 10043 10209 10225", Ruling.cardBlocked],
  ["12 13 14 15 17 10054 10084 10206 10215 10229", Ruling.cardInvalid],
  ["10217", authenticationDemanded],
  ["10210 10211", Ruling.authenticationFailed],
  ["5115 10214 10216 10228 10241 10242", Ruling.systemAway],
  ["5066 5184 10213 10221 10222 10232 10233", unsupported],
  ["1000 1001 3005 6001 9000", Ruling.accountNotSetUp],
  ["3 4 5 6 7 8 9 10 11 16 18 19 20 21 22 23 24 25 5002 5004 5013 5062", request],
  ["5086 5092 5093 10223", Ruling.stepNotAllowed],
  ["10246", later]
])

/** The bank did not answer iyzico in time: what came of it is not known (provider sheet, section 5). */
const timeouts: ReadonlySet<string> = new Set(["10219", "10240"])
const isIssuers = /^10\d{3}$/u

/**
 * The meaning of a failure's code; undefined where it settles nothing. A code of the issuers' group that is not in the
 * table is, conservatively, the issuer's final "no"; any other unlisted one proves nothing.
 */
export const rulingOf = (code: string): Ruling.Ruling | undefined => {
  if (timeouts.has(code)) return undefined
  return rulings.get(code) ?? (isIssuers.test(code) ? Ruling.declined : undefined)
}
