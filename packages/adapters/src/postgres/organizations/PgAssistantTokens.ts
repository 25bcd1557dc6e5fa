import { pageOf } from "@sarraf/domain/lists/Page"
import { type AssistantTokenRecord, AssistantTokenStore } from "@sarraf/domain/organizations/AssistantTokenStore"
import { AssistantTokens } from "@sarraf/domain/organizations/AssistantTokens"
import { Caller, type Role } from "@sarraf/domain/organizations/Caller"
import { Effect, Layer, type Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { tokenDigest } from "../../signing/SecretTokens.ts"
import { orUnavailable } from "../orUnavailable.ts"
import { makeWithin } from "./PgUnitOfWork.ts"

interface TokenRow {
  readonly id: string
  readonly user_id: string
  readonly name: string
  readonly created_at: Date
  readonly expires_at: Date
  readonly last_used_at: Date | null
  readonly last4: string
  readonly version: number
}

const recordOf = (row: TokenRow): AssistantTokenRecord => ({
  id: row.id,
  userId: row.user_id,
  name: row.name,
  createdAt: row.created_at.getTime(),
  expiresAt: row.expires_at.getTime(),
  lastUsedAt: row.last_used_at?.getTime() ?? null,
  last4: row.last4,
  version: row.version
})

/** Assistant tokens of an organization in PostgreSQL. */
const store = Layer.effect(
  AssistantTokenStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const within = yield* makeWithin
    return AssistantTokenStore.of({
      insert: Effect.fn("PgAssistantTokens.insert")(function* (token, record) {
        const { organizationId } = yield* Caller
        yield* sql`INSERT INTO assistant_tokens
          (organization_id, id, user_id, name, digest, last4, created_at, expires_at, version)
          VALUES (${organizationId}, ${record.id}, ${record.userId}, ${record.name}, ${tokenDigest(token)}, ${record.last4},
            ${new Date(record.createdAt)}, ${new Date(record.expiresAt)}, ${record.version})`
      }, within),
      find: Effect.fn("PgAssistantTokens.findRecord")(function* (id) {
        const { organizationId } = yield* Caller
        const [row] = yield* sql<TokenRow>`SELECT * FROM assistant_tokens
          WHERE organization_id = ${organizationId} AND id = ${id} AND revoked_at IS NULL`
        return row === undefined ? undefined : recordOf(row)
      }, within),
      list: Effect.fn("PgAssistantTokens.list")(function* (userId, page) {
        const { organizationId } = yield* Caller
        const conditions = [
          sql`organization_id = ${organizationId}`,
          sql`revoked_at IS NULL`,
          ...(userId === undefined ? [] : [sql`user_id = ${userId}`]),
          ...(page.after === undefined ? [] : [sql`id < ${page.after}`])
        ]
        const rows = yield* sql<TokenRow>`SELECT * FROM assistant_tokens WHERE ${sql.and(conditions)}
          ORDER BY id DESC LIMIT ${page.limit + 1}`
        return pageOf(rows.map(recordOf), page)
      }, within),
      revoke: Effect.fn("PgAssistantTokens.revoke")(function* (id, at) {
        const { organizationId } = yield* Caller
        const revoked = yield* sql`UPDATE assistant_tokens SET revoked_at = ${new Date(at)}, version = version + 1
          WHERE organization_id = ${organizationId} AND id = ${id} AND revoked_at IS NULL RETURNING id`
        return revoked.length === 1
      }, within)
    })
  })
)

interface FoundRow {
  readonly organization_id: string
  readonly id: string
  readonly user_id: string
  readonly role: Role
  readonly expires_at: Date
  readonly is_sandbox: boolean
  readonly is_noted: boolean
}

/** Whom a token stands for, asked at each call, so that a changed role or a member who left counts at once. */
const tokens = Layer.effect(
  AssistantTokens,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return AssistantTokens.of({
      find: Effect.fn("PgAssistantTokens.find")(function* (token: Redacted.Redacted<string>) {
        const digest = tokenDigest(token)
        const [row] =
          yield* sql<FoundRow>`SELECT t.organization_id, t.id, t.user_id, m.role, t.expires_at, o.is_sandbox,
            coalesce(t.last_used_at > now() - interval '1 minute', false) AS is_noted
          FROM assistant_tokens t JOIN organizations o ON o.id = t.organization_id
          JOIN members m ON m.organization_id = t.organization_id AND m.user_id = t.user_id AND m.status = 'ACTIVE'
          JOIN users u ON u.id = t.user_id AND (NOT o.requires_second_factor OR u.second_factor_sealed IS NOT NULL)
          WHERE t.digest = ${digest} AND t.revoked_at IS NULL AND t.expires_at > now()`
        if (row === undefined) return undefined
        if (!row.is_noted) {
          yield* sql`UPDATE assistant_tokens SET last_used_at = now()
            WHERE organization_id = ${row.organization_id} AND id = ${row.id}`
        }
        return {
          organizationId: row.organization_id,
          id: row.id,
          userId: row.user_id,
          role: row.role,
          expiresAt: row.expires_at.getTime(),
          livemode: !row.is_sandbox
        }
      }, orUnavailable)
    })
  })
)

export const layer = Layer.merge(store, tokens)
