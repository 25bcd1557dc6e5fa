import { Schema } from "effect"

/** One Stripe account (provider sheet, section 3). The key alone decides between test and live mode. */
export const StripeCredentials = Schema.Struct({
  /** `sk_test_…`, `sk_live_…`, or a restricted `rk_…` with the right to write PaymentIntents and refunds. */
  secretKey: Schema.Redacted(Schema.String.check(Schema.isPattern(/^[rs]k_(?:test|live)_\w+$/u))),
  /** `acct_…`: the connected account for which a platform acts. */
  accountId: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^acct_\w+$/u))),
  /**
   * `whsec_…`: what the account's webhook endpoint signs with, where it has one. Without it every message is taken for a
   * forged one. The endpoint's API version has to be that of our requests.
   */
  webhookSecret: Schema.optionalKey(Schema.Redacted(Schema.String.check(Schema.isPattern(/^whsec_\S+$/u))))
})
export type StripeCredentials = typeof StripeCredentials.Type
