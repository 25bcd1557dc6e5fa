import { make } from "@sarraf/adapters/providers/garanti/Adapter"
import type { GarantiCredentials } from "@sarraf/adapters/providers/garanti/Credentials"
import type { ProviderRequest, ProviderResponse } from "@sarraf/adapters/providers/ProviderTransport"
import { Money } from "@sarraf/domain/money/Money"
import type { PaymentProvider, ThreeDSReturn } from "@sarraf/domain/payments/PaymentProvider"
import { Redacted } from "effect"
import { type Answer, answersInTurn } from "../answers.ts"
import { callsOf } from "../calls.ts"
import { type Elements, treeOf, xmlOf } from "../xml.ts"

export const reference = "SRF00000000000000001"
export const returnUrl = "https://shop.example/pf/v1/3ds/token/return"

/** The test terminal of the sheet's section 3: its vectors and recordings are signed with these. */
export const credentials: GarantiCredentials = {
  merchantId: "7000679",
  terminalId: "30691298",
  provUserId: "PROVAUT",
  password: Redacted.make("123qweASD/"),
  refundUserId: "PROVRFN",
  refundPassword: Redacted.make("123qweASD/"),
  storeKey: Redacted.make("12345678"),
  mode: "TEST"
}

export const lira = (minor: bigint) => new Money({ currency: "TRY", minor })

const calls = callsOf({
  reference,
  operationReference: "SRF00000000000000002",
  money: lira(1001n),
  cardNumber: "4282209004348015",
  providerReference: "400609699313"
})
export const { authorization, authorizeCall, capture, captureCall, operationCall } = calls

export const returnCall = (
  returned: Readonly<Record<string, string>>,
  changes: Partial<ThreeDSReturn> = {}
): ThreeDSReturn =>
  calls.returnCall(returned, {
    authorization: authorization({ providerReference: null }),
    buyerIp: "203.0.113.7",
    ...changes
  })

/** The posted document, out of the form's only field. */
export const postedDocument = (request: ProviderRequest): string => {
  const [name, value = ""] = Buffer.from(request.body ?? [])
    .toString("latin1")
    .split("=")
  return name === "data" ? decodeURIComponent(value.replaceAll("+", " ")) : ""
}

/** The elements of the posted document. */
export const postedElements = (request: ProviderRequest): unknown => treeOf(postedDocument(request)).GVPSRequest

export const xmlAnswer = (
  document: string | Uint8Array,
  changes: Partial<ProviderResponse> = {}
): ProviderResponse => ({
  status: 200,
  headers: { "content-type": "text/xml;charset=UTF-8" },
  body: typeof document === "string" ? new TextEncoder().encode(document) : document,
  ...changes
})

/** An answer of the bank with these elements. */
export const answerWith = (elements: Elements): ProviderResponse =>
  xmlAnswer(`<?xml version="1.0"?>\n<GVPSResponse>${xmlOf(elements)}</GVPSResponse>`)

/** An answer about our order, without a hash. */
export const answered = (
  response: Elements,
  transaction: Elements = {},
  order: Elements = {}
): ReturnType<typeof answerWith> =>
  answerWith({
    Order: { OrderID: reference, GroupID: "", ...order },
    Transaction: { Response: response, RetrefNum: "400609699313", CardNumberMasked: "428220******8015", ...transaction }
  })

export const approved: Elements = { Source: "HOST", Code: "00", ReasonCode: "00", Message: "Approved" }

/** A refusal by the bank itself, with its number. */
export const refusedWith = (reasonCode: string): Elements => ({
  Source: "GVPS",
  Code: "92",
  ReasonCode: reasonCode,
  Message: "Declined",
  SysErrMsg: `ErrorId: ${reasonCode}`
})

/** One transaction of a history: `postauth 00 00 900 N - 2`; amount, settlement, void date and number follow the codes. */
export const historyRow = (row: string): Elements => {
  const [Type = "", Status = "", ReturnCode = "", amount = "", settlement = "", voidDate = "", RetrefNum = ""] = row
    .split(" ")
    .map((part) => (part === "-" ? "" : part))
  const amounts = Type === "preauth" ? { PreAuthAmount: amount, AuthAmount: "0" } : { AuthAmount: amount }
  const CurrencyCode = Status === "00" ? "949" : "0"
  return { Type, Status, ReturnCode, ...amounts, Settlement: settlement, VoidDate: voidDate, RetrefNum, CurrencyCode }
}

/** The two answers to a question about an order. */
export const recordOf = (status: Elements, rows: ReadonlyArray<Elements>) => [
  answered({ ...approved, Source: "GVPS", ReasonCode: "" }, { RetrefNum: "" }, { OrderInqResult: status }),
  answered(
    { ...approved, Source: "GVPS", ReasonCode: "" },
    { RetrefNum: "" },
    { OrderHistInqResult: { OrderTxnList: { OrderTxn: rows } } }
  )
]

/** A terminal whose bank gives these answers in turn, and the requests that it was sent. */
export const terminalAnswering = (...answers: ReadonlyArray<Answer>) => {
  const { requests, transport } = answersInTurn(answers)
  const terminal: PaymentProvider = make({ credentials, transport })
  return { terminal, requests }
}
