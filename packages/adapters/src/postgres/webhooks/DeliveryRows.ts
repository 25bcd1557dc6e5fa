import type { EventType } from "@sarraf/domain/events/EventLog"
import type { DeliveryAttempt, DeliveryStatus, WebhookDelivery } from "@sarraf/domain/webhooks/WebhookDelivery"

/** A row of `webhook_deliveries`. */
export interface DeliveryRow {
  readonly id: string
  readonly endpoint_id: string
  readonly event_id: string
  readonly event_type: EventType
  readonly status: DeliveryStatus
  readonly attempts: number
  readonly next_attempt_at: Date | null
  readonly created_at: Date
  readonly completed_at: Date | null
}

export const deliveryOf = (row: DeliveryRow): WebhookDelivery => ({
  id: row.id,
  endpointId: row.endpoint_id,
  eventId: row.event_id,
  eventType: row.event_type,
  status: row.status,
  attempts: row.attempts,
  nextAttemptAt: row.next_attempt_at?.getTime() ?? null,
  createdAt: row.created_at.getTime(),
  completedAt: row.completed_at?.getTime() ?? null
})

/** A row of `webhook_attempts`. */
export interface AttemptRow {
  readonly delivery_id: string
  readonly number: number
  readonly at: Date
  readonly duration_millis: number
  readonly status: number | null
  readonly error: string | null
  readonly answer: string | null
}

export const attemptOf = (row: AttemptRow): DeliveryAttempt => ({
  number: row.number,
  at: row.at.getTime(),
  durationMillis: row.duration_millis,
  status: row.status,
  error: row.error,
  answer: row.answer
})
