import { randomBytes } from "node:crypto"
import { Clock, Effect, Redacted, Semaphore } from "effect"
import type { OrderBook } from "../OrderBook.ts"
import type { ProviderRequest, ProviderResponse } from "../ProviderTransport.ts"
import type { Settlement, Simulator } from "../Simulator.ts"
import { behaviourOf, type TestCardBehaviour } from "../TestCards.ts"
import type { NestPayCredentials } from "./Credentials.ts"
import * as Answers from "./SimulatedAnswers.ts"
import * as SimulatedOrder from "./SimulatedOrder.ts"
import { amountOf, type Fields, fieldsOf, paymentFault } from "./SimulatedRequest.ts"

/** The one shop that the simulated bank knows. */
export const sandboxCredentials: NestPayCredentials = {
  clientId: "700655000999",
  name: "SARRAFAPI",
  password: Redacted.make("SANDBOX07")
}

const turkishBytes: Readonly<Record<string, number>> = { Ğ: 0xd0, İ: 0xdd, Ş: 0xde, ğ: 0xf0, ı: 0xfd, ş: 0xfe }

const toBytes = (text: string): Uint8Array => {
  const bytes = new Uint8Array(text.length)
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    bytes[index] = code < 0x80 ? code : (turkishBytes[text.charAt(index)] ?? code)
  }
  return bytes
}

const headers = { "content-type": "text/xml;charset=ISO-8859-9" }
const answer = (text: string): ProviderResponse => ({ status: 200, headers, body: toBytes(text) })
const notFound: ProviderResponse = {
  status: 404,
  headers: { "content-type": "text/html" },
  body: toBytes("<html><body>404</body></html>")
}

const digitsOf = (bytes: Buffer, count: number): string =>
  `${bytes.readUIntBE(0, 6) % 10 ** count}`.padStart(count, "0")

