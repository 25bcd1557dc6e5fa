import { toDecimal } from "@sarraf/domain/money/Money"
import { NotSent, type Outcome } from "@sarraf/domain/payments/Outcome"
import type {
  Authorization,
  AuthorizeCall,
  CaptureCall,
  OperationCall,
  PaymentProvider
} from "@sarraf/domain/payments/PaymentProvider"
import { DateTime, Effect, Redacted } from "effect"
import { isNoReply } from "../ProviderReply.ts"
import { nothingToRelease } from "../Ruling.ts"
import { capabilities, installmentCounts } from "./Capabilities.ts"
import { type Account, type Connection, connectionOf } from "./Connection.ts"
import { readNotification } from "./Notifications.ts"
import { authorizationOutcome, captureOutcome, echoOf, giveBackOutcome, notesOf } from "./Outcomes.ts"
import { askDetail, query } from "./Query.ts"
import { initializeTexts, itemRefundTexts, paymentTexts, refundTexts } from "./Signature.ts"
import { initializeOutcome, threeDSOf } from "./ThreeDS.ts"

/** Where the buyer's is not known, which is always (provider sheet, section 4). */
const unknownIdentityNumber = "11111111111"

/** Provider sheet, section 4, in the order of the vendor's libraries: one item stands for the whole order. */
const paymentContent = ({ billingAddress, buyer, card, money, reference, ...call }: AuthorizeCall, ip: string) => {
  const price = toDecimal(money.currency, money.minor)
  const address = {
    contactName: `${buyer.firstName} ${buyer.lastName}`,
    city: billingAddress.city,
    country: billingAddress.country,
    address: billingAddress.address,
    ...(billingAddress.postalCode === undefined ? {} : { zipCode: billingAddress.postalCode })
  }
  return {
    locale: "en",
    conversationId: reference,
    price,
    paidPrice: price,
    installment: call.installment,
    paymentChannel: "WEB",
    basketId: reference,
    paymentGroup: "PRODUCT",
    paymentCard: {
      cardHolderName: card.holderName,
      cardNumber: card.number.reveal(),
      expireYear: `${card.expYear}`,
      expireMonth: `${card.expMonth}`.padStart(2, "0"),
      cvc: Redacted.value(card.cvc),
      registerCard: 0
    },
    buyer: {
      id: reference,
      name: buyer.firstName,
      surname: buyer.lastName,
      identityNumber: unknownIdentityNumber,
      email: buyer.email,
      ...(buyer.phone === undefined ? {} : { gsmNumber: buyer.phone }),
      registrationAddress: billingAddress.address,
      city: billingAddress.city,
      country: billingAddress.country,
      ...(billingAddress.postalCode === undefined ? {} : { zipCode: billingAddress.postalCode }),
      ip
    },
    shippingAddress: address,
    billingAddress: address,
    basketItems: [{ id: "1", name: call.description || "Order", category1: "General", itemType: "PHYSICAL", price }],
    currency: money.currency,
    ...(call.threeDS === undefined ? {} : { callbackUrl: call.threeDS.returnUrl })
  }
}

const currencies: ReadonlySet<string> = new Set(capabilities.currencies)

/** What this account cannot do, before anything is sent; undefined: nothing of the kind. */
const obstacleOf = ({ buyer, installment, money }: AuthorizeCall): string | undefined => {
  if (!currencies.has(money.currency)) return "The provider does not take this currency."
  if (buyer.ip === undefined) return "The provider does not take a payment without the buyer's IP address."
  if (installment > 1 && money.currency !== "TRY") return "The provider has no installments for this currency."
  return installmentCounts.has(installment) ? undefined : "The provider does not have this number of installments."
}

const authorize = Effect.fnUntraced(function* (connection: Connection, call: AuthorizeCall) {
  const obstacle = obstacleOf(call)
  const { ip } = call.buyer
  if (obstacle !== undefined || ip === undefined) return NotSent({ reason: obstacle ?? "" })
  const asked = { reference: call.reference, mayTryAnother: true }
  const content = paymentContent(call, ip)
  if (call.threeDS === undefined) {
    const reply = yield* connection.post("/payment/preauth", content, paymentTexts)
    return authorizationOutcome(reply, asked, yield* DateTime.now)
  }
  const reply = yield* connection.post("/payment/3dsecure/initialize/preauth", content, initializeTexts)
  return initializeOutcome(reply, asked, yield* DateTime.now)
})

