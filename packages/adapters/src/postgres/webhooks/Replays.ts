import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { afterCommit } from "../organizations/PgUnitOfWork.ts"
import { asSystem } from "./asSystem.ts"
import { DeliveryQueue, queueOf, type ReplayElement } from "./DeliveryQueue.ts"
import { DeliveryWakes } from "./DeliveryWakes.ts"

/** Deliveries that are set going in one transaction: some tenths of a second. */
const partMax = 200

/** What of a range is left: those that wait anyway are not in it. */
export const inRange = (sql: SqlClient.SqlClient, range: ReplayElement) =>
  sql.and([
    sql`organization_id = ${range.organizationId}`,
    sql`endpoint_id = ${range.endpointId}`,
    sql`id > ${range.after}`,
    sql`created_at >= ${new Date(range.from)}`,
    sql`created_at < ${new Date(range.to)}`,
    range.failedAlone ? sql`status = 'FAILED'` : sql`status <> 'PENDING'`
  ])

/**
 * Sets the next part of a range going, and leaves what comes after it in the queue, in one transaction: after a crash it
 * goes on where it stood, and no delivery is taken twice, whatever becomes of it meanwhile.
 */
export const makeReplayPart = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const units = yield* UnitOfWork
  const queue = yield* DeliveryQueue
  const wakes = yield* DeliveryWakes
  return Effect.fn("Replays.part")(function* (range: ReplayElement) {
    const { endpointId, organizationId } = range
    const at = new Date(yield* Clock.currentTimeMillis)
    const part = Effect.gen(function* () {
      const rows = yield* sql<{ readonly id: string; readonly attempts: number }>`UPDATE webhook_deliveries
        SET status = 'PENDING', attempts_before = attempts, next_attempt_at = ${at}, completed_at = NULL
        WHERE organization_id = ${organizationId} AND id = ANY (ARRAY (SELECT id FROM webhook_deliveries
          WHERE ${inRange(sql, range)} ORDER BY id LIMIT ${partMax} FOR UPDATE))
        RETURNING id, attempts`
      const sorted = rows.toSorted((one, other) => (one.id < other.id ? -1 : 1))
      for (const { attempts, id } of sorted) {
        yield* queue.offerAttempt(endpointId, { organizationId, deliveryId: id, attempt: attempts + 1 })
      }
      const last = sorted.at(-1)
      if (last !== undefined) yield* queue.offerReplay({ ...range, after: last.id })
      yield* afterCommit(wakes.wake([queueOf(endpointId)]))
    })
    yield* asSystem(units.run(part), organizationId)
  })
})
