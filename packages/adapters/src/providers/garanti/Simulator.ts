import { Clock, Effect, Redacted } from "effect"
import { findOrder, type OrderBook } from "../OrderBook.ts"
import { takeTurns } from "../OrderTurns.ts"
import type { ConnectFailed, NoAnswer, ProviderRequest, ProviderResponse } from "../ProviderTransport.ts"
import { dayOfYear, randomDigits } from "../ReferenceNumbers.ts"
import * as SimulatedNetwork from "../SimulatedNetwork.ts"
import type { Settlement, Simulator, SimulatorOptions } from "../Simulator.ts"
import { issuerCodeOf } from "../TestCards.ts"
import type { GarantiCredentials } from "./Credentials.ts"
import * as Answers from "./SimulatedAnswers.ts"
import * as SimulatedGate from "./SimulatedGate.ts"
import * as SimulatedOrder from "./SimulatedOrder.ts"
import {
  amountOf,
  type Fields,
  faultOfAmount,
  faultOfCard,
  faultOfTerminal,
  fieldsOf,
  maskOf,
  securityData,
  testNumberOf
} from "./SimulatedRequest.ts"

/** The one terminal that the simulated bank knows; browsers come to its gate below `pagesUrl`. */
export const sandboxCredentials = (pagesUrl: string): GarantiCredentials => ({
  merchantId: "7009999",
  terminalId: "30699999",
  provUserId: "PROVAUT",
  password: Redacted.make("Sandbox-Provision-1/"),
  refundUserId: "PROVRFN",
  refundPassword: Redacted.make("Sandbox-Refund-1/"),
  storeKey: Redacted.make("73616E64626F78"),
  mode: "TEST",
  apiUrl: "https://sanalposprovtest.garantibbva.com.tr/VPServlet",
  threeDSUrl: `${pagesUrl}/servlet/gt3dengine`
})

const answer = (text: string): ProviderResponse => ({
  status: 200,
  headers: { "content-type": "text/xml;charset=UTF-8" },
  body: new TextEncoder().encode(text)
})
const notFound: ProviderResponse = {
  status: 404,
  headers: { "content-type": "text/html" },
  body: new TextEncoder().encode("<html><body>404</body></html>")
}

/** `335709663080`: the year's last digit, the day of the year, and eight digits, here random ones. */
const stampAt = (now: number, settlement: Settlement): SimulatedOrder.Stamp => {
  const year = new Date(now).getUTCFullYear()
  const day = `${year % 10}${dayOfYear(now)}`
  return { retrefNum: day + randomDigits(8), authCode: randomDigits(6), now, settlement }
}

const currencyNames: Readonly<Record<string, string>> = { "949": "TRY", "840": "USD", "978": "EUR", "826": "GBP" }

/** What the simulated bank keeps: orders by the merchant's number, one step at a time for each. */
const bookOf = (provider: string, orderBook: OrderBook) => ({
  find: (orderId: string): Effect.Effect<SimulatedOrder.Order | undefined> =>
    findOrder(orderBook, provider, `order:${orderId}`, SimulatedOrder.orderOf),
  /** False where the order is there already. */
  add: (order: SimulatedOrder.Order): Effect.Effect<boolean> =>
    orderBook.add(provider, `order:${order.orderId}`, order),
  save: (order: SimulatedOrder.Order): Effect.Effect<void> => orderBook.save(provider, `order:${order.orderId}`, order),
  inTurn: takeTurns()
})

interface Bank {
  readonly book: ReturnType<typeof bookOf>
  readonly gate: ReturnType<typeof SimulatedGate.make>
  readonly network: SimulatedNetwork.SimulatedNetwork
}

/** A request whose user, terminal and hash are right. */
interface Call {
  readonly fields: Fields
  readonly orderId: string
  readonly asker: Answers.Asker
  readonly stamp: SimulatedOrder.Stamp
}

const refuse = ({ asker }: Call, reason: string): ProviderResponse => answer(Answers.refusedText(asker, reason))

const answerOf = (call: Call, change: SimulatedOrder.Change): ProviderResponse =>
  "reason" in change
    ? refuse(call, change.reason)
    : answer(Answers.transactionText(call.asker, change.order, change.entry))

