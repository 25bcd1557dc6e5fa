import { DateTime, Duration } from "effect"
import type { Money } from "../money/Money.ts"
import type { Capabilities } from "../routing/Capabilities.ts"
import type { Instant } from "../time/Instant.ts"
import type { Attempt, AttemptResult } from "./Attempt.ts"
import type { AuthorizationCommand } from "./AuthorizationState.ts"
import { compare, type Expected } from "./Integrity.ts"
import type { Operation, PaymentError } from "./Operation.ts"
import { noAnswer, type Outcome, type ProviderAnswer, Unknown } from "./Outcome.ts"
import type { OperationResult, PaymentEvent, SettledBy } from "./PaymentEvent.ts"

/** A payment approved for less than was asked: it is reversed, never kept (contract section 4). */
export const isPartialApproval = (expected: Expected, outcome: Outcome): boolean =>
  outcome._tag === "Accepted" && compare(expected, outcome.echo)._tag === "less"

/** The outcome as it stands after the integrity check: an answer that is about something else is no answer. */
export const checked = (expected: Expected, outcome: Outcome): Outcome => {
  if (outcome._tag === "NotSent" || outcome._tag === "Unknown") return outcome
  const integrity = compare(expected, outcome.echo)
  if (integrity._tag === "differs") {
    return Unknown({ reason: `the answer is about another ${integrity.fields.join(" and ")}`, answer: outcome.answer })
  }
  return integrity._tag === "less" && outcome._tag === "Accepted"
    ? Unknown({ reason: "the answer confirms a smaller amount", answer: outcome.answer })
    : outcome
}

/** Certain that this provider did not take the payment, so that another may be tried (contract section 4, failover). */
export const certainlyNotTaken = (outcome: Outcome): boolean =>
  outcome._tag === "NotSent" || (outcome._tag === "Refused" && outcome.mayTryAnother)

const unsettledDetail = "The outcome is not known yet and will be settled: read the payment again, do not pay again."

/** What the caller is told went wrong; null where nothing did. */
const errorOf = (outcome: Outcome): PaymentError | null => {
  switch (outcome._tag) {
    case "Refused":
      return { code: outcome.code, detail: outcome.detail }
    case "NotSent":
      return { code: "PROVIDER_ERROR", detail: "No provider could be reached; no money moved. Try again later." }
    case "Unknown":
      return { code: "TIMEOUT", detail: unsettledDetail }
    default:
      return null
  }
}

const commandOf = (outcome: Outcome): AuthorizationCommand | null => {
  switch (outcome._tag) {
    case "Accepted":
      return "authorize"
    case "ActionRequired":
      return "challenge"
    case "Refused":
      return outcome.code === "PROVIDER_ERROR" ? "fail" : "decline"
    case "NotSent":
      return "fail"
    default:
      return null
  }
}

/** What the provider said, where anybody did. */
export const answerOf = (outcome: Outcome): ProviderAnswer =>
  "answer" in outcome && outcome.answer !== undefined ? outcome.answer : noAnswer

const referenceOf = (outcome: Outcome): string | null =>
  "providerReference" in outcome && outcome.providerReference !== undefined ? outcome.providerReference : null

/** What the end of a call adds to its attempt. */
export const attemptResult = (attempt: Attempt, outcome: Outcome, at: Instant, isDoubtful = false): AttemptResult => ({
  number: attempt.number,
  completedAt: at,
  outcome: outcome._tag,
  providerReference: referenceOf(outcome) ?? attempt.providerReference,
  ...answerOf(outcome),
  notes: ("notes" in outcome && outcome.notes) || {},
  detail: "reason" in outcome && outcome.reason !== undefined ? outcome.reason : null,
  isDoubtful: isDoubtful || ["ActionRequired", "Pending", "Unknown"].includes(outcome._tag)
})

/** The event that an authorization's outcome is. */
export const settleAuthorization = (
  attempt: Attempt,
  outcome: Outcome,
  capabilities: Capabilities,
  at: Instant,
  by: SettledBy,
  isDoubtful = false
): PaymentEvent => ({
  type: "authorization.settled",
  at,
  by,
  command: commandOf(outcome),
  result: attemptResult(attempt, outcome, at, isDoubtful),
  error: errorOf(outcome),
  expiresAt:
    outcome._tag !== "Accepted"
      ? null
      : outcome.expiresAt === undefined
        ? at + Duration.toMillis(capabilities.authorizationWindow)
        : DateTime.toEpochMillis(outcome.expiresAt)
})

const operationStatus = { Accepted: "SUCCEEDED", Refused: "FAILED", NotSent: "FAILED" } as const

/** The event that the outcome of a capture, refund or void is. */
export const settleOperation = (operation: Operation, outcome: Outcome, at: Instant, by: SettledBy): PaymentEvent => {
  const status =
    outcome._tag in operationStatus ? operationStatus[outcome._tag as keyof typeof operationStatus] : "PENDING"
  const result: OperationResult = {
    id: operation.id,
    status,
    // A later word may come without it, and one after that names the operation by it.
    providerReference: referenceOf(outcome) || operation.providerReference,
    ...answerOf(outcome),
    availableFrom: null,
    error: errorOf(outcome),
    completedAt: status === "PENDING" ? null : at
  }
  return { type: "operation.settled", at, by, result }
}

/**
 * A refund that has to wait until the provider's batch has closed (contract section 4, refund before settlement); with
 * null its time has come and it is open again, with the deadline of who is at work on it.
 */
export const deferOperation = (
  operation: Operation,
  availableFrom: Instant | null,
  at: Instant,
  by: SettledBy,
  deadline?: Instant
): PaymentEvent => ({
  type: "operation.settled",
  at,
  by,
  result: {
    ...(deadline === undefined ? {} : { deadline, sentAt: at }),
    id: operation.id,
    status: "PENDING",
    providerReference: operation.providerReference,
    responseCode: null,
    fields: {},
    availableFrom,
    error: null,
    completedAt: null
  }
})

/** What an operation's answer has to be about. */
export const expectedOf = (reference: string, money: Money, last4?: string): Expected =>
  last4 === undefined ? { reference, money } : { reference, money, last4 }
