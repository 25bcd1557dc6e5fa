import { countAttempt } from "@sarraf/domain/webhooks/DeliveryMetrics"
import { type SendOutcome, WebhookSender } from "@sarraf/domain/webhooks/WebhookSender"
import { Clock, Effect, Schedule } from "effect"
import type { AttemptElement } from "./DeliveryQueue.ts"
import { endpointOf, secretsOf } from "./EndpointRows.ts"
import { type LoadedAttempt, makeLoadAttempt } from "./LoadAttempt.ts"
import { makeOpenedSeals } from "./OpenedSeals.ts"
import { makeRecordAttempt } from "./RecordAttempt.ts"

/** While the database is away what was sent is not forgotten at once; after that the attempt is made again. */
const recording = Schedule.max([Schedule.spaced("500 millis"), Schedule.recurs(20)])

/**
 * What became of an element: the endpoint's `concurrency` where it was handled, or that the endpoint takes nothing now and
 * the element waits.
 */
export type Handled = { readonly concurrency: number; readonly succeeded: boolean } | "waits"

/** Why there was nothing to send: recorded like an attempt that had no answer, and not held against the receiver. */
const unsent = (error: string) =>
  Effect.map(Clock.currentTimeMillis, (at) => {
    const outcome: SendOutcome = { at, durationMillis: 0, status: null, error, answer: null, retryAfter: null }
    return { outcome, isUnsent: true }
  })

/**
 * Makes one attempt and records it: at least once, since only what is recorded is never made again. An element whose attempt
 * was recorded already, or whose delivery is gone, is done without sending. `learn` is told the endpoint's concurrency before
 * anything is sent, since a receiver may take its time.
 */
export const makeAttemptDelivery = Effect.gen(function* () {
  const load = yield* makeLoadAttempt
  const record = yield* makeRecordAttempt
  const sender = yield* WebhookSender
  const vault = yield* makeOpenedSeals

  const send = ({ endpoint: row, event }: LoadedAttempt) =>
    Effect.gen(function* () {
      if (event === null) return yield* unsent("The event is no longer kept")
      const { headers } = yield* endpointOf(row, vault)
      const secrets = yield* secretsOf(row, vault)
      const outcome = yield* sender.send({ url: row.url, id: event.id, body: event.body, headers, secrets })
      return { outcome, isUnsent: false }
    }).pipe(Effect.catchTag("SealBroken", () => unsent("The endpoint's secrets cannot be read by this installation")))

  return Effect.fnUntraced(function* (
    element: AttemptElement,
    learn: (concurrency: number) => void
  ): Effect.fn.Return<Handled, unknown> {
    const loaded = yield* load(element)
    if (loaded === undefined) return { concurrency: 1, succeeded: true }
    const { attempts, endpoint, status } = loaded
    const { concurrency } = endpoint
    if (status !== "PENDING" || attempts >= element.attempt) return { concurrency, succeeded: true }
    if (endpoint.status !== "ENABLED") return "waits"
    learn(concurrency)
    const sent = yield* send(loaded)
    const recorded = yield* Effect.retry(record({ element, endpointId: endpoint.id, ...sent }), recording)
    if (recorded !== undefined) yield* countAttempt(recorded, sent.outcome)
    return { concurrency, succeeded: recorded === "SUCCEEDED" }
  })
})
