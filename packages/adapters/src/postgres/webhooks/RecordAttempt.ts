import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import type { AfterAttempt, EndpointAfter } from "@sarraf/domain/webhooks/AfterAttempt"
import { countDisabled } from "@sarraf/domain/webhooks/DeliveryMetrics"
import { makeDisableEndpoint } from "@sarraf/domain/webhooks/DisableEndpoint"
import type { SendOutcome } from "@sarraf/domain/webhooks/WebhookSender"
import { type Array, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { relaxedCommit } from "../AsynchronousCommit.ts"
import * as GroupCommit from "../GroupCommit.ts"
import { groupClient } from "../GroupWriter.ts"
import { type Columns, names, rowParameters, rowsFrom } from "../RowParameters.ts"
import { asSystem } from "./asSystem.ts"
import { type AttemptElement, DeliveryQueue } from "./DeliveryQueue.ts"

/** An attempt that was made, and what follows from it. */
export interface MadeAttempt {
  readonly element: AttemptElement
  readonly endpointId: string
  readonly outcome: SendOutcome
  readonly after: AfterAttempt
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
    RETURNING delivery.organization_id, delivery.id)
  INSERT INTO webhook_attempts (${names(attemptColumns)})
  SELECT ${names(attemptColumns, "made.")} FROM made
  JOIN done ON done.organization_id = made.organization_id AND done.id = made.delivery_id`

const makeRecordFailure = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const units = yield* UnitOfWork
  const queue = yield* DeliveryQueue
  const disable = yield* makeDisableEndpoint

  const changeEndpoint = Effect.fnUntraced(function* (organizationId: string, id: string, after: EndpointAfter) {
    if (after.change === "none" || after.change === "recovered") return false
    yield* sql`UPDATE webhook_endpoints SET failing_since = ${new Date(after.since)}
      WHERE organization_id = ${organizationId} AND id = ${id} AND failing_since IS NULL`
    return after.change === "disable" && (yield* disable(id, after.reason, after.since))
  })

  /** The attempt, and the next one with its pause, are committed together: never one without the other. */
  const write = Effect.fnUntraced(function* ({ after, element, endpointId, outcome }: MadeAttempt) {
    const { attempt, deliveryId, organizationId } = element
    const { delivery } = after
    const ended = outcome.at + outcome.durationMillis
    const dueAt = delivery.status === "PENDING" ? delivery.nextAttemptAt : null
    const done = yield* sql`WITH done AS (
        UPDATE webhook_deliveries SET status = ${delivery.status}, attempts = ${attempt},
          next_attempt_at = ${dueAt === null ? null : new Date(dueAt)},
          completed_at = ${dueAt === null ? new Date(ended) : null}
        WHERE organization_id = ${organizationId} AND id = ${deliveryId} AND attempts = ${attempt - 1} RETURNING id)
      INSERT INTO webhook_attempts (organization_id, delivery_id, number, at, duration_millis, status, error, answer)
      SELECT ${organizationId}, id, ${attempt}, ${new Date(outcome.at)}, ${Math.round(outcome.durationMillis)},
        ${outcome.status}, ${outcome.error}, ${outcome.answer} FROM done RETURNING 1`
    if (done.length === 0) return false
    if (dueAt !== null) {
      const next = { ...element, attempt: attempt + 1 }
      yield* queue.offerAttempt(endpointId, next, { delayMillis: dueAt - ended })
    }
    return yield* changeEndpoint(organizationId, endpointId, after.endpoint)
  })

  return Effect.fn("RecordAttempt.failure")(function* (made: MadeAttempt) {
    const { organizationId } = made.element
    const isDisabled = yield* asSystem(units.run(write(made)), organizationId)
    if (!isDisabled) return
    yield* countDisabled
    yield* Effect.annotateLogs(Effect.logWarning("A webhook endpoint was disabled"), {
      organizationId,
      endpointId: made.endpointId
    })
  })
})

const makeRecordSuccess = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const groups = yield* groupClient
  const write = yield* GroupCommit.make({
    statement: (attempts: Array.NonEmptyReadonlyArray<MadeAttempt>) =>
      Effect.as(groups.unsafe(succeededSql, rowParameters(attemptColumns, attempts.map(rowOf))), attempts)
  })
  return Effect.fnUntraced(function* (made: MadeAttempt) {
    yield* write(made)
    if (made.after.endpoint.change !== "recovered") return
    yield* sql`UPDATE webhook_endpoints SET failing_since = NULL
      WHERE organization_id = ${made.element.organizationId} AND id = ${made.endpointId} AND failing_since IS NOT NULL`
  })
})

/** Records an attempt with what follows from it; successes of all lanes in one statement. */
export const makeRecordAttempt = Effect.gen(function* () {
  const success = yield* makeRecordSuccess
  const failure = yield* makeRecordFailure
  return (made: MadeAttempt) => (made.after.delivery.status === "SUCCEEDED" ? success(made) : failure(made))
})
