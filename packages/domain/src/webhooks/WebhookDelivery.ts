import type { EventType } from "../events/EventLog.ts"
import type { Instant } from "../time/Instant.ts"

/** PENDING has attempts left; FAILED has none, and is sent again only when somebody asks for it. */
export const deliveryStatuses = ["PENDING", "SUCCEEDED", "FAILED"] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** One try to hand an event over. */
export interface DeliveryAttempt {
  /** From 1. */
  readonly number: number
  readonly at: Instant
  readonly durationMillis: number
  /** The receiver's HTTP status; null where there was no answer. */
  readonly status: number | null
  /** Why there was no answer, a sentence; null where there was one. */
  readonly error: string | null
  /** The first 2 KiB of the answer as text; null where there was none. */
  readonly answer: string | null
}

/** One event on its way to one endpoint. */
export interface WebhookDelivery {
  /** `whd_…` */
  readonly id: string
  readonly endpointId: string
  readonly eventId: string
  readonly eventType: EventType
  readonly status: DeliveryStatus
  /** How many were made. */
  readonly attempts: number
  /** When the next is due; null where none is. */
  readonly nextAttemptAt: Instant | null
  readonly createdAt: Instant
  readonly completedAt: Instant | null
}
