import { NotSent, type Outcome, Unknown } from "@sarraf/domain/payments/Outcome"
import type { AuthorizeCall } from "@sarraf/domain/payments/PaymentProvider"
import { DateTime, Effect, Option } from "effect"
import { isNoReply, outcomeWithout } from "../ProviderReply.ts"
import { insufficientFunds } from "../Ruling.ts"
import { capabilities } from "./Capabilities.ts"
import type { Connection } from "./Connection.ts"
import {
  decodeOrder,
  decodePayment,
  encodeCard,
  encodeOrder,
  type Payment,
  type PaymentIds,
  paymentIdOf
} from "./Messages.ts"
import {
  authorizationOutcome,
  errorOutcome,
  failureOf,
  isAbout,
  isAwaitingBuyer,
  notesOf,
  paymentAnswer,
  refusalOf
} from "./Outcomes.ts"
import { readPayment } from "./Query.ts"
import * as ThreeDS from "./ThreeDS.ts"

/** An order that waits for its card. */
interface Created {
  readonly ids: PaymentIds
  readonly cardPath: string
}

const createdOf = (connection: Connection, { money, reference }: AuthorizeCall, json: unknown): Created | undefined => {
  const order = Option.getOrUndefined(decodeOrder(json))
  const payment = Option.getOrUndefined(decodePayment(order?._embedded.payment[0]))
  if (order === undefined || payment === undefined) return undefined
  const isOurs =
    BigInt(payment.amount.value) === money.minor &&
    payment.amount.currencyCode === money.currency &&
    (order.merchantOrderReference ?? reference) === reference &&
    (order.outletId ?? connection.outletReference) === connection.outletReference
  const ids = { orderReference: order.reference, paymentId: paymentIdOf(payment) }
  const cardPath = connection.pathOf(payment._links?.["payment:card"]?.href, ids)
  return isOurs && payment.state === "STARTED" && isAbout(payment, ids) && cardPath !== undefined
    ? { ids, cardPath }
    : undefined
}

/** Fails with the outcome: without an order no card goes out, so that it is certain in any case that nothing was taken. */
const create = Effect.fnUntraced(function* (
  connection: Connection,
  call: AuthorizeCall
): Effect.fn.Return<Created, Outcome> {
  const reply = yield* connection.ask({ method: "POST", path: connection.ordersPath, body: encodeOrder(call) })
  if (reply._tag === "Failed") return yield* Effect.fail(errorOutcome(reply, false))
  if (reply._tag !== "Answered") return yield* Effect.fail(NotSent({ reason: `no order: ${reply.reason}` }))
  const created = createdOf(connection, call, reply.json)
  return created ?? (yield* Effect.fail(NotSent({ reason: "no order: the answer is none that a card can pay" })))
})

/** The issuer approved a part, which is not wanted: the gateway is told so (provider sheet, section 5). */
const declinePart = Effect.fnUntraced(function* (
  connection: Connection,
  { ids }: Created,
  payment: Payment
): Effect.fn.Return<Outcome | undefined> {
  const link = connection.pathOf(payment._links?.["payment:partial-auth-decline"]?.href, ids)
  yield* connection.ask({ method: "PUT", path: link ?? `${connection.paymentPath(ids)}/cancel` })
  const reading = yield* readPayment(connection, ids)
  if (reading._tag === "Unread") return undefined
  const { json, payment: after } = reading
  return ["PARTIAL_AUTH_DECLINED", "REVERSED", "VOIDED", "CANCELLED", "FAILED"].includes(after.state)
    ? refusalOf(insufficientFunds, after, paymentAnswer(after, json))
    : undefined
})

/** Some declines allow another provider once the gateway has repeated them (provider sheet, section 5). */
const confirm = Effect.fnUntraced(function* (
  connection: Connection,
  { ids }: Created,
  refusal: Outcome,
  payment: Payment
): Effect.fn.Return<Outcome> {
  const reading = yield* readPayment(connection, ids)
  return reading._tag === "Read" && reading.payment.state === payment.state
    ? refusal
    : Unknown({ reason: "the provider did not repeat its refusal" })
})

const pay = Effect.fnUntraced(function* (
  connection: Connection,
  call: AuthorizeCall,
  created: Created
): Effect.fn.Return<Outcome> {
  const { cardPath, ids } = created
  const reply = yield* connection.ask({ method: "PUT", path: cardPath, body: encodeCard(call) })
  if (isNoReply(reply)) return outcomeWithout(reply)
  if (reply._tag === "Failed") {
    // A state that the order cannot have unless a card was there before (section 6).
    return reply.status === 409 ? Unknown({ reason: "the order has been paid before" }) : errorOutcome(reply, false)
  }
  const { json } = reply
  const decoded = decodePayment(json)
  if (Option.isNone(decoded)) return Unknown({ reason: "the answer is no payment" })
  const payment = decoded.value
  if (!isAbout(payment, ids)) return Unknown({ reason: "the answer is about another payment" })
  const { threeDS } = call
  if (isAwaitingBuyer(payment) && threeDS !== undefined) {
    return yield* ThreeDS.begin(connection, { ...call, threeDS }, ids, payment, json)
  }
  const outcome = authorizationOutcome(payment, ids, paymentAnswer(payment, json), yield* DateTime.now)
  if (payment.state === "AWAITING_PARTIAL_AUTH_APPROVAL") {
    return (yield* declinePart(connection, created, payment)) ?? outcome
  }
  return outcome._tag === "Refused" && failureOf(payment).mayTryAnother === "afterQuery"
    ? yield* confirm(connection, created, outcome, payment)
    : outcome
})

const currencies: ReadonlySet<string> = new Set(capabilities.currencies)

/** References that are remembered: some minutes of a busy gateway. */
const referencesMax = 10_000

/**
 * An authorization in two steps (provider sheet, section 4): an order, whose reference is committed, then its card. A
 * merchant's reference is not unique at the gateway (section 6), so that one that this adapter has sent a card for is
 * not sent again.
 */
export const authorizer = (connection: Connection) => {
  const sent = new Set<string>()
  const remember = (reference: string) => {
    sent.add(reference)
    const [oldest] = sent
    if (sent.size > referencesMax && oldest !== undefined) sent.delete(oldest)
  }

  const begun = Effect.fnUntraced(function* (call: AuthorizeCall): Effect.fn.Return<Outcome, Outcome> {
    const created = yield* create(connection, call)
    yield* Effect.catch(call.note(notesOf(created.ids)), () =>
      Effect.fail(NotSent({ reason: "the order could not be noted, and no card was sent" }))
    )
    return yield* pay(connection, call, created)
  })

  return Effect.fnUntraced(function* (call: AuthorizeCall): Effect.fn.Return<Outcome> {
    if (!currencies.has(call.money.currency)) return NotSent({ reason: "The provider does not take this currency." })
    if (call.installment > 1) return NotSent({ reason: "The provider has no installments." })
    if (sent.has(call.reference)) return Unknown({ reason: "an order with this reference has been begun before" })
    remember(call.reference)
    const outcome = yield* Effect.catch(begun(call), Effect.succeed)
    if (outcome._tag === "NotSent") sent.delete(call.reference)
    return outcome
  })
}
