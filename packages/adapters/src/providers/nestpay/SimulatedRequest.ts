import { hasValidCheckDigit } from "@sarraf/domain/payments/CardNumber"
import { elementsOf, type PostedElements } from "../PostedXml.ts"

/** Elements of a request by name, `Extra`'s children as `Extra/NAME`. */
export type Fields = PostedElements

/** ISO-8859-9 is ISO-8859-1 with six letters of its own. */
const turkish: ReadonlyMap<string, string> = new Map([
  ["Ð", "Ğ"],
  ["Ý", "İ"],
  ["Þ", "Ş"],
  ["ð", "ğ"],
  ["ý", "ı"],
  ["þ", "ş"]
])
const inTurkish = (latin1: string): string => latin1.replace(/[ÐÝÞðýþ]/gu, (letter) => turkish.get(letter) ?? letter)

/** The value of a hexadecimal digit's character code; below zero where it is none. */
const hexadecimal = (code: number): number => {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const capital = code & 0xdf
  return capital >= 0x41 && capital <= 0x46 ? capital - 0x37 : -1
}

/** Percent-decoding of one form value to bytes, since these are ISO-8859-9 and not UTF-8. */
const formValue = (value: string): string => {
  const bytes = Buffer.alloc(value.length)
  let length = 0
  for (let index = 0; index < value.length; index++) {
    const code = value.charCodeAt(index)
    const high = code === 0x25 ? hexadecimal(value.charCodeAt(index + 1)) : -1
    const low = high < 0 ? -1 : hexadecimal(value.charCodeAt(index + 2))
    bytes[length++] = low >= 0 ? 16 * high + low : code === 0x2b ? 0x20 : code
    if (low >= 0) index += 2
  }
  return bytes.toString("latin1", 0, length)
}

/** The document, posted as it is or as the form field `DATA`. */
const documentOf = (body: Uint8Array): string => {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("latin1")
  if (text.trimStart().startsWith("<")) return inTurkish(text)
  const data = text.split("&").find((field) => field.startsWith("DATA="))
  return data === undefined ? "" : inTurkish(formValue(data.slice("DATA=".length)))
}

export const fieldsOf = (body: Uint8Array): Fields | undefined => elementsOf("CC5Request", documentOf(body))

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
