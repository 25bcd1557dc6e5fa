import { NotSent, type Outcome, type ProviderAnswer, Unknown } from "@sarraf/domain/payments/Outcome"
import type {
  Authorization,
  AuthorizeCall,
  CaptureCall,
  OperationCall,
  PaymentProvider
} from "@sarraf/domain/payments/PaymentProvider"
import { DateTime, Effect, Option, Redacted } from "effect"
import { capabilities } from "./Capabilities.ts"
import { type Account, type Connection, connectionOf, type Reply } from "./Connection.ts"
import { decodePaymentIntent, decodeRefund, type Form, type PaymentIntent, type Refund } from "./Messages.ts"
import {
  abandoned,
  authorizationOutcome,
  authorizationRefusal,
  cancelOutcome,
  captureOutcome,
  errorAnswer,
  followUpRefusal,
  intentAnswer,
  refundAnswer,
  refundOutcome
} from "./Outcomes.ts"
import { expandCharge, findId, query } from "./Query.ts"

/** Milliseconds that the tidying up after a refusal may take; the outcome does not depend on it. */
const tidyMillis = 5_000

const authorizationForm = ({ billingAddress, buyer, card, description, money, reference }: AuthorizeCall): Form => [
  ["amount", `${money.minor}`],
  ["currency", money.currency.toLowerCase()],
  ["capture_method", "manual"],
  ["confirm", "true"],
  ["payment_method_types[0]", "card"],
  ["payment_method_data[type]", "card"],
  ["payment_method_data[card][number]", card.number.reveal()],
  ["payment_method_data[card][exp_month]", `${card.expMonth}`.padStart(2, "0")],
  ["payment_method_data[card][exp_year]", `${card.expYear}`],
  ["payment_method_data[card][cvc]", Redacted.value(card.cvc)],
  ["payment_method_data[billing_details][name]", card.holderName],
  ["payment_method_data[billing_details][email]", buyer.email],
  ["payment_method_data[billing_details][phone]", buyer.phone],
  ["payment_method_data[billing_details][address][line1]", billingAddress.address],
  ["payment_method_data[billing_details][address][city]", billingAddress.city],
  ["payment_method_data[billing_details][address][state]", billingAddress.state],
  ["payment_method_data[billing_details][address][postal_code]", billingAddress.postalCode],
  ["payment_method_data[billing_details][address][country]", billingAddress.country],
  ["metadata[order_id]", reference],
  ["description", description],
  expandCharge
]

const authorizationOf = (reply: Reply, now: DateTime.Utc): Outcome => {
  if (reply._tag === "NotSent") return NotSent({ reason: reply.reason })
  if (reply._tag === "Unanswered") return Unknown({ reason: reply.reason })
  if (reply._tag === "Failed") {
    const { error, json, requestId, status } = reply
    return authorizationRefusal(error, status, errorAnswer(error, json, requestId))
  }
  const intent = decodePaymentIntent(reply.json)
  return Option.isNone(intent)
    ? Unknown({ reason: "the answer is no payment" })
    : authorizationOutcome(intent.value, intentAnswer(intent.value, reply.json, reply.requestId), now)
}

const cancelForm = (reason: string): Form => [["cancellation_reason", reason], expandCharge]

/** Whatever comes of it: without the buyer's authentication nothing can be taken from the card. */
const abandon = (connection: Connection, id: string, { reference, requestId }: AuthorizeCall) =>
  connection
    .post(`payment_intents/${id}/cancel`, cancelForm(abandoned), `${reference}-abandon`, requestId)
    .pipe(Effect.timeoutOption(tidyMillis))

const notSent = (reason: string): Effect.Effect<Outcome> => Effect.succeed(NotSent({ reason }))

/** Amounts of other currencies may count in other units (provider sheet, section 1). */
const currencies: ReadonlySet<string> = new Set(capabilities.currencies)

const authorize = Effect.fnUntraced(function* (connection: Connection, call: AuthorizeCall) {
  if (!currencies.has(call.money.currency)) return NotSent({ reason: "The provider does not take this currency." })
  if (call.threeDS !== undefined) return NotSent({ reason: "3-D Secure is not set up with this provider." })
  if (call.installment > 1) return NotSent({ reason: "The provider has no installments for this currency." })
  const reply = yield* connection.post("payment_intents", authorizationForm(call), call.reference, call.requestId)
  const outcome = authorizationOf(reply, yield* DateTime.now)
  if (outcome._tag === "Refused" && outcome.code === "3DS_FAILED" && outcome.providerReference !== undefined) {
    yield* abandon(connection, outcome.providerReference, call)
  }
  return outcome
})

