import { type Entry, isSettled, type Order } from "./SimulatedOrder.ts"

/** What the simulated bank says in its own language: our wording, the bank's codes (NestPay error code table). */
const errorTexts: Readonly<Record<string, string>> = {
  "05": "Kartı veren banka işlemi onaylamadı.",
  "51": "Kartın kullanılabilir bakiyesi yetersiz.",
  "54": "Kartın süresi dolmuş.",
  "96": "Sistem arızası; işlem yapılamadı.",
  "3D-1004": "3D formunun imzası doğrulanamadı.",
  "3D-1007": "İşyeri bu 3D ödeme modelini kullanamaz.",
  "CORE-1015": "Sipariş numarası çok uzun.",
  "CORE-2001": "Geçersiz işlem tipi.",
  "CORE-2002": "İptal için bilgiler eksik.",
  "CORE-2003": "İşlem tipi boş olamaz.",
  "CORE-2007": "Tutar okunamadı.",
  "CORE-2008": "İptal edilebilecek bir işlem yok.",
  "CORE-2009": "Sıfır tutarlı işlem yapılamaz.",
  "CORE-2010": "Kartın son kullanma tarihi geçmiş.",
  "CORE-2011": "Son kullanma tarihi hatalı yazılmış.",
  "CORE-2012": "Kart numarası geçersiz.",
  "CORE-2015": "Kart numarası eksik.",
  "CORE-2105": "İşyeri bu para biriminde çalışmıyor.",
  "CORE-2106": "Para birimi geçersiz.",
  "CORE-2117": "Siparişte iade edilecek satış yok.",
  "CORE-2118": "Para birimi eksik.",
  "CORE-2119": "Para birimi siparişinkiyle aynı değil.",
  "CORE-2121": "3D doğrulama bilgileri eşleşmiyor.",
  "CORE-2123": "İade edilecek sipariş bulunamadı.",
  "CORE-2124": "Dövizli işlemde taksit yapılamaz.",
  "CORE-2127": "3D doğrulama daha önce kullanılmış.",
  "CORE-2133": "Siparişte iptal edilebilecek birden çok işlem var.",
  "CORE-2201": "Kullanıcı doğrulanamadı.",
  "CORE-2208": "Güvenlik kodu olmadan işlem yapılamaz.",
  "CORE-2301": "Sipariş numarası geçersiz.",
  "CORE-2503": "İade tutarı kalan tutarı aşıyor.",
  "CORE-2505": "Kapama tutarı ön otorizasyonu aşıyor.",
  "CORE-2506": "Sıfır tutarla kapama yapılamaz.",
  "CORE-2507": "Bu sipariş için başarılı bir işlem zaten var.",
  "CORE-2508": "Gün sonu alınmadan iade yapılamaz; iptal deneyin.",
  "CORE-2509": "Kapatılacak ön otorizasyon bulunamadı.",
  "CORE-2511": "Gün sonu alınmış işlem iptal edilemez; iade deneyin.",
  "CORE-2512": "Ön otorizasyon tutarını aşma yetkisi yok.",
  "CORE-2513": "Ön otorizasyonun kapama süresi dolmuş.",
  "CORE-2515": "Güvenlik kodu hatalı.",
  "CORE-2603": "Taksit sayısı işyerinde tanımlı değil.",
  "HPP-1001": "Kart numarası doğru biçimde değil.",
  "215021": "Net Tutar 0."
}

export const errorTextOf = (code: string): string => errorTexts[code] ?? "İşlem yapılamadı."

/** The bank's clocks run three hours ahead of UTC all year. */
const istanbul = (time: number): string => new Date(time + 3 * 3_600_000).toISOString()

/** `2024-01-03 21:42:35.902`. */
const moment = (time: number | null): string => {
  if (time === null) return ""
  const text = istanbul(time)
  return `${text.slice(0, 10)} ${text.slice(11, 23)}`
}

/** `20240103 21:42:35`. */
const stampOf = (time: number): string => {
  const text = istanbul(time)
  return `${text.slice(0, 10).replaceAll("-", "")} ${text.slice(11, 19)}`
}

