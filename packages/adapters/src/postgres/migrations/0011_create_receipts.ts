import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { isolate } from "../organizations/rowSecurity.ts"
import { receiptNamed } from "../receipts/receiptNamed.ts"

/** Receipts, and the contents that they name: one for each organization and SHA-256. The bytes are kept elsewhere. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE receipt_contents (
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    sha256 TEXT NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
    bytes INTEGER NOT NULL CHECK (bytes > 0),
    unused_since TIMESTAMPTZ,
    PRIMARY KEY (organization_id, sha256))`
  yield* sql`CREATE INDEX receipt_contents_unused ON receipt_contents (unused_since) WHERE unused_since IS NOT NULL`
  yield* isolate("receipt_contents", { grants: "SELECT, INSERT, UPDATE" })

  yield* sql`CREATE TABLE receipts (
    organization_id TEXT NOT NULL,
    id TEXT NOT NULL,
    file_name TEXT NOT NULL,
    media_type TEXT NOT NULL
      CHECK (media_type IN ('application/pdf', 'image/png', 'image/jpeg', 'image/webp')),
    bytes INTEGER NOT NULL CHECK (bytes > 0),
    sha256 TEXT NOT NULL,
    uploaded_by TEXT NOT NULL,
    user_id TEXT,
    created_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, sha256) REFERENCES receipt_contents (organization_id, sha256))`
  yield* sql`CREATE INDEX receipts_content ON receipts (organization_id, sha256)`
  yield* isolate("receipts", { grants: "SELECT, INSERT, UPDATE, DELETE" })

  // For finding the expenses that name a receipt, whatever the address of the installation was at that time.
  const named = sql.literal(receiptNamed)
  yield* sql`CREATE INDEX expenses_receipt ON expenses (organization_id, (${named})) WHERE ${named} IS NOT NULL`
})
