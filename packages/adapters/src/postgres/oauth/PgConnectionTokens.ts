import { ConnectionTokens } from "@sarraf/domain/assistants/ConnectionTokens"
import type { Role } from "@sarraf/domain/organizations/Caller"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { orUnavailable } from "../orUnavailable.ts"
import { storedId } from "./PgOauthArtifacts.ts"

interface FoundRow {
  readonly organization_id: string
  readonly id: string
  readonly user_id: string
  readonly role: Role
  readonly is_sandbox: boolean
  readonly client_id: string
  readonly scope: string | null
  readonly expires_at: Date
  readonly is_noted: boolean
}

/** Longer than any token of the authorization server; what is longer is not looked up. */
const tokenLengthMax = 200

/**
 * Access tokens of the authorization server, looked up in its tables at each call, so that a revoked connection, a changed
 * role or a member who left counts at once, in every process. `audience`: `SARRAF_MCP_URL` (RFC 8707).
 */
export const layer = (audience: string) =>
  Layer.effect(
    ConnectionTokens,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return ConnectionTokens.of({
        find: Effect.fn("PgConnectionTokens.find")(function* (token: Redacted.Redacted<string>) {
          const id = Redacted.value(token)
          if (id.length > tokenLengthMax) return undefined
          const digest = storedId({ model: "AccessToken", id })
          const [row] =
            yield* sql<FoundRow>`SELECT c.organization_id, c.id, c.user_id, m.role, o.is_sandbox, c.client_id,
              t.payload->>'scope' AS scope, t.expires_at,
              coalesce(c.last_used_at > now() - interval '1 minute', false) AS is_noted
            FROM oauth_artifact t
            JOIN oauth_artifact g ON g.model = 'Grant' AND g.id = t.grant_id AND g.expires_at > now()
            JOIN mcp_connection c ON c.grant_id = t.grant_id AND c.revoked_at IS NULL AND c.expires_at > now()
            JOIN organizations o ON o.id = c.organization_id
            JOIN members m ON m.organization_id = c.organization_id AND m.user_id = c.user_id AND m.status = 'ACTIVE'
            JOIN users u ON u.id = c.user_id AND (NOT o.requires_second_factor OR u.second_factor_sealed IS NOT NULL)
            WHERE t.model = 'AccessToken' AND t.id = ${digest} AND t.expires_at > now()
              AND t.payload->>'aud' = ${audience} AND t.payload->>'accountId' = c.user_id
              AND t.payload->>'clientId' = c.client_id`
          if (row === undefined) return undefined
          if (!row.is_noted) {
            yield* sql`UPDATE mcp_connection SET last_used_at = now()
              WHERE organization_id = ${row.organization_id} AND id = ${row.id}`
          }
          return {
            organizationId: row.organization_id,
            userId: row.user_id,
            role: row.role,
            credential: `connection:${row.id}`,
            clientId: row.client_id,
            scopes: (row.scope ?? "").split(" ").filter((scope) => scope !== ""),
            expiresAt: row.expires_at.getTime(),
            livemode: !row.is_sandbox
          }
        }, orUnavailable)
      })
    })
  )
