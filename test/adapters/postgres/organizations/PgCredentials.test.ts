import { assert, layer } from "@effect/vitest"
import * as RandomIdentifiers from "@sarraf/adapters/identifiers/RandomIdentifiers"
import * as PgAuditTrail from "@sarraf/adapters/postgres/audit/PgAuditTrail"
import * as PgApiKeyStore from "@sarraf/adapters/postgres/organizations/PgApiKeyStore"
import * as PgOrganizations from "@sarraf/adapters/postgres/organizations/PgOrganizations"
import * as PgPaymentClientStore from "@sarraf/adapters/postgres/organizations/PgPaymentClientStore"
import * as PgUnitOfWork from "@sarraf/adapters/postgres/organizations/PgUnitOfWork"
import * as PgApiKeys from "@sarraf/adapters/postgres/PgApiKeys"
import * as PgPaymentClients from "@sarraf/adapters/postgres/PgPaymentClients"
import { EncryptionKeys } from "@sarraf/adapters/signing/EncryptionKeys"
import * as SecretTokens from "@sarraf/adapters/signing/SecretTokens"
import { ApiKeySettings } from "@sarraf/domain/organizations/ApiKeySettings"
import { ApiKeys } from "@sarraf/domain/organizations/ApiKeys"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { PaymentClientSettings } from "@sarraf/domain/organizations/PaymentClientSettings"
import { PaymentClients } from "@sarraf/domain/organizations/PaymentClients"
import { UnitOfWork } from "@sarraf/domain/organizations/UnitOfWork"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../../support/Database.ts"
import { insertOrganization } from "../support/Shop.ts"

const encryptionKeys = Layer.succeed(EncryptionKeys, { current: Redacted.make(new Uint8Array(32).fill(7)), old: [] })

const settings = Layer.mergeAll(ApiKeySettings.layer, PaymentClientSettings.layer).pipe(
  Layer.provide([PgApiKeyStore.layer, PgPaymentClientStore.layer, SecretTokens.layer, RandomIdentifiers.layer]),
  Layer.provideMerge(Layer.mergeAll(PgUnitOfWork.layer, PgAuditTrail.layer, PgOrganizations.layer)),
  Layer.provideMerge(Layer.mergeAll(PgApiKeys.layer, PgPaymentClients.layer)),
  Layer.provide(encryptionKeys),
  Layer.provideMerge(Database.layer)
)

const as = (organizationId: string) =>
  Effect.provideService(Caller, {
    organizationId,
    role: "OWNER",
    name: "key:test",
    kind: "key",
    userId: null,
    createdBy: "usr_maker"
  })

const newKey = { name: "Key", role: "MEMBER", expiresAt: null, livemode: false } as const

layer(settings)("Credentials of an organization", (it) => {
  it.effect("are refused in this process from the commit of their revocation on, and not where that is undone", () =>
    Effect.gen(function* () {
      yield* insertOrganization("org_revoking", true)
      const keys = yield* ApiKeySettings
      const known = yield* ApiKeys
      const units = yield* UnitOfWork
      const { key, record } = yield* keys.create(newKey)
      assert.deepInclude(yield* known.find(key), { id: record.id, createdBy: "usr_maker" })
      const revoked = keys.revoke(record.id, undefined)
      yield* Effect.flip(units.run(Effect.andThen(revoked, Effect.fail("undone" as const))))
      assert.isDefined(yield* known.find(key))
      yield* units.run(revoked)
      assert.isUndefined(yield* known.find(key))
    }).pipe(as("org_revoking"))
  )

  it.effect("are given in live mode to a verified business alone", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* insertOrganization("org_pending", false)
      const keys = yield* ApiKeySettings
      const clients = yield* PaymentClientSettings
      for (const verification of ["UNVERIFIED", "PENDING", "REJECTED"]) {
        yield* sql`UPDATE organizations SET verification = ${verification} WHERE id = 'org_pending'`
        for (const created of [
          Effect.asVoid(keys.create({ ...newKey, livemode: true })),
          Effect.asVoid(clients.create({ name: null, livemode: true }))
        ]) {
          assert.deepInclude(yield* Effect.flip(created), { _tag: "VerificationMissing", verification })
        }
      }
      assert.deepStrictEqual(yield* sql`SELECT id FROM api_keys WHERE organization_id = 'org_pending'`, [])
      yield* sql`UPDATE organizations SET verification = 'VERIFIED' WHERE id = 'org_pending'`
      const { key } = yield* keys.create({ ...newKey, livemode: true })
      assert.match(Redacted.value(key), /^key_live_[\w-]{43}$/u)
      assert.match(Redacted.value((yield* clients.create({ name: null, livemode: true })).secret), /^sec_[\w-]{43}$/u)
    }).pipe(as("org_pending"))
  )

  it.effect("have two valid secrets at most, however many rotate them at once", () =>
    Effect.gen(function* () {
      yield* insertOrganization("org_rotating", true)
      const settings = yield* PaymentClientSettings
      const { client } = yield* settings.create({ id: "rotated", name: null, livemode: false })
      const rotated = yield* Effect.all(
        Array.from({ length: 6 }, () => settings.rotate(client.id, 24, undefined)),
        { concurrency: 6 }
      )
      const numbers = rotated.map(({ number }) => number).sort()
      assert.deepStrictEqual(numbers, [2, 3, 4, 5, 6, 7])
      const found = yield* (yield* PaymentClients).find("rotated")
      const newest = [...rotated].sort((one, other) => other.number - one.number)
      assert.deepStrictEqual(
        found?.secrets.map(Redacted.value),
        newest.slice(0, 2).map(({ secret }) => Redacted.value(secret))
      )
      const { secrets, version } = yield* settings.find("rotated")
      assert.deepStrictEqual([secrets.length, version], [2, 7])
      const stale = yield* Effect.flip(settings.rotate("rotated", 24, [6]))
      assert.deepInclude(stale, { _tag: "VersionConflict", present: 7 })
    }).pipe(as("org_rotating"))
  )

  it.effect("keep an id that another organization's client has from being taken", () =>
    Effect.gen(function* () {
      for (const id of ["org_first", "org_second"]) yield* insertOrganization(id, true)
      const settings = yield* PaymentClientSettings
      const create = settings.create({ id: "till", name: null, livemode: false })
      yield* as("org_first")(create)
      assert.strictEqual((yield* Effect.flip(as("org_second")(create)))._tag, "InvalidFields")
      assert.strictEqual((yield* Effect.flip(as("org_second")(settings.find("till"))))._tag, "NotFound")
      assert.strictEqual((yield* (yield* PaymentClients).find("till"))?.organizationId, "org_first")
    })
  )

  it.effect("leave no secret in what is recorded", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* insertOrganization("org_quiet", true)
      const { key } = yield* (yield* ApiKeySettings).create(newKey)
      const { client, secret } = yield* (yield* PaymentClientSettings).create({ name: "Shop", livemode: false })
      const rotated = yield* (yield* PaymentClientSettings).rotate(client.id, 0, undefined)
      const rows = JSON.stringify([
        yield* sql`SELECT before, after, detail FROM audit_log WHERE organization_id = 'org_quiet'`,
        yield* sql`SELECT * FROM api_keys WHERE organization_id = 'org_quiet'`,
        yield* sql`SELECT * FROM payment_client_secrets WHERE organization_id = 'org_quiet'`
      ])
      assert.include(rows, "keep_hours")
      for (const shown of [key, secret, rotated.secret]) assert.notInclude(rows, Redacted.value(shown))
    }).pipe(as("org_quiet"))
  )
})
