import { assert, layer } from "@effect/vitest"
import * as PgConnectionStore from "@sarraf/adapters/postgres/oauth/PgConnectionStore"
import * as PgConnectionTokens from "@sarraf/adapters/postgres/oauth/PgConnectionTokens"
import * as PgOauthArtifacts from "@sarraf/adapters/postgres/oauth/PgOauthArtifacts"
import { EncryptionKeys } from "@sarraf/adapters/signing/EncryptionKeys"
import { ConnectionStore } from "@sarraf/domain/assistants/ConnectionStore"
import { ConnectionTokens } from "@sarraf/domain/assistants/ConnectionTokens"
import { OauthArtifacts } from "@sarraf/domain/assistants/OauthArtifacts"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../../support/Database.ts"
import { insertOrganization } from "../support/Shop.ts"

const audience = "https://pay.example.com/mcp"
const keys = Layer.succeed(EncryptionKeys, { current: Redacted.make(new Uint8Array(32).fill(7)), old: [] })
const stores = Layer.mergeAll(PgConnectionStore.layer, PgOauthArtifacts.layer, PgConnectionTokens.layer(audience)).pipe(
  Layer.provideMerge(Layer.merge(Database.layer, keys))
)

/** A member of an organization of its own, with a connection and a token of it. */
const connectionOf = Effect.fnUntraced(function* (name: string, claims: Readonly<Record<string, unknown>> = {}) {
  const sql = yield* SqlClient.SqlClient
  const organizationId = `org_${name}`
  const userId = `usr_${name}`
  yield* insertOrganization(organizationId, true)
  yield* sql`INSERT INTO users (id, email, name) VALUES (${userId}, ${`${name}@shop.test`}, ${name})`
  yield* sql`INSERT INTO members (organization_id, user_id, email, name, role, status)
    VALUES (${organizationId}, ${userId}, ${`${name}@shop.test`}, ${name}, 'APPROVER', 'ACTIVE')`
  const as = Effect.provideService(Caller, {
    organizationId,
    role: "APPROVER",
    name: `user:${userId}`,
    kind: "user",
    userId,
    createdBy: null
  })
  const record = {
    id: `mcpc_${name}`,
    userId,
    clientId: `client of ${name}`,
    clientName: "Assistant",
    redirectHost: "assistant.example",
    createdAt: 0,
    expiresAt: Date.UTC(2100, 0, 1),
    lastUsedAt: null
  }
  const store = yield* ConnectionStore
  const artifacts = yield* OauthArtifacts
  yield* as(store.insert(`grant of ${name}`, record))
  const grantId = `grant of ${name}`
  yield* artifacts.put({ model: "Grant", id: grantId }, { jti: grantId, clientId: record.clientId }, 600)
  const payload = { grantId, accountId: userId, clientId: record.clientId, aud: audience, scope: "mcp:read", ...claims }
  yield* artifacts.put({ model: "AccessToken", id: `token of ${name}` }, payload, 600)
  const find = Effect.flatMap(ConnectionTokens, (all) => all.find(Redacted.make(`token of ${name}`)))
  return { artifacts, as, find, grantId, organizationId, record, sql, store, userId }
})

