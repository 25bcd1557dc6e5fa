import { createHash } from "node:crypto"
import { ActionRequired, type Outcome, Unknown } from "@sarraf/domain/payments/Outcome"
import type { ThreeDS, ThreeDSReturn } from "@sarraf/domain/payments/PaymentProvider"
import { DateTime, Effect, Option } from "effect"
import { isNoReply, outcomeWithout } from "../ProviderReply.ts"
import type { Connection } from "./Connection.ts"
import { decodePayment, type Payment } from "./Messages.ts"
import { answerOf, paymentOutcome } from "./Outcomes.ts"

/**
 * The browser that a payment says it comes from, as far as the redirect's first request needs it: Adyen's own page, to
 * which the buyer is sent, collects the real values before the issuer sees any. Constants, since a payment is made server
 * to server and no browser of the buyer's is at hand: a current desktop browser, English, 1920 × 1080, UTC.
 */
export const browserInfo = {
  userAgent: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
  acceptHeader: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
  language: "en-US",
  colorDepth: 24,
  screenHeight: 1080,
  screenWidth: 1920,
  timeZoneOffset: 0,
  javaEnabled: false,
  javaScriptEnabled: true
}

/** What a return carries for `/payments/details`: a redirect's result, or the older form's pair. */
const detailsOf = ({ authorization, returned }: ThreeDSReturn): object | undefined => {
  const { MD, PaRes, redirectResult } = returned
  if (redirectResult) return { details: { redirectResult } }
  const { paymentData } = authorization.notes
  return MD && PaRes && paymentData ? { details: { MD, PaRes }, paymentData } : undefined
}

/** Anybody can bring the result of another payment: an answer counts that names this one, by our reference or Adyen's. */
const isAbout = (payment: Payment, { authorization }: ThreeDSReturn): boolean => {
  const { additionalData, merchantReference, pspReference } = payment
  const reference = merchantReference ?? additionalData?.merchantReference
  return reference
    ? reference === authorization.reference
    : Boolean(pspReference) && pspReference === authorization.providerReference
}

/** Adyen's word for a result that it did not give out, or not for this. */
const invalidPayload = "14_018"

/** One result is asked about under one key, so that a repeated return is told the same; at most 64 characters. */
const keyOf = (reference: string, details: object): string =>
  `${reference}-${createHash("sha256").update(JSON.stringify(details)).digest("hex").slice(0, 32)}`

const complete = Effect.fnUntraced(function* (connection: Connection, call: ThreeDSReturn) {
  const { notes, reference } = call.authorization
  const details = detailsOf(call)
  if (details === undefined) return Unknown({ reason: "the buyer came back without a result" })
  const reply = yield* connection.post("payments/details", details, keyOf(reference, details), 200)
  if (isNoReply(reply)) return outcomeWithout(reply)
  if (reply._tag === "Failed") {
    const { error, json } = reply
    const answer = answerOf(error.errorCode, json)
    // The question was refused, and says nothing of the payment; with a made-up result the buyer is where they were.
    return error.errorCode === invalidPayload && notes.redirectUrl !== undefined
      ? ActionRequired({ step: { type: "redirect", url: notes.redirectUrl }, answer, echo: {} })
      : Unknown({ reason: "the provider did not take the buyer's result", answer })
  }
  const payment = decodePayment(reply.json)
  if (Option.isNone(payment)) return Unknown({ reason: "the answer is no payment" })
  if (!isAbout(payment.value, call)) {
    const answer = answerOf(payment.value.resultCode, reply.json)
    return Unknown({ reason: "the answer is about another payment, or does not say about which", answer })
  }
  return paymentOutcome(payment.value, reply.json, { now: yield* DateTime.now, authentication: "back" })
})

/**
 * 3-D Secure by redirect (provider sheet, section 4). What the browser brings is opaque and says nothing by itself: it is
 * genuine where it has the shape of a result, since Adyen is asked what it means.
 */
export const threeDSOf = (connection: Connection): ThreeDS => ({
  isGenuine: (call) => detailsOf(call) !== undefined,
  complete: (call): Effect.Effect<Outcome> => complete(connection, call)
})
