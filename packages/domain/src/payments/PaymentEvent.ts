import type { Instant } from "../time/Instant.ts"
import type { Attempt, AttemptResult } from "./Attempt.ts"
import { type AuthorizationCommand, afterCommand, authorizationTransitions } from "./AuthorizationState.ts"
import { mayBecome, type Operation, type OperationStatus, type PaymentError } from "./Operation.ts"
import { challengeMillis, type Payment, type PaymentRequest } from "./Payment.ts"
import { capturable, noSums, type Sums } from "./Sums.ts"

/** Who settled something: the request that asked for it, or what came after it. */
export type SettledBy = "request" | "reconciler" | "notification" | "operator"

export type AttemptStart = Pick<Attempt, "number" | "provider" | "reference" | "startedAt" | "deadline" | "standIns">

/** What the end of an operation adds to it. */
export type OperationResult = Pick<
  Operation,
  "id" | "providerReference" | "responseCode" | "fields" | "availableFrom" | "error" | "completedAt"
> & {
  readonly status: OperationStatus
  /** It is open again, and whoever wrote this is at work on it until then. */
  readonly deadline?: Instant
  /** It is sent now, and not when it was asked for. */
  readonly sentAt?: Instant
}

/** What happened to a payment, append-only. From these alone its state can be rebuilt. */
export type PaymentEvent =
  | {
      readonly type: "payment.begun"
      readonly at: Instant
      readonly request: PaymentRequest
      readonly attempt: AttemptStart
    }
  | {
      /** The provider certainly did not take it, and another is tried. */
      readonly type: "payment.rerouted"
      readonly at: Instant
      readonly result: AttemptResult
      readonly attempt: AttemptStart
    }
  | {
      readonly type: "payment.noted"
      readonly at: Instant
      readonly attempt: number
      readonly notes: Readonly<Record<string, string>>
    }
  | {
      /** `command` null: the outcome is not known yet, or the provider decides later; the payment stays PENDING. */
      readonly type: "authorization.settled"
      readonly at: Instant
      readonly by: SettledBy
      readonly command: AuthorizationCommand | null
      readonly result: AttemptResult
      readonly error: PaymentError | null
      readonly expiresAt: Instant | null
    }
  | { readonly type: "authorization.lapsed"; readonly at: Instant }
  /** The hosted page has sent the buyer on to the issuer. */
  | { readonly type: "challenge.begun"; readonly at: Instant }
  | {
      /** The buyer came back, or the time is over: until `deadline` the process that wrote this finds out what came of it. */
      readonly type: "challenge.ended"
      readonly at: Instant
      readonly by: "buyer" | "timeout"
      readonly deadline: Instant
    }
  | {
      /** An approval that must not stand: `BEGUN` before the provider is told, `DONE` when it has taken it back. */
      readonly type: "attempt.reversed"
      readonly at: Instant
      readonly by: SettledBy
      readonly attempt: number
      readonly status: "BEGUN" | "DONE"
      readonly reason: string
    }
  | {
      /** What is disputed of it now, by the provider's verified word; 0 when the dispute was won or withdrawn. */
      readonly type: "payment.disputed"
      readonly at: Instant
      readonly minor: bigint
    }
  | { readonly type: "review.requested"; readonly at: Instant; readonly reason: string }
  | { readonly type: "review.closed"; readonly at: Instant; readonly evidence: string }
  | { readonly type: "operation.begun"; readonly at: Instant; readonly operation: Operation }
  | {
      readonly type: "operation.settled"
      readonly at: Instant
      readonly by: SettledBy
      readonly result: OperationResult
    }

const startAttempt = (start: AttemptStart): Attempt => ({
  ...start,
  sentAt: start.startedAt,
  isDoubtful: false,
  reversal: null,
  completedAt: null,
  outcome: "RUNNING",
  providerReference: null,
  responseCode: null,
  fields: {},
  notes: {},
  detail: null
})

