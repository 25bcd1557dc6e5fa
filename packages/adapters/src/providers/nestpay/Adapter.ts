import { toDecimal } from "@sarraf/domain/money/Money"
import { NotSent, type Outcome } from "@sarraf/domain/payments/Outcome"
import type {
  Authorization,
  AuthorizeCall,
  CaptureCall,
  Finding,
  OperationCall,
  PaymentProvider
} from "@sarraf/domain/payments/PaymentProvider"
import { Effect, Redacted } from "effect"
import { unanswered } from "../ProviderReply.ts"
import { nothingToRelease } from "../Ruling.ts"
import { capabilitiesOf } from "./Capabilities.ts"
import { ask, perform, type Question, type Shop } from "./Connection.ts"
import { addressOf, type CC5Response, currencyNumbers, extraOf, taksitOf, twoDigits } from "./Messages.ts"
import { historyOf, latestOf, type OrderState, stateOf, type Transaction } from "./OrderRecord.ts"
import { answerOf, echoOf, following, isApproved } from "./Outcomes.ts"
import { complete, isGenuine, start } from "./ThreeDS.ts"

/** `Declined`, no order, and `No record found for` our reference: code 99 for a status, 05 for a history. */
const saysNoSuchOrder = (message: CC5Response, reference: string): boolean =>
  message.Response === "Declined" &&
  (message.ProcReturnCode === "99" || message.ProcReturnCode === "05") &&
  (message.OrderId === undefined || message.OrderId === "" || message.OrderId === reference) &&
  !extraOf(message).TRANS_STAT &&
  message.ErrMsg?.trim() === `No record found for ${reference}`

/** `4546 71** **** 7894`. */
const last4Of = (message: CC5Response): string | undefined => /(\d{4})$/u.exec(extraOf(message).PAN?.trim() ?? "")?.[1]

/**
 * The amount is told of an authorization alone: after a capture in part the sheet does not say whether ORIG_TRANS_AMT is
 * the authorization's or the capture's, and a refund's is its own.
 */
const foundOf = (message: CC5Response, state: OrderState, reference: string): Finding => {
  const { transId, authorizedMinor, ...known } = state
  const last4 = last4Of(message)
  return {
    _tag: "Found",
    ...known,
    providerReference: transId ?? reference,
    answer: answerOf(message),
    echo: {
      ...echoOf(message),
      ...(authorizedMinor === undefined ? {} : { minor: authorizedMinor }),
      ...(last4 === undefined ? {} : { last4 })
    }
  }
}

const isEnough = ({ side, condition }: Transaction): boolean =>
  side === "S" && (condition === "authorized" || condition === "captured" || condition === "pending")

/** Texts for people only: cut where the sheet is silent about a length, well below the manual's 255. */
const line = (text: string): string => text.slice(0, 100)

const preAuth = (call: AuthorizeCall, currency: string): Question => {
  const { card, buyer, billingAddress } = call
  return {
    Type: "PreAuth",
    ...addressOf(buyer.ip),
    Email: line(buyer.email),
    OrderId: call.reference,
    Total: toDecimal(call.money.currency, call.money.minor),
    Currency: currency,
    Taksit: taksitOf(call.installment),
    Number: card.number.reveal(),
    Expires: `${twoDigits(card.expMonth)}/${twoDigits(card.expYear)}`,
    Cvv2Val: Redacted.value(card.cvc),
    Mode: "P",
    BillTo: {
      Name: line(card.holderName),
      Street1: line(billingAddress.address),
      City: line(billingAddress.city),
      ...(billingAddress.postalCode === undefined ? {} : { PostalCode: line(billingAddress.postalCode) })
    }
  }
}

const notSent = (reason: string): Effect.Effect<Outcome> => Effect.succeed(NotSent({ reason }))

