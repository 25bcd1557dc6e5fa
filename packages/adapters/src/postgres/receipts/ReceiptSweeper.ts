import { ReceiptFiles } from "@sarraf/domain/receipts/ReceiptFiles"
import { Clock, Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"

/** A content that nobody names any more is kept for so long, in case its receipt was removed by mistake. */
const keptMillis = 24 * 3_600_000

/** How often it looks. */
const pause = "10 minutes"

/**
 * Removes the files of receipts that were removed a day ago or more. A file and its row go in one transaction that has the
 * row locked: whoever uploads the same content meanwhile waits, and writes the file again.
 */
export const sweepReceipts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const files = yield* ReceiptFiles
  const before = new Date((yield* Clock.currentTimeMillis) - keptMillis)

  /** One content at a time, so that nobody waits long; false where there was none. */
  const sweepOne = sql.withTransaction(
    Effect.gen(function* () {
      const [row] = yield* sql<{ organization_id: string; sha256: string }>`SELECT organization_id, sha256
        FROM receipt_contents AS content
        WHERE unused_since < ${before} AND NOT EXISTS (SELECT 1 FROM receipts AS receipt
          WHERE receipt.organization_id = content.organization_id AND receipt.sha256 = content.sha256)
        LIMIT 1 FOR UPDATE SKIP LOCKED`
      if (row === undefined) return false
      yield* sql`DELETE FROM receipt_contents
        WHERE organization_id = ${row.organization_id} AND sha256 = ${row.sha256}`
      yield* files.remove({ organizationId: row.organization_id, sha256: row.sha256 })
      return true
    })
  )

  yield* Effect.repeat(sweepOne, { while: (isSwept) => isSwept })
})

export const layer = Layer.effectDiscard(
  sweepReceipts.pipe(
    // The next look does what this one could not.
    Effect.catchCause((cause) => Effect.logWarning("Files of removed receipts could not be deleted", cause)),
    Effect.repeat(Schedule.spaced(pause)),
    Effect.forkScoped
  )
)
