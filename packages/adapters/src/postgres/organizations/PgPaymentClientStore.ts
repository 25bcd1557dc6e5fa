import { pageOf } from "@sarraf/domain/lists/Page"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { type PaymentClientRecord, PaymentClientStore } from "@sarraf/domain/organizations/PaymentClientStore"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { makeVault } from "../../signing/Vault.ts"
import { RememberedPaymentClients, secretPlace } from "../PgPaymentClients.ts"
import { afterCommit, makeWithin } from "./PgUnitOfWork.ts"

interface ClientRow {
  readonly id: string
  readonly name: string | null
  readonly created_by: string | null
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
}

interface SecretRow {
  readonly client_id: string
  readonly number: number
  readonly created_at: Date
  readonly expires_at: Date | null
}

const recordOf = (row: ClientRow, secrets: ReadonlyArray<SecretRow>): PaymentClientRecord => ({
  id: row.id,
  name: row.name,
  createdBy: row.created_by,
  version: row.version,
  createdAt: row.created_at.getTime(),
  updatedAt: row.updated_at.getTime(),
  secrets: secrets
    .filter(({ client_id }) => client_id === row.id)
    .map(({ created_at, expires_at, number }) => ({
      number,
      createdAt: created_at.getTime(),
      expiresAt: expires_at?.getTime() ?? null
    }))
})

/** Gateway clients of an organization in PostgreSQL. Secrets end by the database's clock, which they are compared with. */
export const layer = Layer.effect(
  PaymentClientStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const within = yield* makeWithin
    const vault = yield* makeVault
    const { forget } = yield* RememberedPaymentClients

    const withSecrets = Effect.fnUntraced(function* (organizationId: string, rows: ReadonlyArray<ClientRow>) {
      const secrets = yield* sql<SecretRow>`SELECT client_id, number, created_at, expires_at FROM payment_client_secrets
        WHERE organization_id = ${organizationId} AND client_id = ANY (${rows.map(({ id }) => id)}::text[])
          AND (expires_at IS NULL OR expires_at > now()) ORDER BY number DESC`
      return rows.map((row) => recordOf(row, secrets))
    })

    const findOne = Effect.fnUntraced(function* (id: string, forUpdate: boolean) {
      const { organizationId } = yield* Caller
      const lock = forUpdate ? sql`FOR NO KEY UPDATE` : sql``
      const rows = yield* sql<ClientRow>`SELECT * FROM payment_clients
        WHERE organization_id = ${organizationId} AND id = ${id} AND retired_at IS NULL ${lock}`
      const [record] = yield* withSecrets(organizationId, rows)
      return record
    })

    return PaymentClientStore.of({
      find: (id) => within(findOne(id, false)),
      lock: (id) => within(findOne(id, true)),
      list: Effect.fn("PgPaymentClientStore.list")(function* (page) {
        const { organizationId } = yield* Caller
        const after = page.after === undefined ? sql`true` : sql`id < ${page.after}`
        const rows = yield* sql<ClientRow>`SELECT * FROM payment_clients
          WHERE organization_id = ${organizationId} AND retired_at IS NULL AND ${after}
          ORDER BY id DESC LIMIT ${page.limit + 1}`
        return pageOf(yield* withSecrets(organizationId, rows), page)
      }, within),
      insert: Effect.fn("PgPaymentClientStore.insert")(function* ({ createdAt, createdBy, id, name }) {
        const { organizationId } = yield* Caller
        const at = new Date(createdAt)
        const inserted =
          yield* sql`INSERT INTO payment_clients (organization_id, id, name, created_by, created_at, updated_at)
          VALUES (${organizationId}, ${id}, ${name}, ${createdBy}, ${at}, ${at}) ON CONFLICT DO NOTHING RETURNING id`
        return inserted.length === 1
      }, within),
      addSecret: Effect.fn("PgPaymentClientStore.addSecret")(function* (id, secret) {
        const { organizationId } = yield* Caller
        const [newest] = yield* sql<{ number: number }>`SELECT coalesce(max(number), 0) AS number
          FROM payment_client_secrets WHERE organization_id = ${organizationId} AND client_id = ${id}`
        const number = (newest?.number ?? 0) + 1
        yield* sql`INSERT INTO payment_client_secrets (organization_id, client_id, number, sealed)
          VALUES (${organizationId}, ${id}, ${number}, ${vault.seal(secret, secretPlace(id, number))})`
        yield* afterCommit(forget(organizationId))
        return number
      }, within),
      endSecret: Effect.fn("PgPaymentClientStore.endSecret")(function* (id, number, hours) {
        const { organizationId } = yield* Caller
        yield* sql`UPDATE payment_client_secrets
          SET expires_at = least(expires_at, now() + ${hours}::int * interval '1 hour')
          WHERE organization_id = ${organizationId} AND client_id = ${id} AND number = ${number}`
        yield* afterCommit(forget(organizationId))
      }, within),
      change: Effect.fn("PgPaymentClientStore.change")(function* (id, at, isRetired) {
        const { organizationId } = yield* Caller
        const changed = new Date(at)
        yield* sql`UPDATE payment_clients SET version = version + 1, updated_at = ${changed},
            retired_at = ${isRetired ? changed : null}
          WHERE organization_id = ${organizationId} AND id = ${id}`
      }, within)
    })
  })
)