const authorize = (shop: Shop, call: AuthorizeCall): Effect.Effect<Outcome> => {
  const currency = currencyNumbers[call.money.currency]
  if (currency === undefined) return notSent("The bank does not take this currency.")
  if (call.threeDS !== undefined) return start(shop, call, call.threeDS.returnUrl, currency)
  return perform(shop, preAuth(call, currency), { type: "authorization", installment: call.installment })
}

const capture = (shop: Shop, call: CaptureCall): Effect.Effect<Outcome> => {
  const { authorization, money } = call
  const Total = toDecimal(money.currency, money.minor)
  return perform(shop, { Type: "PostAuth", OrderId: authorization.reference, Total }, following(call))
}

const refund = (shop: Shop, call: OperationCall): Effect.Effect<Outcome> => {
  const { authorization, money } = call
  const Currency = currencyNumbers[money.currency]
  if (Currency === undefined) return notSent("The bank does not take this currency.")
  const Total = toDecimal(money.currency, money.minor)
  return perform(shop, { Type: "Credit", OrderId: authorization.reference, Total, Currency }, following(call))
}

/** A void by order takes back whatever it finds, a capture too: so it is not sent once there is one. */
const cancel = (shop: Shop, call: OperationCall): Effect.Effect<Outcome> =>
  call.captures.length > 0
    ? Effect.succeed(nothingToRelease)
    : perform(shop, { Type: "Void", OrderId: call.authorization.reference }, following(call))

/** By its own transaction where that is known, so that a refund of the same order is never what is taken back. */
const voidCapture = (shop: Shop, call: OperationCall): Effect.Effect<Outcome> => {
  const TransId = call.captures[0]?.providerReference
  const target = TransId ? { TransId } : { OrderId: call.authorization.reference }
  return perform(shop, { Type: "Void", ...target }, following(call))
}

/** The order's state by its history, for which the same order has to be found as for its status. */
const stateByHistory = (shop: Shop, reference: string, orderId: string): Effect.Effect<OrderState | undefined> =>
  Effect.map(ask(shop, { OrderId: reference, Extra: { ORDERHISTORY: "QUERY" } }), (reply) => {
    if (reply._tag !== "Answered" || !isApproved(reply.message) || reply.message.OrderId !== orderId) return undefined
    return stateOf(historyOf(reply.message) ?? [])
  })

/**
 * The latest transaction alone says how an order stands that is authorized, under way, or captured and not settled.
 * Otherwise it may be a refund or a step that failed, and the history is asked for beside it.
 */
const query = Effect.fnUntraced(function* (shop: Shop, { reference }: Authorization) {
  const status = yield* ask(shop, { OrderId: reference, Extra: { ORDERSTATUS: "QUERY" } })
  if (status._tag !== "Answered") return unanswered(status.reason)
  const { message } = status
  if (saysNoSuchOrder(message, reference)) return { _tag: "Absent", answer: answerOf(message) } as const
  const latest = latestOf(message)
  if (!isApproved(message) || !message.OrderId || latest === undefined) {
    return unanswered("The bank's answer does not say how the order stands.")
  }
  const state = isEnough(latest) ? stateOf([latest]) : yield* stateByHistory(shop, reference, message.OrderId)
  return state === undefined
    ? unanswered("The bank's record of the order could not be read.")
    : foundOf(message, state, reference)
})

/**
 * One shop at a NestPay bank. Source: provider sheet, sections 2 to 6. The order id is the key to all
 * that follows; what the sheet leaves open is read so that nothing counts as approved or refused that may be otherwise.
 */
export const make = (options: Shop): PaymentProvider => ({
  id: options.profile.id,
  capabilities: capabilitiesOf(options.profile),
  authorize: (call) => authorize(options, call),
  capture: (call) => capture(options, call),
  refund: (call) => refund(options, call),
  cancel: (call) => cancel(options, call),
  voidCapture: (call) => voidCapture(options, call),
  query: (authorization) => query(options, authorization),
  threeDS: {
    isGenuine: (call) => isGenuine(options, call),
    complete: (call) => complete(options, call)
  }
})
