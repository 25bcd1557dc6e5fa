import { Clock, Effect, Schema } from "effect"
import type { Attempt, AttemptResult } from "./Attempt.ts"
import { Accepted, noAnswer, Refused } from "./Outcome.ts"
import { lastAttempt, openOperation, type Payment } from "./Payment.ts"
import { apply, type PaymentEvent } from "./PaymentEvent.ts"
import { PaymentProviders } from "./PaymentProvider.ts"
import { PaymentStore } from "./PaymentStore.ts"
import { settleAuthorization, settleOperation } from "./Settlement.ts"

/** How a person settles what nobody else could. `seen` only closes the review. */
export const resolutions = ["authorized", "failed", "succeeded", "seen"] as const
export type Resolution = (typeof resolutions)[number]

/** The payment does not stand where this resolution could be. */
export class CannotResolve extends Schema.TaggedError<CannotResolve>()("CannotResolve", { message: Schema.String }) {}

const refuse = (message: string) => Effect.fail(new CannotResolve({ message }))

const failed = Refused({
  code: "PROVIDER_ERROR",
  detail: "It was found that the provider did not take it; no money moved.",
  answer: noAnswer,
  mayTryAnother: false,
  echo: {}
})

const accepted = ({ providerReference, reference }: Attempt) =>
  Accepted({ providerReference: providerReference ?? reference, answer: noAnswer, echo: {} })

/** The evidence stands in the attempt's detail; what the provider had said stays as it was. */
const withEvidence = (event: PaymentEvent, attempt: Attempt, evidence: string): PaymentEvent => {
  if (event.type !== "authorization.settled") return event
  const { fields, responseCode } = attempt
  const result: AttemptResult = { ...event.result, fields, responseCode, detail: `settled by an operator: ${evidence}` }
  return { ...event, result }
}

/** The events that a resolution is; pure but for what stands in its way. */
const eventsOf = (
  payment: Payment,
  as: Resolution,
  evidence: string,
  at: number,
  capabilities: Parameters<typeof settleAuthorization>[2]
): Effect.Effect<ReadonlyArray<PaymentEvent>, CannotResolve> => {
  const closed: PaymentEvent = { type: "review.closed", at, evidence }
  if (as === "seen") return payment.needsReview === null ? refuse("It is not under review.") : Effect.succeed([closed])
  const attempt = lastAttempt(payment)
  const open = openOperation(payment)
  const isOpen = payment.authorization === "PENDING" || payment.authorization === "REQUIRES_ACTION"
  if (attempt === undefined) return refuse("It has no attempt.")
  if (isOpen) {
    if (as === "succeeded") return refuse("Its authorization is open: settle it as authorized or failed.")
    if (open !== undefined && as === "authorized") {
      return refuse("It is being voided: release the approval at the provider, then settle it as failed.")
    }
    const outcome = as === "authorized" ? accepted(attempt) : failed
    const settled = settleAuthorization(attempt, outcome, capabilities, at, "operator", true)
    const voided = open === undefined ? [] : [settleOperation(open, accepted(attempt), at, "operator")]
    return Effect.succeed([withEvidence(settled, attempt, evidence), ...voided, closed])
  }
  if (open === undefined) return refuse("Nothing of it is open: close the review with --as seen.")
  if (as === "authorized") return refuse("An operation is open: settle it as succeeded or failed.")
  const outcome = as === "succeeded" ? accepted(attempt) : failed
  return Effect.succeed([settleOperation(open, outcome, at, "operator"), closed])
}

/** Settles a payment by a person's word, with the evidence for it in the audit trail (contract section 4). */
export const resolveReview = Effect.fnUntraced(function* (options: {
  readonly paymentId: string
  readonly as: Resolution
  readonly evidence: string
  readonly operator: string
}) {
  const store = yield* PaymentStore
  const providers = yield* PaymentProviders
  const before = yield* store.find(options.paymentId)
  const provider = providers.get(lastAttempt(before)?.provider ?? "")
  if (provider === undefined) return yield* refuse("Its provider is not configured in this installation.")
  const at = yield* Clock.currentTimeMillis
  const events = yield* eventsOf(before, options.as, options.evidence, at, provider.capabilities)
  const after = events.reduce(apply, before)
  const actor = { name: `operator:${options.operator}`, requestId: "" }
  yield* store.commit({ before, after, events, actor })
  return after
})
