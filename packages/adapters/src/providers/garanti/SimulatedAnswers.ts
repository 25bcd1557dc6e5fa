import { type Entry, isSettled, type Order } from "./SimulatedOrder.ts"
import { sha512 } from "./SimulatedRequest.ts"

/** What the simulated bank says in its own language: our wording, the bank's numbers. */
const errorTexts: Readonly<Record<string, string>> = {
  "0001": "Gönderilen alanlardan biri geçerli değil.",
  "0002": "Zorunlu alanlardan biri gönderilmedi.",
  "0003": "Son kullanma tarihi dört haneli olmalı.",
  "0102": "Kapatılacak ön otorizasyon yok.",
  "0103": "İade edilecek işlem yok.",
  "0104": "Bu siparişte zaten bir satış var.",
  "0108": "Bu numarayla sipariş kaydı yok.",
  "0110": "İşlem bulunamadı",
  "0201": "İptal edilecek işlem yok.",
  "0202": "İptal edilebilecek birden çok işlem var, RRN gönderin.",
  "0203": "İade edilecek kayıt yok.",
  "0207": "Önce en son işlem iptal edilmeli.",
  "0208": "İade edilmek istenen işlem uygun değil.",
  "0209": "Kapatılmak istenen ön otorizasyon uygun değil.",
  "0210": "İptal edilmek istenen işlem uygun değil.",
  "0214": "İade tutarı satış tutarını aşıyor.",
  "0231": "Sipariş numarası 32 karakteri aşıyor.",
  "0651": "Kullanıcı şifresi hatalı.",
  "0652": "Bu kullanıcının bu işleme yetkisi yok.",
  "0653": "Kullanıcı bu terminalde tanımlı değil.",
  "0752": "Terminal kaydı yok.",
  "0753": "Terminalin işyeri numarası bu değil.",
  "0759": "Terminalin bu para biriminde yetkisi yok.",
  "0763": "3D alanları eksik.",
  "0804": "MD doğrulaması başarısız; tutar veya sipariş farklı."
}

const clean = (value: string): string => value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

type Pairs = ReadonlyArray<readonly [string, string]>

const write = (pairs: Pairs): string =>
  pairs.map(([name, value]) => `<${name}>${clean(value)}</${name}>`).join("\n\t\t")

/** The bank's clocks run three hours ahead of UTC all year. */
const istanbul = (time: number): string => new Date(time + 3 * 3_600_000).toISOString()

/** `20231223`. */
const date = (time: number | null): string => (time === null ? "" : istanbul(time).slice(0, 10).replaceAll("-", ""))

/** `20231223 19:24:30`. */
const provDate = (time: number): string => `${date(time)} ${istanbul(time).slice(11, 19)}`

/** `2024-01-06 23:10:05.975`. */
const moment = (time: number | undefined): string =>
  time === undefined ? "" : istanbul(time).slice(0, 23).replace("T", " ")

/** Who asked about which order, as far as every answer repeats it. */
export interface Asker {
  readonly userId: string
  readonly terminalId: string
  readonly merchantId: string
  readonly ip: string
  readonly orderId: string
  /** What the user's hashes are mixed with. */
  readonly secret: string
  readonly now: number
}

interface Body {
  readonly source: "HOST" | "GVPS"
  readonly code: string
  readonly reasonCode: string
  readonly error?: string
  readonly technical?: string
  readonly retrefNum?: string
  readonly authCode?: string
  readonly maskedPan?: string
  /** Written as it stands after the order's number. */
  readonly orderResult?: string
}

const respond = (asker: Asker, body: Body): string => {
  const { code, maskedPan = "", reasonCode, source } = body
  const { authCode = "", retrefNum = "" } = body
  const stamp = provDate(asker.now)
  const hashData = sha512(code, retrefNum, authCode, stamp, asker.orderId, asker.secret)
  const hasBatch = retrefNum !== ""
  const terminal = write([
    ["ProvUserID", asker.userId],
    ["UserID", asker.userId],
    ["ID", asker.terminalId],
    ["MerchantID", asker.merchantId]
  ])
  const order = write([
    ["OrderID", asker.orderId],
    ["GroupID", ""]
  ])
  const response = write([
    ["Source", source],
    ["Code", code],
    ["ReasonCode", reasonCode],
    ["Message", code === "00" ? "Approved" : "Declined"],
    ["ErrorMsg", (body.error ?? "").slice(0, 64)],
    ["SysErrMsg", body.technical ?? ""]
  ])
  const transaction = write([
    ["RetrefNum", retrefNum],
    ["AuthCode", authCode],
    ["BatchNum", hasBatch ? "005546" : ""],
    ["SequenceNum", hasBatch ? retrefNum.slice(-6) : ""],
    ["ProvDate", stamp],
    ["CardNumberMasked", maskedPan],
    ["CardHolderName", ""],
    ["CardType", hasBatch ? "BONUS" : ""],
    ["HashData", hashData],
    ["HostMsgList", ""]
  ])
  return `<?xml version="1.0"?>
<GVPSResponse>
	<Mode></Mode>
	<Terminal>${terminal}</Terminal>
	<Customer>${write([["IPAddress", asker.ip]])}</Customer>
	<Order>${order}${body.orderResult ?? ""}</Order>
	<Transaction>
		<Response>${response}</Response>
		${transaction}
		<RewardInqResult><RewardList></RewardList><ChequeList></ChequeList></RewardInqResult>
	</Transaction>
</GVPSResponse>`
}