const finishAttempt = (attempts: ReadonlyArray<Attempt>, result: AttemptResult): ReadonlyArray<Attempt> =>
  attempts.map((attempt) =>
    attempt.number === result.number
      ? {
          ...attempt,
          ...result,
          notes: { ...attempt.notes, ...result.notes },
          isDoubtful: attempt.isDoubtful || result.isDoubtful
        }
      : attempt
  )

const changeAttempt = (payment: Payment, number: number, change: (attempt: Attempt) => Attempt): Payment => ({
  ...payment,
  attempts: payment.attempts.map((attempt) => (attempt.number === number ? change(attempt) : attempt))
})

/** The state after the first event. */
export const begin = (request: PaymentRequest, attempt: AttemptStart): Payment => ({
  ...request,
  authorization: "PENDING",
  sums: noSums,
  lapsed: false,
  error: null,
  attempts: [startAttempt(attempt)],
  operations: [],
  challenge: null,
  needsReview: null,
  expiresAt: null,
  updatedAt: request.createdAt,
  version: 1
})

const reserve = (sums: Sums, { minor, type }: Operation): Sums => {
  if (type === "CAPTURE") return { ...sums, capturePending: sums.capturePending + minor }
  return type === "REFUND" ? { ...sums, refundPending: sums.refundPending + minor } : sums
}

const settleSums = (sums: Sums, operation: Operation, to: OperationStatus): Sums => {
  const { final, minor, status, type } = operation
  if (status === to) return sums
  const wasPending = status === "PENDING"
  const sign = to === "SUCCEEDED" ? 1n : wasPending ? 0n : -1n
  const unreserved = wasPending ? minor : 0n
  if (type === "REFUND") {
    return { ...sums, refundPending: sums.refundPending - unreserved, refunded: sums.refunded + sign * minor }
  }
  if (type === "VOID") return { ...sums, released: sums.released + sign * minor }
  const captured = { ...sums, capturePending: sums.capturePending - unreserved, captured: sums.captured + sign * minor }
  return to === "SUCCEEDED" && final ? { ...captured, released: captured.released + capturable(captured) } : captured
}

type SettledOperation = Extract<PaymentEvent, { type: "operation.settled" }>

const settleOperation = (payment: Payment, { by, result }: SettledOperation): Payment => {
  const operation = payment.operations.find(({ id }) => id === result.id)
  if (operation === undefined || !mayBecome(operation.status, result.status)) return payment
  const settled = { ...operation, ...result, deadline: result.deadline ?? null }
  // A void that began before the authorization was known has nothing to release: its payment ends by its own command.
  const sums =
    payment.authorization === "AUTHORIZED" ? settleSums(payment.sums, operation, result.status) : payment.sums
  const operations = payment.operations.map((one) => (one.id === result.id ? settled : one))
  // What was looked into was this, and not what its own request has done since.
  const isSettled = operation.status === "PENDING" && result.status !== "PENDING" && by !== "request"
  const needsReview = isSettled ? null : payment.needsReview
  return { ...payment, sums, operations, needsReview }
}

const settleAuthorization = (
  payment: Payment,
  event: Extract<PaymentEvent, { type: "authorization.settled" }>
): Payment => {
  const authorization =
    event.command === null
      ? payment.authorization
      : (afterCommand(payment.authorization, event.command) ?? payment.authorization)
  const sums = authorization === "AUTHORIZED" ? { ...payment.sums, authorized: payment.money.minor } : payment.sums
  // A second step of the same challenge has what is left of its time, and is taken by the same page.
  const endsAt = payment.challenge?.endsAt ?? event.at + challengeMillis
  return {
    ...payment,
    authorization,
    sums,
    error: event.error,
    challenge: event.command === "challenge" ? { endsAt, begunAt: null, endedBy: null } : payment.challenge,
    needsReview: event.command === null ? payment.needsReview : null,
    expiresAt: event.expiresAt ?? payment.expiresAt,
    attempts: finishAttempt(payment.attempts, event.result)
  }
}

