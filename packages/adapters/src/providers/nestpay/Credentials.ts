import { Schema } from "effect"

/**
 * An API user of one shop (provider sheet, section 3): the bank's panel makes it apart from the users that sign in to the
 * panel. There is no signature on the payment address; these three are all that authenticates a call.
 */
export const NestPayCredentials = Schema.Struct({
  /** The shop's number, up to 15 digits. */
  clientId: Schema.String.check(Schema.isPattern(/^\d{1,15}$/u)),
  name: Schema.NonEmptyString,
  password: Schema.Redacted(Schema.NonEmptyString)
})
export type NestPayCredentials = typeof NestPayCredentials.Type
