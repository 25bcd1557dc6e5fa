import { assert, layer } from "@effect/vitest"
import * as PgAssistantTokens from "@sarraf/adapters/postgres/organizations/PgAssistantTokens"
import { AssistantTokenStore } from "@sarraf/domain/organizations/AssistantTokenStore"
import { AssistantTokens } from "@sarraf/domain/organizations/AssistantTokens"
import { Caller } from "@sarraf/domain/organizations/Caller"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../../support/Database.ts"
import { insertOrganization } from "../support/Shop.ts"

const tokens = PgAssistantTokens.layer.pipe(Layer.provideMerge(Database.layer))

const far = Date.UTC(2100, 0, 1)

/** A member of an organization of its own, with a token. */
const tokenOf = Effect.fnUntraced(function* (name: string, expiresAt = far) {
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
  const token = Redacted.make(`mcp_${name}`)
  const record = {
    id: `mcpt_${name}`,
    userId,
    name: "Assistant",
    createdAt: 0,
    expiresAt,
    lastUsedAt: null,
    last4: "abcd",
    version: 1
  }
  const store = yield* AssistantTokenStore
  yield* as(store.insert(token, record))
  return { as, find: Effect.flatMap(AssistantTokens, (all) => all.find(token)), organizationId, record, store, userId }
})

layer(tokens)("PgAssistantTokens", (it) => {
  it.effect("finds the person with the role that they have now", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { find, organizationId, userId } = yield* tokenOf("promoted")
      const expected = { organizationId, id: "mcpt_promoted", userId, expiresAt: far, livemode: false }
      assert.deepStrictEqual(yield* find, { ...expected, role: "APPROVER" })
      yield* sql`UPDATE members SET role = 'AUDITOR' WHERE organization_id = ${organizationId}`
      assert.deepStrictEqual(yield* find, { ...expected, role: "AUDITOR" })
      assert.isUndefined(yield* (yield* AssistantTokens).find(Redacted.make("mcp_nobody")))
    })
  )

  it.effect("finds nobody who left, nor a token that has expired or was revoked", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const left = yield* tokenOf("left")
      yield* sql`UPDATE members SET status = 'INACTIVE' WHERE organization_id = 'org_left'`
      assert.isUndefined(yield* left.find)
      assert.isUndefined(yield* (yield* tokenOf("expired", Date.UTC(2020, 0, 1))).find)
      const revoked = yield* tokenOf("revoked")
      assert.isDefined(yield* revoked.find)
      assert.isTrue(yield* revoked.as(revoked.store.revoke("mcpt_revoked", 0)))
      assert.isFalse(yield* revoked.as(revoked.store.revoke("mcpt_revoked", 0)))
      assert.isUndefined(yield* revoked.find)
      assert.isUndefined(yield* revoked.as(revoked.store.find("mcpt_revoked")))
    })
  )

  it.effect("finds nobody without the second factor that the organization demands", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { find, organizationId, userId } = yield* tokenOf("demanded")
      yield* sql`UPDATE organizations SET requires_second_factor = true WHERE id = ${organizationId}`
      assert.isUndefined(yield* find)
      yield* sql`UPDATE users SET second_factor_sealed = 'sealed' WHERE id = ${userId}`
      assert.strictEqual((yield* find)?.userId, userId)
    })
  )

  it.effect("notes its use once a minute", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { as, find, store } = yield* tokenOf("used")
      const lastUse = Effect.map(as(store.find("mcpt_used")), (record) => record?.lastUsedAt)
      assert.isNull(yield* lastUse)
      yield* find
      const first = yield* lastUse
      assert.isNumber(first)
      yield* find
      assert.strictEqual(yield* lastUse, first)
      yield* sql`UPDATE assistant_tokens SET last_used_at = now() - interval '2 minutes' WHERE id = 'mcpt_used'`
      yield* find
      assert.isAtLeast((yield* lastUse) ?? 0, first ?? 0)
    })
  )

  it.effect("is of one organization: another neither sees nor revokes it", () =>
    Effect.gen(function* () {
      const mine = yield* tokenOf("mine")
      const theirs = yield* tokenOf("theirs")
      assert.isUndefined(yield* theirs.as(theirs.store.find("mcpt_mine")))
      assert.isFalse(yield* theirs.as(theirs.store.revoke("mcpt_mine", 0)))
      const page = { limit: 10, after: undefined }
      const { items } = yield* theirs.as(theirs.store.list(undefined, page))
      assert.deepStrictEqual(items, [theirs.record])
      assert.deepStrictEqual((yield* theirs.as(theirs.store.list("usr_mine", page))).items, [])
      assert.isDefined(yield* mine.find)
    })
  )
})
