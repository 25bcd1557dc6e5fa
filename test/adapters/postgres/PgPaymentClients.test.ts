import { inspect } from "node:util"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import * as PgPaymentClients from "@sarraf/adapters/postgres/PgPaymentClients"
import { EncryptionKeys } from "@sarraf/adapters/signing/EncryptionKeys"
import { makeVault } from "@sarraf/adapters/signing/Vault"
import { PaymentClients } from "@sarraf/domain/organizations/PaymentClients"
import { Effect, Exit, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as Database from "../../support/Database.ts"

const keys = Layer.succeed(EncryptionKeys, { current: Redacted.make(new Uint8Array(32).fill(7)), old: [] })

/** A process that has read nothing yet. */
const freshClients = PaymentClients.pipe(Effect.provide(Layer.fresh(PgPaymentClients.layer)))

interface Traits {
  readonly isSandbox?: boolean
  readonly verification?: string
  readonly strict?: boolean
}

const insertClient = Effect.fnUntraced(function* (clientId: string, traits: Traits = {}) {
  const sql = yield* SqlClient.SqlClient
  const { isSandbox = true, strict = false, verification = "VERIFIED" } = traits
  yield* sql`INSERT INTO organizations (id, name, base_currency, timezone, verification, strict_signatures, is_sandbox)
    VALUES (${`org_of_${clientId}`}, 'Shop', 'TRY', 'Europe/Istanbul', ${verification}, ${strict}, ${isSandbox})`
  yield* sql`INSERT INTO payment_clients (organization_id, id) VALUES (${`org_of_${clientId}`}, ${clientId})`
})

const insertSecret = Effect.fnUntraced(function* (
  clientId: string,
  number: number,
  secret: string,
  validSeconds: number | null = null,
  sealedFor = number
) {
  const sql = yield* SqlClient.SqlClient
  const vault = yield* makeVault
  const sealed = vault.seal(Redacted.make(secret), PgPaymentClients.secretPlace(clientId, sealedFor))
  yield* sql`INSERT INTO payment_client_secrets (organization_id, client_id, number, sealed, expires_at)
    VALUES (${`org_of_${clientId}`}, ${clientId}, ${number}, ${sealed}, now() + ${validSeconds}::int * interval '1 second')`
})

const secretsOf = Effect.fnUntraced(function* (clientId: string) {
  const found = yield* (yield* freshClients).find(clientId)
  return found?.secrets.map(Redacted.value)
})

layer(Layer.merge(Database.layer, keys))("PgPaymentClients", (it) => {
  it.effect("finds both secrets while one takes the other's place, the newer first", () =>
    Effect.gen(function* () {
      yield* insertClient("rotating")
      yield* insertSecret("rotating", 1, "old", 3_600)
      yield* insertSecret("rotating", 2, "new")
      assert.deepStrictEqual(yield* secretsOf("rotating"), ["new", "old"])
    })
  )

  it.effect("does not find a secret that has expired", () =>
    Effect.gen(function* () {
      yield* insertClient("rotated")
      yield* insertSecret("rotated", 1, "old", -1)
      yield* insertSecret("rotated", 2, "new")
      assert.deepStrictEqual(yield* secretsOf("rotated"), ["new"])
    })
  )

  it.effect("finds a client whose secrets have all expired, with none", () =>
    Effect.gen(function* () {
      yield* insertClient("expired")
      yield* insertSecret("expired", 1, "old", -1)
      assert.deepStrictEqual(yield* secretsOf("expired"), [])
    })
  )

  it.effect("does not find an unknown client", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* secretsOf("nobody"))
      assert.isUndefined(yield* secretsOf("' OR true --"))
    })
  )

  it.effect.each([
    [{}, { livemode: false, isVerified: true, strictSignatures: false }],
    [
      { isSandbox: false, verification: "VERIFIED" },
      { livemode: true, isVerified: true, strictSignatures: false }
    ],
    [
      { isSandbox: false, verification: "PENDING" },
      { livemode: true, isVerified: false, strictSignatures: false }
    ],
    [
      { isSandbox: false, verification: "REJECTED" },
      { livemode: true, isVerified: false, strictSignatures: false }
    ],
    [
      { isSandbox: false, verification: "UNVERIFIED", strict: true },
      { livemode: true, isVerified: false, strictSignatures: true }
    ]
  ] as const)("reads what the organization is: %o", ([traits, expected]) =>
    Effect.gen(function* () {
      const clientId = `traits_${JSON.stringify(traits)}`
      yield* insertClient(clientId, traits)
      const found = yield* (yield* freshClients).find(clientId)
      assert.deepStrictEqual(found, { organizationId: `org_of_${clientId}`, clientId, secrets: [], ...expected })
    })
  )

  it.effect("shows no secret", () =>
    Effect.gen(function* () {
      yield* insertClient("quiet")
      yield* insertSecret("quiet", 1, "hunter2")
      const found = yield* (yield* freshClients).find("quiet")
      assert.notInclude(inspect(found, { depth: 9, showHidden: true }) + JSON.stringify(found), "hunter2")
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ sealed: string }>`SELECT sealed FROM payment_client_secrets WHERE client_id = 'quiet'`
      assert.notInclude(Buffer.from(rows[0]?.sealed.split(".")[4] ?? "", "base64url").toString(), "hunter2")
    })
  )

  it.effect("notices a new and a retired secret within five seconds, and asks the database no more often", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const clients = yield* freshClients
      const secrets = Effect.map(clients.find("noticed"), (found) => found?.secrets.map(Redacted.value))
      assert.isUndefined(yield* secrets)
      yield* insertClient("noticed")
      yield* insertSecret("noticed", 1, "first")
      assert.isUndefined(yield* secrets)
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* secrets, ["first"])
      yield* sql`DELETE FROM payment_client_secrets WHERE client_id = 'noticed'`
      yield* TestClock.adjust("4 seconds")
      assert.deepStrictEqual(yield* secrets, ["first"])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* secrets, [])
    })
  )

  it.effect("dies on a secret that was moved from another row, and names no part of it", () =>
    Effect.gen(function* () {
      yield* insertClient("moved")
      yield* insertSecret("moved", 1, "hunter2", null, 2)
      const exit = yield* Effect.exit((yield* freshClients).find("moved"))
      assert.isTrue(Exit.hasDies(exit))
      assert.notInclude(inspect(exit, { depth: 9 }), "hunter2")
    })
  )

  it.effect("is Unavailable without a database, and finds clients again when it is back", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const clients = yield* freshClients
      yield* insertClient("returning")
      // The connections that this process has, ended behind its back: each fails once, then a new one takes its place.
      const others = sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`
      yield* sql`ALTER TABLE payment_clients RENAME TO away`
      yield* sql`CREATE VIEW payment_clients AS SELECT * FROM away WHERE pg_terminate_backend(pg_backend_pid())`
      assert.strictEqual((yield* Effect.flip(clients.find("returning")))._tag, "Unavailable")
      yield* sql`DROP VIEW payment_clients`
      yield* sql`ALTER TABLE away RENAME TO payment_clients`
      yield* others
      assert.strictEqual((yield* Effect.eventually(clients.find("returning")))?.clientId, "returning")
    })
  )

  it.effect("is Unavailable where nobody listens", () =>
    Effect.gen(function* () {
      const clients = yield* freshClients
      assert.strictEqual((yield* Effect.flip(clients.find("anybody")))._tag, "Unavailable")
    }).pipe(Effect.provide(PgClient.layer({ host: "/nonexistent", username: "postgres" })))
  )
})