/** `0103-214235`. */
const hostDate = (time: number): string => {
  const text = istanbul(time)
  return `${text.slice(5, 7)}${text.slice(8, 10)}-${text.slice(11, 19).replaceAll(":", "")}`
}

const references: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }

const clean = (value: string): string => value.replace(/[&<>]/gu, (letter) => references[letter] ?? letter)

type Pairs = ReadonlyArray<readonly [string, string]>

const write = (pairs: Pairs): string => pairs.map(([name, value]) => `<${name}>${clean(value)}</${name}>`).join("\n")

/** `extra` is written as it stands after the pairs of Extra, for text that carries references of its own. */
const respond = (top: Pairs, extra: Pairs, last = ""): string =>
  `<?xml version="1.0" encoding="ISO-8859-9"?>\n<CC5Response>\n${write(top)}\n<Extra>\n${write(extra)}${last}\n</Extra>\n</CC5Response>`

const brandOf = (maskedPan: string): string =>
  ({ "4": "VISA", "5": "MASTERCARD", "9": "TROY" })[maskedPan.charAt(0)] ?? "OTHER"

export const approvedText = (order: Order, entry: Entry, transId: string, now: number): string =>
  respond(
    [
      ["OrderId", order.orderId],
      ["GroupId", order.orderId],
      ["Response", "Approved"],
      ["AuthCode", entry.authCode],
      ["HostRefNum", entry.hostRefNum],
      ["ProcReturnCode", "00"],
      ["TransId", transId],
      ["ErrMsg", ""]
    ],
    [
      ["SETTLEID", `${Math.floor(now / 86_400_000) % 10_000}`],
      ["TRXDATE", stampOf(now)],
      ["ERRORCODE", ""],
      ["TERMINALID", "00655999"],
      ["MERCHANTID", "655000999"],
      ["CARDBRAND", brandOf(order.maskedPan)],
      ["HOSTDATE", hostDate(now)],
      ["NUMCODE", "00"]
    ],
    "\n<CARDISSUER>DENEME BANKASI A.&#x15E;.</CARDISSUER>"
  )

/** The issuer's "no": `51` and so on. */
export const declinedText = (order: Order, entry: Entry, now: number): string =>
  respond(
    [
      ["OrderId", order.orderId],
      ["GroupId", order.orderId],
      ["Response", "Declined"],
      ["AuthCode", ""],
      ["HostRefNum", entry.hostRefNum],
      ["ProcReturnCode", entry.procReturnCode],
      ["TransId", entry.transId],
      ["ErrMsg", errorTextOf(entry.procReturnCode)]
    ],
    [
      ["SETTLEID", ""],
      ["TRXDATE", stampOf(now)],
      ["ERRORCODE", `ISO8583-${entry.procReturnCode}`],
      ["CARDBRAND", brandOf(order.maskedPan)],
      ["NUMCODE", entry.procReturnCode]
    ]
  )

/** Codes whose recorded answers name no order. */
const nameless: ReadonlySet<string> = new Set(["CORE-2507", "CORE-2008"])

/** The gateway's own "no". Codes that are bare digits come in the newer style, without a ProcReturnCode. */
export const refusedText = (code: string, orderId: string, transId: string, now: number): string => {
  const text = errorTextOf(code)
  const named = nameless.has(code) ? "" : orderId
  const date: Pairs = [["TRXDATE", stampOf(now)]]
  if (!code.startsWith("CORE-")) {
    return respond(
      [
        ["OrderId", named],
        ["Response", "Declined"],
        ["HostRefNum", ""],
        ["TransId", transId],
        ["ErrMsg", text]
      ],
      [...date, ["ERRORCODE", code]]
    )
  }
  return respond(
    [
      ["OrderId", named],
      ["GroupId", named],
      ["Response", "Error"],
      ["AuthCode", ""],
      ["HostRefNum", ""],
      ["ProcReturnCode", "99"],
      ["TransId", transId],
      ["ErrMsg", text]
    ],
    [["SETTLEID", ""], ...date, ["ERRORCODE", code], ["NUMCODE", `99${code.slice(5)}`]]
  )
}

