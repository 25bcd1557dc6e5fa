import { type PaymentClient, PaymentClients } from "@sarraf/domain/organizations/PaymentClients"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { makeVault } from "../signing/Vault.ts"
import { remembered } from "./organizations/rememberedCredentials.ts"
import { orUnavailable } from "./orUnavailable.ts"

/** Where a client's secret is sealed: it opens in its own row only. */
export const secretPlace = (clientId: string, number: number): string => `payment_client_secrets/${clientId}/${number}`

interface ClientRow {
  readonly organization_id: string
  readonly strict_signatures: boolean
  readonly is_sandbox: boolean
  readonly verification: string
  readonly number: number | null
  readonly sealed: string | null
}

/** What this process remembers of gateway clients. */
export class RememberedPaymentClients extends Context.Service<
  RememberedPaymentClients,
  { forget(organizationId: string): Effect.Effect<void> }
>()("@sarraf/adapters/postgres/PgPaymentClients/RememberedPaymentClients") {}

/** Gateway clients in PostgreSQL; the secrets are opened when they are read and kept a few seconds. */
export const layer = Layer.effectContext(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const vault = yield* makeVault

    const load = Effect.fn("PgPaymentClients.load")(function* (clientId: string) {
      const rows =
        yield* sql<ClientRow>`SELECT c.organization_id, o.strict_signatures, o.is_sandbox, o.verification, s.number, s.sealed
        FROM payment_clients c JOIN organizations o ON o.id = c.organization_id
        LEFT JOIN payment_client_secrets s ON s.organization_id = c.organization_id AND s.client_id = c.id
          AND (s.expires_at IS NULL OR s.expires_at > now())
        WHERE c.id = ${clientId} ORDER BY s.number DESC`
      const [first] = rows
      if (first === undefined) return undefined
      const sealed = rows.flatMap(({ number, sealed: text }) =>
        number === null || text === null ? [] : [{ number, text }]
      )
      const secrets = yield* Effect.forEach(sealed, ({ number, text }) =>
        vault.open(text, secretPlace(clientId, number))
      )
      return {
        organizationId: first.organization_id,
        clientId,
        livemode: !first.is_sandbox,
        isVerified: first.verification === "VERIFIED",
        secrets,
        strictSignatures: first.strict_signatures
      } satisfies PaymentClient
    })

    const { forget, get } = yield* remembered(load)
    const clients = PaymentClients.of({
      find: (clientId) => Effect.catchTag(orUnavailable(get(clientId)), "SealBroken", Effect.die)
    })
    return Context.make(PaymentClients, clients).pipe(Context.add(RememberedPaymentClients, { forget }))
  })
)