/** Where the buyer never came back nothing is sent, so that the proof of an absence need not be waited for anew. */
const endChallenge = (
  payment: Payment,
  { at, by, deadline }: Extract<PaymentEvent, { type: "challenge.ended" }>
): Payment => ({
  ...payment,
  authorization: afterCommand(payment.authorization, "await") ?? payment.authorization,
  challenge: payment.challenge === null ? null : { ...payment.challenge, endedBy: by },
  attempts: payment.attempts.map((attempt, index) =>
    index === payment.attempts.length - 1
      ? { ...attempt, outcome: "RUNNING", sentAt: by === "buyer" ? at : attempt.sentAt, deadline }
      : attempt
  )
})

const change = (payment: Payment, event: PaymentEvent): Payment => {
  switch (event.type) {
    case "payment.begun":
      return payment
    case "payment.rerouted":
      return { ...payment, attempts: [...finishAttempt(payment.attempts, event.result), startAttempt(event.attempt)] }
    case "payment.noted":
      return changeAttempt(payment, event.attempt, (attempt) => ({
        ...attempt,
        notes: { ...attempt.notes, ...event.notes }
      }))
    case "authorization.settled":
      return settleAuthorization(payment, event)
    case "authorization.lapsed":
      return {
        ...payment,
        lapsed: true,
        sums: { ...payment.sums, released: payment.sums.released + capturable(payment.sums) }
      }
    case "challenge.begun":
      return payment.challenge === null
        ? payment
        : { ...payment, challenge: { ...payment.challenge, begunAt: payment.challenge.begunAt ?? event.at } }
    case "challenge.ended":
      return endChallenge(payment, event)
    case "attempt.reversed":
      return {
        ...changeAttempt(payment, event.attempt, (attempt) => ({ ...attempt, reversal: event.status })),
        needsReview: event.status === "DONE" ? null : payment.needsReview
      }
    case "payment.disputed":
      return { ...payment, sums: { ...payment.sums, disputed: event.minor } }
    case "review.requested":
      return { ...payment, needsReview: event.reason }
    case "review.closed":
      return { ...payment, needsReview: null }
    case "operation.begun":
      return {
        ...payment,
        sums: reserve(payment.sums, event.operation),
        operations: [...payment.operations, event.operation]
      }
    case "operation.settled":
      return settleOperation(payment, event)
  }
}

/** The state after one more event. */
export const apply = (payment: Payment, event: PaymentEvent): Payment => ({
  ...change(payment, event),
  updatedAt: event.at,
  version: payment.version + 1
})

/** The state that a payment's events make, in their order; undefined unless the first is its beginning. */
export const rebuild = (events: ReadonlyArray<PaymentEvent>): Payment | undefined => {
  const [first, ...rest] = events
  return first?.type === "payment.begun" ? rest.reduce(apply, begin(first.request, first.attempt)) : undefined
}

/** Where the request that began the payment, or one of its operations, ended; negative while it has not. */
const endOfRequest = (events: ReadonlyArray<PaymentEvent>, operationId: string | null): number => {
  if (operationId !== null) {
    return events.findIndex(
      (event) => event.type === "operation.settled" && event.by === "request" && event.result.id === operationId
    )
  }
  // An operation that comes first is a void of what was not known: how it ends the payment is its own request's word.
  const index = events.findIndex(({ type }) => type === "authorization.settled" || type === "operation.begun")
  const event = events[index]
  return event?.type === "authorization.settled" && event.by === "request" ? index : -1
}

/**
 * The state that the first request of a payment, or of one of its operations, was answered with; undefined when that
 * request ended without a final word (a challenge is none), so that a repeat is answered with the present state
 * (contract section 1).
 */
export const answered = (events: ReadonlyArray<PaymentEvent>, operationId: string | null): Payment | undefined => {
  const state = rebuild(events.slice(0, endOfRequest(events, operationId) + 1))
  if (state === undefined) return undefined
  const isFinal =
    operationId === null
      ? Object.keys(authorizationTransitions[state.authorization]).length === 0
      : state.operations.some(({ id, status }) => id === operationId && status !== "PENDING")
  return isFinal ? state : undefined
}
