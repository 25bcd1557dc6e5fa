import { NotSent, type Outcome, type Refused, Unknown } from "@sarraf/domain/payments/Outcome"
import type { AuthorizeCall } from "@sarraf/domain/payments/PaymentProvider"
import { DateTime, Effect, Option, Redacted } from "effect"
import { isNoReply, outcomeWithout } from "../ProviderReply.ts"
import { capabilities } from "./Capabilities.ts"
import type { Connection, Reply } from "./Connection.ts"
import { decodePaymentIntent, type Form } from "./Messages.ts"
import { abandoned, authorizationOutcome, authorizationRefusal, errorAnswer, intentAnswer } from "./Outcomes.ts"
import { expandCharge } from "./Query.ts"

/** Milliseconds that the tidying up after a refusal may take; the outcome does not depend on it. */
const tidyMillis = 5_000

/** `any`: the buyer is authenticated wherever the card knows 3-D Secure, not only where Stripe or the issuer wants it. */
const authenticationFields = (threeDS: AuthorizeCall["threeDS"]): Form =>
  threeDS === undefined
    ? []
    : [
        ["payment_method_options[card][request_three_d_secure]", "any"],
        ["return_url", threeDS.returnUrl]
      ]

const authorizationForm = (call: AuthorizeCall): Form => {
  const { billingAddress, buyer, card, description, money, reference, threeDS } = call
  return [
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
    ...authenticationFields(threeDS),
    ["metadata[order_id]", reference],
    ["description", description],
    expandCharge
  ]
}

/** What the answer to an authorization says; `isAuthenticating` where 3-D Secure was asked for. */
export const authorizationOf = (reply: Reply, now: DateTime.Utc, isAuthenticating: boolean): Outcome => {
  if (isNoReply(reply)) return outcomeWithout(reply)
  if (reply._tag === "Failed") {
    const { error, json, requestId, status } = reply
    return authorizationRefusal(error, status, errorAnswer(error, json, requestId), isAuthenticating)
  }
  const intent = decodePaymentIntent(reply.json)
  if (Option.isNone(intent)) return Unknown({ reason: "the answer is no payment" })
  const answer = intentAnswer(intent.value, reply.json, reply.requestId)
  return authorizationOutcome(intent.value, answer, now, isAuthenticating)
}

export const cancelForm = (reason: string): Form => [["cancellation_reason", reason], expandCharge]

/** Cancels a payment that nothing may be taken with any more. What comes of it does not change the outcome. */
export const abandon = (
  connection: Connection,
  id: string,
  { reference, requestId }: { readonly reference: string; readonly requestId: string }
) =>
  connection
    .post(`payment_intents/${encodeURIComponent(id)}/cancel`, cancelForm(abandoned), `${reference}-abandon`, requestId)
    .pipe(Effect.timeoutOption(tidyMillis))

/** A payment that waits for its buyer, or that they have failed to authenticate, and that is theirs no longer. */
const isLeftOpen = ({ answer, code }: Refused): boolean =>
  code === "3DS_FAILED" || answer.responseCode === "requires_action"

/** Amounts of other currencies may count in other units (provider sheet, section 1). */
const currencies: ReadonlySet<string> = new Set(capabilities.currencies)

/** One PaymentIntent, made and confirmed in one request (provider sheet, section 4). */
export const authorize = Effect.fnUntraced(function* (connection: Connection, call: AuthorizeCall) {
  if (!currencies.has(call.money.currency)) return NotSent({ reason: "The provider does not take this currency." })
  if (call.installment > 1) return NotSent({ reason: "The provider has no installments for this currency." })
  const reply = yield* connection.post("payment_intents", authorizationForm(call), call.reference, call.requestId)
  const outcome = authorizationOf(reply, yield* DateTime.now, call.threeDS !== undefined)
  if (outcome._tag === "Refused" && isLeftOpen(outcome) && outcome.providerReference !== undefined) {
    yield* abandon(connection, outcome.providerReference, call)
  }
  return outcome
})
