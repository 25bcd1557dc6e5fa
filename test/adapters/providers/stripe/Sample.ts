import type { ProviderRequest } from "@sarraf/adapters/providers/ProviderTransport"
import { make } from "@sarraf/adapters/providers/stripe/Adapter"
import { sandboxCredentials } from "@sarraf/adapters/providers/stripe/Simulator"
import { Money } from "@sarraf/domain/money/Money"
import { type Answer, answersInTurn, jsonAnswer } from "../answers.ts"
import { callsOf } from "../calls.ts"

export const pagesUrl = "http://localhost:8080/sandbox/stripe"
const credentials = sandboxCredentials(pagesUrl)

export const reference = "srf000000000000000000001"
export const intentId = "pi_3sample"

export const { authorization, authorizeCall, captureCall, operationCall, returnCall } = callsOf({
  reference,
  operationReference: "srf000000000000000000002",
  money: new Money({ currency: "USD", minor: 1000n }),
  cardNumber: "4111111111111111",
  providerReference: intentId
})

export const answer = (status: number, json: unknown, headers: Readonly<Record<string, string>> = {}) =>
  jsonAnswer(status, json, { "content-type": "application/json", "request-id": "req_of_theirs", ...headers })

/** An account whose Stripe gives these answers in turn, and the requests that it was sent. */
export const accountAnswering = (...answers: ReadonlyArray<Answer>) => {
  const { requests, transport } = answersInTurn(answers)
  return { stripe: make({ credentials, transport }), requests }
}

/** The same, where each answer is JSON with status 200. */
export const accountSaying = (...bodies: ReadonlyArray<unknown>) =>
  accountAnswering(...bodies.map((body) => answer(200, body)))

export const formOf = ({ body }: ProviderRequest): Readonly<Record<string, string>> =>
  Object.fromEntries(new URLSearchParams(new TextDecoder().decode(body)))

/** A payment as Stripe tells of it, by the provider sheet's answer fields. */
export const intent = (changes: object = {}) => ({
  id: intentId,
  object: "payment_intent",
  amount: 1000,
  amount_capturable: 1000,
  amount_received: 0,
  cancellation_reason: null,
  client_secret: "pi_3sample_secret_abc",
  currency: "usd",
  last_payment_error: null,
  latest_charge: {
    id: "ch_3sample",
    object: "charge",
    amount_captured: 0,
    amount_refunded: 0,
    billing_details: { name: "Ayşe Yılmaz", email: "ayse@example.com" },
    outcome: { network_status: "approved_by_network", risk_level: "normal", seller_message: "Payment complete." },
    payment_method_details: { card: { brand: "visa", last4: "1111", authorization_code: "A12345" } }
  },
  livemode: false,
  metadata: { order_id: reference },
  next_action: null,
  status: "requires_capture",
  ...changes
})

export const captured = (changes: object = {}) =>
  intent({ status: "succeeded", amount_capturable: 0, amount_received: 1000, ...changes })

export const refund = (changes: object = {}) => ({
  id: "re_3sample1",
  object: "refund",
  amount: 400,
  currency: "usd",
  payment_intent: intentId,
  metadata: { order_id: reference },
  status: "succeeded",
  ...changes
})

export const list = (...data: ReadonlyArray<unknown>) => ({ object: "list", data, has_more: false })

export const errorOf = (error: object) => ({ error: { type: "card_error", message: "Not passed on.", ...error } })
