import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import { afterFailure, type EndpointAfter, isAccepted } from "@sarraf/domain/webhooks/AfterFailure"
import { countDisabled } from "@sarraf/domain/webhooks/DeliveryMetrics"
import { makeDisableEndpoint } from "@sarraf/domain/webhooks/DisableEndpoint"
import type { SendOutcome } from "@sarraf/domain/webhooks/WebhookSender"
import { type Array, Effect, Random } from "effect"
import { SqlClient } from "effect/sql"
import { relaxedCommit } from "../AsynchronousCommit.ts"
import * as GroupCommit from "../GroupCommit.ts"
import { groupClient } from "../GroupWriter.ts"
import { type Columns, names, rowParameters, rowsFrom } from "../RowParameters.ts"
import { asSystem } from "./asSystem.ts"
import { type AttemptElement, DeliveryQueue } from "./DeliveryQueue.ts"
import type { EndpointRow } from "./EndpointRows.ts"

/** An attempt that was made. */
export interface MadeAttempt {
  readonly element: AttemptElement
  readonly endpointId: string
  readonly outcome: SendOutcome
  /** The service could not even send it. */
  readonly isUnsent: boolean
}

const attemptColumns = {
  organization_id: "text",
  delivery_id: "text",
  number: "integer",
  at: "timestamptz",
  duration_millis: "integer",
  status: "integer",
  error: "text",
  answer: "text"
} as const satisfies Columns

const rowOf = ({ element, outcome }: MadeAttempt) => ({
  organization_id: element.organizationId,
  delivery_id: element.deliveryId,
  number: element.attempt,
  at: outcome.at,
  duration_millis: Math.round(outcome.durationMillis),
  status: outcome.status,
  error: outcome.error,
  answer: outcome.answer
})

/** An attempt counts only as the next one of its delivery: of two processes that made the same one, the first. */
const succeededSql = `WITH ${relaxedCommit},
  made AS (SELECT made.* FROM ${rowsFrom(attemptColumns, 1, "made")}, relaxed WHERE relaxed.off = 'off'),
  done AS (UPDATE webhook_deliveries AS delivery
    SET status = 'SUCCEEDED', attempts = made.number, next_attempt_at = NULL,
      completed_at = made.at + made.duration_millis * interval '1 millisecond'
    FROM made WHERE delivery.organization_id = made.organization_id AND delivery.id = made.delivery_id
      AND delivery.attempts = made.number - 1
    RETURNING delivery.organization_id, delivery.id, delivery.endpoint_id),
  recovered AS (UPDATE webhook_endpoints AS endpoint SET failing_since = NULL
    FROM done WHERE endpoint.organization_id = done.organization_id AND endpoint.id = done.endpoint_id
      AND endpoint.status <> 'DISABLED' AND endpoint.failing_since IS NOT NULL)
  INSERT INTO webhook_attempts (${names(attemptColumns)})
  SELECT ${names(attemptColumns, "made.")} FROM made
  JOIN done ON done.organization_id = made.organization_id AND done.id = made.delivery_id`

const makeRecordFailure = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const units = yield* UnitOfWork
  const queue = yield* DeliveryQueue
  const disable = yield* makeDisableEndpoint

  const changeEndpoint = Effect.fnUntraced(function* (organizationId: string, id: string, after: EndpointAfter) {
    if (after.change === "none") return false
    yield* sql`UPDATE webhook_endpoints SET failing_since = ${new Date(after.since)}
      WHERE organization_id = ${organizationId} AND id = ${id} AND failing_since IS NULL`
    return after.change === "disable" && (yield* disable(id, after.reason, after.since))
  })

  /** What the failure is judged by, held until it is recorded: it may have changed since the attempt began. */
  const lock = Effect.fnUntraced(function* ({ element, endpointId }: MadeAttempt) {
    const { attempt, deliveryId, organizationId } = element
    const [endpoint] = yield* sql<Pick<EndpointRow, "failing_since" | "retry">>`SELECT failing_since, retry
      FROM webhook_endpoints WHERE organization_id = ${organizationId} AND id = ${endpointId} FOR NO KEY UPDATE`
    const [delivery] = yield* sql<{ readonly attempts_before: number }>`SELECT attempts_before FROM webhook_deliveries
      WHERE organization_id = ${organizationId} AND id = ${deliveryId} AND attempts = ${attempt - 1} FOR UPDATE`
    return endpoint === undefined || delivery === undefined ? undefined : { endpoint, delivery }
  })

  /** The attempt, and the next one with its pause, are committed together: never one without the other. */
  const write = Effect.fnUntraced(function* (made: MadeAttempt) {
    const { element, endpointId, isUnsent, outcome } = made
    const { attempt, deliveryId, organizationId } = element
    const present = yield* lock(made)
    if (present === undefined) return undefined
    const { failing_since, retry } = present.endpoint
    const after = afterFailure({
      outcome,
      isUnsent,
      number: attempt - present.delivery.attempts_before,
      endpoint: { retry, failingSince: failing_since?.getTime() ?? null },
      chance: yield* Random.next
    })
    const ended = outcome.at + outcome.durationMillis
    const dueAt = after.delivery.status === "PENDING" ? after.delivery.nextAttemptAt : null
    yield* sql`UPDATE webhook_deliveries SET status = ${after.delivery.status}, attempts = ${attempt},
        next_attempt_at = ${dueAt === null ? null : new Date(dueAt)},
        completed_at = ${dueAt === null ? new Date(ended) : null}
      WHERE organization_id = ${organizationId} AND id = ${deliveryId}`
    yield* sql`INSERT INTO webhook_attempts (organization_id, delivery_id, number, at, duration_millis, status, error, answer)
      VALUES (${organizationId}, ${deliveryId}, ${attempt}, ${new Date(outcome.at)}, ${Math.round(outcome.durationMillis)},
        ${outcome.status}, ${outcome.error}, ${outcome.answer})`
    if (dueAt !== null) {
      const next = { ...element, attempt: attempt + 1 }
      yield* queue.offerAttempt(endpointId, next, { delayMillis: dueAt - ended })
    }
    const isDisabled = yield* changeEndpoint(organizationId, endpointId, after.endpoint)
    return { status: after.delivery.status, isDisabled }
  })

  return Effect.fn("RecordAttempt.failure")(function* (made: MadeAttempt) {
    const { organizationId } = made.element
    const written = yield* asSystem(units.run(write(made)), organizationId)
    if (written?.isDisabled === true) {
      yield* countDisabled
      yield* Effect.annotateLogs(Effect.logWarning("A webhook endpoint was disabled"), {
        organizationId,
        endpointId: made.endpointId
      })
    }
    return written?.status
  })
})

const makeRecordSuccess = Effect.gen(function* () {
  const groups = yield* groupClient
  const write = yield* GroupCommit.make({
    statement: (attempts: Array.NonEmptyReadonlyArray<MadeAttempt>) =>
      Effect.as(groups.unsafe(succeededSql, rowParameters(attemptColumns, attempts.map(rowOf))), attempts)
  })
  return (made: MadeAttempt) => Effect.as(write(made), "SUCCEEDED" as const)
})

/**
 * Records an attempt with what follows from it; successes of all lanes in one statement. Answers what the delivery is now;
 * undefined where a failure does not count, since another process recorded the attempt or the delivery is gone.
 */
export const makeRecordAttempt = Effect.gen(function* () {
  const success = yield* makeRecordSuccess
  const failure = yield* makeRecordFailure
  return (made: MadeAttempt) => (isAccepted(made.outcome) ? success(made) : failure(made))
})