layer(stores)("PgConnectionTokens", (it) => {
  it.effect("finds the person with the role that they have now", () =>
    Effect.gen(function* () {
      const { find, organizationId, sql, userId } = yield* connectionOf("promoted")
      const found = yield* find
      assert.deepInclude(found, {
        organizationId,
        userId,
        role: "APPROVER",
        credential: "connection:mcpc_promoted",
        clientId: "client of promoted",
        scopes: ["mcp:read"],
        livemode: false
      })
      assert.isNumber(found?.expiresAt)
      yield* sql`UPDATE members SET role = 'AUDITOR' WHERE organization_id = ${organizationId}`
      assert.strictEqual((yield* find)?.role, "AUDITOR")
    })
  )

  it.effect("finds nothing for a token that is over, of another audience, client or person, or that never was", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* (yield* connectionOf("elsewhere", { aud: "https://other.example/mcp" })).find)
      assert.isUndefined(yield* (yield* connectionOf("without", { aud: undefined })).find)
      assert.isUndefined(yield* (yield* connectionOf("many", { aud: [audience] })).find)
      assert.isUndefined(yield* (yield* connectionOf("client", { clientId: "another" })).find)
      assert.isUndefined(yield* (yield* connectionOf("person", { accountId: "usr_other" })).find)
      const { find, sql } = yield* connectionOf("expired")
      assert.isDefined(yield* find)
      yield* sql`UPDATE oauth_artifact SET expires_at = now() WHERE model = 'AccessToken'
        AND grant_id = 'grant of expired'`
      assert.isUndefined(yield* find)
      const { find: findAny } = yield* ConnectionTokens
      for (const token of ["", "nobody's", "\u0000", "x".repeat(100_000)]) {
        assert.isUndefined(yield* findAny(Redacted.make(token)), token.slice(0, 20))
      }
    })
  )

  it.effect("finds nothing once the connection is revoked, the grant is gone, or its time is over", () =>
    Effect.gen(function* () {
      const revoked = yield* connectionOf("revoked")
      assert.strictEqual(yield* revoked.as(revoked.store.revoke("mcpc_revoked", 1)), revoked.grantId)
      assert.isUndefined(yield* revoked.find)
      const ungranted = yield* connectionOf("ungranted")
      yield* ungranted.artifacts.remove({ model: "Grant", id: ungranted.grantId })
      assert.isUndefined(yield* ungranted.find)
      const late = yield* connectionOf("late")
      yield* late.sql`UPDATE mcp_connection SET expires_at = now() WHERE id = 'mcpc_late'`
      assert.isUndefined(yield* late.find)
    })
  )

  it.effect("finds nobody who left, and nobody without the second factor that is demanded", () =>
    Effect.gen(function* () {
      const left = yield* connectionOf("left")
      yield* left.sql`UPDATE members SET status = 'INACTIVE' WHERE organization_id = 'org_left'`
      assert.isUndefined(yield* left.find)
      const { find, sql } = yield* connectionOf("demanded")
      yield* sql`UPDATE organizations SET requires_second_factor = true WHERE id = 'org_demanded'`
      assert.isUndefined(yield* find)
      yield* sql`UPDATE users SET second_factor_sealed = 'sealed' WHERE id = 'usr_demanded'`
      assert.isDefined(yield* find)
    })
  )

  it.effect("notes its use once a minute", () =>
    Effect.gen(function* () {
      const { as, find, sql, store } = yield* connectionOf("used")
      const lastUse = Effect.map(as(store.find("mcpc_used")), (record) => record?.lastUsedAt)
      assert.isNull(yield* lastUse)
      yield* find
      const first = yield* lastUse
      assert.isNumber(first)
      yield* find
      assert.strictEqual(yield* lastUse, first)
      yield* sql`UPDATE mcp_connection SET last_used_at = now() - interval '2 minutes' WHERE id = 'mcpc_used'`
      yield* find
      assert.isAtLeast((yield* lastUse) ?? 0, first ?? 0)
    })
  )
})

layer(stores)("PgConnectionStore", (it) => {
  it.effect("is of one organization: another neither sees nor revokes what is ours", () =>
    Effect.gen(function* () {
      const mine = yield* connectionOf("mine")
      const theirs = yield* connectionOf("theirs")
      const page = { limit: 10, after: undefined }
      assert.isUndefined(yield* theirs.as(theirs.store.find("mcpc_mine")))
      assert.isUndefined(yield* theirs.as(theirs.store.revoke("mcpc_mine", 0)))
      assert.deepStrictEqual((yield* theirs.as(theirs.store.list(undefined, page))).items, [theirs.record])
      assert.deepStrictEqual((yield* theirs.as(theirs.store.list("usr_mine", page))).items, [])
      assert.isDefined(yield* mine.find)
    })
  )

  it.effect("revokes once, and shows what stands", () =>
    Effect.gen(function* () {
      const { as, record, sql, store } = yield* connectionOf("once")
      assert.deepStrictEqual(yield* as(store.find(record.id)), record)
      assert.strictEqual(yield* as(store.revoke(record.id, 5)), "grant of once")
      assert.isUndefined(yield* as(store.revoke(record.id, 6)))
      assert.isUndefined(yield* as(store.find(record.id)))
      const over = yield* connectionOf("over")
      yield* sql`UPDATE mcp_connection SET expires_at = now() WHERE id = 'mcpc_over'`
      assert.deepStrictEqual((yield* over.as(store.list(undefined, { limit: 10, after: undefined }))).items, [])
    })
  )

  it.effect("knows a connection by its grant, and whether it is open", () =>
    Effect.gen(function* () {
      const { as, grantId, organizationId, sql, store, userId } = yield* connectionOf("granted")
      const expected = { organizationId, id: "mcpc_granted", userId, livemode: false }
      assert.deepStrictEqual(yield* store.ofGrant(grantId), { ...expected, isOpen: true })
      assert.isUndefined(yield* store.ofGrant("nobody's"))
      yield* sql`UPDATE members SET status = 'INACTIVE' WHERE organization_id = ${organizationId}`
      assert.deepStrictEqual(yield* store.ofGrant(grantId), { ...expected, isOpen: false })
      yield* sql`UPDATE members SET status = 'ACTIVE' WHERE organization_id = ${organizationId}`
      yield* as(store.revoke("mcpc_granted", 0))
      assert.deepStrictEqual(yield* store.ofGrant(grantId), { ...expected, isOpen: false })
    })
  )
})