const statOf = (entry: Entry, now: number): string => (isSettled(entry, now) ? "S" : entry.stat)

const minor = (amount: number | null): string => (amount === null ? "" : `${amount}`)

const keyed = (pairs: Pairs): string => pairs.map(([key, value]) => `${key}:${value}`).join("\t")

/** The answer to ORDERSTATUS: the order's latest transaction. */
export const statusText = (order: Order, entry: Entry, now: number): string => {
  const common: Pairs = [
    ["CHARGE_TYPE_CD", entry.side],
    ["ORIG_TRANS_AMT", minor(entry.original)],
    ["CAPTURE_AMT", minor(entry.captured)],
    ["TRANS_STAT", statOf(entry, now)],
    ["AUTH_DTTM", moment(entry.authorizedAt)],
    ["CAPTURE_DTTM", moment(entry.capturedAt)],
    ["AUTH_CODE", entry.authCode],
    ["TRANS_ID", entry.transId]
  ]
  return respond(
    [
      ["ErrMsg", `Record(s) found for ${order.orderId}`],
      ["ProcReturnCode", "00"],
      ["Response", "Approved"],
      ["OrderId", order.orderId],
      ["TransId", entry.transId]
    ],
    [
      ...common,
      ["HOST_REF_NUM", entry.hostRefNum],
      ["MDSTATUS", ""],
      ["NUMCODE", "0"],
      ["ORDERSTATUS", keyed([["ORD_ID", order.orderId], ...common])],
      ["ORD_ID", order.orderId],
      ["PAN", order.maskedPan],
      ["PROC_RET_CD", entry.procReturnCode],
      ["SETTLEID", isSettled(entry, now) ? "2090" : ""],
      ...(entry.voidedAt === null ? [] : [["VOID_DTTM", moment(entry.voidedAt)] as const])
    ]
  )
}

export const unknownStatusText = (orderId: string): string =>
  respond(
    [
      ["ErrMsg", `No record found for ${orderId}`],
      ["ProcReturnCode", "99"],
      ["Response", "Declined"],
      ["OrderId", ""],
      ["TransId", ""]
    ],
    [
      ["NUMCODE", "0"],
      [
        "ORDERSTATUS",
        "ORD_ID:\tCHARGE_TYPE_CD:\tORIG_TRANS_AMT:\tCAPTURE_AMT:\tTRANS_STAT:\tAUTH_DTTM:\tCAPTURE_DTTM:\tAUTH_CODE:"
      ]
    ]
  )

const historyLine = (entry: Entry, now: number): string =>
  [
    entry.side,
    statOf(entry, now),
    minor(entry.original),
    minor(entry.captured),
    moment(entry.authorizedAt),
    moment(entry.capturedAt),
    moment(entry.voidedAt),
    entry.hostRefNum,
    entry.authCode,
    entry.procReturnCode,
    entry.transId
  ].join("\t")

/** The answer to ORDERHISTORY: every transaction, newest first. */
export const historyText = (order: Order, now: number): string =>
  respond(
    [
      ["ErrMsg", ""],
      ["ProcReturnCode", "00"],
      ["Response", "Approved"],
      ["OrderId", order.orderId]
    ],
    [
      ["TERMINALID", "00655999"],
      ["MERCHANTID", "655000999"],
      ["NUMCODE", "0"],
      ...order.entries.map((entry, index) => [`TRX${index + 1}`, historyLine(entry, now)] as const),
      ["TRXCOUNT", `${order.entries.length}`]
    ]
  )

/** An order without record is a decline with code 05 here, unlike in a status. */
export const unknownHistoryText = (orderId: string): string =>
  respond(
    [
      ["ErrMsg", `No record found for ${orderId}`],
      ["ProcReturnCode", "05"],
      ["Response", "Declined"],
      ["OrderId", orderId]
    ],
    [
      ["NUMCODE", "0"],
      ["TRXCOUNT", "0"]
    ]
  )
