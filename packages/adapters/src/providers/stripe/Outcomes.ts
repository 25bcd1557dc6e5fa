import {
  Accepted,
  ActionRequired,
  type Echo,
  type LearnBy,
  type Outcome,
  Pending,
  type ProviderAnswer,
  Refused,
  Unknown
} from "@sarraf/domain/payments/Outcome"
import type { Finding } from "@sarraf/domain/payments/PaymentProvider"
import { DateTime, Duration, Option } from "effect"
import { authenticationDemanded, authenticationFailed, type Ruling } from "../Ruling.ts"
import { answersShowing } from "../ShownFields.ts"
import type { ChargeEvent, PartialPaymentIntent, PaymentIntent, Refund, StripeError } from "./Messages.ts"
import { type Fault, noRedirect, rulingOf } from "./ResponseCodes.ts"

/** How long a payment in `processing` is asked about; the sheet has no figure. */
const pendingFor = Duration.hours(24)
/** How long a refund may stay `pending`; the sheet has no figure. */
const refundPendingFor = Duration.days(7)

/** The allow-list, as paths into an answer: codes, states, amounts and checks; no text, no person, no secret. */
const shown = [
  "id",
  "status",
  "amount",
  "amount_capturable",
  "amount_received",
  "currency",
  "livemode",
  "cancellation_reason",
  "last_payment_error.code",
  "last_payment_error.decline_code",
  "latest_charge.id",
  "latest_charge.amount_captured",
  "latest_charge.amount_refunded",
  "latest_charge.outcome.network_status",
  "latest_charge.outcome.reason",
  "latest_charge.outcome.risk_level",
  "latest_charge.outcome.type",
  "latest_charge.payment_method_details.card.authorization_code",
  "latest_charge.payment_method_details.card.brand",
  "latest_charge.payment_method_details.card.network",
  "latest_charge.payment_method_details.card.checks.address_postal_code_check",
  "latest_charge.payment_method_details.card.checks.cvc_check",
  "charge",
  "payment_intent",
  "reason",
  "failure_reason",
  "error.type",
  "error.code",
  "error.decline_code",
  "error.advice_code",
  "error.network_decline_code",
  "error.param",
  "error.charge",
  "error.payment_intent.id",
  "error.payment_intent.status"
]

/** A word, an identifier or a number; twelve digits in a row could be a card's. */
const isShowable = (text: string): boolean => /^[\w.:-]{1,128}$/u.test(text) && !/\d{12}/u.test(text)

const shownAnswer = answersShowing(shown, isShowable)

/** The code and, of the provider's document, what may be shown. */
export const answerOf = (responseCode: string | null, json: unknown, requestId: string | undefined): ProviderAnswer => {
  const answer = shownAnswer(responseCode, json)
  if (requestId === undefined || !isShowable(requestId)) return answer
  return { ...answer, fields: { ...answer.fields, "request-id": requestId } }
}

/** The state is the code, but of a payment that failed its error's. */
export const intentAnswer = (intent: PaymentIntent, json: unknown, requestId: string | undefined): ProviderAnswer => {
  const { last_payment_error, status } = intent
  const failed = status === "requires_payment_method" ? (last_payment_error?.code ?? last_payment_error?.type) : null
  return answerOf(failed ?? status, json, requestId)
}

export const searchAnswer = (json: unknown, requestId: string | undefined): ProviderAnswer =>
  answerOf(null, json, requestId)

export const errorAnswer = ({ code, type }: StripeError, json: unknown, requestId: string | undefined) =>
  answerOf(code ?? type, json, requestId)

const chargeOf = ({ latest_charge }: PartialPaymentIntent) => (typeof latest_charge === "string" ? null : latest_charge)
const cardOf = (intent: PartialPaymentIntent) => chargeOf(intent)?.payment_method_details?.card

/** Stripe's own last four are of the card that was charged, or of the one that was tried last. */
const last4Of = (intent: PartialPaymentIntent): string | null | undefined =>
  cardOf(intent)?.last4 ?? intent.last_payment_error?.payment_method?.card?.last4

const echoOf = (intent: PartialPaymentIntent, minor: number | null | undefined): Echo => {
  const reference = intent.metadata?.order_id
  const last4 = last4Of(intent)
  return {
    ...(reference ? { reference } : {}),
    ...(typeof minor === "number" ? { minor: BigInt(minor) } : {}),
    ...(intent.currency ? { currency: intent.currency.toUpperCase() } : {}),
    ...(last4 ? { last4 } : {})
  }
}

/** What is authorized may be less than what was asked for: `amount` is the question, `amount_capturable` the answer. */
const authorizedMinor = ({ amount, amount_capturable, status }: PartialPaymentIntent) =>
  status === "requires_capture" ? (amount_capturable ?? amount) : amount

const refusal = (
  { code, detail, mayTryAnother }: Ruling,
  intent: PartialPaymentIntent | null | undefined,
  answer: ProviderAnswer,
  minor: number | null | undefined = intent?.amount
): Outcome => {
  const about = intent ? { echo: echoOf(intent, minor), providerReference: intent.id } : { echo: {} }
  return Refused({ code, detail, answer, mayTryAnother, ...about })
}

