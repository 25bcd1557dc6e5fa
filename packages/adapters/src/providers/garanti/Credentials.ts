import { Schema } from "effect"

const Secret = Schema.Redacted(Schema.NonEmptyString)
const Address = Schema.String.check(Schema.isPattern(/^https?:\/\/\S+$/u))

/**
 * A terminal and its two users (provider sheet, section 3): one authorizes, captures and asks, the other voids and
 * refunds. Addresses and `mode` are the live ones where they are absent (section 2).
 */
export const GarantiCredentials = Schema.Struct({
  /** `7000679`. */
  merchantId: Schema.String.check(Schema.isPattern(/^\d{1,15}$/u)),
  /** `30691298`. */
  terminalId: Schema.String.check(Schema.isPattern(/^\d{1,9}$/u)),
  /** `PROVAUT`. */
  provUserId: Schema.NonEmptyString,
  password: Secret,
  /** `PROVRFN`. */
  refundUserId: Schema.NonEmptyString,
  refundPassword: Secret,
  /** The 3-D Secure key. */
  storeKey: Secret,
  /** Has to fit the host; `PROD` where it is absent. */
  mode: Schema.optionalKey(Schema.Literals(["TEST", "PROD"])),
  /** `https://sanalposprov.garanti.com.tr/VPServlet` where it is absent. */
  apiUrl: Schema.optionalKey(Address),
  /** Where the buyer's browser posts the card for 3-D Secure; `…/servlet/gt3dengine` of the live host where absent. */
  threeDSUrl: Schema.optionalKey(Address)
})
export type GarantiCredentials = typeof GarantiCredentials.Type

const liveHost = "https://sanalposprov.garanti.com.tr"

export const apiUrlOf = ({ apiUrl = `${liveHost}/VPServlet` }: GarantiCredentials): string => apiUrl

export const threeDSUrlOf = ({ threeDSUrl = `${liveHost}/servlet/gt3dengine` }: GarantiCredentials): string =>
  threeDSUrl

export const modeOf = ({ mode = "PROD" }: GarantiCredentials): "TEST" | "PROD" => mode
