import { hash } from "node:crypto"
import { hasValidCheckDigit } from "@sarraf/domain/payments/CardNumber"
import { Redacted } from "effect"
import { elementsOf, type PostedElements } from "../PostedXml.ts"
import type { GarantiCredentials } from "./Credentials.ts"

/** Elements of a request by their path below the root: `Transaction/Secure3D/Md`. */
export type Fields = PostedElements

const utf8 = new TextDecoder()

/** The document, posted as it is or as the form field `data`. */
const documentOf = (body: Uint8Array): string => {
  const text = utf8.decode(body)
  return text.trimStart().startsWith("<") ? text : (new URLSearchParams(text).get("data") ?? "")
}

export const fieldsOf = (body: Uint8Array): Fields | undefined => elementsOf("GVPSRequest", documentOf(body))

const upper = (algorithm: "sha1" | "sha512", text: string): string => hash(algorithm, text, "hex").toUpperCase()

/** What both sides mix into every hash of a user. */
export const securityData = (password: Redacted.Redacted<string>, terminalId: string): string =>
  upper("sha1", `${Redacted.value(password)}${terminalId.padStart(9, "0")}`)

export const sha512 = (...parts: ReadonlyArray<string>): string => upper("sha512", parts.join(""))

const secondUsers: ReadonlySet<string> = new Set(["void", "refund"])

/** The bank's number for what is wrong with user, terminal, version or hash; nothing where all of it is right. */
export const faultOfTerminal = (fields: Fields, credentials: GarantiCredentials): string | undefined => {
  const get = (path: string) => fields.get(path) ?? ""
  const { merchantId, password, provUserId, refundPassword, refundUserId, terminalId } = credentials
  if (get("Mode") !== "TEST" || get("Version") !== "512") return "0001"
  if (get("Terminal/ID") !== terminalId) return "0752"
  if (get("Terminal/MerchantID") !== merchantId) return "0753"
  const user = get("Terminal/ProvUserID")
  if (user !== get("Terminal/UserID") || (user !== provUserId && user !== refundUserId)) return "0653"
  const secret = securityData(user === refundUserId ? refundPassword : password, terminalId)
  const amount = get("Transaction/Amount")
  const currency = get("Transaction/CurrencyCode")
  const expected = sha512(get("Order/OrderID"), terminalId, get("Card/Number"), amount, currency, secret)
  if (get("Terminal/HashData") !== expected) return "0651"
  if (secondUsers.has(get("Transaction/Type")) !== (user === refundUserId)) return "0652"
  if (get("Customer/IPAddress") === "") return "0002"
  if (!/^(?:\d{1,3}\.){3}\d{1,3}$/u.test(get("Customer/IPAddress"))) return "0001"
  const orderId = get("Order/OrderID")
  if (orderId.length > 32) return "0231"
  return /^\w+$/u.test(orderId) ? undefined : "0001"
}

/** `10025`; nothing where it is no amount. */
export const amountOf = (text: string | undefined): number | undefined =>
  /^[1-9]\d{0,13}$/u.test(text ?? "") ? Number(text) : undefined

const currencies: ReadonlySet<string> = new Set(["949", "840", "978", "826"])

/** What is wrong with amount, currency or installments, as the bank's number. */
export const faultOfAmount = (
  amount: string | undefined,
  currency: string | undefined,
  installments: string | undefined
): string | undefined => {
  if (amountOf(amount) === undefined) return "0001"
  if (!currencies.has(currency ?? "")) return "0759"
  if (installments === undefined) return "0002"
  if (installments === "") return undefined
  return currency === "949" && /^(?:[2-9]|1[0-2])$/u.test(installments) ? undefined : "0001"
}

/** What is wrong with a card: the bank's number, or `host:` and the issuer's code. `expiry` is `MMYY`. */
export const faultOfCard = (
  card: { readonly number: string; readonly expiry: string; readonly cvv: string },
  now: number
): string | undefined => {
  const { cvv, expiry, number } = card
  if (number === "" || cvv === "") return "0002"
  if (!/^\d{13,19}$/u.test(number) || !hasValidCheckDigit(number)) return "host:14"
  const [, month, year] = /^(0[1-9]|1[0-2])(\d{2})$/u.exec(expiry) ?? []
  if (month === undefined) return "0003"
  if (Date.UTC(2000 + Number(year), Number(month), 2) <= now) return "host:54"
  return /^\d{3,4}$/u.test(cvv) ? undefined : "host:12"
}

/** First six and last four: `540669******1173`. */
export const maskOf = (number: string): string =>
  `${number.slice(0, 6)}${"*".repeat(Math.max(0, number.length - 10))}${number.slice(-4)}`

/** The network's test cards have zeros where a mask has stars; of another card nothing more is known. */
export const testNumberOf = (maskedPan: string): string => maskedPan.replaceAll("*", "0")
