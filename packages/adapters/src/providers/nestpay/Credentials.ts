import { Schema } from "effect"

/** `https://…`; `http://` too, since the sandbox's own pages may have no certificate. */
const address = Schema.optionalKey(Schema.String.check(Schema.isPattern(/^https?:\/\/[^\s?#]+$/u)))

/**
 * An API user of one shop (provider sheet, section 3): the bank's panel makes it apart from the users that sign in to the
 * panel. There is no signature on the payment address; shop, name and password are all that authenticates a call.
 */
export const NestPayCredentials = Schema.Struct({
  /** The shop's number, up to 15 digits. */
  clientId: Schema.String.check(Schema.isPattern(/^\d{1,15}$/u)),
  name: Schema.NonEmptyString,
  password: Schema.Redacted(Schema.NonEmptyString),
  /** Set in the panel; closes the hash of the 3-D Secure form and of the form that comes back. */
  storeKey: Schema.Redacted(Schema.NonEmptyString),
  /** Where payments are posted; by default the bank's live address: `https://sanalpos.isbank.com.tr/fim/api`. */
  apiUrl: address,
  /** Where the buyer's browser posts its form; by default the bank's: `https://sanalpos.isbank.com.tr/fim/est3Dgate`. */
  threeDGateUrl: address
})
export type NestPayCredentials = typeof NestPayCredentials.Type
