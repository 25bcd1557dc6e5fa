import { make } from "@sarraf/adapters/providers/adyen/Adapter"
import { Money } from "@sarraf/domain/money/Money"
import { Redacted } from "effect"
import { type Answer, answersInTurn, jsonAnswer } from "../answers.ts"
import { callsOf } from "../calls.ts"

export const reference = "srf000000000000000000001"
export const pspReference = "NC6HT9CRT65ZGN82"
export const returnUrl = "https://gateway.example/pf/v1/3ds/a-token/return"
/** The key of the provider sheet's vectors. */
export const hmacKey = "DFB1EB5485895CFA84146406857104ABB4CBCABDC8AAF103A624C8F6A3EAAB00"

export const credentials = {
  apiKey: Redacted.make("AQE-of-ours"),
  merchantAccount: "OursECOM",
  hmacKey: Redacted.make(hmacKey),
  apiUrl: "https://0a1b-Ours-checkout-live.adyenpayments.com/checkout/v71"
}

export const { authorization, authorizeCall, captureCall, operationCall, returnCall } = callsOf({
  reference,
  operationReference: "srf000000000000000000002",
  money: new Money({ currency: "EUR", minor: 1000n }),
  cardNumber: "4111111111111111",
  providerReference: pspReference,
  request: {
    billingAddress: { address: "Çiçek Sokağı 5/7", city: "İzmir", country: "TR", postalCode: "35000", state: "İzmir" },
    description: "Order 17"
  }
})

export const answer = (status: number, json: unknown, headers: Readonly<Record<string, string>> = {}) =>
  jsonAnswer(status, json, { "content-type": "application/json;charset=UTF-8", ...headers })

/** An account whose Adyen gives these answers in turn, and the requests that it was sent. */
export const accountAnswering = (...answers: ReadonlyArray<Answer>) => {
  const { requests, transport } = answersInTurn(answers)
  return { adyen: make({ credentials, transport }), requests }
}

/** The same, where each answer is JSON with one status. */
export const accountSaying = (status: number, ...bodies: ReadonlyArray<unknown>) =>
  accountAnswering(...bodies.map((body) => answer(status, body)))

/** A payment as Adyen tells of it, by the provider sheet's answer fields. */
export const payment = (changes: object = {}) => ({
  additionalData: { authCode: "010800", cardSummary: "1111", cardHolderName: "Ayşe Yılmaz", cardBin: "411111" },
  pspReference,
  resultCode: "Authorised",
  amount: { currency: "EUR", value: 1000 },
  merchantReference: reference,
  ...changes
})

export const redirect = (changes: object = {}) =>
  payment({
    resultCode: "RedirectShopper",
    action: { type: "redirect", method: "GET", url: "https://checkoutshopper.example/threeDS/1", ...changes }
  })

export const modification = (changes: object = {}) => ({
  merchantAccount: "OursECOM",
  paymentPspReference: pspReference,
  pspReference: "KHQC5N7G84BLNK43",
  reference,
  status: "received",
  amount: { currency: "EUR", value: 400 },
  ...changes
})

export const errorOf = (errorCode: string, errorType = "validation", status = 422) => ({
  status,
  errorCode,
  message: "Card 4111111111111111 of Ayşe Yılmaz",
  errorType
})
