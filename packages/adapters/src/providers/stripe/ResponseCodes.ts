import * as Ruling from "../Ruling.ts"

const unsupported = Ruling.make("CARD_DECLINED", "The provider does not take this card or this currency.", true)
/** The redirect is missing that the request's `return_url` asks for. */
export const noRedirect = Ruling.make(
  "PROVIDER_ERROR",
  "The provider did not say where the buyer is to be authenticated."
)
const busy = Ruling.make("PROVIDER_ERROR", "The provider takes no more requests at the moment.", true)
const testCard = Ruling.make("PROVIDER_ERROR", "A test card was used with a live account.")

/** Provider sheet, section 5: a decline's own code, else the error's, to what it means. */
const rulings = Ruling.meaningsOf([
  ["insufficient_funds", Ruling.insufficientFunds],
  [
    "generic_decline do_not_honor call_issuer approve_with_id no_action_taken not_permitted transaction_not_allowed " +
      "service_not_allowed security_violation card_velocity_exceeded withdrawal_count_limit_exceeded restricted_card " +
      "stop_payment_order revocation_of_authorization revocation_of_all_authorizations new_account_information_available " +
      "duplicate_transaction try_again_later do_not_try_again merchant_blacklist fraudulent invalid_amount " +
      "pin_try_exceeded card_declined",
    Ruling.declined
  ],
  ["lost_card stolen_card pickup_card", Ruling.cardBlocked],
  [
    "incorrect_number invalid_number invalid_account expired_card invalid_expiry_month invalid_expiry_year " +
      "incorrect_cvc invalid_cvc incorrect_pin invalid_pin incorrect_zip",
    Ruling.cardInvalid
  ],
  ["card_not_supported currency_not_supported", unsupported],
  ["authentication_required", Ruling.authenticationDemanded],
  ["payment_intent_authentication_failure", Ruling.authenticationFailed],
  ["issuer_not_available processing_error reenter_transaction", Ruling.systemAway],
  ["testmode_decline", testCard],
  ["validation_error", Ruling.accountNotSetUp],
  ["rate_limit lock_timeout", busy]
])

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
export const rulingOf = (fault: Fault, status: number): Ruling.Ruling => {
  const listed = rulings.get(fault.decline_code ?? "") ?? rulings.get(fault.code ?? "")
  if (listed !== undefined) return listed
  if (fault.type === "card_error") {
    return !fault.code && speaksOfAuthentication.test(fault.message ?? "")
      ? Ruling.authenticationDemanded
      : Ruling.declined
  }
  if (status === 401 || status === 403) return Ruling.accountNotSetUp
  return status === 429 ? busy : Ruling.stepNotAllowed
}

/**
 * Whether an error says for certain that its request moved nothing. `api_error` and a status of 409, 424 or 500 and more
 * do not; neither does `idempotency_error`, which means that the key has served for another request.
 */
export const isDefinite = ({ type }: Fault, status: number): boolean => {
  if (type === "card_error" || type === "invalid_request_error") return [400, 401, 402, 403, 404, 429].includes(status)
  return type !== "api_error" && type !== "idempotency_error" && [401, 403, 429].includes(status)
}