/** The host's word on a transaction: `00`, or the issuer's "no". */
export const transactionText = (asker: Asker, order: Order, entry: Entry): string => {
  const { authCode, retrefNum, returnCode: code } = entry
  const common = { source: "HOST", code, reasonCode: code, retrefNum, authCode, maskedPan: order.maskedPan } as const
  return code === "00"
    ? respond(asker, common)
    : respond(asker, { ...common, error: "İşlem onaylanmadı.", technical: `RPC-${code}` })
}

/** A card that the host finds wrong before there is an order. */
export const cardRefusedText = (asker: Asker, code: string): string => {
  const technical = code === "12" ? "CVC2/4CSC HATALI" : `RPC-${code}`
  return respond(asker, { source: "HOST", code, reasonCode: code, error: "İşlem onaylanmadı.", technical })
}

/** The bank's own "no". */
export const refusedText = (asker: Asker, reasonCode: string, orderResult = ""): string =>
  respond(asker, {
    source: "GVPS",
    code: "92",
    reasonCode,
    error: errorTexts[reasonCode] ?? "İşlem yapılamadı.",
    technical: `ErrorId: ${reasonCode}`,
    orderResult
  })

const inquiryApproved = { source: "GVPS", code: "00", reasonCode: "" } as const

/**
 * `orderinq`. What the bank writes of voided, refunded and declined orders is in no source: a void and a refund leave the
 * status as it was, and a declined order has a word that no one else uses.
 */
export const statusText = (asker: Asker, order: Order): string => {
  const succeeded = order.entries.filter(({ returnCode }) => returnCode === "00")
  const preauth = succeeded.find(({ type }) => type === "preauth")
  const sale = succeeded.find(({ type }) => type === "postauth" || type === "sales")
  const latest = sale ?? preauth ?? order.entries.at(-1)
  const status = preauth === undefined ? "DECLINED" : "WAITINGPOSTAUTH"
  const result = write([
    ["ChargeType", "S"],
    ["PreAuthAmount", `${preauth?.amount ?? 0}`],
    ["PreAuthDate", moment(preauth?.at)],
    ["AuthAmount", `${sale?.amount ?? 0}`],
    ["AuthDate", moment(sale?.at)],
    ["Status", sale === undefined ? status : "APPROVED"],
    ["InstallmentCnt", order.installments || "0"],
    ["CardNumberMasked", order.maskedPan],
    ["Code", latest?.returnCode ?? ""],
    ["ReasonCode", latest?.returnCode ?? ""],
    ["RetrefNum", latest?.retrefNum ?? ""],
    ["AuthCode", latest?.authCode ?? ""],
    ["CardHolderName", ""],
    ["CardType", "BONUS"]
  ])
  return respond(asker, { ...inquiryApproved, orderResult: `<OrderInqResult>${result}</OrderInqResult>` })
}

/** An order without record has the inquiry's elements, empty. */
export const unknownStatusText = (asker: Asker): string => {
  const result = write([
    ["ChargeType", ""],
    ["PreAuthAmount", "0"],
    ["AuthAmount", "0"],
    ["Status", ""],
    ["InstallmentCnt", "0"],
    ["CardNumberMasked", "null"],
    ["Code", ""],
    ["RetrefNum", ""],
    ["AuthCode", ""]
  ])
  return refusedText(asker, "0110", `<OrderInqResult>${result}</OrderInqResult>`)
}

/** `orderhistoryinq`: one element or many, the oldest first. A failed one has no currency. */
export const historyText = (asker: Asker, order: Order): string => {
  const list = order.entries.map((entry) => {
    const { amount, at, authCode, retrefNum, returnCode, type, voidedAt } = entry
    const succeeded = returnCode === "00"
    const isPreauth = type === "preauth"
    const pairs: Pairs = [
      ["Type", type],
      ["Status", succeeded ? "00" : "01"],
      ["PreAuthAmount", isPreauth ? `${amount}` : "0"],
      ["AuthAmount", isPreauth ? "0" : `${amount}`],
      ["PreAuthDate", isPreauth && succeeded ? date(at) : ""],
      ["AuthDate", isPreauth || !succeeded ? "" : date(at)],
      ["VoidDate", date(voidedAt)],
      ["RetrefNum", retrefNum],
      ["AuthCode", authCode],
      ["ReturnCode", returnCode],
      ["CurrencyCode", succeeded ? order.currency : "0"],
      ["Settlement", isSettled(entry, asker.now) ? "Y" : "N"]
    ]
    return `<OrderTxn>${write(pairs)}</OrderTxn>`
  })
  const result = `<OrderHistInqResult><OrderTxnList>${list.join("\n")}</OrderTxnList></OrderHistInqResult>`
  return respond(asker, { ...inquiryApproved, orderResult: result })
}
