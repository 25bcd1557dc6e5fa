import { Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { belongsToCut, cutColumns, cutRows } from "./SpendCuts.ts"

/** Changes that are added to the sums in one transaction: a fraction of a second's work. */
const batchMax = 5_000

/** Any number that nobody else takes: of several processes one adds at a time. */
const lock = 5_273_146_880_012

const told = "month, currency, base_currency"
const measures = ["expenses", "amount", "base_amount", "without_receipt", "decided", "decision_millis"]

/**
 * Adds so many of the changes to the sums and deletes them, in one transaction: whoever reads meanwhile sees them in the one
 * table or in the other. Which ones does not matter, since sums do not depend on the order. Gives how many.
 */
export const foldSpend = Effect.fn("foldSpend")(function* (changesMax: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      const [turn] = yield* sql<{ taken: boolean }>`SELECT pg_try_advisory_xact_lock(${lock}) AS taken`
      if (turn?.taken !== true) return 0
      const [folded] = yield* sql<{ changes: number }>`WITH
        taken AS (DELETE FROM spend_changes
          WHERE ctid = ANY (ARRAY (SELECT ctid FROM spend_changes LIMIT ${changesMax})) RETURNING *),
        added AS (INSERT INTO spend_sums (organization_id, ${sql.literal(cutColumns.join(", "))}, ${sql.literal(told)},
            ${sql.literal(measures.join(", "))})
          SELECT organization_id, ${sql.literal(cutColumns.map((column) => `cell.${column}`).join(", "))}, ${sql.literal(told)},
            ${sql.literal(measures.map((measure) => `sum(${measure})`).join(", "))}
          FROM taken CROSS JOIN LATERAL (VALUES ${sql.literal(cutRows)}) AS cell (${sql.literal(cutColumns.join(", "))})
          WHERE ${sql.literal(belongsToCut)}
          GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
          HAVING ${sql.literal(measures.map((measure) => `sum(${measure}) <> 0`).join(" OR "))}
          ON CONFLICT ON CONSTRAINT spend_sums_cell DO UPDATE SET
            ${sql.literal(measures.map((measure) => `${measure} = spend_sums.${measure} + excluded.${measure}`).join(", "))})
        SELECT count(*)::int AS changes FROM taken`
      return folded?.changes ?? 0
    })
  )
})

/** Adds what changed to the sums, every second and without a pause while there is more. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* foldSpend(batchMax).pipe(
      Effect.repeat({ while: (changes) => changes === batchMax }),
      // Reports stay exact without it, and the next look does what this one could not.
      Effect.catchCause((cause) => Effect.logWarning("Changes could not be added to the sums of spending", cause)),
      Effect.provideService(SqlClient.SqlClient, sql),
      Effect.repeat(Schedule.spaced("1 second")),
      Effect.forkScoped
    )
  })
)
