import { hasValidCheckDigit } from "@sarraf/domain/payments/CardNumber"

/** Fields of a form or of a query by their bracketed names. */
export type Fields = ReadonlyMap<string, string>

/** An error before or of an execution, as the wire has it beside its HTTP status. */
export interface Fault {
  readonly status: number
  readonly type: "card_error" | "invalid_request_error" | "idempotency_error"
  readonly message: string
  readonly code?: string
  readonly decline_code?: string
  readonly param?: string
}

export const invalid = (message: string, code?: string, param?: string, status = 400): Fault => ({
  status,
  type: "invalid_request_error",
  message,
  ...(code === undefined ? {} : { code }),
  ...(param === undefined ? {} : { param })
})

const cardFault = (code: string, param: string, message: string): Fault => ({
  status: 402,
  type: "card_error",
  code,
  param,
  message
})

const decoded = (text: string): string => (text.includes("%") ? decodeURIComponent(text) : text)

/** Nothing where an escape is not one. */
export const fieldsOf = (text: string): Fields | undefined => {
  const fields = new Map<string, string>()
  try {
    for (const pair of text === "" ? [] : text.replaceAll("+", " ").split("&")) {
      const cut = pair.indexOf("=")
      if (cut < 0) return undefined
      fields.set(decoded(pair.slice(0, cut)), decoded(pair.slice(cut + 1)))
    }
    return fields
  } catch {
    return undefined
  }
}

const billing = "payment_method_data[billing_details]"
/** Provider sheet, section 4. */
const known = {
  create: new Set([
    ..."amount currency capture_method confirm description receipt_email return_url statement_descriptor_suffix off_session".split(
      " "
    ),
    ..."error_on_requires_action payment_method_types[0] payment_method_data[type]".split(" "),
    ...["number", "exp_month", "exp_year", "cvc"].map((name) => `payment_method_data[card][${name}]`),
    ...["name", "email", "phone"].map((name) => `${billing}[${name}]`),
    ...["line1", "line2", "city", "state", "postal_code", "country"].map((name) => `${billing}[address][${name}]`),
    "payment_method_options[card][request_three_d_secure]"
  ]),
  confirm: new Set(["return_url"]),
  capture: new Set(["amount_to_capture", "final_capture"]),
  cancel: new Set(["cancellation_reason"]),
  refund: new Set(["payment_intent", "amount", "reason"])
}
export type Endpoint = keyof typeof known

export const unknownFieldOf = (endpoint: Endpoint, fields: Fields): Fault | undefined => {
  for (const name of fields.keys()) {
    if (known[endpoint].has(name) || /^metadata\[\w{1,40}\]$/u.test(name) || /^expand\[\d\]$/u.test(name)) continue
    return invalid(`Received unknown parameter: ${name}`, "parameter_unknown", name)
  }
  return undefined
}

export const metadataOf = (fields: Fields): Record<string, string> => {
  const metadata: Record<string, string> = {}
  for (const [name, value] of fields) if (name.startsWith("metadata[")) metadata[name.slice(9, -1)] = value
  return metadata
}

export const wantsCharge = (fields: Fields): boolean =>
  [...fields].some(([name, value]) => name.startsWith("expand[") && value === "latest_charge")

/** A positive whole number; `null` where there is none, nothing where it is no number. */
export const amountOf = (fields: Fields, name: string): number | null | undefined => {
  const text = fields.get(name)
  if (text === undefined) return null
  return /^[1-9]\d{0,15}$/u.test(text) ? Number(text) : undefined
}

const currencies: ReadonlySet<string> = new Set(["usd", "eur", "gbp", "aed", "try"])

const brands: ReadonlyArray<readonly [RegExp, string]> = [
  [/^4/u, "visa"],
  [/^(?:5[1-5]|2[2-7])/u, "mastercard"],
  [/^3[47]/u, "amex"],
  [/^3[068]/u, "diners"],
  [/^35/u, "jcb"],
  [/^6(?:011|4|5)/u, "discover"],
  [/^62/u, "unionpay"]
]
export const brandOf = (number: string): string => brands.find(([start]) => start.test(number))?.[1] ?? "unknown"

/** What is wrong with the card before anybody asks its issuer. */
const faultOfCard = (fields: Fields, now: number): Fault | undefined => {
  const card = (name: string) => fields.get(`payment_method_data[card][${name}]`) ?? ""
  const number = card("number")
  if (!/^\d{12,19}$/u.test(number) || !hasValidCheckDigit(number)) {
    return cardFault("incorrect_number", "number", "Your card number is incorrect.")
  }
  const date = new Date(now)
  const [month, year, thisYear] = [Number(card("exp_month")), Number(card("exp_year")), date.getUTCFullYear()]
  if (!/^\d{4}$/u.test(card("exp_year")) || year < thisYear || year > thisYear + 50) {
    return cardFault("invalid_expiry_year", "exp_year", "Your card's expiration year is invalid.")
  }
  const isOver = year === thisYear && month <= date.getUTCMonth()
  if (!/^\d{1,2}$/u.test(card("exp_month")) || month < 1 || month > 12 || isOver) {
    return cardFault("invalid_expiry_month", "exp_month", "Your card's expiration month is invalid.")
  }
  const digits = brandOf(number) === "amex" ? /^\d{3,4}$/u : /^\d{3}$/u
  return digits.test(card("cvc")) ? undefined : cardFault("invalid_cvc", "cvc", "Your card's security code is invalid.")
}

/** What is wrong with a new payment before it exists. */
export const faultOfPayment = (fields: Fields, now: number): Fault | undefined => {
  for (const name of ["amount", "currency", "payment_method_data[type]", "payment_method_data[card][number]"]) {
    if (!fields.has(name)) return invalid(`Missing required param: ${name}.`, "parameter_missing", name)
  }
  const amount = amountOf(fields, "amount")
  if (typeof amount !== "number") return invalid("Invalid integer: amount", "parameter_invalid_integer", "amount")
  if (amount > 99_999_999) return invalid("Amount must be no more than 999,999.99", "amount_too_large", "amount")
  if (amount < 50) return invalid("Amount must convert to at least 50 cents.", "amount_too_small", "amount")
  if (!currencies.has((fields.get("currency") ?? "").toLowerCase())) {
    return invalid("Invalid currency.", undefined, "currency")
  }
  const method = fields.get("capture_method") ?? "automatic"
  if (method !== "manual" && method !== "automatic")
    return invalid("Invalid capture_method.", undefined, "capture_method")
  for (const name of ["confirm", "off_session", "error_on_requires_action"]) {
    if (!["true", "false"].includes(fields.get(name) ?? "true"))
      return invalid(`Invalid boolean: ${name}`, undefined, name)
  }
  const wanted = fields.get("payment_method_types[0]") ?? "card"
  if (wanted !== "card" || fields.get("payment_method_data[type]") !== "card") {
    return invalid("The payment method type is invalid.", undefined, "payment_method_types")
  }
  return faultOfCard(fields, now)
}
