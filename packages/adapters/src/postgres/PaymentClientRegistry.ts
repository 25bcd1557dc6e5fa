import { randomBytes } from "node:crypto"
import { Data, Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { makeVault } from "../signing/Vault.ts"
import { secretPlace } from "./PgPaymentClients.ts"

/** `message` says what is missing or taken, and what to do. */
export class ClientRefused extends Data.TaggedError("ClientRefused")<{ readonly message: string }> {}

/** A secret that is shown once. */
export interface NewSecret {
  readonly clientId: string
  readonly number: number
  readonly secret: Redacted.Redacted<string>
}

export interface ListedSecret {
  readonly organization_id: string
  readonly is_sandbox: boolean
  readonly client_id: string
  readonly number: number | null
  readonly created_at: Date | null
  readonly expires_at: Date | null
}

/** 256 random bits as 43 letters; long enough that it cannot be guessed. */
const makeSecret = () => Redacted.make(`sec_${randomBytes(32).toString("base64url")}`, { label: "client secret" })

/** Makes gateway clients and rotates their secrets: two are valid while one takes the other's place (contract section 3). */
export const makeRegistry = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const vault = yield* makeVault

  const audit = (organizationId: string, action: string, subject: string, detail: object) =>
    sql`INSERT INTO audit_log (organization_id, at, actor, request_id, action, subject, detail)
      VALUES (${organizationId}, now(), 'operator', '', ${action}, ${subject}, ${JSON.stringify(detail)}::jsonb)`

  const addSecret = Effect.fnUntraced(function* (organizationId: string, clientId: string, number: number) {
    const secret = makeSecret()
    yield* sql`INSERT INTO payment_client_secrets (organization_id, client_id, number, sealed)
      VALUES (${organizationId}, ${clientId}, ${number}, ${vault.seal(secret, secretPlace(clientId, number))})`
    return { clientId, number, secret } satisfies NewSecret
  })

  /** The client's organization and the number of its newest secret, locked until the change is committed. */
  const lock = Effect.fnUntraced(function* (clientId: string) {
    const [row] = yield* sql<{ organization_id: string }>`SELECT organization_id FROM payment_clients
      WHERE id = ${clientId} FOR UPDATE`
    if (row === undefined)
      return yield* new ClientRefused({ message: `There is no client ${clientId}: \`list\` shows them all.` })
    const [newest] = yield* sql<{
      number: number
    }>`SELECT coalesce(max(number), 0) AS number FROM payment_client_secrets
      WHERE organization_id = ${row.organization_id} AND client_id = ${clientId}`
    return { organizationId: row.organization_id, newest: newest?.number ?? 0 }
  })

  return {
    list: sql<ListedSecret>`SELECT c.organization_id, o.is_sandbox, c.id AS client_id, s.number, s.created_at, s.expires_at
      FROM payment_clients c JOIN organizations o ON o.id = c.organization_id LEFT JOIN payment_client_secrets s ON s.organization_id = c.organization_id AND s.client_id = c.id
        AND (s.expires_at IS NULL OR s.expires_at > now())
      ORDER BY c.organization_id, c.id, s.number`,
    create: (organizationId: string, clientId: string) =>
      sql.withTransaction(
        Effect.gen(function* () {
          const [organization] = yield* sql`SELECT 1 FROM organizations WHERE id = ${organizationId}`
          if (organization === undefined) {
            return yield* new ClientRefused({ message: `There is no organization ${organizationId}.` })
          }
          const added =
            yield* sql`INSERT INTO payment_clients (organization_id, id) VALUES (${organizationId}, ${clientId})
            ON CONFLICT DO NOTHING RETURNING id`
          if (added.length === 0) {
            return yield* new ClientRefused({
              message: `The client ${clientId} exists already: choose another id, or rotate its secret.`
            })
          }
          yield* audit(organizationId, "payment_client.created", clientId, {})
          return yield* addSecret(organizationId, clientId, 1)
        })
      ),
    /** Adds a secret; the ones before it stay valid for `keepHours` more. */
    rotate: (clientId: string, keepHours: number) =>
      sql.withTransaction(
        Effect.gen(function* () {
          const { newest, organizationId } = yield* lock(clientId)
          yield* sql`UPDATE payment_client_secrets SET expires_at = now() + ${keepHours}::int * interval '1 hour'
            WHERE organization_id = ${organizationId} AND client_id = ${clientId} AND expires_at IS NULL`
          yield* audit(organizationId, "payment_client.rotated", clientId, { number: newest + 1, keepHours })
          return yield* addSecret(organizationId, clientId, newest + 1)
        })
      ),
    /** Ends a secret at once. */
    retire: (clientId: string, number: number) =>
      sql.withTransaction(
        Effect.gen(function* () {
          const { organizationId } = yield* lock(clientId)
          const ended = yield* sql`UPDATE payment_client_secrets SET expires_at = now()
            WHERE organization_id = ${organizationId} AND client_id = ${clientId} AND number = ${number}
              AND (expires_at IS NULL OR expires_at > now()) RETURNING number`
          if (ended.length === 0) {
            return yield* new ClientRefused({
              message: `${clientId} has no valid secret ${number}: \`list\` shows which it has.`
            })
          }
          yield* audit(organizationId, "payment_client.retired", clientId, { number })
        })
      )
  }
})
