import { Schema } from "effect"

const address = Schema.String.check(Schema.isPattern(/^https?:\/\/[^\s?#]+[^\s?#/]$/u))

/** One merchant account (provider sheet, sections 2 and 3). */
export const AdyenCredentials = Schema.Struct({
  /** Of a web service user that may send raw card data. */
  apiKey: Schema.Redacted(Schema.String.check(Schema.isPattern(/^[\x21-\x7e]+$/u))),
  merchantAccount: Schema.NonEmptyString,
  /** Of the webhook that is set up for the account: hexadecimal, from the Customer Area. */
  hmacKey: Schema.Redacted(Schema.String.check(Schema.isPattern(/^(?:[0-9a-f]{2}){16,}$/iu))),
  /**
   * There is no default, since the live address is the account's own:
   * `https://{prefix}-checkout-live.adyenpayments.com/checkout/v71`. Test: `https://checkout-test.adyen.com/v71`.
   */
  apiUrl: address,
  /** Adyen demands an address to come back to of every payment. Nobody is sent there without 3-D Secure. */
  returnUrl: Schema.optionalKey(address)
})
export type AdyenCredentials = typeof AdyenCredentials.Type
