import { inspect } from "node:util"
import { assert, layer } from "@effect/vitest"
import * as PgApiKeys from "@sarraf/adapters/postgres/PgApiKeys"
import { sandboxClients, seedSandbox } from "@sarraf/adapters/postgres/seedSandbox"
import { EncryptionKeys } from "@sarraf/adapters/signing/EncryptionKeys"
import { type ApiKey, ApiKeys } from "@sarraf/domain/organizations/ApiKeys"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as Database from "../../support/Database.ts"

const keys = Layer.succeed(EncryptionKeys, { current: Redacted.make(new Uint8Array(32).fill(7)), old: [] })

/** A process that has read nothing yet. */
const freshKeys = ApiKeys.pipe(Effect.provide(Layer.fresh(PgApiKeys.layer)))

interface Traits {
  readonly role?: string
  readonly livemode?: boolean
  readonly verification?: string
  readonly validSeconds?: number
  readonly isRevoked?: boolean
}

const insertKey = Effect.fnUntraced(function* (key: string, traits: Traits = {}) {
  const sql = yield* SqlClient.SqlClient
  const { isRevoked = false, livemode = false, role = "ADMIN", validSeconds = null, verification = "VERIFIED" } = traits
  const organization = `org_of_${key}`
  yield* sql`INSERT INTO organizations (id, name, base_currency, timezone, verification, is_sandbox)
    VALUES (${organization}, 'Shop', 'TRY', 'Europe/Istanbul', ${verification}, ${!livemode})`
  yield* sql`INSERT INTO api_keys (organization_id, id, digest, role, livemode, expires_at, revoked_at)
    VALUES (${organization}, 'mine', ${PgApiKeys.apiKeyDigest(Redacted.make(key))}, ${role}, ${livemode},
      now() + ${validSeconds}::int * interval '1 second', CASE WHEN ${isRevoked}::boolean THEN now() END)`
})

const find = (key: string) => Effect.flatMap(freshKeys, (found) => found.find(Redacted.make(key)))

layer(Layer.merge(Database.layer, keys))("PgApiKeys", (it) => {
  it.effect("finds a key with its organization, role and mode", () =>
    Effect.gen(function* () {
      yield* insertKey("key_live_a", { livemode: true, role: "AUDITOR", verification: "PENDING" })
      assert.deepStrictEqual(yield* find("key_live_a"), {
        organizationId: "org_of_key_live_a",
        id: "mine",
        role: "AUDITOR",
        createdBy: null,
        livemode: true,
        isVerified: false
      })
    })
  )

  it.effect("finds no key that never was, has expired or was revoked", () =>
    Effect.gen(function* () {
      yield* insertKey("key_test_expired", { validSeconds: -1 })
      yield* insertKey("key_test_revoked", { isRevoked: true })
      yield* insertKey("key_test_valid", { validSeconds: 60 })
      for (const key of ["key_test_expired", "key_test_revoked", "key_test_", "key_test_VALID", "' OR true --"]) {
        assert.isUndefined(yield* find(key), key)
      }
      assert.isDefined(yield* find("key_test_valid"))
    })
  )

  it.effect("notices within five seconds that a key was revoked, and asks the database no more often", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const found = Effect.map((yield* freshKeys).find(Redacted.make("key_test_noticed")), (key) => key !== undefined)
      assert.isFalse(yield* found)
      yield* insertKey("key_test_noticed")
      yield* TestClock.adjust("5 seconds")
      assert.isTrue(yield* found)
      yield* sql`UPDATE api_keys SET revoked_at = now() WHERE organization_id = 'org_of_key_test_noticed'`
      yield* TestClock.adjust("4 seconds")
      assert.isTrue(yield* found)
      yield* TestClock.adjust("1 second")
      assert.isFalse(yield* found)
    })
  )

  it.effect("keeps of a key its digest alone", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* insertKey("key_test_hunter2")
      const rows = yield* sql`SELECT digest, role, livemode FROM api_keys`
      assert.notInclude(inspect([rows, yield* find("key_test_hunter2")]), "key_test_hunter2 ")
      assert.isTrue(rows.every(({ digest }) => /^[0-9a-f]{64}$/.test(String(digest))))
    })
  )

  it.effect("knows the sandbox's keys once it is seeded, however often that is", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* find("key_test_sandbox"))
      yield* seedSandbox
      yield* seedSandbox
      for (const { apiKey, apiKeyId, organizationId } of sandboxClients) {
        const expected: ApiKey = {
          organizationId,
          id: apiKeyId,
          role: "OWNER",
          createdBy: null,
          livemode: false,
          isVerified: true
        }
        assert.deepStrictEqual(yield* find(apiKey), expected)
      }
    })
  )
})
