import { hasValidCheckDigit } from "@sarraf/domain/payments/CardNumber"
import { XMLParser } from "fast-xml-parser"

/** Elements of a request by name, `Extra`'s children as `Extra/NAME`. */
export type Fields = ReadonlyMap<string, string>

const reader = new XMLParser({ parseTagValue: false, jPath: false, ignoreDeclaration: true, maxNestedTags: 8 })
const latin5 = new TextDecoder("iso-8859-9")
/** Percent-decoding of one form value to bytes, since these are ISO-8859-9 and not UTF-8. */
const formValue = (value: string): Uint8Array => {
  const bytes = new Uint8Array(value.length)
  let length = 0
  for (let index = 0; index < value.length; index++) {
    const code = value.charCodeAt(index)
    const escaped = code === 0x25 ? Number.parseInt(value.slice(index + 1, index + 3), 16) : Number.NaN
    const isEscaped = !Number.isNaN(escaped)
    bytes[length++] = isEscaped ? escaped : code === 0x2b ? 0x20 : code
    if (isEscaped) index += 2
  }
  return bytes.subarray(0, length)
}

/** The document, posted as it is or as the form field `DATA`. */
const documentOf = (body: Uint8Array): string => {
  const text = latin5.decode(body)
  if (text.trimStart().startsWith("<")) return text
  const data = text.split("&").find((field) => field.startsWith("DATA="))
  return data === undefined ? "" : latin5.decode(formValue(data.slice("DATA=".length)))
}

const isTree = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

export const fieldsOf = (body: Uint8Array): Fields | undefined => {
  const document = documentOf(body)
  if (document.includes("<!") || !document.trimEnd().endsWith("</CC5Request>")) return undefined
  const fields = new Map<string, string>()
  const take = (prefix: string, tree: Readonly<Record<string, unknown>>) => {
    for (const [name, value] of Object.entries(tree)) {
      if (typeof value === "string") fields.set(prefix + name, value)
      else if (isTree(value) && prefix === "") take(`${name}/`, value)
    }
  }
  try {
    const tree: unknown = reader.parse(document)
    if (isTree(tree) && isTree(tree.CC5Request)) take("", tree.CC5Request)
    return fields
  } catch {
    return undefined
  }
}

/** `10.01`, `5`: minor units; nothing where it is no amount. */
export const amountOf = (text: string | undefined): number | undefined => {
  const match = /^(\d{1,13})(?:\.(\d{1,2}))?$/u.exec(text ?? "")
  return match === null ? undefined : Number(match[1]) * 100 + Number((match[2] ?? "").padEnd(2, "0"))
}

const currencies: ReadonlyMap<string, string> = new Map([
  ["949", "TRY"],
  ["840", "USD"],
  ["978", "EUR"],
  ["826", "GBP"]
])

/** `949` → `TRY`; empty where the shop has no such currency. */
export const currencyLetters = (number: string | undefined): string => currencies.get(number ?? "") ?? ""

/** What is wrong with the card's fields, as a code. */
const cardFault = (fields: Fields, now: number): string | undefined => {
  const number = fields.get("Number") ?? ""
  if (number === "") return "CORE-2015"
  if (!/^\d{13,19}$/u.test(number) || !hasValidCheckDigit(number)) return "CORE-2012"
  const expiry = /^(0[1-9]|1[0-2])\/(?:20)?(\d{2})$/u.exec(fields.get("Expires") ?? "")
  if (expiry === null) return "CORE-2011"
  if (Date.UTC(2000 + Number(expiry[2]), Number(expiry[1]), 2) <= now) return "CORE-2010"
  const cvv = fields.get("Cvv2Val") ?? ""
  if (cvv === "") return "CORE-2208"
  return /^\d{3,4}$/u.test(cvv) ? undefined : "CORE-2515"
}

/** What is wrong with currency and amount, as a code. */
const amountFault = (currency: string, total: string | undefined): string | undefined => {
  const amount = amountOf(total)
  if (!/^\d{3}$/u.test(currency)) return "CORE-2106"
  if (!currencies.has(currency)) return "CORE-2105"
  if (amount === undefined) return "CORE-2007"
  return amount === 0 ? "CORE-2009" : undefined
}

const taksitFault = (currency: string, taksit: string): string | undefined => {
  if (taksit === "") return undefined
  if (currency !== "949") return "CORE-2124"
  return /^(?:[2-9]|1[0-2])$/u.test(taksit) ? undefined : "CORE-2603"
}

/** What is wrong with a payment whose card was read before, as a code. */
export const moneyFault = (fields: Fields): string | undefined => {
  const currency = fields.get("Currency") ?? ""
  return amountFault(currency, fields.get("Total")) ?? taksitFault(currency, fields.get("Taksit") ?? "")
}

/** What is wrong with a payment and its card, as a code. */
export const paymentFault = (fields: Fields, now: number): string | undefined => {
  const currency = fields.get("Currency") ?? ""
  return (
    amountFault(currency, fields.get("Total")) ??
    cardFault(fields, now) ??
    taksitFault(currency, fields.get("Taksit") ?? "")
  )
}