/** The reason that our own cancellation of what the buyer did not authenticate carries; a merchant's has another. */
export const abandoned = "abandoned"

/** Why nothing was taken with a payment that has ended: its last error, else what its cancellation says. */
const endRuling = ({ cancellation_reason, last_payment_error }: PaymentIntent): Ruling =>
  rulingOf(
    last_payment_error ??
      (cancellation_reason === abandoned ? { code: "payment_intent_authentication_failure" } : { type: "card_error" }),
    402
  )

/** Of `capture_before`, in seconds since 1970. */
export const expiryAt = (seconds: number | null | undefined): { readonly expiresAt?: DateTime.Utc } => {
  const expiresAt = seconds ? Option.getOrUndefined(DateTime.make(seconds * 1000)) : undefined
  return expiresAt === undefined ? {} : { expiresAt }
}

/** To a buyer who is being authenticated, a demand for it is a failure and no advice to repeat the payment. */
const authorizationRuling = (fault: Fault, httpStatus: number, isAuthenticating: boolean): Ruling => {
  const ruling = rulingOf(fault, httpStatus)
  return isAuthenticating && ruling === authenticationDemanded ? authenticationFailed : ruling
}

const isAddress = /^https?:\/\/[^\s"'<>]{1,2000}$/u

/** `requires_action`: the buyer is sent away where that was asked for, and refused where it was not. */
const demandOutcome = (intent: PaymentIntent, answer: ProviderAnswer, isAuthenticating: boolean): Outcome => {
  if (!isAuthenticating) return refusal(authenticationDemanded, intent, answer)
  const url = intent.next_action?.redirect_to_url?.url
  if (!url || !isAddress.test(url)) return refusal(noRedirect, intent, answer)
  const echo = echoOf(intent, intent.amount)
  return ActionRequired({ step: { type: "redirect", url }, answer, echo, providerReference: intent.id })
}

export const authorizedOutcome = (intent: PaymentIntent, answer: ProviderAnswer): Outcome =>
  Accepted({
    providerReference: intent.id,
    answer,
    echo: echoOf(intent, authorizedMinor(intent)),
    ...expiryAt(cardOf(intent)?.capture_before)
  })

/** A payment that has come to its end without money, told later: nobody else is tried any more. */
export const endedOutcome = (intent: PaymentIntent, answer: ProviderAnswer): Outcome =>
  refusal({ ...endRuling(intent), mayTryAnother: false }, intent, answer)

/** An authorization as the event of its charge tells of it. */
export const chargedOutcome = (charge: ChargeEvent, providerReference: string, answer: ProviderAnswer): Outcome => {
  const { amount, currency, metadata, payment_method_details } = charge
  const card = payment_method_details?.card
  return Accepted({
    providerReference,
    answer,
    echo: {
      ...(metadata?.order_id ? { reference: metadata.order_id } : {}),
      minor: BigInt(amount),
      currency: currency.toUpperCase(),
      ...(card?.last4 ? { last4: card.last4 } : {})
    },
    ...expiryAt(card?.capture_before)
  })
}

/** Provider sheet, section 5, for the answer to an authorization; `isAuthenticating` where 3-D Secure was asked for. */
export const authorizationOutcome = (
  intent: PaymentIntent,
  answer: ProviderAnswer,
  now: DateTime.Utc,
  isAuthenticating: boolean
): Outcome => {
  const { id: providerReference, last_payment_error, status } = intent
  if (status === "requires_capture") return authorizedOutcome(intent, answer)
  if (status === "requires_action") return demandOutcome(intent, answer, isAuthenticating)
  if (status === "processing" || status === "requires_confirmation") {
    const until = DateTime.addDuration(now, pendingFor)
    return Pending({ answer, echo: echoOf(intent, intent.amount), learnBy: "query", until, providerReference })
  }
  if (status === "requires_payment_method" && last_payment_error) {
    return refusal(authorizationRuling(last_payment_error, 402, isAuthenticating), intent, answer)
  }
  if (status === "canceled") return refusal(endRuling(intent), intent, answer)
  const reason =
    status === "succeeded" ? "the payment was captured at once" : "the answer's status is none of an authorization"
  return Unknown({ reason, answer })
}

const holdsMoney: ReadonlySet<string> = new Set(["requires_capture", "succeeded", "processing"])

/** A refusal that shows the payment as approved contradicts itself. */
export const authorizationRefusal = (
  error: StripeError,
  httpStatus: number,
  answer: ProviderAnswer,
  isAuthenticating: boolean
): Outcome => {
  const { payment_intent: intent } = error
  return holdsMoney.has(intent?.status ?? "")
    ? Unknown({ reason: "the answer refuses a payment that it shows as taken", answer })
    : refusal(authorizationRuling(error, httpStatus, isAuthenticating), intent, answer)
}

/** A follow-up's "no": the payment stays at this provider. The amount that is shown is the payment's, not the step's. */
export const followUpRefusal = (error: StripeError, httpStatus: number, answer: ProviderAnswer): Outcome =>
  refusal({ ...rulingOf(error, httpStatus), mayTryAnother: false }, error.payment_intent, answer, null)

export const captureOutcome = (intent: PaymentIntent, answer: ProviderAnswer, now: DateTime.Utc): Outcome => {
  const { amount_received, id: providerReference, status } = intent
  const echo = echoOf(intent, amount_received)
  if (status === "succeeded") return Accepted({ providerReference, answer, echo })
  if (status !== "processing") return Unknown({ reason: "the answer's status is none of a capture", answer })
  const until = DateTime.addDuration(now, pendingFor)
  return Pending({ answer, echo: echoOf(intent, undefined), learnBy: "query", until, providerReference })
}

export const cancelOutcome = (intent: PaymentIntent, answer: ProviderAnswer): Outcome =>
  intent.status === "canceled"
    ? Accepted({ providerReference: intent.id, answer, echo: echoOf(intent, intent.amount) })
    : Unknown({ reason: "the answer's status is none of a cancellation", answer })

export const refundAnswer = (refund: Refund, json: unknown, requestId: string | undefined): ProviderAnswer =>
  answerOf(refund.status ?? null, json, requestId)

/** Provider sheet, section 5, for a refund; `learnBy` says how the word on a pending one will come. */
export const refundOutcome = (refund: Refund, answer: ProviderAnswer, now: DateTime.Utc, learnBy: LearnBy): Outcome => {
  const { amount, currency, id: providerReference, metadata, status } = refund
  const reference = metadata?.order_id
  const echo: Echo = {
    ...(reference ? { reference } : {}),
    minor: BigInt(amount),
    currency: currency.toUpperCase()
  }
  if (!status || status === "succeeded") return Accepted({ providerReference, answer, echo })
  if (status === "pending" || status === "requires_action") {
    const until = DateTime.addDuration(now, refundPendingFor)
    return Pending({ answer, echo, learnBy, until, providerReference })
  }
  if (status !== "failed" && status !== "canceled") {
    return Unknown({ reason: "the answer's status is none of a refund", answer })
  }
  const detail = "The provider could not send the refund to the card."
  return Refused({ code: "PROVIDER_ERROR", detail, answer, mayTryAnother: false, echo, providerReference })
}

const stageOf = (intent: PaymentIntent) => {
  const { cancellation_reason, last_payment_error, status } = intent
  switch (status) {
    case "requires_capture":
      return { stage: "AUTHORIZED" } as const
    case "succeeded":
      return { stage: "CAPTURED" } as const
    case "requires_action":
      return { stage: "ACTION_REQUIRED" } as const
    case "processing":
    case "requires_confirmation":
      return { stage: "PENDING" } as const
    case "canceled":
      return cancellation_reason === abandoned
        ? ({ stage: "DECLINED", code: endRuling(intent).code } as const)
        : ({ stage: "VOIDED" } as const)
    case "requires_payment_method":
      // Without an error the first try has not come to its end.
      return last_payment_error
        ? ({ stage: "DECLINED", code: rulingOf(last_payment_error, 402).code } as const)
        : ({ stage: "PENDING" } as const)
    default:
      return undefined
  }
}

/**
 * Whether the refunds have to be looked at one by one. The charge's own sum has more in it: what a capture in part or a
 * cancellation released, and refunds that are still pending.
 */
export const mayHaveRefunds = (intent: PaymentIntent): boolean =>
  intent.status === "succeeded" && chargeOf(intent)?.amount_refunded !== 0

const endedRefunds: ReadonlySet<string> = new Set(["succeeded", "failed", "canceled"])

/**
 * The refunds of ours, by our reference, that went through. Null where there are more of them on other pages, and where
 * one is not decided: it may be the one whose answer was lost, which a sum without it would show as never taken.
 */
export const refundedMinorOf = (
  { data, has_more }: { readonly data: ReadonlyArray<Refund>; readonly has_more: boolean },
  reference: string
): bigint | null => {
  const ours = data.filter(({ metadata }) => metadata?.order_id === reference)
  if (has_more || ours.some(({ status }) => status && !endedRefunds.has(status))) return null
  const done = ours.filter(({ status }) => !status || status === "succeeded")
  return done.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
}

/** Nothing where the status is unknown. Of settlement Stripe says nothing that is needed: it refunds before it. */
export const foundOf = (
  intent: PaymentIntent,
  refundedMinor: bigint | null,
  answer: ProviderAnswer
): Finding | undefined => {
  const state = stageOf(intent)
  if (state === undefined) return undefined
  const { amount_received, id: providerReference } = intent
  const capturedMinor =
    state.stage !== "CAPTURED" ? 0n : typeof amount_received === "number" ? BigInt(amount_received) : null
  const echo = echoOf(intent, authorizedMinor(intent))
  return { _tag: "Found", ...state, settled: null, capturedMinor, refundedMinor, providerReference, answer, echo }
}
