import type {
  ConnectFailed,
  NoAnswer,
  ProviderRequest,
  ProviderResponse
} from "@sarraf/adapters/providers/ProviderTransport"
import { make } from "@sarraf/adapters/providers/stripe/Adapter"
import { sandboxCredentials } from "@sarraf/adapters/providers/stripe/Simulator"
import { Money } from "@sarraf/domain/money/Money"
import { CardNumber } from "@sarraf/domain/payments/CardNumber"
import type { Authorization, AuthorizeCall, CaptureCall, OperationCall } from "@sarraf/domain/payments/PaymentProvider"
import { DateTime, Effect, Redacted, Result } from "effect"

export const reference = "srf000000000000000000001"
export const intentId = "pi_3sample"

export const dollars = (minor: bigint) => new Money({ currency: "USD", minor })

export const authorizeCall = (changes: Partial<AuthorizeCall> = {}): AuthorizeCall => ({
  reference,
  money: dollars(1000n),
  card: {
    number: Result.getOrThrow(CardNumber.parse("4111111111111111")),
    expMonth: 3,
    expYear: 2030,
    cvc: Redacted.make("737"),
    holderName: "Ayşe Yılmaz"
  },
  installment: 1,
  buyer: { firstName: "Ayşe", lastName: "Yılmaz", email: "ayse+1@example.com", ip: "203.0.113.7" },
  billingAddress: { address: "Çiçek Sokağı 5 & 7", city: "İzmir", country: "TR", postalCode: "35000" },
  requestId: "req-of-ours",
  note: () => Effect.void,
  ...changes
})

export const authorization = (changes: Partial<Authorization> = {}): Authorization => ({
  reference,
  providerReference: intentId,
  notes: {},
  money: dollars(1000n),
  authorizedAt: DateTime.makeUnsafe("2026-11-21T09:00:00Z"),
  ...changes
})

export const operationCall = (minor: bigint, changes: Partial<Authorization> = {}): OperationCall => ({
  authorization: authorization(changes),
  operationId: "op_1",
  reference: "srf000000000000000000002",
  money: dollars(minor),
  captures: [],
  requestId: "req-of-ours"
})

export const captureCall = (minor: bigint, changes: Partial<Authorization> = {}): CaptureCall => ({
  ...operationCall(minor, changes),
  final: true
})

export const answer = (
  status: number,
  json: unknown,
  headers: Readonly<Record<string, string>> = {}
): ProviderResponse => ({
  status,
  headers: { "content-type": "application/json", "request-id": "req_of_theirs", ...headers },
  body: json instanceof Uint8Array ? json : new TextEncoder().encode(JSON.stringify(json))
})

type Answers = ReadonlyArray<Effect.Effect<ProviderResponse, ConnectFailed | NoAnswer>>

/** An account whose Stripe gives these answers in turn, and the requests that it was sent. */
export const accountAnswering = (...answers: Answers) => {
  const requests: Array<ProviderRequest> = []
  const stripe = make({
    credentials: sandboxCredentials,
    transport: {
      send: (request) =>
        Effect.suspend(() => {
          requests.push(request)
          return answers[requests.length - 1] ?? Effect.die(new Error("Stripe was asked more often than foreseen."))
        })
    }
  })
  return { stripe, requests }
}

/** The same, where each answer is JSON with status 200. */
export const accountSaying = (...bodies: ReadonlyArray<unknown>) =>
  accountAnswering(...bodies.map((body) => Effect.succeed(answer(200, body))))

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