const apply = (bank: Bank, call: Call, change: SimulatedOrder.Change): Effect.Effect<ProviderResponse> => {
  const saved = change.order === undefined ? Effect.void : bank.book.save(change.order)
  return Effect.as(saved, answerOf(call, change))
}

/** Opens an order with a card, or with what the gate has kept of one. */
const enter = Effect.fnUntraced(function* (
  bank: Bank,
  { asker, fields, orderId, stamp }: Call,
  card: { readonly maskedPan: string; readonly returnCode: string }
) {
  const amount = amountOf(fields.get("Transaction/Amount")) ?? 0
  const type = fields.get("Transaction/Type") === "sales" ? "sales" : "preauth"
  const details = {
    orderId,
    currency: fields.get("Transaction/CurrencyCode") ?? "",
    maskedPan: card.maskedPan,
    installments: fields.get("Transaction/InstallmentCnt") ?? ""
  }
  const sale = { type, amount, returnCode: card.returnCode } as const
  const opened = SimulatedOrder.opened(undefined, details, sale, stamp)
  if (yield* bank.book.add(opened.order)) return answer(Answers.transactionText(asker, opened.order, opened.entry))
  const before = yield* bank.book.find(orderId)
  if (before !== undefined && SimulatedOrder.hasSuccess(before)) return answer(Answers.refusedText(asker, "0104"))
  const again = SimulatedOrder.opened(before, details, sale, stamp)
  yield* bank.book.save(again.order)
  return answer(Answers.transactionText(asker, again.order, again.entry))
})

/** What the network before the bank sees of an authorization. */
const seenOf = ({ fields, orderId }: Call, cardNumber: string) => {
  const currency = fields.get("Transaction/CurrencyCode") ?? ""
  const amount = `${fields.get("Transaction/Amount") ?? ""} ${currencyNames[currency] ?? currency}`
  return { cardNumber, reference: orderId, amount }
}

const open = Effect.fnUntraced(function* (bank: Bank, call: Call) {
  const { asker, fields, stamp } = call
  const number = fields.get("Card/Number") ?? ""
  const currency = fields.get("Transaction/CurrencyCode") ?? ""
  const amount = fields.get("Transaction/Amount") ?? ""
  const fault = faultOfAmount(amount, currency, fields.get("Transaction/InstallmentCnt"))
  if (fault !== undefined) return refuse(call, fault)
  const card = { number, expiry: fields.get("Card/ExpireDate") ?? "", cvv: fields.get("Card/CVV2") ?? "" }
  const cardFault = faultOfCard(card, stamp.now)
  if (cardFault?.startsWith("host:")) return answer(Answers.cardRefusedText(asker, cardFault.slice("host:".length)))
  if (cardFault !== undefined) return refuse(call, cardFault)
  const seen = seenOf(call, number)
  yield* bank.network.beforeAuthorization(seen)
  const response = yield* enter(bank, call, { maskedPan: maskOf(number), returnCode: issuerCodeOf(number) })
  yield* bank.network.afterAuthorization(seen)
  return response
})

/** An order that is there is answered before its proof is looked at, so that a repetition is a duplicate. */
const complete = Effect.fnUntraced(function* (bank: Bank, call: Call) {
  yield* bank.network.beforeFollowUp(call.orderId)
  const before = yield* bank.book.find(call.orderId)
  if (before !== undefined && SimulatedOrder.hasSuccess(before)) return refuse(call, "0104")
  const proof = yield* bank.gate.proofOf(call.fields)
  if (typeof proof === "string") return refuse(call, proof)
  const { issuerCode, maskedPan } = proof.challenge
  const seen = seenOf(call, testNumberOf(maskedPan))
  yield* bank.network.beforeAuthorization(seen)
  yield* bank.gate.use(proof)
  const response = yield* enter(bank, call, { maskedPan, returnCode: issuerCode })
  yield* bank.network.afterAuthorization(seen)
  return response
})

const unknownOrder = { postauth: "0102", void: "0201", refund: "0103" } as const

