import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { deleteRows } from "../deleteRows.ts"

interface RemovedRow {
  readonly organization_id: string
  readonly id: string
}

/** Deletes what removed endpoints left, their deliveries with the attempts, in parts; and then forgets the endpoints. */
export const clearRemovedEndpoints = (sql: SqlClient.SqlClient): Effect.Effect<void, SqlError.SqlError> =>
  Effect.gen(function* () {
    const removed = yield* sql<RemovedRow>`SELECT organization_id, id FROM removed_webhook_endpoints LIMIT 100`
    yield* Effect.forEach(
      removed,
      ({ id, organization_id }) =>
        Effect.andThen(
          deleteRows(sql, "webhook_deliveries", sql`organization_id = ${organization_id} AND endpoint_id = ${id}`),
          // An attempt that is being recorded holds its delivery: the next look finds it.
          sql`DELETE FROM removed_webhook_endpoints WHERE organization_id = ${organization_id} AND id = ${id}
            AND NOT EXISTS (SELECT FROM webhook_deliveries
              WHERE organization_id = ${organization_id} AND endpoint_id = ${id})`
        ),
      { discard: true }
    )
  })