/** `20321RKJB00131211`: year, day of the year, letters and a number, here random ones. */
const stampAt = (now: number, settlement: Settlement): SimulatedOrder.Stamp => {
  const random = randomBytes(24)
  const date = new Date(now)
  const dayOfYear = Math.floor((now - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000) + 1
  const letters = [...random.subarray(18, 22)].map((byte) => String.fromCharCode(65 + (byte % 26))).join("")
  return {
    transId: `${date.getUTCFullYear() % 100}${`${dayOfYear}`.padStart(3, "0")}${letters}${digitsOf(random, 8)}`,
    hostRefNum: digitsOf(random.subarray(6), 12),
    authCode: `P${digitsOf(random.subarray(12), 5)}`,
    now,
    settlement
  }
}

/** The issuer's codes. Cards for 3-D Secure are plain ones where no authentication is asked for. */
const issuerCodes: Readonly<Record<TestCardBehaviour, string>> = {
  approve: "00",
  challenge: "00",
  frictionless: "00",
  authenticationFails: "00",
  insufficientFunds: "51",
  decline: "05",
  expired: "54",
  providerFails: "96"
}

/** What the simulated bank keeps: orders by order id, and which order a captured or refunded TransId belongs to. */
const bookOf = (provider: string, orderBook: OrderBook) => {
  // One step at a time for each order: with 64 locks two different orders seldom meet.
  const locks = Array.from({ length: 64 }, () => Semaphore.makeUnsafe(1))
  return {
    find: (orderId: string): Effect.Effect<SimulatedOrder.Order | undefined> =>
      Effect.map(orderBook.find(provider, `order:${orderId}`), (found) =>
        found === undefined ? undefined : SimulatedOrder.orderOf(found)
      ),
    /** False where the order id is in use. */
    add: (order: SimulatedOrder.Order): Effect.Effect<boolean> =>
      orderBook.add(provider, `order:${order.orderId}`, order),
    save: (order: SimulatedOrder.Order): Effect.Effect<void> =>
      orderBook.save(provider, `order:${order.orderId}`, order),
    orderOfTransaction: (transId: string): Effect.Effect<string> =>
      Effect.map(orderBook.find(provider, `transaction:${transId}`), SimulatedOrder.orderIdOf),
    saveTransaction: (transId: string, orderId: string): Effect.Effect<void> =>
      orderBook.save(provider, `transaction:${transId}`, { orderId }),
    inTurn: <A>(orderId: string, step: Effect.Effect<A>): Effect.Effect<A> => {
      let sum = 0
      for (let index = 0; index < orderId.length; index++) sum += orderId.charCodeAt(index)
      return locks[sum % locks.length]?.withPermits(1)(step) ?? step
    }
  }
}
type Book = ReturnType<typeof bookOf>

const refuse = (code: string, orderId: string, { transId, now }: SimulatedOrder.Stamp): ProviderResponse =>
  answer(Answers.refusedText(code, orderId, transId, now))

const apply = Effect.fnUntraced(function* (
  book: Book,
  change: SimulatedOrder.Change,
  orderId: string,
  stamp: SimulatedOrder.Stamp
) {
  if (change.order !== undefined) yield* book.save(change.order)
  return yield* "code" in change
    ? Effect.succeed(refuse(change.code, orderId, stamp))
    : tellOf(book, change, orderId, stamp)
})

/** The answer to a change that is in the book. */
const tellOf = Effect.fnUntraced(function* (
  book: Book,
  { entry, order }: { readonly order: SimulatedOrder.Order; readonly entry: SimulatedOrder.Entry },
  orderId: string,
  stamp: SimulatedOrder.Stamp
) {
  if (entry.stat === "D") return answer(Answers.declinedText(order, entry, stamp.now))
  if (entry.stat === "C") yield* book.saveTransaction(entry.transId, orderId)
  return answer(Answers.approvedText(order, entry, stamp.transId, stamp.now))
})

const open = Effect.fnUntraced(function* (book: Book, fields: Fields, orderId: string, stamp: SimulatedOrder.Stamp) {
  const fault = paymentFault(fields, stamp.now)
  if (fault !== undefined) return refuse(fault, orderId, stamp)
  const number = fields.get("Number") ?? ""
  const maskedPan = `${number.slice(0, 4)} ${number.slice(4, 6)}** **** ${number.slice(-4)}`
  const details = { orderId, currency: fields.get("Currency") ?? "", maskedPan }
  const amount = amountOf(fields.get("Total")) ?? 0
  const procReturnCode = issuerCodes[behaviourOf(number)]
  const sale = { amount, capture: fields.get("Type") === "Auth", procReturnCode }
  const opened = SimulatedOrder.opened(undefined, details, sale, stamp)
  if (yield* book.add(opened.order)) return yield* tellOf(book, opened, orderId, stamp)
  const before = yield* book.find(orderId)
  if (before !== undefined && SimulatedOrder.hasSuccess(before)) return refuse("CORE-2507", orderId, stamp)
  return yield* apply(book, SimulatedOrder.opened(before, details, sale, stamp), orderId, stamp)
})

const follow = Effect.fnUntraced(function* (book: Book, fields: Fields, orderId: string, stamp: SimulatedOrder.Stamp) {
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
  book: Book,
  transId: string | undefined,
  orderId: string,
  stamp: SimulatedOrder.Stamp
) {
  const order = yield* book.find(orderId)
  if (order === undefined) return refuse("CORE-2008", orderId, stamp)
  return yield* apply(book, SimulatedOrder.voided(order, transId, stamp), orderId, stamp)
})

const voidOf = Effect.fnUntraced(function* (book: Book, fields: Fields, stamp: SimulatedOrder.Stamp) {
  const transId = fields.get("TransId") || undefined
  const orderId = transId === undefined ? (fields.get("OrderId") ?? "") : yield* book.orderOfTransaction(transId)
  if (orderId !== "") return yield* book.inTurn(orderId, takeBack(book, transId, orderId, stamp))
  return refuse(transId === undefined ? "CORE-2002" : "CORE-2008", "", stamp)
})

const tell = Effect.fnUntraced(function* (book: Book, fields: Fields, orderId: string, stamp: SimulatedOrder.Stamp) {
  const wantsStatus = fields.get("Extra/ORDERSTATUS") === "QUERY"
  if (!wantsStatus && fields.get("Extra/ORDERHISTORY") !== "QUERY") return refuse("CORE-2003", orderId, stamp)
  const order = yield* book.find(orderId)
  const latest = order?.entries[0]
  if (order === undefined || latest === undefined) {
    return answer(wantsStatus ? Answers.unknownStatusText(orderId) : Answers.unknownHistoryText(orderId))
  }
  return answer(wantsStatus ? Answers.statusText(order, latest, stamp.now) : Answers.historyText(order, stamp.now))
})

const isKnown = (fields: Fields): boolean =>
  fields.get("ClientId") === sandboxCredentials.clientId &&
  fields.get("Name") === sandboxCredentials.name &&
  fields.get("Password") === Redacted.value(sandboxCredentials.password)

/**
 * The bank's side of `/fim/api`: checks user and shop, keeps orders, and settles at once or at midnight UTC. A TransId is
 * known once it is captured or refunded. Source: provider sheet, sections 2 to 7; refusals beyond the sheet's codes by
 * the NestPay error code table.
 */
export const make = (options: {
  readonly provider: string
  readonly orderBook: OrderBook
  readonly settlement: Settlement
}): Simulator => {
  const book = bookOf(options.provider, options.orderBook)
  const handle = Effect.fnUntraced(function* (request: ProviderRequest) {
    if (request.method !== "POST" || !request.url.endsWith("/fim/api")) return notFound
    const stamp = stampAt(yield* Clock.currentTimeMillis, options.settlement)
    const fields = fieldsOf(request.body ?? new Uint8Array())
    if (fields === undefined) return refuse("CORE-2003", "", stamp)
    const orderId = fields.get("OrderId") ?? ""
    if (!isKnown(fields)) return refuse("CORE-2201", orderId, stamp)
    const type = fields.get("Type")
    if (type === "Void") return yield* voidOf(book, fields, stamp)
    if (orderId.length > 64) return refuse("CORE-1015", "", stamp)
    if (!/^[A-Za-z0-9_-]+$/u.test(orderId)) return refuse("CORE-2301", "", stamp)
    if (type === undefined || type === "") return yield* tell(book, fields, orderId, stamp)
    if (type === "PreAuth" || type === "Auth") return yield* book.inTurn(orderId, open(book, fields, orderId, stamp))
    if (type === "PostAuth" || type === "Credit")
      return yield* book.inTurn(orderId, follow(book, fields, orderId, stamp))
    return refuse("CORE-2001", orderId, stamp)
  })
  return { provider: options.provider, handle }
}
