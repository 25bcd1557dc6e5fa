import { Effect, Metric } from "effect"
import type { DeliveryStatus } from "./WebhookDelivery.ts"
import type { SendOutcome } from "./WebhookSender.ts"

/** Exported with the prefix `sarraf_`. Labels name outcomes, never an organization or an endpoint (contract section 1). */
const attempts = Metric.counter("webhook_attempts_total", {
  description: "Attempts to deliver an event, by what became of the delivery: PENDING is tried again.",
  incremental: true
})

const seconds = Metric.histogram("webhook_attempt_duration_seconds", {
  description: "Time from the beginning of an attempt to the receiver's answer or its absence, in seconds.",
  boundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})

const disabled = Metric.counter("webhook_endpoints_disabled_total", {
  description: "Endpoints that the service disabled: 410, or five days of failures.",
  incremental: true
})

const waiting = Metric.gauge("webhook_endpoints_waiting", {
  description: "Enabled endpoints with a delivery that was due at this process's last look."
})

/** Counts an attempt that was recorded. */
export const countAttempt = (status: DeliveryStatus, { durationMillis }: SendOutcome): Effect.Effect<void> =>
  Effect.andThen(
    Metric.update(Metric.withAttributes(attempts, { status }), 1),
    Metric.update(seconds, durationMillis / 1_000)
  )

export const countDisabled: Effect.Effect<void> = Metric.update(disabled, 1)

export const gaugeWaiting = (endpoints: number): Effect.Effect<void> => Metric.update(waiting, endpoints)
