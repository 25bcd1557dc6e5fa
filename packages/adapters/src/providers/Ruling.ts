import { noAnswer, type Outcome, type RefusalCode, Refused } from "@sarraf/domain/payments/Outcome"

/** What a provider's definite "no" means. `detail` is ours; the provider's message is not passed on. */
export interface Ruling {
  readonly code: RefusalCode
  readonly detail: string
  /** Whether an authorization refused so may go to another provider. */
  readonly mayTryAnother: boolean
}

export const make = (code: RefusalCode, detail: string, mayTryAnother = false): Ruling => ({
  code,
  detail,
  mayTryAnother
})

export const insufficientFunds = make("INSUFFICIENT_FUNDS", "The card has not enough funds for this amount.")
export const declined = make("CARD_DECLINED", "The card's issuer declined the payment.")
export const cardBlocked = make("CARD_DECLINED", "The card's issuer has blocked the card: do not try it again.")
export const cardInvalid = make("INVALID_CARD", "The card's number, expiry date or security code is wrong.")
/** No challenge is started that nobody asked for (contract section 2). */
export const authenticationDemanded = make(
  "3DS_FAILED",
  "The card's issuer demands 3-D Secure: repeat the payment with is3DS true."
)
export const authenticationFailed = make("3DS_FAILED", "The buyer's authentication with the card's issuer failed.")
export const systemAway = make(
  "PROVIDER_ERROR",
  "The card's issuer or the provider's system does not work at present.",
  true
)
export const accountNotSetUp = make("PROVIDER_ERROR", "The provider's account is not set up for this payment.", true)
export const stepNotAllowed = make(
  "PROVIDER_ERROR",
  "The provider does not allow this step for the payment as it is now."
)

/** Each code to what it means; the codes of a row are separated by blanks, and a later row wins. */
export const meaningsOf = <Meaning>(
  rows: ReadonlyArray<readonly [codes: string, meaning: Meaning]>
): ReadonlyMap<string, Meaning> =>
  new Map(rows.flatMap(([codes, meaning]) => codes.split(" ").map((code) => [code, meaning] as const)))

/** A follow-up that makes no sense for the payment as it is known here: the provider is not asked. */
export const refusedUnasked = (detail: string): Outcome =>
  Refused({ code: "PROVIDER_ERROR", detail, answer: noAnswer, mayTryAnother: false, echo: {} })

export const nothingToRelease = refusedUnasked("The authorization is captured: nothing of it is left to release.")
