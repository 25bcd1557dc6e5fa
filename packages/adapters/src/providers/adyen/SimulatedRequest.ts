import { hash } from "node:crypto"
import { hasValidCheckDigit } from "@sarraf/domain/payments/CardNumber"
import { isJson, type Json } from "../PostedBody.ts"

/** An error as the wire has it beside its HTTP status. */
export interface Fault {
  readonly status: number
  readonly errorCode: string
  readonly message: string
  readonly errorType: "validation" | "security"
  readonly isTransient?: boolean
}

export const invalid = (errorCode: string, message: string, status = 422): Fault => ({
  status,
  errorCode,
  message,
  errorType: "validation"
})
export const forbidden = (status: number, errorCode: string, message: string): Fault => ({
  status,
  errorCode,
  message,
  errorType: "security"
})

/** A text at a path; nothing where there is none or an empty one. */
export const textAt = (json: Json, ...path: ReadonlyArray<string>): string | undefined => {
  let value: unknown = json
  for (const name of path) value = isJson(value) ? value[name] : undefined
  return typeof value === "string" && value !== "" ? value : undefined
}

export interface Amount {
  readonly value: number
  readonly currency: string
}

export const amountAt = ({ amount }: Json): Amount | undefined => {
  if (!isJson(amount)) return undefined
  const { currency, value } = amount
  return typeof currency === "string" && typeof value === "number" && Number.isSafeInteger(value)
    ? { value, currency }
    : undefined
}

/** Tells one request from another under one key. Of the card only the last four count, which say little. */
export const digestOf = (path: string, body: Json): string => {
  const { paymentMethod, ...rest } = body
  const card = isJson(paymentMethod)
    ? { ...paymentMethod, number: textAt(paymentMethod, "number")?.slice(-4), cvc: undefined }
    : undefined
  return hash("sha256", JSON.stringify([path, rest, card]), "base64url")
}

const currencies: ReadonlySet<string> = new Set(["USD", "EUR", "GBP", "AED", "TRY"])

/** Provider sheet, section 4. */
const known = {
  payments: new Set(
    "merchantAccount amount reference returnUrl paymentMethod shopperInteraction channel origin browserInfo shopperIP shopperEmail shopperReference billingAddress authenticationData additionalData mpiData installments captureDelayHours".split(
      " "
    )
  ),
  details: new Set(["details", "paymentData"]),
  captures: new Set(["merchantAccount", "amount", "reference"]),
  refunds: new Set(["merchantAccount", "amount", "reference", "merchantRefundReason"]),
  cancels: new Set(["merchantAccount", "reference"]),
  technicalCancel: new Set(["merchantAccount", "reference", "paymentReference"])
}

export const unknownFieldOf = (message: keyof typeof known, body: Json): Fault | undefined => {
  const unknown = Object.keys(body).filter((name) => !known[message].has(name))
  return unknown.length === 0
    ? undefined
    : invalid("702", `Structure of the request contains the following unknown fields: [${unknown.join(", ")}]`, 400)
}

export const faultOfAmount = (body: Json): Fault | undefined => {
  const amount = amountAt(body)
  if (amount === undefined) return invalid("100", "There is no amount specified in the request")
  if (amount.value <= 0) return invalid("137", "Invalid amount specified")
  return currencies.has(amount.currency) ? undefined : invalid("138", "Unsupported currency specified")
}

const brands: ReadonlyArray<readonly [RegExp, string]> = [
  [/^4/u, "visa"],
  [/^(?:5[1-5]|2[2-7])/u, "mc"],
  [/^3[47]/u, "amex"],
  [/^3[068]/u, "diners"],
  [/^35/u, "jcb"],
  [/^6(?:011|4|5)/u, "discover"],
  [/^62/u, "cup"]
]
/** `visa`, `mc`; nothing for a scheme that the account does not take. */
export const brandOf = (number: string): string | undefined => brands.find(([start]) => start.test(number))?.[1]

const faultOfCard = (body: Json, now: Date): Fault | undefined => {
  const field = (name: string) => textAt(body, "paymentMethod", name) ?? ""
  if (field("type") !== "scheme") return invalid("14_0408", "Required object 'paymentMethod' is not provided.")
  const number = field("number")
  if (!/^\d{12,19}$/u.test(number) || !hasValidCheckDigit(number)) {
    return invalid("101", "The specified card number is not valid")
  }
  const [month, year] = [Number(field("expiryMonth")), Number(field("expiryYear"))]
  const isOver = year < now.getUTCFullYear() || (year === now.getUTCFullYear() && month < now.getUTCMonth() + 1)
  if (!/^\d{1,2}$/u.test(field("expiryMonth")) || month < 1 || month > 12) return invalid("129", "Expiry Date Invalid")
  if (!/^\d{4}$/u.test(field("expiryYear")) || isOver) return invalid("129", "Expiry Date Invalid")
  const cvc = brandOf(number) === "amex" ? /^\d{4}$/u : /^\d{3}$/u
  return cvc.test(field("cvc"))
    ? undefined
    : invalid("103", "The length of the CVC code is not correct for the given card number")
}

const addressParts = [
  ["city", "131"],
  ["street", "132"],
  ["houseNumberOrName", "133"],
  ["country", "134"]
] as const

const faultOfAddress = (body: Json): Fault | undefined => {
  const { billingAddress } = body
  if (billingAddress === undefined) return undefined
  if (!isJson(billingAddress)) return invalid("702", "Structure of BillingAddress is not valid", 400)
  for (const [name, errorCode] of addressParts) {
    if (textAt(billingAddress, name) === undefined) {
      return invalid(errorCode, `Required field 'billingAddress.${name}' is not provided.`)
    }
  }
  const country = textAt(billingAddress, "country") ?? ""
  if (!/^[A-Z]{2}$/u.test(country)) return invalid("134", `Billing address problem (Country ${country} invalid)`)
  const needsState = (country === "US" || country === "CA") && !textAt(billingAddress, "stateOrProvince")
  return needsState ? invalid("135", "Required field 'billingAddress.stateOrProvince' is not provided.") : undefined
}

const browserFields =
  "userAgent acceptHeader language colorDepth screenHeight screenWidth timeZoneOffset javaEnabled".split(" ")

const faultOfBrowser = (body: Json): Fault | undefined => {
  const { browserInfo } = body
  const missing = browserFields.find((name) => !isJson(browserInfo) || browserInfo[name] === undefined)
  if (missing !== undefined) return invalid("702", `Required field 'browserInfo.${missing}' is not provided.`)
  return textAt(body, "channel") === "Web" && textAt(body, "origin") !== undefined
    ? undefined
    : invalid("702", "Required field 'origin' is not provided.")
}

/** Whether the buyer has to be authenticated, whatever the issuer wants. */
export const wantsAuthentication = (body: Json): boolean =>
  textAt(body, "authenticationData", "attemptAuthentication") === "always"

/** What is wrong with a new payment before anybody asks the card's issuer. */
export const faultOfPayment = (body: Json, now: number): Fault | undefined => {
  const unknown = unknownFieldOf("payments", body) ?? faultOfAmount(body)
  if (unknown !== undefined) return unknown
  const reference = textAt(body, "reference")
  if (reference === undefined || reference.length > 80) return invalid("130", "Reference Missing")
  const returnUrl = textAt(body, "returnUrl")
  if (returnUrl === undefined || !URL.canParse(returnUrl)) return invalid("14_030", "Return URL is missing.")
  return (
    faultOfCard(body, new Date(now)) ??
    faultOfAddress(body) ??
    (wantsAuthentication(body) ? faultOfBrowser(body) : undefined)
  )
}
