import { hasValidCheckDigit } from "@sarraf/domain/payments/CardNumber"
import { Option, Schema } from "effect"

/** A refusal, as the wire has it beside its HTTP status. */
export interface Fault {
  readonly status: number
  readonly errorCode: string
  readonly message: string
}

export const invalid = (errorCode: string, message: string): Fault => ({ status: 422, errorCode, message })
export const conflict = (message: string): Fault => ({ status: 409, errorCode: "invalidState", message })
const missing = (field: string): Fault => ({ status: 400, errorCode: "invalid", message: `${field} is not valid.` })

/** What is read of an order's request. */
export interface OrderFields {
  readonly merchantOrderReference: string | null
  readonly currencyCode: string
  readonly value: number
  readonly language: string
  readonly skips3DS: boolean
}

export interface CardFields {
  readonly pan: string
  readonly expiry: string
  readonly cvv: string
  readonly cardholderName: string
}

const documentOf = (body: Uint8Array | undefined): unknown => {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body))
  } catch {
    return undefined
  }
}

const at = (json: unknown, ...path: ReadonlyArray<string>): unknown => {
  let value = json
  for (const name of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined
    value = Reflect.get(value, name)
  }
  return value
}

const textAt = (json: unknown, ...path: ReadonlyArray<string>): string => {
  const value = at(json, ...path)
  return typeof value === "string" ? value : ""
}

/** A positive whole number, as a number or as its digits. */
const valueAt = (json: unknown): number | undefined => {
  const value = at(json, "amount", "value")
  const number = typeof value === "string" && /^\d{1,12}$/u.test(value) ? Number(value) : value
  return typeof number === "number" && Number.isSafeInteger(number) && number > 0 ? number : undefined
}

/** The currencies that the sandbox's outlet has. */
const currencies: ReadonlySet<string> = new Set(["AED", "USD"])
const required = ["emailAddress", "billingAddress.firstName", "billingAddress.lastName"]

export const orderFieldsOf = (body: Uint8Array | undefined): OrderFields | Fault => {
  const json = documentOf(body)
  // What is sold at once, which nothing here asks for, is not simulated.
  if (textAt(json, "action") !== "AUTH") return missing("action")
  for (const field of required) if (textAt(json, ...field.split(".")) === "") return missing(field)
  const value = valueAt(json)
  if (value === undefined) return missing("amount.value")
  const currencyCode = textAt(json, "amount", "currencyCode")
  if (!currencies.has(currencyCode)) return invalid("currencyNotSupported", "amount.currencyCode is not supported.")
  return {
    merchantOrderReference: textAt(json, "merchantOrderReference") || null,
    currencyCode,
    value,
    language: textAt(json, "language") || "en",
    skips3DS: at(json, "merchantAttributes", "skip3DS") === true
  }
}

/** `now` is the month of the simulator's clock as `2026-11`. */
export const cardFieldsOf = (body: Uint8Array | undefined, now: string): CardFields | Fault => {
  const json = documentOf(body)
  const [pan, expiry, cvv] = [textAt(json, "pan"), textAt(json, "expiry"), textAt(json, "cvv")]
  const cardholderName = textAt(json, "cardholderName")
  if (!/^\d{12,19}$/u.test(pan) || !hasValidCheckDigit(pan)) return invalid("invalidPan", "pan is not valid.")
  if (!/^\d{4}-(?:0[1-9]|1[0-2])$/u.test(expiry) || expiry < now) return invalid("invalidExpiry", "expiry is over.")
  if (!/^\d{3,4}$/u.test(cvv)) return invalid("invalidCvv", "cvv is not valid.")
  return cardholderName === "" ? missing("cardholderName") : { pan, expiry, cvv, cardholderName }
}

export const amountOf = (body: Uint8Array | undefined, currencyCode: string): number | Fault => {
  const json = documentOf(body)
  const value = valueAt(json)
  if (textAt(json, "amount", "currencyCode") !== currencyCode) return missing("amount.currencyCode")
  return value ?? missing("amount.value")
}

const browserTexts = ["browserLanguage", "browserColorDepth", "browserScreenHeight", "browserScreenWidth", "browserTZ"]

/** Where the challenge is to end. */
export const deviceOf = (body: Uint8Array | undefined): { readonly notificationUrl: string } | Fault => {
  const json = documentOf(body)
  if (textAt(json, "deviceChannel") !== "BRW") return missing("deviceChannel")
  if (!["Y", "N", "U"].includes(textAt(json, "threeDSCompInd"))) return missing("threeDSCompInd")
  for (const field of browserTexts) if (textAt(json, "browserInfo", field) === "") return missing(field)
  const notificationUrl = textAt(json, "notificationURL")
  return /^https?:\/\//u.test(notificationUrl) ? { notificationUrl } : missing("notificationURL")
}

const Message = Schema.fromJsonString(
  Schema.Struct({ threeDSServerTransID: Schema.String, acsTransID: Schema.String, messageType: Schema.String })
)
const decodeMessage = Schema.decodeUnknownOption(Message)

/** A message of EMV 3-D Secure, in base64 with the letters of a URL. */
export const messageOf = (text: string): typeof Message.Type | undefined =>
  Option.getOrUndefined(decodeMessage(Buffer.from(text, "base64url").toString("utf8")))

/** `undefined`: the body is none. `{}` is allowed: the issuer has told the gateway by itself. */
export const challengeResponseOf = (body: Uint8Array | undefined): { readonly cres: string | null } | undefined => {
  const json = documentOf(body)
  if (typeof json !== "object" || json === null) return undefined
  return { cres: textAt(json, "base64EncodedCRes") || null }
}

/** `{}` or `{"realmName":"ni"}`; no body at all is allowed too. */
export const realmOf = (body: Uint8Array | undefined): string | null => textAt(documentOf(body), "realmName") || null
