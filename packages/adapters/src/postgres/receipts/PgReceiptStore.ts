import { Caller } from "@sarraf/domain/organizations/Caller"
import type { ReceiptMediaType } from "@sarraf/domain/receipts/MediaType"
import type { Receipt } from "@sarraf/domain/receipts/Receipt"
import { ReceiptStore } from "@sarraf/domain/receipts/ReceiptStore"
import { Clock, Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { makeWithin } from "../organizations/PgUnitOfWork.ts"
import { receiptNamed } from "./receiptNamed.ts"

interface ReceiptRow {
  readonly id: string
  readonly file_name: string
  readonly media_type: ReceiptMediaType
  readonly bytes: number
  readonly sha256: string
  readonly uploaded_by: string
  readonly user_id: string | null
  readonly created_at: Date
}

const receiptOf = (row: ReceiptRow): Receipt => ({
  id: row.id,
  fileName: row.file_name,
  mediaType: row.media_type,
  bytes: row.bytes,
  sha256: row.sha256,
  uploadedBy: row.uploaded_by,
  userId: row.user_id,
  createdAt: row.created_at.getTime()
})

/** A receipt is named by one expense; by more only where somebody entered a purchase twice. */
const namedByMax = 20

/** Receipts in PostgreSQL. */
export const layer = Layer.effect(
  ReceiptStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const within = yield* makeWithin
    const named = sql.literal(receiptNamed)
    const locking = { none: sql``, shared: sql.literal("FOR KEY SHARE"), exclusive: sql.literal("FOR UPDATE") }

    const one = Effect.fnUntraced(function* (id: string, lock: Statement.Fragment) {
      const { organizationId } = yield* Caller
      const [row] =
        yield* sql<ReceiptRow>`SELECT id, file_name, media_type, bytes, sha256, uploaded_by, user_id, created_at
        FROM receipts WHERE organization_id = ${organizationId} AND id = ${id} ${lock}`
      return row === undefined ? undefined : receiptOf(row)
    })

    return ReceiptStore.of({
      find: Effect.fn("PgReceiptStore.find")((id) => one(id, locking.none), within),
      lock: Effect.fn("PgReceiptStore.lock")((id, mode) => one(id, locking[mode]), within),
      namedBy: Effect.fn("PgReceiptStore.namedBy")(function* (id) {
        const { organizationId } = yield* Caller
        const rows = yield* sql<{ id: string }>`SELECT id FROM expenses
          WHERE organization_id = ${organizationId} AND ${named} = ${id} ORDER BY id DESC LIMIT ${namedByMax}`
        return rows.map((row) => row.id)
      }, within),
      claim: Effect.fn("PgReceiptStore.claim")(function* ({ bytes, sha256 }) {
        const { organizationId } = yield* Caller
        yield* sql`INSERT INTO receipt_contents (organization_id, sha256, bytes)
          VALUES (${organizationId}, ${sha256}, ${bytes})
          ON CONFLICT (organization_id, sha256) DO UPDATE SET unused_since = NULL`
      }, within),
      insert: Effect.fn("PgReceiptStore.insert")(function* (receipt) {
        const { organizationId } = yield* Caller
        yield* sql`INSERT INTO receipts
            (organization_id, id, file_name, media_type, bytes, sha256, uploaded_by, user_id, created_at)
          VALUES (${organizationId}, ${receipt.id}, ${receipt.fileName}, ${receipt.mediaType}, ${receipt.bytes},
            ${receipt.sha256}, ${receipt.uploadedBy}, ${receipt.userId}, ${new Date(receipt.createdAt)})`
      }, within),
      remove: Effect.fn("PgReceiptStore.remove")(function* (id) {
        const { organizationId } = yield* Caller
        const at = new Date(yield* Clock.currentTimeMillis)
        // Another receipt may have the same content, which the sweeper looks at.
        yield* sql`WITH removed AS (
            DELETE FROM receipts WHERE organization_id = ${organizationId} AND id = ${id} RETURNING sha256)
          UPDATE receipt_contents SET unused_since = ${at} FROM removed
          WHERE organization_id = ${organizationId} AND receipt_contents.sha256 = removed.sha256`
      }, within)
    })
  })
)
