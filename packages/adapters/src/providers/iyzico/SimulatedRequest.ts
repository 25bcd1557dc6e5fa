import { createHmac } from "node:crypto"
import { hasValidCheckDigit } from "@sarraf/domain/payments/CardNumber"
import { Redacted } from "effect"
import { isJson, type Json } from "../PostedBody.ts"
import type { ProviderRequest } from "../ProviderTransport.ts"
import type { IyzicoCredentials } from "./Credentials.ts"

export const textOf = (content: Json, name: string): string => {
  const value = content[name]
  return typeof value === "string" ? value : typeof value === "number" ? `${value}` : ""
}

/** Minor units of a decimal text or number; nothing where it is none, or is not positive. */
export const amountOf = (content: Json, name: string): number | undefined => {
  const text = textOf(content, name)
  if (!/^\d{1,10}(?:\.\d{1,8})?$/u.test(text)) return undefined
  const minor = Number((Number(text) * 100).toFixed(6))
  return Number.isInteger(minor) && minor > 0 ? minor : undefined
}

/** Code 1001 for an unknown key, 1000 for a wrong signature; undefined: all is well. */
export const faultOfSignature = (
  { body, headers, url }: ProviderRequest,
  { apiKey, secretKey }: IyzicoCredentials
): string | undefined => {
  const { authorization = "", "x-iyzi-rnd": random = "" } = headers
  const decoded = Buffer.from(authorization.replace(/^IYZWSv2 /u, ""), "base64").toString("utf8")
  const [, key, randomKey, signature] = /^apiKey:(.*)&randomKey:(.*)&signature:([0-9a-f]{64})$/su.exec(decoded) ?? []
  if (!authorization.startsWith("IYZWSv2 ") || key === undefined || randomKey !== random || random === "") return "1000"
  if (key !== apiKey) return "1001"
  const hmac = createHmac("sha256", Redacted.value(secretKey))
  hmac.update(random).update(new URL(url).pathname)
  if (body !== undefined) hmac.update(body)
  return hmac.digest("hex") === signature ? undefined : "1000"
}

const currencies: ReadonlySet<string> = new Set(["TRY", "USD", "EUR", "GBP", "NOK", "CHF"])
const installments: ReadonlySet<number> = new Set([1, 2, 3, 6, 9, 12])

const isAddress = (value: unknown): boolean =>
  isJson(value) && ["contactName", "city", "country", "address"].every((name) => textOf(value, name) !== "")

const faultOfCard = (card: Json, now: number): string | undefined => {
  const number = textOf(card, "cardNumber")
  if (!/^\d{12,19}$/u.test(number) || !hasValidCheckDigit(number)) return "12"
  const [month, year] = [Number(textOf(card, "expireMonth")), Number(textOf(card, "expireYear"))]
  const date = new Date(now)
  const isOver = year < date.getUTCFullYear() || (year === date.getUTCFullYear() && month <= date.getUTCMonth())
  if (!(month >= 1 && month <= 12) || isOver) return "10229"
  if (!/^\d{3,4}$/u.test(textOf(card, "cvc"))) return "10206"
  return textOf(card, "cardHolderName") === "" ? "16" : undefined
}

const faultOfBuyer = (buyer: Json): string | undefined => {
  if (!textOf(buyer, "email").includes("@")) return "3"
  const { length } = textOf(buyer, "identityNumber")
  if (length < 5 || length > 50) return "8"
  const mandatory = ["id", "name", "surname", "registrationAddress", "city", "country", "ip"]
  return mandatory.every((name) => textOf(buyer, name) !== "") ? undefined : "24"
}

/** The code for what is wrong with a new payment before anybody asks the card's issuer. */
export const faultOfPayment = (content: Json, now: number): string | undefined => {
  const { basketItems, billingAddress, buyer, paymentCard, shippingAddress } = content
  if (!isJson(paymentCard)) return "5013"
  const price = amountOf(content, "price")
  if (price === undefined || amountOf(content, "paidPrice") === undefined) return "5004"
  const fault = isJson(buyer) ? faultOfBuyer(buyer) : "24"
  if (fault !== undefined) return fault
  const items = Array.isArray(basketItems) ? basketItems.filter(isJson) : []
  if (items.reduce((sum, item) => sum + (amountOf(item, "price") ?? Number.NaN), 0) !== price) return "5062"
  const isShipped = items.some((item) => textOf(item, "itemType") !== "VIRTUAL")
  if (!isAddress(billingAddress) || (isShipped && !isAddress(shippingAddress))) return "24"
  const currency = textOf(content, "currency") || "TRY"
  const installment = Number(textOf(content, "installment") || "1")
  if (!currencies.has(currency)) return "11"
  if (!installments.has(installment) || (installment > 1 && currency !== "TRY")) return "10222"
  return faultOfCard(paymentCard, now)
}
