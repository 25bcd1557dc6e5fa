import type { Redacted } from "effect"
import type { EventType } from "../events/EventLog.ts"
import type { Instant } from "../time/Instant.ts"
import type { RetrySettings } from "./RetrySettings.ts"

/**
 * ENABLED is delivered to. PAUSED by a person and DISABLED by the service (410, or five days of failures): its deliveries
 * wait, and go on when it is enabled again.
 */
export const endpointStatuses = ["ENABLED", "PAUSED", "DISABLED"] as const
export type EndpointStatus = (typeof endpointStatuses)[number]

/** Where an organization wants its events (contract section 7). */
export interface WebhookEndpoint {
  /** `whk_…` */
  readonly id: string
  readonly url: string
  /** The types that it gets; `["*"]`: all, those of the future too. */
  readonly events: readonly ["*"] | ReadonlyArray<EventType>
  readonly description: string | null
  readonly metadata: Readonly<Record<string, string>>
  /** Sent with each delivery. Their values may be credentials. */
  readonly headers: Readonly<Record<string, Redacted.Redacted<string>>>
  readonly retry: RetrySettings
  /** Deliveries that one process has under way to it at a time, 1 to 50. */
  readonly concurrency: number
  readonly status: EndpointStatus
  /** Why the service disabled it, a sentence; null unless DISABLED. */
  readonly disabledReason: string | null
  /** Since when every attempt failed; null where the last one succeeded. */
  readonly failingSince: Instant | null
  /** Until when the secret before the last rotation signs as well, a time that may be over; null where there was no rotation. */
  readonly formerSecretUntil: Instant | null
  readonly createdAt: Instant
  readonly updatedAt: Instant
  readonly version: number
}

/** What signs the deliveries of an endpoint: `whsec_` + base64 of 32 bytes, as it was shown. */
export interface EndpointSecrets {
  readonly current: Redacted.Redacted<string>
  /** The one before a rotation, which signs as well until `until`. */
  readonly former: { readonly secret: Redacted.Redacted<string>; readonly until: Instant } | null
}
