import { NotSent, type Outcome, Refused, Unknown } from "@sarraf/domain/payments/Outcome"
import type { AuthorizeCall, OperationCall, PaymentProvider } from "@sarraf/domain/payments/PaymentProvider"
import { DateTime, Effect, Option, Redacted } from "effect"
import { isNoReply, outcomeWithout } from "../ProviderReply.ts"
import { capabilities } from "./Capabilities.ts"
import { type Account, type Connection, connectionOf, type Reply } from "./Connection.ts"
import type { AdyenCredentials } from "./Credentials.ts"
import { amountOf, billingAddressOf, decodeModification, decodePayment } from "./Messages.ts"
import { readNotification } from "./Notifications.ts"
import { answerOf, modificationOutcome, paymentOutcome } from "./Outcomes.ts"
import { browserInfo, threeDSOf } from "./ThreeDS.ts"

/** An address that can never be anybody's (RFC 2606), for payments from which no browser comes back. */
const nowhere = "https://example.com/return"

/** Provider sheet, section 4, fields of `/payments`. */
const paymentOf = (call: AuthorizeCall, { merchantAccount, returnUrl = nowhere }: AdyenCredentials) => {
  const { billingAddress, buyer, card, money, reference, threeDS } = call
  return {
    merchantAccount,
    amount: amountOf(money),
    reference,
    returnUrl: threeDS?.returnUrl ?? returnUrl,
    paymentMethod: {
      type: "scheme",
      number: card.number.reveal(),
      expiryMonth: `${card.expMonth}`.padStart(2, "0"),
      expiryYear: `${card.expYear}`,
      cvc: Redacted.value(card.cvc),
      holderName: card.holderName
    },
    shopperInteraction: "Ecommerce",
    shopperEmail: buyer.email,
    shopperIP: buyer.ip,
    billingAddress: billingAddressOf(billingAddress),
    authenticationData: { attemptAuthentication: threeDS === undefined ? "never" : "always" },
    additionalData: { manualCapture: "true" },
    ...(threeDS === undefined ? {} : { channel: "Web", origin: new URL(threeDS.returnUrl).origin, browserInfo })
  }
}

/** A definite error; a follow-up's is nobody else's to try. */
const failure = ({ error, json, ruling }: Extract<Reply, { _tag: "Failed" }>, isFollowUp: boolean): Outcome =>
  Refused({
    code: ruling.code,
    detail: ruling.detail,
    answer: answerOf(error.errorCode, json),
    mayTryAnother: ruling.mayTryAnother && !isFollowUp,
    echo: {}
  })

/** Amounts of other currencies may count in other units (provider sheet, section 1). */
const currencies: ReadonlySet<string> = new Set(capabilities.currencies)

const authorize = Effect.fnUntraced(function* (connection: Connection, call: AuthorizeCall) {
  if (!currencies.has(call.money.currency)) return NotSent({ reason: "The provider does not take this currency." })
  if (call.installment > 1) return NotSent({ reason: "The provider has no installments for this currency." })
  const body = paymentOf(call, connection.credentials)
  const reply = yield* connection.post("payments", body, call.reference, 200)
  if (isNoReply(reply)) return outcomeWithout(reply)
  if (reply._tag === "Failed") return failure(reply, false)
  const payment = decodePayment(reply.json)
  const authentication = call.threeDS === undefined ? "none" : "wanted"
  return Option.isNone(payment)
    ? Unknown({ reason: "the answer is no payment" })
    : paymentOutcome(payment.value, reply.json, { now: yield* DateTime.now, authentication })
})

/** What a modification is asked of: Adyen's reference of the payment, or ours where that one is not known. */
type Target = { readonly paymentPspReference: string } | { readonly paymentReference: string }

const modify = Effect.fnUntraced(function* (
  connection: Connection,
  { authorization, operationId }: OperationCall,
  path: string,
  fields: object,
  target: Target
) {
  const { merchantAccount } = connection.credentials
  // The attempt's reference and not the operation's: by it the notification is found again.
  const body = { merchantAccount, ...fields, reference: authorization.reference }
  // Under one key the first answer is repeated, whatever the second request was (provider sheet, section 6).
  const key = "paymentReference" in target ? `${operationId}-by-reference` : operationId
  const reply = yield* connection.post(path, body, key, 201)
  if (isNoReply(reply)) return outcomeWithout(reply)
  if (reply._tag === "Failed") return failure(reply, true)
  const modification = decodeModification(reply.json)
  return Option.isNone(modification)
    ? Unknown({ reason: "the answer is no modification" })
    : modificationOutcome(modification.value, reply.json, target, yield* DateTime.now)
})

const withAmount = (
  connection: Connection,
  call: OperationCall,
  step: "captures" | "refunds"
): Effect.Effect<Outcome> => {
  const { providerReference: paymentPspReference } = call.authorization
  if (paymentPspReference === null) {
    return Effect.succeed(NotSent({ reason: "The provider's reference of the payment is not known yet." }))
  }
  const path = `payments/${encodeURIComponent(paymentPspReference)}/${step}`
  return modify(connection, call, path, { amount: amountOf(call.money) }, { paymentPspReference })
}

/** Where the answer to the authorization was lost, the payment is cancelled by our reference. */
const cancel = (connection: Connection, call: OperationCall): Effect.Effect<Outcome> => {
  const { providerReference: paymentPspReference, reference: paymentReference } = call.authorization
  return paymentPspReference === null
    ? modify(connection, call, "cancels", { paymentReference }, { paymentReference })
    : modify(
        connection,
        call,
        `payments/${encodeURIComponent(paymentPspReference)}/cancels`,
        {},
        { paymentPspReference }
      )
}

/**
 * One merchant account through the Checkout API, with manual capture. Source: provider sheet, sections 2 to 7. An
 * authorization's idempotency key is its reference, an operation's its id: a lost answer is asked for once more within the
 * call. What came of it after that, and of every capture, refund and cancellation, is learned from notifications: there is
 * no question that could be asked.
 */
export const make = (account: Account): PaymentProvider => {
  const connection = connectionOf(account)
  return {
    id: "adyen",
    capabilities,
    authorize: (call) => authorize(connection, call),
    capture: (call) => withAmount(connection, call, "captures"),
    refund: (call) => withAmount(connection, call, "refunds"),
    cancel: (call) => cancel(connection, call),
    query: () =>
      Effect.succeed({ _tag: "Unanswered", reason: "The provider cannot be asked; it will post a notification." }),
    threeDS: threeDSOf(connection),
    readNotification: (message) => readNotification(account.credentials, message)
  }
}
