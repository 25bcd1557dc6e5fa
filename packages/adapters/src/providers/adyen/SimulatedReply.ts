import { Effect } from "effect"
import type { Json } from "../PostedBody.ts"
import type { ProviderResponse } from "../ProviderTransport.ts"
import * as Answers from "./SimulatedAnswers.ts"
import type { Payment } from "./SimulatedPayment.ts"
import { digestOf, type Fault, invalid } from "./SimulatedRequest.ts"

export interface Question {
  /** `payments/{pspReference}/captures` */
  readonly path: string
  /** The idempotency key. */
  readonly key: string | undefined
  readonly body: Json
  /** Milliseconds since 1970. */
  readonly now: number
}

export const reply = (
  status: number,
  json: unknown,
  { key }: Question,
  more: Readonly<Record<string, string>> = {}
): ProviderResponse => ({
  status,
  headers: {
    "content-type": "application/json;charset=UTF-8",
    ...(key === undefined ? {} : { "idempotency-key": key }),
    ...more
  },
  body: new TextEncoder().encode(JSON.stringify(json))
})

export const refuse = (fault: Fault, question: Question): ProviderResponse =>
  reply(fault.status, Answers.failure(fault), question, fault.isTransient ? { "transient-error": "true" } : {})

/** An answer, and the payment with the answer that its key stands for: neither is ever there alone. */
export const answer = (payment: Payment, question: Question, status: number, json: Json) => {
  const { body, key, path } = question
  const call = { digest: digestOf(path, body), status, json }
  const stored = key === undefined ? payment : { ...payment, calls: { ...payment.calls, [key]: call } }
  return { response: reply(status, json, question), stored }
}

const inUse = invalid("704", "request already processed or in progress")

/** The answer that the key got before; under it, another request is refused. */
export const replay = (payment: Payment | undefined, question: Question): ProviderResponse => {
  const { body, key, path } = question
  const call = key === undefined ? undefined : payment?.calls[key]
  return call === undefined || call.digest !== digestOf(path, body)
    ? refuse(inUse, question)
    : reply(call.status, call.json, question)
}

/** One request at a time for each key. */
export const serve = <E>(
  running: Set<string>,
  question: Question,
  step: Effect.Effect<ProviderResponse, E>
): Effect.Effect<ProviderResponse, E> => {
  const { key } = question
  if (key === undefined) return step
  return Effect.suspend(() => {
    if (running.has(key)) return Effect.succeed(refuse({ ...inUse, isTransient: true }, question))
    running.add(key)
    return Effect.ensuring(
      step,
      Effect.sync(() => running.delete(key))
    )
  })
}