const follow = Effect.fnUntraced(function* (bank: Bank, call: Call, type: keyof typeof unknownOrder) {
  const { fields, orderId, stamp } = call
  yield* bank.network.beforeFollowUp(orderId)
  const amount = amountOf(fields.get("Transaction/Amount"))
  const target = fields.get("Transaction/OriginalRetrefNum") ?? ""
  if (amount === undefined) return refuse(call, "0001")
  if (target === "" && type !== "void") return refuse(call, "0002")
  const order = yield* bank.book.find(orderId)
  if (order === undefined) return refuse(call, unknownOrder[type])
  const asked = { amount, currency: fields.get("Transaction/CurrencyCode") ?? "", target }
  if (type === "void") return yield* apply(bank, call, SimulatedOrder.voided(order, target, stamp))
  const change = type === "postauth" ? SimulatedOrder.captured : SimulatedOrder.credited
  return yield* apply(bank, call, change(order, asked, stamp))
})

const tell = Effect.fnUntraced(function* (bank: Bank, call: Call, isHistory: boolean) {
  yield* bank.network.beforeFollowUp(call.orderId)
  const order = yield* bank.book.find(call.orderId)
  if (order === undefined) {
    return isHistory ? refuse(call, "0108") : answer(Answers.unknownStatusText(call.asker))
  }
  return answer(isHistory ? Answers.historyText(call.asker, order) : Answers.statusText(call.asker, order))
})

const dispatch = (bank: Bank, call: Call): Effect.Effect<ProviderResponse, ConnectFailed | NoAnswer> => {
  const type = call.fields.get("Transaction/Type") ?? ""
  const inTurn = <E>(step: Effect.Effect<ProviderResponse, E>) => bank.book.inTurn(call.orderId, step)
  if (type === "preauth" || type === "sales") {
    const isCompletion = call.fields.get("Transaction/CardholderPresentCode") === "13"
    return isCompletion ? inTurn(complete(bank, call)) : inTurn(open(bank, call))
  }
  if (type === "postauth" || type === "void" || type === "refund") return inTurn(follow(bank, call, type))
  if (type === "orderinq" || type === "orderhistoryinq") return tell(bank, call, type === "orderhistoryinq")
  return Effect.succeed(refuse(call, "0001"))
}

/**
 * The bank's side of `/VPServlet` and of the 3-D Secure gate: checks users, terminal and hashes, keeps orders, and settles
 * at once or at midnight UTC. It posts nothing: the bank has no notifications. Source: provider sheet, sections 2 to 7.
 */
export const make = ({ orderBook, pagesUrl, provider, settlement }: SimulatorOptions): Simulator => {
  const credentials = sandboxCredentials(pagesUrl)
  const bank: Bank = {
    book: bookOf(provider, orderBook),
    gate: SimulatedGate.make({ provider, orderBook, pagesUrl, credentials }),
    network: SimulatedNetwork.make(provider, orderBook)
  }
  const handle = Effect.fnUntraced(function* (request: ProviderRequest) {
    const now = yield* Clock.currentTimeMillis
    if (request.url.startsWith(`${pagesUrl}/`)) {
      // Two answers to one challenge, from two windows, are taken one after the other.
      return yield* bank.book.inTurn(request.url, bank.gate.page(request, now))
    }
    if (request.method !== "POST" || !request.url.endsWith("/VPServlet")) return notFound
    const fields: Fields = fieldsOf(request.body ?? new Uint8Array()) ?? new Map()
    const orderId = fields.get("Order/OrderID") ?? ""
    const userId = fields.get("Terminal/ProvUserID") ?? ""
    const { password, refundPassword, refundUserId, terminalId } = credentials
    const secret = securityData(userId === refundUserId ? refundPassword : password, terminalId)
    const asker = {
      userId,
      terminalId: fields.get("Terminal/ID") ?? "",
      merchantId: fields.get("Terminal/MerchantID") ?? "",
      ip: fields.get("Customer/IPAddress") ?? "",
      orderId,
      secret,
      now
    }
    const call: Call = { fields, orderId, asker, stamp: stampAt(now, settlement) }
    const fault = faultOfTerminal(fields, credentials)
    return fault === undefined ? yield* dispatch(bank, call) : refuse(call, fault)
  })
  return { provider, handle }
}
