import { Option, Result, Schema } from "effect"
import type { ProviderResponse } from "../ProviderTransport.ts"
import { readXml, type XmlRules } from "../XmlDocument.ts"
import { xmlText } from "../XmlText.ts"
import * as Iso88599 from "./Iso88599.ts"

/** What is posted to the bank; elements go out in the order in which they stand (provider sheet, section 4). */
export interface CC5Request {
  readonly Name: string
  readonly Password: string
  readonly ClientId: string
  /** Absent in a question. */
  readonly Type?: "PreAuth" | "PostAuth" | "Void" | "Credit"
  readonly IPAddress?: string
  readonly Email?: string
  readonly OrderId?: string
  readonly TransId?: string
  /** `10.01`. */
  readonly Total?: string
  /** ISO 4217's number: `949`. */
  readonly Currency?: string
  /** Empty for a single payment, else `2` and more. */
  readonly Taksit?: string
  /** The card's, or after 3-D Secure the `md` that stands for it. */
  readonly Number?: string
  /** `MM/YY`. */
  readonly Expires?: string
  readonly Cvv2Val?: string
  /** The proof of an authentication: `xid`, `eci` and `cavv` of the form that came back. */
  readonly PayerTxnId?: string
  readonly PayerSecurityLevel?: string
  readonly PayerAuthenticationCode?: string
  readonly Mode?: "P"
  readonly BillTo?: {
    readonly Name: string
    readonly Street1: string
    readonly City: string
    readonly PostalCode?: string
  }
  readonly Extra?: { readonly ORDERSTATUS: "QUERY" } | { readonly ORDERHISTORY: "QUERY" }
}

/** ISO 4217's numbers (provider sheet, section 1). AED is in no source's list and is not sent. */
export const currencyNumbers: Readonly<Record<string, string>> = { TRY: "949", USD: "840", EUR: "978", GBP: "826" }

/** Empty for a single payment, never `1`. */
export const taksitOf = (installment: number): string => (installment > 1 ? `${installment}` : "")

/** `3` → `03`, `2030` → `30`. */
export const twoDigits = (count: number): string => `${count}`.padStart(2, "0").slice(-2)

const ipv4 = /^\d{1,3}(?:\.\d{1,3}){3}$/u

/** The bank takes no IPv6 address. */
export const addressOf = (ip: string | undefined): Pick<CC5Request, "IPAddress"> =>
  ip !== undefined && ipv4.test(ip) ? { IPAddress: ip } : {}

const text = Schema.optionalKey(Schema.String)

/**
 * The children of `Extra` that are read; the banks put any number of others beside them, and TRX1 to TRXn in a history.
 * An element that is read and comes twice makes the message unreadable.
 */
const Extra = Schema.StructWithRest(
  Schema.Struct({
    ERRORCODE: text,
    TRXDATE: text,
    NUMCODE: text,
    SETTLEID: text,
    HOSTDATE: text,
    CARDBRAND: text,
    CARDISSUER: text,
    EXTENDED_ERROR_CODE: text,
    CHARGE_TYPE_CD: text,
    TRANS_STAT: text,
    TRANS_ID: text,
    ORIG_TRANS_AMT: text,
    CAPTURE_AMT: text,
    AUTH_DTTM: text,
    CAPTURE_DTTM: text,
    VOID_DTTM: text,
    AUTH_CODE: text,
    HOST_REF_NUM: text,
    PROC_RET_CD: text,
    PAN: text,
    TRXCOUNT: text
  }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)

/** Every answer of the bank, to a transaction and to a question alike. ERRORCODE stands in `Extra` or, newer, here. */
const CC5Response = Schema.Struct({
  Response: text,
  ProcReturnCode: text,
  TransId: text,
  OrderId: text,
  AuthCode: text,
  HostRefNum: text,
  ErrMsg: text,
  ERRORCODE: text,
  Extra: Schema.optionalKey(Schema.Union([Extra, Schema.Literal("")]))
})
export type CC5Response = typeof CC5Response.Type

const nothing: typeof Extra.Type = {}

/** The message's `Extra`; the same without children where it is empty or absent. */
export const extraOf = (message: CC5Response): typeof Extra.Type =>
  message.Extra === undefined || message.Extra === "" ? nothing : message.Extra

const decodeMessage = Schema.decodeUnknownOption(Schema.Struct({ CC5Response }))

const written = (value: string): string => xmlText(Iso88599.transliterate(value))

const elements = (children: object): string => {
  let document = ""
  for (const [name, value] of Object.entries(children)) {
    document += `<${name}>${typeof value === "string" ? written(value) : elements(value)}</${name}>`
  }
  return document
}

/** 1 for a byte that application/x-www-form-urlencoded has as it is (WHATWG URL, section 5.2), 0 for another. */
const isPlain = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[A-Za-z0-9*._-]/u.test(String.fromCharCode(byte)) ? 1 : 0
)
const digits = "0123456789ABCDEF"

/** The form's only field, `DATA`, with the document in ISO-8859-9. */
export const encodeRequest = (request: CC5Request): Uint8Array => {
  const document = `<?xml version="1.0" encoding="ISO-8859-9"?><CC5Request>${elements(request)}</CC5Request>`
  const bytes = Iso88599.encode(document)
  const form = Buffer.allocUnsafe("DATA=".length + 3 * bytes.length)
  let length = form.write("DATA=", "latin1")
  for (const byte of bytes) {
    if (isPlain[byte]) form[length++] = byte
    else {
      form[length++] = 0x25
      form[length++] = digits.charCodeAt(byte >> 4)
      form[length++] = digits.charCodeAt(byte & 15)
    }
  }
  return form.subarray(0, length)
}

export const requestHeaders: Readonly<Record<string, string>> = {
  "content-type": "application/x-www-form-urlencoded; charset=ISO-8859-9",
  accept: "text/xml"
}

/** CC5Response, Extra and their children are three levels; recorded answers have no more. */
const rules: XmlRules = { levelsMax: 9, references: "resolved" }

/** Recorded answers are at most 3 KB; a history of a hundred transactions has 10 KB. */
const bytesMax = 256 * 1024

const latin5: ReadonlySet<string> = new Set(["iso-8859-9", "iso8859-9", "windows-1254", "latin5"])

/** By the header, else by the declaration, else as the sheet says: section 2. */
const charsetOf = (contentType: string, document: string): string => {
  const stated =
    /charset\s*=\s*"?([^\s";]+)/iu.exec(contentType)?.[1] ??
    /^<\?xml[^>]{1,60}encoding\s*=\s*["']([^"']+)["']/iu.exec(document.slice(0, 128))?.[1]
  return (stated ?? "iso-8859-9").toLowerCase()
}

/**
 * Reads an answer, or says why it cannot be read. Anything but HTTP 200, another character set, HTML, a document that is
 * cut off, nested too deep, too large or with a document type is unreadable: none of these says that no money moved.
 */
export const decodeResponse = (response: ProviderResponse): Result.Result<CC5Response, string> => {
  if (response.status !== 200) return Result.fail(`The bank answered with HTTP status ${response.status}.`)
  if (response.body.byteLength > bytesMax) return Result.fail("The bank's answer is too large.")
  const document = Iso88599.decode(response.body)
  if (!latin5.has(charsetOf(response.headers["content-type"] ?? "", document))) {
    return Result.fail("The bank's answer is in another character set than ISO-8859-9.")
  }
  const message = Option.flatMap(readXml(document, rules), decodeMessage)
  return Option.isNone(message)
    ? Result.fail("The bank's answer is no readable CC5Response document.")
    : Result.succeed(message.value.CC5Response)
}
