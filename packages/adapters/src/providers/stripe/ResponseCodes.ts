import type { RefusalCode } from "@sarraf/domain/payments/Outcome"

/** What a definite "no" of Stripe means. `detail` is ours; Stripe's message is not passed on. */
export interface Ruling {
  readonly code: RefusalCode
  readonly detail: string
  /** Whether an authorization refused so may go to another provider. */
  readonly mayTryAnother: boolean
}

const ruling = (code: RefusalCode, detail: string, mayTryAnother = false): Ruling => ({ code, detail, mayTryAnother })

const funds = ruling("INSUFFICIENT_FUNDS", "The card has not enough funds for this amount.")
const declined = ruling("CARD_DECLINED", "The card's issuer declined the payment.")
const lost = ruling("CARD_DECLINED", "The card's issuer has blocked the card: do not try it again.")
const card = ruling("INVALID_CARD", "The card's number, expiry date or security code is wrong.")
const unsupported = ruling("CARD_DECLINED", "The provider does not take this card or this currency.", true)
/** No challenge is started that nobody asked for (contract section 2). */
export const authenticationDemanded = ruling(
  "3DS_FAILED",
  "The card's issuer demands 3-D Secure: repeat the payment with is3DS true."
)
const authenticationFailed = ruling("3DS_FAILED", "The buyer's authentication with the card's issuer failed.")
const away = ruling("PROVIDER_ERROR", "The card's issuer or the provider's system does not work at present.", true)
const configuration = ruling("PROVIDER_ERROR", "The provider's account is not set up for this payment.", true)
const busy = ruling("PROVIDER_ERROR", "The provider takes no more requests at the moment.", true)
const testCard = ruling("PROVIDER_ERROR", "A test card was used with a live account.")
const impossible = ruling("PROVIDER_ERROR", "The provider does not allow this step for the payment as it is now.")

/** Provider sheet, section 5: a decline's own code, else the error's, to what it means. */
const rows: ReadonlyArray<readonly [string, Ruling]> = [
  ["insufficient_funds", funds],
  [
    "generic_decline do_not_honor call_issuer approve_with_id no_action_taken not_permitted transaction_not_allowed " +
      "service_not_allowed security_violation card_velocity_exceeded withdrawal_count_limit_exceeded restricted_card " +
      "stop_payment_order revocation_of_authorization revocation_of_all_authorizations new_account_information_available " +
      "duplicate_transaction try_again_later do_not_try_again merchant_blacklist fraudulent invalid_amount " +
      "pin_try_exceeded card_declined",
    declined
  ],
  ["lost_card stolen_card pickup_card", lost],
  [
    "incorrect_number invalid_number invalid_account expired_card invalid_expiry_month invalid_expiry_year " +
      "incorrect_cvc invalid_cvc incorrect_pin invalid_pin incorrect_zip",
    card
  ],
  ["card_not_supported currency_not_supported", unsupported],
  ["authentication_required", authenticationDemanded],
  ["payment_intent_authentication_failure", authenticationFailed],
  ["issuer_not_available processing_error reenter_transaction", away],
  ["testmode_decline", testCard],
  ["validation_error", configuration],
  ["rate_limit lock_timeout", busy]
]

const rulings: ReadonlyMap<string, Ruling> = new Map(
  rows.flatMap(([codes, meaning]) => codes.split(" ").map((code) => [code, meaning] as const))
)

/** What an error says of itself; absent where it does not. */
export interface Fault {
  readonly type?: string | null | undefined
  readonly code?: string | null | undefined
  readonly decline_code?: string | null | undefined
  readonly message?: string | null | undefined
}

/** The issuer's word without a code: `error_on_requires_action` words it so. */
const speaksOfAuthentication = /authentication/iu

/**
 * The meaning of an error that is certain to have moved no money. A card error whose codes are not in the table is,
 * conservatively, the issuer's final "no"; any other unlisted one is the provider's own, and no other is tried.
 */
export const rulingOf = (fault: Fault, status: number): Ruling => {
  const listed = rulings.get(fault.decline_code ?? "") ?? rulings.get(fault.code ?? "")
  if (listed !== undefined) return listed
  if (fault.type === "card_error") {
    return !fault.code && speaksOfAuthentication.test(fault.message ?? "") ? authenticationDemanded : declined
  }
  if (status === 401 || status === 403) return configuration
  return status === 429 ? busy : impossible
}

/**
 * Whether an error says for certain that its request moved nothing. `api_error` and a status of 409, 424 or 500 and more
 * do not; neither does `idempotency_error`, which means that the key has served for another request.
 */
export const isDefinite = ({ type }: Fault, status: number): boolean => {
  if (type === "card_error" || type === "invalid_request_error") return [400, 401, 402, 403, 404, 429].includes(status)
  return type !== "api_error" && type !== "idempotency_error" && [401, 403, 429].includes(status)
}
