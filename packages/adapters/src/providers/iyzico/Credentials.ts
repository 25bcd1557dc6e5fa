import { Schema } from "effect"

/** One iyzico account (provider sheet, section 3). */
export const IyzicoCredentials = Schema.Struct({
  /** Sent in clear within the header; `sandbox-…` for the test system. */
  apiKey: Schema.String.check(Schema.isPattern(/^[\w-]{1,128}$/u)),
  /** Signs requests, answers, returns and notifications; `sandbox-…` for the test system. */
  secretKey: Schema.Redacted(Schema.NonEmptyString),
  /** `https://api.iyzipay.com` unless told otherwise; the test system is `https://sandbox-api.iyzipay.com`. */
  apiUrl: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^https?:\/\/[^/?#]+$/u)))
})
export type IyzicoCredentials = typeof IyzicoCredentials.Type
