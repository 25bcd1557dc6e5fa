import { hash } from "node:crypto"
import * as Simulator from "@sarraf/adapters/providers/garanti/Simulator"
import * as MemoryOrderBook from "@sarraf/adapters/providers/MemoryOrderBook"
import type { OrderBook } from "@sarraf/adapters/providers/OrderBook"
import type { Settlement } from "@sarraf/adapters/providers/Simulator"
import { Effect, Redacted } from "effect"
import type { Elements } from "../xml.ts"

export const pagesUrl = "http://localhost:8080/sandbox/garanti"
export const known = Simulator.sandboxCredentials(pagesUrl)
const apiUrl = "https://sanalposprovtest.garantibbva.com.tr/VPServlet"

export const sha512 = (text: string): string => hash("sha512", text, "hex").toUpperCase()
const sha1 = (text: string): string => hash("sha1", text, "hex").toUpperCase()
export const secretOf = (password: Redacted.Redacted<string>): string =>
  sha1(`${Redacted.value(password)}0${known.terminalId}`)

const written = (elements: Elements): string =>
  Object.entries(elements)
    .map(([name, value]) => {
      const inner = typeof value === "object" && value !== null ? written(Object(value)) : String(value ?? "")
      return `<${name}>${inner}</${name}>`
    })
    .join("")

export const card = { Number: "4282209004348015", ExpireDate: "0830", CVV2: "123" }

export interface Message {
  readonly Terminal?: Elements
  readonly Customer?: Elements
  readonly Card?: Elements
  readonly OrderID?: string
  readonly Transaction?: Elements
  /** Beside `Mode` and `Version`. */
  readonly top?: Elements
}

/** A message with a right hash, unless `Terminal` names another. */
export const documentOf = (type: string, message: Message = {}): string => {
  const { OrderID = "order1" } = message
  const isRefunds = type === "void" || type === "refund"
  const user = isRefunds ? known.refundUserId : known.provUserId
  const password = isRefunds ? known.refundPassword : known.password
  const Transaction: Elements = {
    Type: type,
    InstallmentCnt: "",
    Amount: isRefunds || type.endsWith("inq") ? "100" : "1001",
    CurrencyCode: "949",
    CardholderPresentCode: "0",
    MotoInd: "N",
    ...message.Transaction
  }
  const number = `${message.Card?.Number ?? ""}`
  const { Amount, CurrencyCode } = Transaction
  const Terminal = {
    ProvUserID: user,
    UserID: user,
    HashData: sha512(`${OrderID}${known.terminalId}${number}${Amount}${CurrencyCode}${secretOf(password)}`),
    ID: known.terminalId,
    MerchantID: known.merchantId,
    ...message.Terminal
  }
  const body = {
    Mode: "TEST",
    Version: "512",
    ...message.top,
    Terminal,
    Customer: message.Customer ?? { IPAddress: "127.0.0.1" },
    ...(message.Card === undefined ? {} : { Card: message.Card }),
    Order: { OrderID },
    Transaction
  }
  return `<?xml version="1.0" encoding="UTF-8"?><GVPSRequest>${written(body)}</GVPSRequest>`
}

const textOf = (document: string, name: string): string =>
  new RegExp(`<${name}>([^<]*)</${name}>`, "u").exec(document)?.[1] ?? ""

/** An answer with its own elements by name; `history` has the type, status, code and settlement of each transaction. */
const readingOf = (document: string) => {
  const [, transaction = ""] = document.split("<Transaction>")
  const [order = ""] = document.split("<Transaction>")
  const code = textOf(transaction, "Code")
  const reason = textOf(transaction, "ReasonCode")
  return {
    document,
    result: code === "92" ? `92/${reason}` : code,
    retrefNum: textOf(transaction, "RetrefNum"),
    transaction: (name: string) => textOf(transaction, name),
    order: (name: string) => textOf(order, name),
    history: [...document.matchAll(/<OrderTxn>(.*?)<\/OrderTxn>/gsu)].map(([, txn = ""]) =>
      ["Type", "Status", "ReturnCode", "Settlement"].map((name) => textOf(txn, name)).join(" ")
    )
  }
}

/** A simulated bank with messages and pages of the test's own making. */
export const open = (options: { readonly settlement?: Settlement; readonly orderBook?: OrderBook } = {}) => {
  const simulator = Simulator.make({
    provider: "garanti",
    orderBook: options.orderBook ?? MemoryOrderBook.make(),
    settlement: options.settlement ?? "instant",
    pagesUrl,
    notify: () => Effect.die(new Error("The bank posts nothing."))
  })
  const encoded = (fields: Readonly<Record<string, string>>) =>
    new TextEncoder().encode(new URLSearchParams(fields).toString())
  const postDocument = Effect.fnUntraced(function* (document: string) {
    const body = encoded({ data: document })
    const answer = yield* simulator.handle({ provider: "garanti", method: "POST", url: apiUrl, headers: {}, body })
    return readingOf(new TextDecoder().decode(answer.body))
  })
  return {
    simulator,
    postDocument,
    post: (type: string, message?: Message) => postDocument(documentOf(type, message)),
    /** A buyer's browser at a path below the pages, with a form or without. */
    visit: Effect.fnUntraced(function* (url: string, form?: Readonly<Record<string, string>>) {
      const answer = yield* simulator.handle({
        provider: "garanti",
        method: form === undefined ? "GET" : "POST",
        url,
        headers: {},
        ...(form === undefined ? {} : { body: encoded(form) })
      })
      const html = new TextDecoder().decode(answer.body)
      const unescaped = (text: string) =>
        text.replaceAll(/&#(\d+);/gu, (_, code: string) => String.fromCodePoint(Number(code)))
      const inputs = [...html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/gu)]
      const fields = Object.fromEntries(inputs.map(([, name = "", value = ""]) => [name, unescaped(value)]))
      return { status: answer.status, location: answer.headers.location ?? "", html, fields }
    })
  }
}
