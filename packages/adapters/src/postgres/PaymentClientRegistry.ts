import { Effect } from "effect"
import { SqlClient } from "effect/sql"

interface ListedSecret {
  readonly organization_id: string
  readonly is_sandbox: boolean
  readonly client_id: string
  readonly retired_at: Date | null
  readonly number: number | null
  readonly created_at: Date | null
  readonly expires_at: Date | null
}

/** The gateway clients of the whole installation, for its operator: each organization sees its own alone. */
export const makeRegistry = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** A row for each secret that is valid now, and one for a client that has none. Retired clients too: they have payments. */
  list: sql<ListedSecret>`SELECT c.organization_id, o.is_sandbox, c.id AS client_id, c.retired_at, s.number, s.created_at,
      s.expires_at
    FROM payment_clients c JOIN organizations o ON o.id = c.organization_id
    LEFT JOIN payment_client_secrets s ON s.organization_id = c.organization_id AND s.client_id = c.id
      AND (s.expires_at IS NULL OR s.expires_at > now())
    ORDER BY c.organization_id, c.id, s.number`,
  /** Whose client it is; undefined for an unknown one. */
  organizationOf: (clientId: string) =>
    Effect.map(
      sql<{ organization_id: string }>`SELECT organization_id FROM payment_clients WHERE id = ${clientId}`,
      ([row]) => row?.organization_id
    ),
  hasOrganization: (organizationId: string) =>
    Effect.map(sql`SELECT 1 FROM organizations WHERE id = ${organizationId}`, (rows) => rows.length === 1)
}))
