import { gaugeWaiting } from "@sarraf/domain/webhooks/DeliveryMetrics"
import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { deleteRows } from "../deleteRows.ts"
import type { Wake } from "./DeliveryLanes.ts"
import { isReplayQueue } from "./DeliveryQueue.ts"
import { queueTable } from "./QueueTable.ts"

/** Between two looks: what is due by the clock alone, and what a process left behind, is taken up so soon. */
const pause = "1 second"

interface WaitingQueue {
  readonly queue: string
  /** Its endpoint was removed. */
  readonly is_orphaned: boolean
}

/**
 * The queues with something due whose endpoint may be sent to. It steps from one queue that has anything to the next by
 * index: what it costs grows with these queues, neither with the endpoints nor with what waits. What another process has
 * taken is among it, since that may have broken down.
 */
export const makeDueQueues = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const table = sql(queueTable)
  return sql<WaitingQueue>`WITH RECURSIVE waiting (queue) AS (
      (SELECT queue_name FROM ${table} WHERE state = 'pending' ORDER BY queue_name LIMIT 1)
      UNION ALL
      SELECT (SELECT further.queue_name FROM ${table} AS further
        WHERE further.state = 'pending' AND further.queue_name > waiting.queue ORDER BY further.queue_name LIMIT 1)
      FROM waiting WHERE waiting.queue IS NOT NULL)
    SELECT waiting.queue, endpoint.id IS NULL AS is_orphaned FROM waiting
    LEFT JOIN webhook_endpoints AS endpoint ON endpoint.id = split_part(waiting.queue, '/', 2)
    WHERE waiting.queue IS NOT NULL AND (endpoint.id IS NULL
      OR ((endpoint.status = 'ENABLED' OR waiting.queue LIKE 'replay/%') AND EXISTS (SELECT FROM ${table} AS due
        WHERE due.queue_name = waiting.queue AND due.state = 'pending' AND due.visible_at <= now())))`
})

/** Wakes the lanes of what is due, again and again, and removes what waits for endpoints that are gone. */
export const makeLook = Effect.fnUntraced(function* (wake: Wake) {
  const sql = yield* SqlClient.SqlClient
  const dueQueues = yield* makeDueQueues
  const look = Effect.gen(function* () {
    const found = yield* dueQueues
    const [orphaned, due] = [
      found.filter(({ is_orphaned }) => is_orphaned),
      found.filter(({ is_orphaned }) => !is_orphaned)
    ]
    for (const { queue } of due) wake(queue)
    yield* gaugeWaiting(due.filter(({ queue }) => !isReplayQueue(queue)).length)
    for (const { queue } of orphaned) {
      yield* deleteRows(sql, queueTable, sql`queue_name = ${queue} AND state = 'pending'`)
    }
  })
  yield* look.pipe(
    Effect.catchCause((cause) => Effect.logDebug("Due deliveries could not be looked for", cause)),
    Effect.repeat(Schedule.spaced(pause)),
    Effect.forkScoped
  )
})
