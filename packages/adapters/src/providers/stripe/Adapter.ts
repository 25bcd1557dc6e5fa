import { type LearnBy, NotSent, type Outcome, type ProviderAnswer, Unknown } from "@sarraf/domain/payments/Outcome"
import type {
  Authorization,
  CaptureCall,
  OperationCall,
  PaymentProvider
} from "@sarraf/domain/payments/PaymentProvider"
import { DateTime, Effect, Option } from "effect"
import { isNoReply, outcomeWithout } from "../ProviderReply.ts"
import { authorize, cancelForm } from "./Authorization.ts"
import { capabilities } from "./Capabilities.ts"
import { type Account, type Connection, connectionOf, type Reply } from "./Connection.ts"
import { decodePaymentIntent, decodeRefund, type Form, type PaymentIntent, type Refund } from "./Messages.ts"
import { readNotification } from "./Notifications.ts"
import {
  cancelOutcome,
  captureOutcome,
  errorAnswer,
  followUpRefusal,
  intentAnswer,
  refundAnswer,
  refundOutcome
} from "./Outcomes.ts"
import { expandCharge, findId, query, referenceOf } from "./Query.ts"
import { threeDSOf } from "./ThreeDS.ts"

const notSent = (reason: string): Effect.Effect<Outcome> => Effect.succeed(NotSent({ reason }))

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
  if (isNoReply(reply)) return outcomeWithout(reply)
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

const refund = (connection: Connection, learnBy: LearnBy, call: OperationCall) => {
  const { authorization, money, operationId, reference, requestId } = call
  return withId(connection, authorization, (id) =>
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
      return operationOutcome(reply, id, asRefund, (value, answer) => refundOutcome(value, answer, now, learnBy))
    })
  )
}

const cancel = (connection: Connection, { authorization, operationId, requestId }: OperationCall) =>
  withId(connection, authorization, (id) => {
    const path = `payment_intents/${encodeURIComponent(id)}/cancel`
    const reply = connection.post(path, cancelForm("requested_by_customer"), operationId, requestId)
    return Effect.map(reply, (answered) => operationOutcome(answered, id, asPayment, cancelOutcome))
  })

/**
 * One Stripe account through PaymentIntents with manual capture. Source: provider sheet, sections 2 to 7. An
 * authorization's idempotency key is its reference, an operation's its id: a lost answer is asked for once more within
 * the call, and after that by `query`. Where nobody asked for 3-D Secure, an issuer that demands it has refused, and the
 * payment that waits for it is cancelled; so is one whose buyer failed to authenticate. One that was declined without
 * 3-D Secure is left as it is, since it holds no money and nobody else has its secret.
 */
export const make = (options: Account): PaymentProvider => {
  const connection = connectionOf(options)
  const { webhookSecret } = options.credentials
  // A question tells what has gone through; that a refund has failed only a notification says.
  const learnBy = webhookSecret === undefined ? "query" : "notification"
  return {
    id: "stripe",
    capabilities,
    authorize: (call) => authorize(connection, call),
    capture: (call) => capture(connection, call),
    refund: (call) => refund(connection, learnBy, call),
    cancel: (call) => cancel(connection, call),
    query: (authorization) => query(connection, authorization),
    threeDS: threeDSOf(connection),
    referenceOf: (id) => referenceOf(connection, id),
    readNotification: (message) => readNotification(webhookSecret, message)
  }
}
