import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { makeVault } from "../signing/Vault.ts"
import { apiKeyDigest } from "./PgApiKeys.ts"
import { secretPlace } from "./PgPaymentClients.ts"

/** The credentials that work without signup, in TEST mode only (contract section 3). They are public, not secret. */
export const sandboxClients = [
  {
    organizationId: "org_01kd8z0000e0080000000000s1",
    organization: "Sandbox",
    clientId: "sandbox_client",
    clientSecret: "sandbox_secret",
    apiKeyId: "sandbox",
    apiKey: "key_test_sandbox"
  },
  {
    organizationId: "org_01kd8z0000e0080000000000s2",
    organization: "Other sandbox",
    clientId: "sandbox_client_2",
    clientSecret: "sandbox_secret_2",
    apiKeyId: "other",
    apiKey: "key_test_other"
  }
] as const

/**
 * Puts the sandbox's organizations, clients and API keys there, in one transaction. Their secrets are sealed anew at each start, so
 * that a sandbox whose key was lost goes on working.
 */
export const seedSandbox = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const vault = yield* makeVault
  yield* sql.withTransaction(
    Effect.forEach(
      sandboxClients,
      Effect.fnUntraced(function* ({ apiKey, apiKeyId, clientId, clientSecret, organization, organizationId }) {
        yield* sql`INSERT INTO organizations (id, name, base_currency, timezone, verification, is_sandbox)
          VALUES (${organizationId}, ${organization}, 'TRY', 'Europe/Istanbul', 'VERIFIED', true) ON CONFLICT DO NOTHING`
        yield* sql`INSERT INTO payment_clients (organization_id, id) VALUES (${organizationId}, ${clientId}) ON CONFLICT DO NOTHING`
        const sealed = vault.seal(Redacted.make(clientSecret), secretPlace(clientId, 1))
        yield* sql`INSERT INTO payment_client_secrets (organization_id, client_id, number, sealed)
          VALUES (${organizationId}, ${clientId}, 1, ${sealed})
          ON CONFLICT (organization_id, client_id, number) DO UPDATE SET sealed = excluded.sealed`
        yield* sql`INSERT INTO api_keys (organization_id, id, digest, role, livemode)
          VALUES (${organizationId}, ${apiKeyId}, ${apiKeyDigest(Redacted.make(apiKey))}, 'OWNER', false) ON CONFLICT DO NOTHING`
      }),
      { discard: true }
    )
  )
}).pipe(Effect.withSpan("seedSandbox"))
