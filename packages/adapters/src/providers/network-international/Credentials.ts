import { Schema } from "effect"

/** A group of 8-4-4-4-12 hexadecimal digits. */
const Uuid = Schema.String.check(Schema.isPattern(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu))

/** One outlet (provider sheet, section 3). Requests are not signed: the key is exchanged for a short-lived token. */
export const NetworkInternationalCredentials = Schema.Struct({
  /** As the portal shows it: base64 of the service account's id and secret, used as it is. */
  apiKey: Schema.Redacted(Schema.String.check(Schema.isPattern(/^[\w+/=-]+$/u))),
  outletReference: Uuid,
  /** Of the token exchange, for outlets that were given one: `ni`. */
  realm: Schema.optionalKey(Schema.NonEmptyString),
  /** The header that the merchant has set up for webhooks, and its value. Without both no header is asked for. */
  webhookHeaderName: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^[\w-]+$/u))),
  webhookHeaderValue: Schema.optionalKey(Schema.Redacted(Schema.NonEmptyString)),
  /**
   * By default the live gateway, `https://api-gateway.ngenius-payments.com`. Others: `api-gateway.sandbox`, and the
   * same two under `ksa` for Saudi Arabia. The buyer's browser is sent to the issuer's own address alone.
   */
  apiUrl: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^https?:\/\/[^\s?#]+[^\s?#/]$/u)))
})
export type NetworkInternationalCredentials = typeof NetworkInternationalCredentials.Type
