import type { ProviderRequest, ProviderResponse } from "../ProviderTransport.ts"
import * as Answers from "./SimulatedAnswers.ts"
import { type Fault, type Fields, invalid } from "./SimulatedRequest.ts"

/** The key of the one account that the simulated Stripe knows. */
export const secretKey = "sk_test_sarrafsandbox"
/** What the account's one webhook endpoint signs with. */
export const webhookSecret = "whsec_sarrafsandbox"

/** A request to the API as the simulator has read it. */
export interface Question {
  readonly requestId: string
  /** Milliseconds since 1970. */
  readonly nowMillis: number
  /** Seconds since 1970. */
  readonly now: number
  readonly headers: Readonly<Record<string, string>>
  /** `payment_intents/pi_1/capture`. */
  readonly path: string
  readonly fields: Fields
}

const utf8 = new TextEncoder()

export const answer = (
  { headers, requestId }: Question,
  status: number,
  json: object,
  more: Readonly<Record<string, string>> = {}
): ProviderResponse => ({
  status,
  headers: {
    "content-type": "application/json",
    "request-id": requestId,
    ...(headers["stripe-version"] === undefined ? {} : { "stripe-version": headers["stripe-version"] }),
    ...(headers["idempotency-key"] === undefined ? {} : { "idempotency-key": headers["idempotency-key"] }),
    ...more
  },
  body: utf8.encode(JSON.stringify(json))
})

export const refuse = (question: Question, fault: Fault): ProviderResponse =>
  answer(question, fault.status, Answers.failure(fault))

const accepted: ReadonlySet<string> = new Set([`Bearer ${secretKey}`, `Basic ${btoa(`${secretKey}:`)}`])

/** What is wrong with a request before its content is looked at: key, version, idempotency key, kind of content. */
export const faultOfHeaders = ({ headers, method }: ProviderRequest): Fault | undefined => {
  const { authorization = "" } = headers
  if (!accepted.has(authorization)) return invalid("Invalid API Key provided: sk_test_***", undefined, undefined, 401)
  if (!/^\d{4}-\d{2}-\d{2}(?:\.\w+)?$/u.test(headers["stripe-version"] ?? "2022-11-15")) {
    return invalid("Invalid Stripe API version.")
  }
  if ((headers["idempotency-key"] ?? "").length > 255) return invalid("Idempotency keys have at most 255 characters.")
  const type = headers["content-type"] ?? ""
  return method === "POST" && !type.startsWith("application/x-www-form-urlencoded")
    ? invalid("Requests must be application/x-www-form-urlencoded.")
    : undefined
}
