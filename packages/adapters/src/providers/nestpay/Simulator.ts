import { Clock, Effect, Redacted } from "effect"
import type { ConnectFailed, NoAnswer, ProviderRequest, ProviderResponse } from "../ProviderTransport.ts"
import * as SimulatedNetwork from "../SimulatedNetwork.ts"
import type { Simulator, SimulatorOptions } from "../Simulator.ts"
import type { NestPayCredentials } from "./Credentials.ts"
import * as Answers from "./SimulatedAnswers.ts"
import * as SimulatedBook from "./SimulatedBook.ts"
import * as SimulatedGate from "./SimulatedGate.ts"
import * as SimulatedOrder from "./SimulatedOrder.ts"
import { answer, apply, notFound, refuse, stampAt } from "./SimulatedReply.ts"
import { amountOf, type Fields, fieldsOf } from "./SimulatedRequest.ts"
import { type Bank, open } from "./SimulatedSale.ts"

/** The one shop that a simulated bank knows, with the gate on the simulator's own pages: `http://localhost:8080/sandbox/isbank`. */
export const sandboxCredentials = (pagesUrl: string): NestPayCredentials => ({
  clientId: "700655000999",
  name: "SARRAFAPI",
  password: Redacted.make("SANDBOX07"),
  storeKey: Redacted.make("SRRF0700"),
  threeDGateUrl: `${pagesUrl}/fim/est3Dgate`
})

const follow = Effect.fnUntraced(function* (
  { book }: Bank,
  fields: Fields,
  orderId: string,
  stamp: SimulatedOrder.Stamp
) {
  const amount = amountOf(fields.get("Total"))
  if (amount === undefined) return refuse("CORE-2007", orderId, stamp)
  const order = yield* book.find(orderId)
  const isCapture = fields.get("Type") === "PostAuth"
  if (order === undefined) return refuse(isCapture ? "CORE-2509" : "CORE-2123", orderId, stamp)
  const change = isCapture
    ? SimulatedOrder.captured(order, amount, fields.has("Extra/PREAMT"), stamp)
    : SimulatedOrder.credited(order, amount, fields.get("Currency") ?? "", stamp)
  return yield* apply(book, change, orderId, stamp)
})

const takeBack = Effect.fnUntraced(function* (
  { book }: Bank,
  transId: string | undefined,
  orderId: string,
  stamp: SimulatedOrder.Stamp
) {
  const order = yield* book.find(orderId)
  if (order === undefined) return refuse("CORE-2008", orderId, stamp)
  return yield* apply(book, SimulatedOrder.voided(order, transId, stamp), orderId, stamp)
})

const voidOf = Effect.fnUntraced(function* (bank: Bank, fields: Fields, stamp: SimulatedOrder.Stamp) {
  const { book, network } = bank
  const transId = fields.get("TransId") || undefined
  const orderId = transId === undefined ? (fields.get("OrderId") ?? "") : yield* book.orderOfTransaction(transId)
  if (orderId === "") return refuse(transId === undefined ? "CORE-2002" : "CORE-2008", "", stamp)
  yield* network.beforeFollowUp(orderId)
  return yield* book.inTurn(orderId, takeBack(bank, transId, orderId, stamp))
})

const tell = Effect.fnUntraced(function* (
  { book }: Bank,
  fields: Fields,
  orderId: string,
  stamp: SimulatedOrder.Stamp
) {
  const wantsStatus = fields.get("Extra/ORDERSTATUS") === "QUERY"
  if (!wantsStatus && fields.get("Extra/ORDERHISTORY") !== "QUERY") return refuse("CORE-2003", orderId, stamp)
  const order = yield* book.find(orderId)
  const latest = order?.entries[0]
  if (order === undefined || latest === undefined) {
    return answer(wantsStatus ? Answers.unknownStatusText(orderId) : Answers.unknownHistoryText(orderId))
  }
  return answer(wantsStatus ? Answers.statusText(order, latest, stamp.now) : Answers.historyText(order, stamp.now))
})

/** One message at the payment address, from a shop that is known. */
const serve = (
  bank: Bank,
  fields: Fields,
  stamp: SimulatedOrder.Stamp
): Effect.Effect<ProviderResponse, ConnectFailed | NoAnswer> => {
  const orderId = fields.get("OrderId") ?? ""
  const type = fields.get("Type") ?? ""
  if (type === "Void") return voidOf(bank, fields, stamp)
  if (orderId.length > 64) return Effect.succeed(refuse("CORE-1015", "", stamp))
  if (!/^[A-Za-z0-9_-]+$/u.test(orderId)) return Effect.succeed(refuse("CORE-2301", "", stamp))
  if (type === "PreAuth" || type === "Auth") return open(bank, fields, stamp)
  if (type !== "" && type !== "PostAuth" && type !== "Credit") {
    return Effect.succeed(refuse("CORE-2001", orderId, stamp))
  }
  const step =
    type === "" ? tell(bank, fields, orderId, stamp) : bank.book.inTurn(orderId, follow(bank, fields, orderId, stamp))
  return Effect.andThen(bank.network.beforeFollowUp(orderId), step)
}

const isKnown = (fields: Fields, shop: NestPayCredentials): boolean =>
  fields.get("ClientId") === shop.clientId &&
  fields.get("Name") === shop.name &&
  fields.get("Password") === Redacted.value(shop.password)

/**
 * The bank's side of `/fim/api`, of the 3D gate and of the issuer's page: checks user, shop and hash, keeps orders, and
 * settles at once or at midnight UTC. A TransId is known once it is captured or refunded. It posts no notifications, as
 * the platform posts none. Source: provider sheet, sections 2 to 7; refusals beyond the sheet's codes by the NestPay error
 * code table.
 */
export const make = ({ notify: _, orderBook, pagesUrl, provider, settlement }: SimulatorOptions): Simulator => {
  const shop = sandboxCredentials(pagesUrl)
  const book = SimulatedBook.make(provider, orderBook)
  const bank = { book, network: SimulatedNetwork.make(provider, orderBook) }
  const gate = { book, pagesUrl, shop }
  const pay = ({ body = new Uint8Array() }: ProviderRequest, now: number) => {
    const stamp = stampAt(now, settlement)
    const fields = fieldsOf(body)
    if (fields === undefined) return Effect.succeed(refuse("CORE-2003", "", stamp))
    return isKnown(fields, shop)
      ? serve(bank, fields, stamp)
      : Effect.succeed(refuse("CORE-2201", fields.get("OrderId") ?? "", stamp))
  }
  const handle = (request: ProviderRequest): Effect.Effect<ProviderResponse, ConnectFailed | NoAnswer> => {
    if (request.url.startsWith(`${pagesUrl}/`)) return SimulatedGate.handle(gate, request)
    if (request.method !== "POST" || !request.url.endsWith("/fim/api")) return Effect.succeed(notFound)
    return Effect.flatMap(Clock.currentTimeMillis, (now) => pay(request, now))
  }
  return { provider, handle }
}
