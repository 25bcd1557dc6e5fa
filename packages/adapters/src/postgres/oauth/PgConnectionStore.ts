import {
  type ConnectionOfGrant,
  type ConnectionRecord,
  ConnectionStore
} from "@sarraf/domain/assistants/ConnectionStore"
import { pageOf } from "@sarraf/domain/lists/Page"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { makeWithin } from "../organizations/PgUnitOfWork.ts"
import { orUnavailable } from "../orUnavailable.ts"

interface ConnectionRow {
  readonly id: string
  readonly user_id: string
  readonly client_id: string
  readonly client_name: string
  readonly redirect_host: string
  readonly created_at: Date
  readonly expires_at: Date
  readonly last_used_at: Date | null
}

const recordOf = (row: ConnectionRow): ConnectionRecord => ({
  id: row.id,
  userId: row.user_id,
  clientId: row.client_id,
  clientName: row.client_name,
  redirectHost: row.redirect_host,
  createdAt: row.created_at.getTime(),
  expiresAt: row.expires_at.getTime(),
  lastUsedAt: row.last_used_at?.getTime() ?? null
})

interface GrantRow {
  readonly organization_id: string
  readonly id: string
  readonly user_id: string
  readonly is_open: boolean
  readonly is_sandbox: boolean
}

/** Connections of assistants in PostgreSQL. */
export const layer = Layer.effect(
  ConnectionStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const within = yield* makeWithin
    const isStanding = sql`revoked_at IS NULL AND expires_at > now()`
    return ConnectionStore.of({
      insert: Effect.fn("PgConnectionStore.insert")(function* (grantId, record) {
        const { organizationId } = yield* Caller
        yield* sql`INSERT INTO mcp_connection
          (organization_id, id, user_id, grant_id, client_id, client_name, redirect_host, created_at, expires_at)
          VALUES (${organizationId}, ${record.id}, ${record.userId}, ${grantId}, ${record.clientId},
            ${record.clientName}, ${record.redirectHost}, ${new Date(record.createdAt)}, ${new Date(record.expiresAt)})`
      }, within),
      find: Effect.fn("PgConnectionStore.find")(function* (id) {
        const { organizationId } = yield* Caller
        const [row] = yield* sql<ConnectionRow>`SELECT * FROM mcp_connection
          WHERE organization_id = ${organizationId} AND id = ${id} AND ${isStanding}`
        return row === undefined ? undefined : recordOf(row)
      }, within),
      list: Effect.fn("PgConnectionStore.list")(function* (userId, page) {
        const { organizationId } = yield* Caller
        const conditions = [
          sql`organization_id = ${organizationId}`,
          isStanding,
          ...(userId === undefined ? [] : [sql`user_id = ${userId}`]),
          ...(page.after === undefined ? [] : [sql`id < ${page.after}`])
        ]
        const rows = yield* sql<ConnectionRow>`SELECT * FROM mcp_connection WHERE ${sql.and(conditions)}
          ORDER BY id DESC LIMIT ${page.limit + 1}`
        return pageOf(rows.map(recordOf), page)
      }, within),
      revoke: Effect.fn("PgConnectionStore.revoke")(function* (id, at) {
        const { organizationId } = yield* Caller
        const [revoked] = yield* sql<{ readonly grant_id: string }>`UPDATE mcp_connection
          SET revoked_at = ${new Date(at)}
          WHERE organization_id = ${organizationId} AND id = ${id} AND revoked_at IS NULL RETURNING grant_id`
        return revoked?.grant_id
      }, within),
      ofGrant: Effect.fn("PgConnectionStore.ofGrant")(function* (grantId) {
        const [row] = yield* sql<GrantRow>`SELECT c.organization_id, c.id, c.user_id, o.is_sandbox,
            c.revoked_at IS NULL AND c.expires_at > now() AND m.status = 'ACTIVE'
              AND (NOT o.requires_second_factor OR u.second_factor_sealed IS NOT NULL) AS is_open
          FROM mcp_connection c JOIN organizations o ON o.id = c.organization_id
          JOIN members m ON m.organization_id = c.organization_id AND m.user_id = c.user_id
          JOIN users u ON u.id = c.user_id
          WHERE c.grant_id = ${grantId}`
        if (row === undefined) return undefined
        return {
          organizationId: row.organization_id,
          id: row.id,
          userId: row.user_id,
          isOpen: row.is_open,
          livemode: !row.is_sandbox
        } satisfies ConnectionOfGrant
      }, orUnavailable)
    })
  })
)
