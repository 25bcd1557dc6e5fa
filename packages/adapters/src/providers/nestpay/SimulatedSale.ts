import { Effect } from "effect"
import type { ConnectFailed, NoAnswer, ProviderResponse } from "../ProviderTransport.ts"
import type { SimulatedNetwork } from "../SimulatedNetwork.ts"
import { issuerCodeOf } from "../TestCards.ts"
import * as SimulatedAuthentication from "./SimulatedAuthentication.ts"
import type { Book } from "./SimulatedBook.ts"
import * as SimulatedOrder from "./SimulatedOrder.ts"
import { apply, refuse, tellOf } from "./SimulatedReply.ts"
import { amountOf, currencyLetters, type Fields, moneyFault, paymentFault } from "./SimulatedRequest.ts"

/** What every step at a simulated bank works with. */
export interface Bank {
  readonly book: Book
  readonly network: SimulatedNetwork
}

/** What became of an authorization or sale; it is on record unless the gateway refused it. */
interface Result {
  readonly response: ProviderResponse
  readonly isOnRecord: boolean
}

const refused = (code: string, orderId: string, stamp: SimulatedOrder.Stamp): Result => ({
  response: refuse(code, orderId, stamp),
  isOnRecord: false
})

/** First six and last four, and the issuer's code. */
interface Charged {
  readonly first6: string
  readonly last4: string
  readonly procReturnCode: string
}

/** What is charged under an order id that is in use. */
const recordAgain = Effect.fnUntraced(function* (
  { book }: Bank,
  details: SimulatedOrder.Details,
  sale: SimulatedOrder.Sale,
  stamp: SimulatedOrder.Stamp
) {
  const { orderId } = details
  const before = yield* book.find(orderId)
  if (before !== undefined && SimulatedOrder.hasSuccess(before)) return refused("CORE-2507", orderId, stamp)
  const change = SimulatedOrder.opened(before, details, sale, stamp)
  return { response: yield* apply(book, change, orderId, stamp), isOnRecord: true }
})

/** Adds the order in one step instead of looking for it first, since nearly every one is new. */
const record = (
  bank: Bank,
  fields: Fields,
  { first6, last4, procReturnCode }: Charged,
  stamp: SimulatedOrder.Stamp
): Effect.Effect<Result> => {
  const orderId = fields.get("OrderId") ?? ""
  const maskedPan = `${first6.slice(0, 4)} ${first6.slice(4)}** **** ${last4}`
  const details = { orderId, currency: fields.get("Currency") ?? "", maskedPan }
  const sale = { amount: amountOf(fields.get("Total")) ?? 0, capture: fields.get("Type") === "Auth", procReturnCode }
  const opened = SimulatedOrder.opened(undefined, details, sale, stamp)
  return Effect.flatMap(bank.book.add(opened.order), (isNew) =>
    isNew
      ? Effect.map(tellOf(bank.book, opened, orderId, stamp), (response) => ({ response, isOnRecord: true }))
      : recordAgain(bank, details, sale, stamp)
  )
}

/** Through the network, which may lose what comes or what goes back. */
const through = (
  { book, network }: Bank,
  cardNumber: string,
  fields: Fields,
  step: Effect.Effect<Result>
): Effect.Effect<ProviderResponse, ConnectFailed | NoAnswer> => {
  const reference = fields.get("OrderId") ?? ""
  const amount = `${amountOf(fields.get("Total")) ?? 0} ${currencyLetters(fields.get("Currency"))}`
  const authorization = { cardNumber, reference, amount }
  return network.beforeAuthorization(authorization).pipe(
    Effect.andThen(book.inTurn(reference, step)),
    Effect.flatMap(({ isOnRecord, response }) =>
      isOnRecord ? Effect.as(network.afterAuthorization(authorization), response) : Effect.succeed(response)
    )
  )
}

/** Everything that was proved is what is paid now. */
const proves = (authentication: SimulatedAuthentication.Authentication, fields: Fields): boolean => {
  const { cavv, form, xid } = authentication
  return (
    fields.get("Number") === SimulatedAuthentication.mdOf(authentication) &&
    fields.get("PayerTxnId") === xid &&
    fields.get("PayerSecurityLevel") === SimulatedAuthentication.eciOf(authentication) &&
    fields.get("PayerAuthenticationCode") === cavv &&
    fields.get("OrderId") === form.oid &&
    fields.get("Type") === (form.TranType ?? form.islemtipi) &&
    fields.get("Currency") === form.currency &&
    (fields.get("Taksit") ?? "") === (form.taksit ?? "") &&
    amountOf(fields.get("Total")) === amountOf(form.amount)
  )
}

/** A proof serves one payment; of a paid order nothing more is looked at. */
const recordProved = Effect.fnUntraced(function* (bank: Bank, id: string, fields: Fields, stamp: SimulatedOrder.Stamp) {
  const orderId = fields.get("OrderId") ?? ""
  const before = yield* bank.book.find(orderId)
  if (before !== undefined && SimulatedOrder.hasSuccess(before)) return refused("CORE-2507", orderId, stamp)
  const authentication = yield* bank.book.findAuthentication(id)
  if (authentication?.state === "used") return refused("CORE-2127", orderId, stamp)
  if (authentication?.state !== "proved" || !proves(authentication, fields)) return refused("CORE-2121", orderId, stamp)
  yield* bank.book.saveAuthentication({ ...authentication, state: "used" })
  return yield* record(bank, fields, authentication, stamp)
})

/** With the `md` of a buyer who was authenticated in the place of the card. */
const openProved = Effect.fnUntraced(function* (bank: Bank, id: string, fields: Fields, stamp: SimulatedOrder.Stamp) {
  const authentication = yield* bank.book.findAuthentication(id)
  const cardNumber = authentication === undefined ? "" : SimulatedAuthentication.testNumberOf(authentication)
  return yield* through(bank, cardNumber, fields, recordProved(bank, id, fields, stamp))
})

/** An authorization or sale. */
export const open = (
  bank: Bank,
  fields: Fields,
  stamp: SimulatedOrder.Stamp
): Effect.Effect<ProviderResponse, ConnectFailed | NoAnswer> => {
  const orderId = fields.get("OrderId") ?? ""
  const number = fields.get("Number") ?? ""
  const id = SimulatedAuthentication.idOf(number)
  const fault = id === undefined ? paymentFault(fields, stamp.now) : moneyFault(fields)
  if (fault !== undefined) return Effect.succeed(refuse(fault, orderId, stamp))
  if (id !== undefined) return openProved(bank, id, fields, stamp)
  const procReturnCode = issuerCodeOf(number)
  const card = { first6: number.slice(0, 6), last4: number.slice(-4), procReturnCode }
  return through(bank, number, fields, record(bank, fields, card, stamp))
}