/** What an operation's answer is read as: a payment or a refund. */
interface Reading<A> {
  readonly decode: (json: unknown) => Option.Option<A>
  readonly answerOf: (value: A, json: unknown, requestId: string | undefined) => ProviderAnswer
  readonly paymentOf: (value: A) => string | null | undefined
}
const asPayment: Reading<PaymentIntent> = {
  decode: decodePaymentIntent,
  answerOf: intentAnswer,
  paymentOf: ({ id }) => id
}
const asRefund: Reading<Refund> = {
  decode: decodeRefund,
  answerOf: refundAnswer,
  paymentOf: ({ payment_intent }) => payment_intent
}

const operationOutcome = <A>(
  reply: Reply,
  id: string,
  { answerOf, decode, paymentOf }: Reading<A>,
  accept: (value: A, answer: ProviderAnswer) => Outcome
): Outcome => {
  if (reply._tag === "NotSent") return NotSent({ reason: reply.reason })
  if (reply._tag === "Unanswered") return Unknown({ reason: reply.reason })
  if (reply._tag === "Failed") {
    const { error, json, requestId, status } = reply
    return followUpRefusal(error, status, errorAnswer(error, json, requestId))
  }
  const decoded = decode(reply.json)
  if (Option.isNone(decoded)) return Unknown({ reason: "the answer is of another kind" })
  const answer = answerOf(decoded.value, reply.json, reply.requestId)
  const answered = paymentOf(decoded.value)
  return typeof answered === "string" && answered !== id
    ? Unknown({ reason: "the answer is about another payment", answer })
    : accept(decoded.value, answer)
}

/** After a lost answer Stripe's identifier has to be asked for first; while it is not known, nothing is sent. */
const withId = (
  connection: Connection,
  authorization: Authorization,
  perform: (id: string) => Effect.Effect<Outcome>
): Effect.Effect<Outcome> => {
  if (authorization.providerReference !== null) return perform(authorization.providerReference)
  return Effect.flatMap(findId(connection, authorization.reference), (found) => {
    if (found._tag === "Known") return perform(found.id)
    return notSent(found._tag === "Absent" ? "The provider does not know the payment, or not yet." : found.reason)
  })
}

const capture = (connection: Connection, { authorization, money, operationId, requestId }: CaptureCall) =>
  withId(connection, authorization, (id) =>
    Effect.gen(function* () {
      const form: Form = [["amount_to_capture", `${money.minor}`], expandCharge]
      const path = `payment_intents/${encodeURIComponent(id)}/capture`
      const reply = yield* connection.post(path, form, operationId, requestId)
      const now = yield* DateTime.now
      return operationOutcome(reply, id, asPayment, (intent, answer) => captureOutcome(intent, answer, now))
    })
  )

const refund = (connection: Connection, { authorization, money, operationId, reference, requestId }: OperationCall) =>
  withId(connection, authorization, (id) =>
    Effect.gen(function* () {
      const form: Form = [
        ["payment_intent", id],
        ["amount", `${money.minor}`],
        // The payment's reference, by which every answer is compared, and this refund's own.
        ["metadata[order_id]", authorization.reference],
        ["metadata[operation]", reference]
      ]
      const reply = yield* connection.post("refunds", form, operationId, requestId)
      const now = yield* DateTime.now
      return operationOutcome(reply, id, asRefund, (value, answer) => refundOutcome(value, answer, now))
    })
  )

const cancel = (connection: Connection, { authorization, operationId, requestId }: OperationCall) =>
  withId(connection, authorization, (id) => {
    const path = `payment_intents/${encodeURIComponent(id)}/cancel`
    const reply = connection.post(path, cancelForm("requested_by_customer"), operationId, requestId)
    return Effect.map(reply, (answered) => operationOutcome(answered, id, asPayment, cancelOutcome))
  })

/**
 * One Stripe account through PaymentIntents with manual capture, without 3-D Secure. Source: provider sheet, sections 2
 * to 7. An authorization's idempotency key is its reference, an operation's its id: a lost answer is asked for once more
 * within the call, and after that by `query`. An issuer that demands 3-D Secure has refused, and the payment that waits
 * for it is cancelled; one that was declined is left as it is, since it holds no money and nobody else has its secret.
 */
export const make = (options: Account): PaymentProvider => {
  const connection = connectionOf(options)
  return {
    id: "stripe",
    capabilities,
    authorize: (call) => authorize(connection, call),
    capture: (call) => capture(connection, call),
    refund: (call) => refund(connection, call),
    cancel: (call) => cancel(connection, call),
    query: (authorization) => query(connection, authorization)
  }
}
