import { pageOf } from "@sarraf/domain/lists/Page"
import { type ApiKeyRecord, ApiKeyStore } from "@sarraf/domain/organizations/ApiKeyStore"
import { Caller, type Role } from "@sarraf/domain/organizations/Caller"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { apiKeyDigest, RememberedApiKeys } from "../PgApiKeys.ts"
import { afterCommit, makeWithin } from "./PgUnitOfWork.ts"

interface KeyRow {
  readonly id: string
  readonly name: string
  readonly role: Role
  readonly created_by: string | null
  readonly created_at: Date
  readonly expires_at: Date | null
  readonly last_used_at: Date | null
  readonly last4: string | null
  readonly livemode: boolean
  readonly version: number
}

const recordOf = (row: KeyRow): ApiKeyRecord => ({
  id: row.id,
  name: row.name,
  role: row.role,
  createdBy: row.created_by,
  createdAt: row.created_at.getTime(),
  expiresAt: row.expires_at?.getTime() ?? null,
  lastUsedAt: row.last_used_at?.getTime() ?? null,
  last4: row.last4,
  livemode: row.livemode,
  version: row.version
})

/** API keys of an organization in PostgreSQL. */
export const layer = Layer.effect(
  ApiKeyStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const within = yield* makeWithin
    const { forget } = yield* RememberedApiKeys
    return ApiKeyStore.of({
      insert: Effect.fn("PgApiKeyStore.insert")(function* (key, record) {
        const { organizationId } = yield* Caller
        const expiresAt = record.expiresAt === null ? null : new Date(record.expiresAt)
        yield* sql`INSERT INTO api_keys
          (organization_id, id, digest, role, livemode, created_by, created_at, expires_at, name, last4, version)
          VALUES (${organizationId}, ${record.id}, ${apiKeyDigest(key)}, ${record.role}, ${record.livemode},
            ${record.createdBy}, ${new Date(record.createdAt)}, ${expiresAt}, ${record.name}, ${record.last4}, ${record.version})`
      }, within),
      find: Effect.fn("PgApiKeyStore.find")(function* (id) {
        const { organizationId } = yield* Caller
        const [row] = yield* sql<KeyRow>`SELECT * FROM api_keys
          WHERE organization_id = ${organizationId} AND id = ${id} AND revoked_at IS NULL`
        return row === undefined ? undefined : recordOf(row)
      }, within),
      list: Effect.fn("PgApiKeyStore.list")(function* (page) {
        const { organizationId } = yield* Caller
        const after = page.after === undefined ? sql`true` : sql`id < ${page.after}`
        const rows = yield* sql<KeyRow>`SELECT * FROM api_keys
          WHERE organization_id = ${organizationId} AND revoked_at IS NULL AND ${after} ORDER BY id DESC LIMIT ${page.limit + 1}`
        return pageOf(rows.map(recordOf), page)
      }, within),
      revoke: Effect.fn("PgApiKeyStore.revoke")(function* (id, at) {
        const { organizationId } = yield* Caller
        const revoked = yield* sql`UPDATE api_keys SET revoked_at = ${new Date(at)}, version = version + 1
          WHERE organization_id = ${organizationId} AND id = ${id} AND revoked_at IS NULL RETURNING id`
        yield* afterCommit(forget(organizationId))
        return revoked.length === 1
      }, within)
    })
  })
)