/** iyzico's names for a payment: its own, and its only item's where that is known. */
interface Identified {
  readonly paymentId: string
  readonly paymentTransactionId: string | undefined
}

/** After a lost answer iyzico's identifier has to be asked for first; while it is not known, nothing is sent. */
const withIdentifier = (
  connection: Connection,
  { notes, providerReference, reference }: Authorization,
  perform: (identified: Identified) => Effect.Effect<Outcome>
): Effect.Effect<Outcome> => {
  if (providerReference !== null) {
    return perform({ paymentId: providerReference, paymentTransactionId: notes.paymentTransactionId })
  }
  return Effect.flatMap(askDetail(connection, { providerReference, reference }), (reply) => {
    if (isNoReply(reply)) {
      return Effect.succeed(NotSent({ reason: reply.reason }))
    }
    const { paymentId } = reply.answer
    const isOurs = echoOf(reply.answer, reference).reference === reference
    return reply._tag === "Answered" && paymentId && isOurs
      ? perform({ paymentId, paymentTransactionId: notesOf(reply.answer).paymentTransactionId })
      : Effect.succeed(NotSent({ reason: "The provider does not know the payment, or not yet." }))
  })
}

const capture = (connection: Connection, { authorization, money }: CaptureCall): Effect.Effect<Outcome> =>
  withIdentifier(connection, authorization, ({ paymentId }) =>
    Effect.gen(function* () {
      const { reference } = authorization
      const paidPrice = toDecimal(money.currency, money.minor)
      const content = { locale: "en", conversationId: reference, paymentId, paidPrice, currency: money.currency }
      const reply = yield* connection.post("/payment/postauth", content, paymentTexts)
      return captureOutcome(reply, paymentId, reference, yield* DateTime.now)
    })
  )

const refund = (connection: Connection, { authorization, money }: OperationCall): Effect.Effect<Outcome> =>
  withIdentifier(connection, authorization, ({ paymentId, paymentTransactionId }) => {
    const { reference } = authorization
    const common = { locale: "en", conversationId: reference }
    const amount = { price: toDecimal(money.currency, money.minor), currency: money.currency }
    const reply =
      paymentTransactionId === undefined
        ? connection.post("/v2/payment/refund", { ...common, paymentId, ...amount }, refundTexts)
        : connection.post("/payment/refund", { ...common, paymentTransactionId, ...amount }, itemRefundTexts)
    return Effect.map(reply, (answered) => giveBackOutcome(answered, paymentId, reference))
  })

/** On the day of a capture a cancellation takes back the capture too: it is not sent once there is one. */
const cancel = (connection: Connection, { authorization, captures }: OperationCall): Effect.Effect<Outcome> =>
  captures.length > 0
    ? Effect.succeed(nothingToRelease)
    : withIdentifier(connection, authorization, ({ paymentId }) => {
        const { reference } = authorization
        const content = { locale: "en", conversationId: reference, paymentId }
        const reply = connection.post("/payment/cancel", content, null)
        return Effect.map(reply, (answered) => giveBackOutcome(answered, paymentId, reference))
      })

/**
 * One iyzico account, with pre-authorization and with iyzico's own 3-D Secure. Source: provider sheet, sections 2 to 7.
 * A request has no idempotency key: our reference is its `conversationId` and `basketId`, no payment is ever sent twice,
 * and what came of a lost one is asked by that reference.
 */
export const make = (account: Account): PaymentProvider => {
  const { credentials } = account
  const connection = connectionOf(account)
  return {
    id: "iyzico",
    capabilities,
    authorize: (call) => authorize(connection, call),
    capture: (call) => capture(connection, call),
    refund: (call) => refund(connection, call),
    cancel: (call) => cancel(connection, call),
    query: (authorization) => query(connection, authorization),
    threeDS: threeDSOf(credentials, connection),
    readNotification: (message) => readNotification(credentials, message)
  }
}
