import { make } from "@sarraf/adapters/providers/network-international/Adapter"
import type { NetworkInternationalCredentials } from "@sarraf/adapters/providers/network-international/Credentials"
import type { ProviderRequest } from "@sarraf/adapters/providers/ProviderTransport"
import { Money } from "@sarraf/domain/money/Money"
import type { OperationCall } from "@sarraf/domain/payments/PaymentProvider"
import { Effect, Redacted } from "effect"
import { type Answer, answersInTurn, jsonAnswer } from "../answers.ts"
import { callsOf } from "../calls.ts"

export const reference = "srfabcdefghijklmnopqr001"
export const outlet = "11111111-1111-4111-8111-111111111111"
export const orderReference = "22222222-2222-4222-8222-222222222222"
export const paymentId = "33333333-3333-4333-8333-333333333333"
export const captureId = "44444444-4444-4444-8444-444444444444"
export const otherId = "55555555-5555-4555-8555-555555555555"
export const returnUrl = "https://gateway.test/pf/v1/3ds/token/return"

const host = "https://api-gateway.sandbox.ngenius-payments.com"
export const orderUrl = `${host}/transactions/outlets/${outlet}/orders/${orderReference}`
export const paymentUrl = `${orderUrl}/payments/${paymentId}`

export const credentials: NetworkInternationalCredentials = {
  apiKey: Redacted.make("aWQ6c2VjcmV0"),
  outletReference: outlet,
  apiUrl: host
}

const calls = callsOf({
  reference,
  operationReference: "srf000000000000000000002",
  money: new Money({ currency: "AED", minor: 1000n }),
  cardNumber: "4111111111111111",
  providerReference: paymentId,
  notes: { orderReference, paymentId }
})
export const { authorization, authorizeCall, capture, captureCall, returnCall } = calls

/** After the whole was captured. */
export const operationCall = (minor: bigint, changes: Partial<OperationCall> = {}): OperationCall =>
  calls.operationCall(minor, { captures: [capture(captureId)], ...changes })

export const answer = (status: number, json: unknown) =>
  jsonAnswer(status, json, { "content-type": "application/vnd.ni-payment.v2+json" })

export const tokenAnswer = answer(200, {
  access_token: "token-1",
  expires_in: 300,
  refresh_expires_in: 0,
  token_type: "Bearer"
})

/** An outlet whose gateway hands out a token and gives these answers in turn, and the requests that it was sent. */
export const outletAnswering = (
  answers: ReadonlyArray<Answer>,
  options: { readonly credentials?: NetworkInternationalCredentials; readonly token?: Answer } = {}
) => {
  const payments = answersInTurn(answers)
  const exchanges: Array<ProviderRequest> = []
  const token = options.token ?? tokenAnswer
  const provider = make({
    credentials: options.credentials ?? credentials,
    transport: {
      send: (request) =>
        Effect.suspend(() => {
          if (!request.url.endsWith("/identity/auth/access-token")) return payments.transport.send(request)
          exchanges.push(request)
          return Effect.isEffect(token) ? token : Effect.succeed(token)
        })
    }
  })
  return { provider, requests: payments.requests, exchanges }
}

/** The same, where each answer is JSON with status 200. */
export const outletSaying = (...bodies: ReadonlyArray<unknown>) =>
  outletAnswering(bodies.map((body) => answer(200, body)))

export const link = (href: string) => ({ href })

/** A payment as the gateway tells of it, by the provider sheet's section 4. */
export const payment = (changes: object = {}) => ({
  _id: `urn:payment:${paymentId}`,
  _links: { self: link(paymentUrl) },
  reference: paymentId,
  paymentMethod: {
    expiry: "2030-03",
    cardholderName: "Ayşe Yılmaz",
    name: "VISA",
    pan: "411111******1111",
    cvv: "***"
  },
  state: "AUTHORISED",
  amount: { currencyCode: "AED", value: 1000 },
  outletId: outlet,
  orderReference,
  merchantOrderReference: reference,
  authResponse: { authorizationCode: "128120", success: true, resultCode: "00", resultMessage: "Approved", mid: "1" },
  "3ds": {},
  ...changes
})

export const failed = (resultCode: string, changes: object = {}) =>
  payment({
    state: "FAILED",
    authResponse: { authorizationCode: "      ", success: false, resultCode, resultMessage: "No" },
    ...changes
  })

export const order = (one: object = payment(), changes: object = {}) => ({
  _id: `urn:order:${orderReference}`,
  reference: orderReference,
  outletId: outlet,
  merchantOrderReference: reference,
  amount: { currencyCode: "AED", value: 1000 },
  formattedAmount: "د.إ.\u200F 10.00",
  _embedded: { payment: [one] },
  ...changes
})

export const started = (changes: object = {}) => {
  const { authResponse: _answer, paymentMethod: _card, ...rest } = payment()
  return {
    ...rest,
    state: "STARTED",
    _links: { self: link(paymentUrl), "payment:card": link(`${paymentUrl}/card`) },
    ...changes
  }
}

export const awaiting = (changes: object = {}) => {
  const { authResponse: _answer, ...rest } = payment()
  return {
    ...rest,
    state: "AWAIT_3DS",
    _links: {
      "cnp:3ds": link(`${paymentUrl}/card/3ds`),
      "cnp:3ds2-authentication": link(`${paymentUrl}/card/3ds2/authentications`),
      "cnp:3ds2-challenge-response": link(`${paymentUrl}/card/3ds2/challenge-response`)
    },
    "3ds2": { messageVersion: "2.1.0", threeDSMethodURL: "https://acs.test/method", threeDSServerTransID: otherId },
    ...changes
  }
}

export const movement = (id: string, value: number, state = "SUCCESS") => ({
  _links: { self: link(`${paymentUrl}/captures/${id}`) },
  amount: { currencyCode: "AED", value },
  createdTime: "2026-11-21T09:00:00Z",
  state
})

export const captured = (value = 1000, state = "CAPTURED") =>
  payment({ state, _embedded: { "cnp:capture": [movement(captureId, value)] } })

export const errorOf = (errorCode: string, message = "It was refused.") => ({
  message: "Unprocessable",
  code: 422,
  errors: [{ message, localizedMessage: message, errorCode, domain: "payment" }]
})
