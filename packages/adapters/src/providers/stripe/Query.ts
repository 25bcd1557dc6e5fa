import type { ProviderAnswer } from "@sarraf/domain/payments/Outcome"
import type { Authorization, Finding } from "@sarraf/domain/payments/PaymentProvider"
import { Effect, Option } from "effect"
import { type Unanswered, unanswered } from "../ProviderReply.ts"
import type { Connection, Reply } from "./Connection.ts"
import { decodePaymentIntent, decodeRefunds, decodeSearch, encodeForm, type PaymentIntent } from "./Messages.ts"
import { foundOf, intentAnswer, mayHaveRefunds, refundedMinorOf, searchAnswer } from "./Outcomes.ts"

export const expandCharge = ["expand[0]", "latest_charge"] as const

/** Why a question has no answer: the connection's reason, or Stripe's own code. */
const reasonOf = (reply: Exclude<Reply, { readonly _tag: "Answered" }>): string =>
  reply._tag === "Failed" ? `the provider refused the question with HTTP status ${reply.status}` : reply.reason

/** Stripe's identifier of a payment, by our reference. */
type Identified =
  | { readonly _tag: "Known"; readonly id: string }
  | Extract<Finding, { readonly _tag: "Absent" }>
  | Unanswered

/**
 * By the search index, which lags behind: that it finds nothing proves nothing before `absenceProvenAfter`. Our
 * references are unique, so that a second find, or one with another reference, is no answer.
 */
export const findId = Effect.fnUntraced(function* (
  connection: Connection,
  reference: string
): Effect.fn.Return<Identified> {
  const question = encodeForm([["query", `metadata['order_id']:'${reference}'`]])
  const reply = yield* connection.get(`payment_intents/search?${question}`)
  if (reply._tag !== "Answered") return unanswered(reasonOf(reply))
  const found = decodeSearch(reply.json)
  if (Option.isNone(found)) return unanswered("the answer is no list of payments")
  const { data, has_more } = found.value
  const [only] = data
  if (only === undefined && !has_more) return { _tag: "Absent", answer: searchAnswer(reply.json, reply.requestId) }
  return only === undefined || has_more || data.length > 1 || only.metadata?.order_id !== reference
    ? unanswered("the search found other payments than the one that was asked for")
    : { _tag: "Known", id: only.id }
})

const refundedMinor = Effect.fnUntraced(function* (
  connection: Connection,
  intent: PaymentIntent,
  reference: string
): Effect.fn.Return<Unanswered | bigint | null> {
  if (!mayHaveRefunds(intent)) return 0n
  const question = encodeForm([
    ["payment_intent", intent.id],
    ["limit", "100"]
  ])
  const reply = yield* connection.get(`refunds?${question}`)
  if (reply._tag !== "Answered") return unanswered(reasonOf(reply))
  const refunds = decodeRefunds(reply.json)
  return Option.isNone(refunds)
    ? unanswered("the answer is no list of refunds")
    : refundedMinorOf(refunds.value, reference)
})

/** Our reference for a payment of Stripe's; undefined where it is none of ours, or Stripe does not say. */
export const referenceOf = Effect.fnUntraced(function* (connection: Connection, id: string) {
  const reply = yield* connection.get(`payment_intents/${encodeURIComponent(id)}`)
  if (reply._tag !== "Answered") return undefined
  const intent = Option.getOrUndefined(decodePaymentIntent(reply.json))
  return intent?.id === id ? intent.metadata?.order_id || undefined : undefined
})

/** A payment as Stripe has it at present. */
type Present =
  | { readonly _tag: "Present"; readonly intent: PaymentIntent; readonly answer: ProviderAnswer }
  | Extract<Finding, { readonly _tag: "Absent" }>
  | Unanswered

/**
 * The payment itself, asked by Stripe's identifier, never by what the search shows of it. An identifier that Stripe gave
 * and does not know is the sign of another account's key and proves no absence.
 */
export const present = Effect.fnUntraced(function* (
  connection: Connection,
  { providerReference, reference }: Authorization
): Effect.fn.Return<Present> {
  const known: Identified =
    providerReference === null ? yield* findId(connection, reference) : { _tag: "Known", id: providerReference }
  if (known._tag !== "Known") return known
  const reply = yield* connection.get(`payment_intents/${encodeURIComponent(known.id)}?${encodeForm([expandCharge])}`)
  if (reply._tag !== "Answered") return unanswered(reasonOf(reply))
  const decoded = decodePaymentIntent(reply.json)
  if (Option.isNone(decoded)) return unanswered("the answer is no payment")
  const intent = decoded.value
  if (intent.id !== known.id) return unanswered("the answer is about another payment")
  return { _tag: "Present", intent, answer: intentAnswer(intent, reply.json, reply.requestId) }
})

/** The payment, and its refunds one by one where it may have any (Stripe API reference, "List all refunds"). */
export const query = Effect.fnUntraced(function* (
  connection: Connection,
  authorization: Authorization
): Effect.fn.Return<Finding> {
  const found = yield* present(connection, authorization)
  if (found._tag !== "Present") return found
  const { answer, intent } = found
  const refunded = yield* refundedMinor(connection, intent, authorization.reference)
  if (typeof refunded === "object" && refunded !== null) return refunded
  return foundOf(intent, refunded, answer) ?? unanswered("the payment's status is not known here")
})
