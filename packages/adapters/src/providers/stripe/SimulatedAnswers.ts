import { captureBefore, type Intent, refundedOf, type StoredRefund } from "./SimulatedIntent.ts"
import type { Fault } from "./SimulatedRequest.ts"

type Json = Readonly<Record<string, unknown>>

/** `pi_3…`, `ch_3…`, `re_3…`: one payment's identifiers share what follows. */
const coreOf = ({ id }: Intent): string => id.slice(3)
const chargeIdOf = (intent: Intent): string => `ch_${coreOf(intent)}`
const refundIdOf = (intent: Intent, index: number): string => `re_${coreOf(intent)}${index + 1}`

/** Where a buyer proves who they are. */
export const issuerUrl = (pagesUrl: string, id: string): string => `${pagesUrl}/issuer/${id}`
export const secretOf = ({ id }: Intent): string => `${id}_secret_simulated`

/** The payment that a refund's identifier belongs to, and the refund's place in it. */
export const paymentOfRefund = (id: string): { readonly id: string; readonly index: number } | undefined => {
  const match = /^re_(3\w{23})([1-9]\d*)$/u.exec(id)
  return match === null ? undefined : { id: `pi_${match[1]}`, index: Number(match[2]) - 1 }
}

const isPaid = ({ refunds, state }: Intent): boolean =>
  state.status === "requires_capture" || state.status === "succeeded" || refunds.length > 0

const outcomeOf = (intent: Intent): Json =>
  isPaid(intent)
    ? { network_status: "approved_by_network", reason: null, risk_level: "normal", type: "authorized" }
    : {
        network_status: "declined_by_network",
        reason: intent.state.lastError?.decline_code ?? intent.state.lastError?.code ?? null,
        risk_level: "normal",
        type: "issuer_declined"
      }

const chargeOf = (intent: Intent): Json => {
  const { amount, card, created, currency, state } = intent
  const refunded = refundedOf(intent)
  return {
    id: chargeIdOf(intent),
    object: "charge",
    amount,
    amount_captured: state.received,
    amount_refunded: refunded,
    captured: state.status === "succeeded",
    created,
    currency,
    livemode: false,
    outcome: outcomeOf(intent),
    paid: isPaid(intent),
    payment_intent: intent.id,
    payment_method_details: {
      card: {
        ...card,
        authorization_code: isPaid(intent) ? coreOf(intent).slice(-6).toUpperCase() : null,
        ...(intent.captureMethod === "manual" ? { capture_before: captureBefore(intent) } : {}),
        checks: { address_line1_check: "pass", address_postal_code_check: "pass", cvc_check: "pass" },
        installments: null,
        network: card.brand,
        three_d_secure:
          state.authentication === null
            ? null
            : { authentication_flow: state.authentication, result: "authenticated", version: "2.2.0" },
        wallet: null
      },
      type: "card"
    },
    refunded: refunded === amount,
    status: isPaid(intent) ? "succeeded" : "failed"
  }
}

/** `pagesUrl`: below which the issuer's page is. */
const nextActionOf = ({ id, returnUrl, state }: Intent, pagesUrl: string): Json | null => {
  if (state.status !== "requires_action") return null
  const url = issuerUrl(pagesUrl, id)
  return returnUrl === null
    ? { type: "use_stripe_sdk", use_stripe_sdk: { type: "three_d_secure_redirect", stripe_js: url } }
    : { type: "redirect_to_url", redirect_to_url: { url, return_url: returnUrl } }
}

const errorOf = ({ status: _, ...error }: Fault): Json => error

const latestChargeOf = (intent: Intent, expanded: boolean): Json | string | null => {
  if (!intent.state.isCharged) return null
  return expanded ? chargeOf(intent) : chargeIdOf(intent)
}

export const paymentIntent = (intent: Intent, pagesUrl: string, expanded: boolean): Json => {
  const { amount, captureMethod, created, currency, description, id, metadata, state } = intent
  return {
    id,
    object: "payment_intent",
    amount,
    amount_capturable: state.capturable,
    amount_received: state.received,
    application: null,
    canceled_at: state.canceledAt,
    cancellation_reason: state.cancellationReason,
    capture_method: captureMethod,
    client_secret: secretOf(intent),
    confirmation_method: "automatic",
    created,
    currency,
    customer: null,
    description,
    last_payment_error: state.lastError === null ? null : errorOf(state.lastError),
    latest_charge: latestChargeOf(intent, expanded),
    livemode: false,
    metadata,
    next_action: nextActionOf(intent, pagesUrl),
    payment_method: state.status === "requires_payment_method" ? null : `pm_${coreOf(intent)}`,
    payment_method_options: { card: { request_three_d_secure: intent.requestThreeDSecure } },
    payment_method_types: ["card"],
    status: state.status
  }
}

export const refundAt = (intent: Intent, index: number): Json | undefined => {
  const refund: StoredRefund | undefined = intent.refunds[index]
  return refund === undefined
    ? undefined
    : {
        id: refundIdOf(intent, index),
        object: "refund",
        amount: refund.amount,
        charge: chargeIdOf(intent),
        created: refund.created,
        currency: intent.currency,
        metadata: refund.metadata,
        payment_intent: intent.id,
        reason: refund.reason,
        receipt_number: null,
        status: refund.status,
        ...(refund.status === "failed" ? { failure_reason: "unknown" } : {})
      }
}

/** A dispute of all that was captured, in which the shop has not spoken yet. */
export const dispute = (intent: Intent, created: number): Json => ({
  id: `dp_${coreOf(intent)}`,
  object: "dispute",
  amount: intent.state.received,
  balance_transactions: [],
  charge: chargeIdOf(intent),
  created,
  currency: intent.currency,
  is_charge_refundable: false,
  livemode: false,
  metadata: {},
  payment_intent: intent.id,
  reason: "fraudulent",
  status: "needs_response"
})

/** Newest first. */
export const refundList = (intent: Intent, limit: number): Json => ({
  object: "list",
  data: intent.refunds.map((_, index) => refundAt(intent, intent.refunds.length - 1 - index)).slice(0, limit),
  has_more: intent.refunds.length > limit,
  url: "/v1/refunds"
})

export const searchResult = (intents: ReadonlyArray<Intent>, pagesUrl: string): Json => ({
  object: "search_result",
  data: intents.map((intent) => paymentIntent(intent, pagesUrl, false)),
  has_more: false,
  next_page: null,
  url: "/v1/payment_intents/search"
})

/** A card's error names its charge, and every error of an existing payment shows that payment. */
export const failure = (fault: Fault, about?: { readonly intent: Intent; readonly pagesUrl: string }): Json => ({
  error: {
    ...(fault.type === "card_error" && about !== undefined ? { charge: chargeIdOf(about.intent) } : {}),
    ...(fault.code === undefined
      ? {}
      : { doc_url: `https://stripe.com/docs/error-codes/${fault.code.replaceAll("_", "-")}` }),
    ...errorOf(fault),
    ...(about === undefined ? {} : { payment_intent: paymentIntent(about.intent, about.pagesUrl, true) })
  }
})
