import type { Instant } from "../time/Instant.ts"
import { jitteredPause } from "./RetrySchedule.ts"
import type { WebhookEndpoint } from "./WebhookEndpoint.ts"
import type { SendOutcome } from "./WebhookSender.ts"

/** A receiver asks for patience; after a day it is tried all the same. */
const patienceMillisMax = 24 * 3_600_000

/** An endpoint at which every attempt of five days failed is disabled. */
const failingMillisMax = 5 * 24 * 3_600_000

/** What became of the delivery. */
export type DeliveryAfter =
  | { readonly status: "FAILED" }
  | { readonly status: "PENDING"; readonly nextAttemptAt: Instant }

/** What the attempt means for the endpoint. */
export type EndpointAfter =
  | { readonly change: "none" }
  | { readonly change: "failing"; readonly since: Instant }
  /** `reason` is a sentence. */
  | { readonly change: "disable"; readonly reason: string; readonly since: Instant }

export interface AfterFailure {
  readonly delivery: DeliveryAfter
  readonly endpoint: EndpointAfter
}

/** What became of an attempt that failed, and what it is judged by. */
interface FailedAttempt {
  readonly outcome: SendOutcome
  /** The service could not even send it: nothing is known about the receiver. */
  readonly isUnsent: boolean
  /** From 1, counted since the delivery was made or sent again. */
  readonly number: number
  /** As it is now. */
  readonly endpoint: Pick<WebhookEndpoint, "retry" | "failingSince">
  /** Evenly from 0 to 1. */
  readonly chance: number
}

/** 2xx: the receiver has it (contract section 7). */
export const isAccepted = ({ status }: Pick<SendOutcome, "status">): boolean =>
  status !== null && status >= 200 && status <= 299

const endpointAfter = (failingSince: Instant | null, status: number | null, ended: Instant): EndpointAfter => {
  const since = failingSince ?? ended
  if (status === 410) return { change: "disable", reason: "The receiver answered 410 Gone.", since }
  if (ended - since >= failingMillisMax) {
    return { change: "disable", reason: "Every attempt of the last five days failed.", since }
  }
  return failingSince === null ? { change: "failing", since } : { change: "none" }
}

/**
 * What follows from an attempt that was not accepted (contract section 7). 410 ends the delivery and disables the endpoint.
 * After anything else it is tried again after the pause of the endpoint's settings, and not before the time for which the
 * receiver asked (`Retry-After`, a day at most), until its attempts are used up.
 */
export const afterFailure = ({ chance, endpoint, isUnsent, number, outcome }: FailedAttempt): AfterFailure => {
  const { failingSince, retry } = endpoint
  const ended = outcome.at + outcome.durationMillis
  const after: EndpointAfter = isUnsent ? { change: "none" } : endpointAfter(failingSince, outcome.status, ended)
  if (outcome.status === 410 || number >= retry.maxAttempts) {
    return { delivery: { status: "FAILED" }, endpoint: after }
  }
  const asked = Math.min(outcome.retryAfter ?? ended, ended + patienceMillisMax)
  const nextAttemptAt = Math.max(ended + jitteredPause(retry, number, chance), asked)
  return { delivery: { status: "PENDING", nextAttemptAt }, endpoint: after }
}
