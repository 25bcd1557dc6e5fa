import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Passwords from "../signing/Passwords.ts"
import { tokenDigest } from "../signing/SecretTokens.ts"
import { makeVault } from "../signing/Vault.ts"
import { apiKeyDigest } from "./PgApiKeys.ts"
import { secretPlace } from "./PgPaymentClients.ts"
import { seedSandboxPeople } from "./seedSandboxPeople.ts"

/** The credentials that work without signup, in TEST mode only (contract section 3). They are public, not secret. */
export const sandboxClients = [
  {
    organizationId: "org_01kd8z0000e0080000000000s1",
    organization: "Sandbox",
    clientId: "sandbox_client",
    clientSecret: "sandbox_secret",
    apiKeyId: "sandbox",
    apiKey: "key_test_sandbox",
    assistantTokenId: "mcpt_01kd8z0000e0080000000000t1",
    assistantToken: "mcp_sandbox",
    owner: "owner@sandbox.test"
  },
  {
    organizationId: "org_01kd8z0000e0080000000000s2",
    organization: "Other sandbox",
    clientId: "sandbox_client_2",
    clientSecret: "sandbox_secret_2",
    apiKeyId: "other",
    apiKey: "key_test_other",
    assistantTokenId: "mcpt_01kd8z0000e0080000000000t2",
    assistantToken: "mcp_other",
    owner: "owner@other.test"
  }
] as const

/**
 * Puts the sandbox's organizations, clients and API keys there, in one transaction, then their people and assistant tokens. The clients'
 * secrets are sealed anew at each start, so that a sandbox whose key was lost goes on working.
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
        yield* sql`INSERT INTO api_keys (organization_id, id, digest, role, livemode, name)
          VALUES (${organizationId}, ${apiKeyId}, ${apiKeyDigest(Redacted.make(apiKey))}, 'OWNER', false, 'Sandbox') ON CONFLICT DO NOTHING`
      }),
      { discard: true }
    )
  )
  yield* sql.withTransaction(Effect.provide(seedSandboxPeople, Passwords.layer))
  for (const { assistantToken, assistantTokenId, organizationId, owner } of sandboxClients) {
    const digest = tokenDigest(Redacted.make(assistantToken))
    yield* sql`INSERT INTO assistant_tokens
        (organization_id, id, user_id, name, digest, last4, created_at, expires_at)
      SELECT organization_id, ${assistantTokenId}, user_id, 'Sandbox', ${digest}, ${assistantToken.slice(-4)}, now(),
        '2100-01-01'
      FROM members WHERE organization_id = ${organizationId} AND email = ${owner} ON CONFLICT DO NOTHING`
  }
}).pipe(Effect.withSpan("seedSandbox"))
