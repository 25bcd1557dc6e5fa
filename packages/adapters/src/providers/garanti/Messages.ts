import type { PaymentCurrency } from "@sarraf/domain/money/Currency"
import { Option, Result, Schema } from "effect"
import { readText } from "../AnswerDocument.ts"
import type { ProviderResponse } from "../ProviderTransport.ts"
import { readXml, type XmlRules } from "../XmlDocument.ts"
import { xmlText } from "../XmlText.ts"

/** ISO 4217's numbers; dirhams are in no source (provider sheet, section 1). */
const numbers: ReadonlyMap<string, string> = new Map<PaymentCurrency, string>([
  ["TRY", "949"],
  ["USD", "840"],
  ["EUR", "978"],
  ["GBP", "826"]
])

/** `TRY` → `949`. */
export const currencyNumberOf = (currency: string): string | undefined => numbers.get(currency)

/** `949` → `TRY`. */
export const currencyOfNumber = (number: string): string | undefined =>
  [...numbers].find(([, other]) => other === number)?.[0]

export interface Transaction {
  readonly Type: "preauth" | "postauth" | "void" | "refund" | "orderinq" | "orderhistoryinq"
  /** Empty for a single payment, else `2` and more; absent in a capture, as in the sheet's. */
  readonly InstallmentCnt?: string
  /** Minor units; `100` where the sheet fixes it. */
  readonly Amount: string
  readonly CurrencyCode: string
  /** `13` with 3-D Secure. */
  readonly CardholderPresentCode?: "0" | "13"
  readonly MotoInd?: "N"
  readonly OriginalRetrefNum?: string
  readonly Secure3D?: {
    readonly AuthenticationCode: string
    readonly SecurityLevel: string
    readonly TxnID: string
    readonly Md: string
  }
}

/** What is posted to the bank; elements go out in the order in which they stand (provider sheet, section 4). */
export interface GVPSRequest {
  readonly Mode: "TEST" | "PROD"
  readonly Version: "512"
  readonly Terminal: {
    readonly ProvUserID: string
    readonly UserID: string
    readonly HashData: string
    readonly ID: string
    readonly MerchantID: string
  }
  readonly Customer: { readonly IPAddress: string; readonly EmailAddress?: string }
  readonly Card?: { readonly Number: string; readonly ExpireDate: string; readonly CVV2: string }
  readonly Order: { readonly OrderID: string }
  readonly Transaction: Transaction
}

const text = Schema.optionalKey(Schema.String)

/** Of an `orderinq`. `Status`: APPROVED, WAITINGPOSTAUTH; other words are in no source. */
const OrderInqResult = Schema.Struct({
  Status: text,
  ChargeType: text,
  AuthAmount: text,
  PreAuthAmount: text,
  RetrefNum: text,
  AuthCode: text,
  InstallmentCnt: text,
  CardNumberMasked: text,
  AuthDate: text,
  PreAuthDate: text,
  Code: text
})

/** One transaction of an `orderhistoryinq`. */
const OrderTxn = Schema.Struct({
  Type: text,
  Status: text,
  AuthAmount: text,
  PreAuthAmount: text,
  VoidDate: text,
  RetrefNum: text,
  ReturnCode: text,
  CurrencyCode: text,
  Settlement: text
})
export type OrderTxn = typeof OrderTxn.Type

const empty = Schema.Literal("")
const OrderTxnList = Schema.Struct({ OrderTxn: Schema.optionalKey(Schema.Union([Schema.Array(OrderTxn), OrderTxn])) })
const OrderHistInqResult = Schema.Struct({ OrderTxnList: Schema.optionalKey(Schema.Union([OrderTxnList, empty])) })

/** Every answer of the bank. An element that is read and comes twice makes the message unreadable. */
const GVPSResponse = Schema.Struct({
  Order: Schema.Struct({
    OrderID: Schema.String,
    OrderInqResult: Schema.optionalKey(Schema.Union([OrderInqResult, empty])),
    OrderHistInqResult: Schema.optionalKey(Schema.Union([OrderHistInqResult, empty]))
  }),
  Transaction: Schema.Struct({
    Response: Schema.Struct({
      Source: text,
      Code: Schema.String,
      ReasonCode: text,
      Message: Schema.String,
      SysErrMsg: text
    }),
    RetrefNum: text,
    AuthCode: text,
    BatchNum: text,
    SequenceNum: text,
    ProvDate: text,
    CardNumberMasked: text,
    CardType: text,
    HashData: text
  })
})
export type GVPSResponse = typeof GVPSResponse.Type

const noInquiry: typeof OrderInqResult.Type = {}

/** The result of an `orderinq`; the same without children where there is none. */
export const inquiryOf = ({ Order: { OrderInqResult: result } }: GVPSResponse): typeof OrderInqResult.Type =>
  result === undefined || result === "" ? noInquiry : result

const isOne = (listed: OrderTxn | ReadonlyArray<OrderTxn>): listed is OrderTxn => !Array.isArray(listed)

/** The transactions of an `orderhistoryinq`; none where the list is empty or absent. */
export const historyOf = ({ Order: { OrderHistInqResult: result } }: GVPSResponse): ReadonlyArray<OrderTxn> => {
  const listed = (result ? result.OrderTxnList || undefined : undefined)?.OrderTxn ?? []
  return isOne(listed) ? [listed] : listed
}

const decodeMessage = Schema.decodeUnknownOption(Schema.Struct({ GVPSResponse }))

/** XML 1.0 has no room for control characters. */
const written = (value: string): string => xmlText(value.replaceAll(/\p{Cc}/gu, " "))

const elements = (children: object): string =>
  Object.entries(children)
    .map(([name, value]) => `<${name}>${typeof value === "string" ? written(value) : elements(value)}</${name}>`)
    .join("")

/** The form's only field, `data`, with the document in UTF-8. */
export const encodeRequest = (request: GVPSRequest): Uint8Array => {
  const document = `<?xml version="1.0" encoding="UTF-8"?><GVPSRequest>${elements(request)}</GVPSRequest>`
  return new TextEncoder().encode(new URLSearchParams({ data: document }).toString())
}

export const requestHeaders: Readonly<Record<string, string>> = {
  "content-type": "application/x-www-form-urlencoded; charset=utf-8",
  accept: "text/xml"
}

/** Names of people come with an `&` as it is (provider sheet, section 7). */
const bareAmpersand = /&(?!(?:#x[0-9A-Fa-f]{1,6}|#\d{1,7}|amp|lt|gt|quot|apos);)/gu

/** A transaction of a history stands six levels deep. Nothing that is read has a reference in it. */
const rules: XmlRules = { levelsMax: 11, references: "kept" }

/** Recorded answers are at most 3 KB; a history of two hundred transactions has 150 KB. */
const bytesMax = 256 * 1024

/**
 * Reads an answer, or says why it cannot be read. Anything but HTTP 200, another character set, HTML, a document that is
 * cut off, nested too deep, too large or with a document type is unreadable: none of these says that no money moved.
 */
export const decodeResponse = (response: ProviderResponse): Result.Result<GVPSResponse, string> => {
  if (response.status !== 200) return Result.fail(`The bank answered with HTTP status ${response.status}.`)
  if (response.body.byteLength > bytesMax) return Result.fail("The bank's answer is too large.")
  const message = readText(response.body).pipe(
    Option.flatMap((text) => readXml(text.replaceAll(bareAmpersand, "&amp;"), rules)),
    Option.flatMap(decodeMessage)
  )
  return Option.isNone(message)
    ? Result.fail("The bank's answer is no readable GVPSResponse document.")
    : Result.succeed(message.value.GVPSResponse)
}
