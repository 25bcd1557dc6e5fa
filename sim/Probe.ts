import { catalogue } from "@sarraf/adapters/providers/catalogue"
import type { PostedNotification } from "@sarraf/adapters/providers/Simulator"
import type { Attempt } from "@sarraf/domain/payments/Attempt"
import { attemptReference, bytesNeeded } from "@sarraf/domain/payments/AttemptReference"
import type { Operation } from "@sarraf/domain/payments/Operation"
import { operationCallOf } from "@sarraf/domain/payments/OperationCallOf"
import type { Outcome } from "@sarraf/domain/payments/Outcome"
import { lastAttempt, type Payment } from "@sarraf/domain/payments/Payment"
import type { PaymentProvider } from "@sarraf/domain/payments/PaymentProvider"
import { Effect } from "effect"
import { type Counterparties, openProviders } from "./Providers.ts"

/** The provider's own reference of a payment, told by its notifications where its answer was lost. */
const providerReferenceOf = (
  { posted }: Counterparties,
  provider: PaymentProvider,
  attempt: Attempt
): string | null => {
  if (attempt.providerReference !== null) return attempt.providerReference
  for (const { notification, provider: sender } of posted) {
    if (sender !== provider.id) continue
    const reading = provider.readNotification?.({ ...notification, query: {} })
    for (const { reference, word } of reading !== undefined && reading._tag !== "Forged" ? reading.items : []) {
      if (reference !== attempt.reference || word._tag !== "Authorization") continue
      if ("providerReference" in word.outcome && word.outcome.providerReference !== undefined)
        return word.outcome.providerReference
    }
  }
  return null
}

/** What a provider that only acknowledges says of it in its notifications. */
const lastWord = (
  provider: PaymentProvider,
  outcome: Outcome,
  posted: ReadonlyArray<PostedNotification>
): Outcome["_tag"] => {
  if (outcome._tag !== "Pending") return outcome._tag
  const items = posted.flatMap((notification) => {
    const reading = provider.readNotification?.({ ...notification, query: {} })
    return reading === undefined || reading._tag === "Forged" ? [] : reading.items
  })
  const words = items.flatMap(({ word }) =>
    word._tag === "Operation" && word.providerReference === outcome.providerReference ? [word.status] : []
  )
  if (words.includes("FAILED")) return "Refused"
  return words.includes("SUCCEEDED") ? "Accepted" : "Pending"
}

/** The adapter of one provider on a copy of its book, and what is posted meanwhile. */
const onCopy = Effect.fnUntraced(function* (others: Counterparties, id: string) {
  const posted: Array<PostedNotification> = []
  const { providers } = openProviders(
    catalogue.filter((entry) => entry.id === id),
    others.book.copy(),
    (_, notification) => Effect.sync(() => void posted.push(notification))
  )
  const [provider] = providers
  return provider === undefined ? yield* Effect.die(new Error(`No provider ${id}`)) : { provider, posted }
})

const operationOf = (
  { updatedAt }: Payment,
  { reference: rule }: PaymentProvider["capabilities"],
  type: Operation["type"],
  minor: bigint
): Operation => ({
  id: `op_probe_${type}_${minor}`,
  type,
  minor,
  final: true,
  status: "PENDING",
  reference: null,
  providerRequest: attemptReference(rule, new Uint8Array(bytesNeeded(rule)).fill(251)),
  providerReference: null,
  responseCode: null,
  fields: {},
  availableFrom: null,
  error: null,
  createdAt: updatedAt,
  deadline: null,
  completedAt: null
})

/**
 * Whether a provider would capture, or give back, so much of a payment now. It is tried on a copy of the provider's
 * book, which nobody looks at afterwards: the provider's own word on its sums, to the minor unit.
 */
export const wouldTake = Effect.fnUntraced(function* (
  others: Counterparties,
  payment: Payment,
  attempt: Attempt,
  type: "CAPTURE" | "REFUND",
  minor: bigint
) {
  const { posted, provider } = yield* onCopy(others, attempt.provider)
  const operation = operationOf(payment, provider.capabilities, type, minor)
  const known = { ...attempt, providerReference: providerReferenceOf(others, provider, attempt) }
  const call = operationCallOf(payment, known, operation, "probe")
  const outcome = yield* type === "CAPTURE" ? provider.capture({ ...call, final: true }) : provider.refund(call)
  return lastWord(provider, outcome, posted) === "Accepted"
})

/** Whether a provider would release the authorization now: there is something, or may still come, that it could. */
export const wouldRelease = Effect.fnUntraced(function* (others: Counterparties, payment: Payment, attempt: Attempt) {
  const { posted, provider } = yield* onCopy(others, attempt.provider)
  const { minor } = payment.money
  const known = { ...attempt, providerReference: providerReferenceOf(others, provider, attempt) }
  const operation = operationOf(payment, provider.capabilities, "VOID", minor)
  const outcome = yield* provider.cancel({ ...operationCallOf(payment, known, operation, "probe"), captures: [] })
  return lastWord(provider, outcome, posted) === "Accepted"
})

/**
 * Whether a provider takes the same refund of a part twice, since it has no name for a refund by which it would know it
 * again. That a request of such a provider came twice nobody can tell from two refunds.
 */
export const repeatsRefunds = Effect.fnUntraced(function* (others: Counterparties, payment: Payment, minor: bigint) {
  const attempt = lastAttempt(payment)
  if (attempt === undefined) return false
  const { posted, provider } = yield* onCopy(others, attempt.provider)
  const refund = (part: bigint) =>
    provider.refund(
      operationCallOf(payment, attempt, operationOf(payment, provider.capabilities, "REFUND", part), "probe")
    )
  yield* refund(minor)
  yield* refund(minor)
  const rest = yield* refund(payment.sums.captured - minor)
  return lastWord(provider, rest, posted) !== "Accepted"
})
